/* SPDX-License-Identifier: Apache-2.0 */
/* The scalars of the multiplication H in a Groth16 proof. */
#ifndef PAIL_PROOF_QUOTIENT_H
#define PAIL_PROOF_QUOTIENT_H

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
 * The work in parts, for transforms on several devices: each of the three transforms by itself, and
 * the join, where all three are. */
enum {
    PAIL_QUOTIENT_A = 1,
    PAIL_QUOTIENT_B = 2,
    PAIL_QUOTIENT_C = 4,
    PAIL_QUOTIENT_THIRDS = 7,
    PAIL_QUOTIENT_JOIN = 8,
    PAIL_QUOTIENT_ALL = 15,
    /* With ALL, for a key of bellman: abc has the values a, b and c, and the scalars are
     * coefficients, of -2 times the quotient: x^n is -1 on the coset. pail_assemble divides. */
    PAIL_QUOTIENT_GIVEN = 16
};

/* Starts parts of this computation, bit by bit. abc: of 3 n elements, n = 2^log2_n. Entry i of a
 * transform is at i of its third of abc once the work has ended; after the join the scalars are the
 * first n elements. A transform needs its matrix, C both, unless they are GIVEN. Returns as
 * vector_start. */
pail_status pail_quotient_start(const pail_backend *backend, pail_context *context,
                                pail_pending **pending, pail_vector *abc,
                                const pail_vector *witness,
                                pail_matrix *const matrices[PAIL_MATRICES],
                                const struct pail_domain *domain, uint32_t parts);

#endif /* PAIL_PROOF_QUOTIENT_H */
