/* The scalars of the multiplication H in a Groth16 proof over BN254. */
#ifndef PAIL_PROVER_QUOTIENT_H
#define PAIL_PROVER_QUOTIENT_H

#include <pail/backend.h>

#include <formats/wtns.h>
#include <formats/zkey.h>

/* With A and B the constraint matrices of the key, w the witness, g the primitive root of unity of
 * order 2 domain_size, and a = A w, b = B w, c = a b (entry by entry) taken as values on the powers
 * of g^2: evaluates a b - c at g^(2 i + 1), for each i. Those values are the scalars, because the
 * points of section 9 are the matching Lagrange basis with the division by x^n - 1 in it. Where 2
 * domain_size does not divide r - 1, g is 25 instead. This is what snarkjs computes
 * (src/groth16_prove.js): interpolation and evaluation are number-theoretic transforms, six in all.
 *
 * Out: h: [32 * domain_size], canonical, little-endian; zeroed on failure.
 * In:  tick: optional: called now and then with the part done, 0 to 1.
 * Returns PAIL_OK, PAIL_ERR_DATA for a witness of another length or a coefficient out of range, or
 * PAIL_ERR_HOST_MEMORY. error: optional; holds error_cap bytes. */
pail_status pail_groth16_quotient(uint8_t *h, const struct pail_zkey *key,
                                  const struct pail_wtns *witness,
                                  void (*tick)(void *user, double part), void *user, char *error,
                                  size_t error_cap);

#endif /* PAIL_PROVER_QUOTIENT_H */
