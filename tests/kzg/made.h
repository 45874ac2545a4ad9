/* SPDX-License-Identifier: Apache-2.0 */
/* A setup with a known secret, and what follows from it by arithmetic of scalars alone: an oracle
 * that shares no transform, table or quotient with the library. */
#ifndef PAIL_TESTS_KZG_MADE_H
#define PAIL_TESTS_KZG_MADE_H

#include "support/test.h"

#include <pail/kzg.h>

#include <curves/curve_ops.h>
#include <curves/rng.h>

/* The call succeeds; otherwise its sentence is shown, from `error` of the bench. */
#define ASSERT_OK(bench, call)                                                                     \
    do {                                                                                           \
        const pail_status call_status = (call);                                                    \
        if (call_status != PAIL_OK)                                                                \
            fail_msg("%s: %s", pail_status_name(call_status), (bench)->error);                     \
    } while (0)

enum { SCALAR = 32, POINT = 48 /* the longest */, N_MOST = 256, CELLS_MOST = 2 * N_MOST };

struct made {
    const struct pail_curve_ops *g1, *g2;
    size_t n, length, cells;                /* length: of a cell */
    size_t point;                           /* bytes of a compressed one, at most POINT */
    uint32_t form;                          /* of these: pail_point_form */
    pail_u256 tau, root;                    /* root: of order 2 n */
    uint8_t *powers, *lagrange, *g2_powers; /* canonical */
    size_t n_g2;
};

/* In: n a power of two of at most N_MOST, length one of at most n. */
void made_create(struct made *made, uint32_t curve, size_t n, size_t length, size_t n_g2);
pail_kzg_params made_params(const struct made *made);

/* Arithmetic modulo r. */
pail_u256 made_add(const struct made *made, const pail_u256 *a, const pail_u256 *b);
pail_u256 made_sub(const struct made *made, const pail_u256 *a, const pail_u256 *b);
pail_u256 made_mul(const struct made *made, const pail_u256 *a, const pail_u256 *b);
pail_u256 made_power(const struct made *made, const pail_u256 *a, uint64_t e);
pail_u256 made_number(uint64_t number);
pail_u256 made_random(const struct made *made, struct pail_rng *rng);

void made_write(uint8_t bytes[SCALAR], const pail_u256 *a);
pail_u256 made_read(const uint8_t bytes[SCALAR]);

/* Point i of the extended domain: root^(i's bits reversed), i < 2 n. */
pail_u256 made_place(const struct made *made, size_t i);

/* The value at x of the polynomial with n coefficients. */
pail_u256 made_value(const struct made *made, const pail_u256 *coefficients, const pail_u256 *x);

/* k G1, compressed. */
void made_point(const struct made *made, uint8_t *bytes, const pail_u256 *k);

/* The value at z, and its proof: (p(tau) - p(z)) / (tau - z), from the coefficients by division. */
void made_proof(const struct made *made, uint8_t value[SCALAR], uint8_t *proof,
                const pail_u256 *coefficients, const pail_u256 *z);

/* The blob [n * SCALAR], all cells [2 n * SCALAR] and their proofs [cells * POINT] of a
 * polynomial. */
void made_blob(const struct made *made, uint8_t *blob, const pail_u256 *coefficients);
void made_cells(const struct made *made, uint8_t *cells, uint8_t *proofs,
                const pail_u256 *coefficients);

#endif /* PAIL_TESTS_KZG_MADE_H */
