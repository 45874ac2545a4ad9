/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of Groth16 proofs. */
#ifndef PAIL_PROVER_VERIFY_H
#define PAIL_PROVER_VERIFY_H

#include <stdbool.h>

#include <pail/groth16.h>

/* Names of the parts in sentences: paths of files, where they are from files. */
struct pail_verify_names {
    const char *key, *proof, *publics;
};

/* As pail_groth16_verify, for structs with a valid curve.
 *
 * In: publics: [n_public * 32]. */
pail_status pail_verify(bool *valid, const pail_groth16_verifying_key *key,
                        const pail_groth16_proof *proof, const uint8_t *publics, uint64_t n_public,
                        const struct pail_verify_names *names, char *error, size_t error_cap);

#endif /* PAIL_PROVER_VERIFY_H */
