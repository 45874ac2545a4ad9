/* SPDX-License-Identifier: Apache-2.0 */
/* A Groth16 key out of a circuit, with numbers that everybody knows: whoever has them proves
 * anything. For tests and measurements alone. */
#ifndef PAIL_INSECURE_SETUP_SETUP_H
#define PAIL_INSECURE_SETUP_SETUP_H

#include <stdint.h>

#include <pail/backend.h>

/* Reads a circuit and writes a key of the format of snarkjs. alpha, beta, gamma, delta and tau
 * follow from the seed, and section 10 has a contribution that says so.
 *
 * Returns PAIL_OK, PAIL_ERR_HOST_MEMORY, PAIL_ERR_IO, or what reading the circuit returns. */
pail_status insecure_setup(const char *zkey_path, const char *r1cs_path, uint64_t seed, char *error,
                           size_t error_cap);

/* The same, and writes a key in the format of bellman, over BLS12-381, of the same polynomials:
 * with the same witness, r and s both make the same proof. For that the rows of the .zkey are those
 * of bellman's domain, constraint i at 7^(i (r - 1) / n), where snarkjs has 5. Paths may be NULL.
 *
 * Returns as insecure_setup; PAIL_ERR_UNSUPPORTED for another curve, and PAIL_ERR_DATA for a wire
 * that is in no constraint. */
pail_status insecure_setup_both(const char *zkey_path, const char *params_path,
                                const char *r1cs_path, uint64_t seed, char *error,
                                size_t error_cap);

#endif /* PAIL_INSECURE_SETUP_SETUP_H */
