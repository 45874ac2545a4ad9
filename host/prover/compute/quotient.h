/* The scalars of the multiplication H in a Groth16 proof. */
#ifndef PAIL_PROVER_QUOTIENT_H
#define PAIL_PROVER_QUOTIENT_H

#include <pail/backend.h>

#include <formats/wtns.h>
#include <formats/zkey.h>
#include <prover/key/domain.h>
#include <prover/key/matrices.h>

/* With A and B the matrices of the key, w the witness, g the shift of its domain and root the
 * domain's root: a = A w, b = B w, c = a b (entry by entry) are taken as values on the powers of
 * root. The scalars are a b - c at g root^i, because the points of section 9 are the matching
 * Lagrange basis with the division by x^n - 1 in it. This is what snarkjs computes
 * (src/groth16_prove.js), six transforms in all.
 *
 * Starts this computation. abc: of 3 n elements, n = 2^log2_n; the scalars are the first n of them
 * once the work has ended. Returns as vector_start. */
pail_status pail_quotient_start(const pail_backend *backend, pail_context *context,
                                pail_pending **pending, pail_vector *abc,
                                const pail_vector *witness,
                                pail_matrix *const matrices[PAIL_MATRICES],
                                const struct pail_domain *domain);

/* The same in two steps, for transforms on several devices. The first step computes some of the
 * three transforms: bits PAIL_QUOTIENT_A and so on; entry i of the domain is at i of its third of
 * abc once the work has ended. It needs the matrices of these transforms: C has both. */
enum { PAIL_QUOTIENT_A = 1, PAIL_QUOTIENT_B = 2, PAIL_QUOTIENT_C = 4, PAIL_QUOTIENT_ALL = 7 };
pail_status pail_quotient_start_some(const pail_backend *backend, pail_context *context,
                                     pail_pending **pending, pail_vector *abc,
                                     const pail_vector *witness,
                                     pail_matrix *const matrices[PAIL_MATRICES],
                                     const struct pail_domain *domain, uint32_t some);
/* The second step, where all three are. */
pail_status pail_quotient_join(const pail_backend *backend, pail_context *context,
                               pail_pending **pending, pail_vector *abc,
                               const struct pail_domain *domain);

/* The same on the CPU, for one witness.
 *
 * Out: h: [32 * domain_size], canonical, little-endian; zeroed on failure.
 * In:  key: its coefficients are loaded. tick: optional: called now and then with the part done, 0
 *      to 1.
 * Returns PAIL_OK, PAIL_ERR_DATA for a witness of another length or prime or a coefficient out of
 * range, or PAIL_ERR_HOST_MEMORY. error: optional; holds error_cap bytes. */
pail_status pail_groth16_quotient(uint8_t *h, const struct pail_zkey *key,
                                  const struct pail_wtns *witness,
                                  void (*tick)(void *user, double part), void *user, char *error,
                                  size_t error_cap);

#endif /* PAIL_PROVER_QUOTIENT_H */
