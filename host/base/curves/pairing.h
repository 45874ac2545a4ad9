/* SPDX-License-Identifier: Apache-2.0 */
/* Pairings of points of the first and the second group: e(P, Q), an element of order r (or 1) of
 * the field with p^12 elements, with e(a P, b Q) = e(P, Q)^(a b).
 *
 * Points are in the CPU's own form, as in curve_ops.h. Time depends on them: for verification, in
 * which nothing is secret.
 */
#ifndef PAIL_CURVES_PAIRING_H
#define PAIL_CURVES_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "curve_ops.h"

#define PAIL_PAIRING_BYTES_MAX (12 * 48)
#define PAIL_PAIRS_AT_ONCE     8 /* pairs that share the squarings and divisions of one loop */

struct pail_pairing_ops {
    uint32_t curve; /* number at the boundary */
    size_t value_bytes, lines_bytes;

    /* True if the product of e(p[i], q[i]) is 1. Pairs with infinity count as 1, and so do no pairs
     * at all. p: [n] of G1, q: [n] of G2, each valid as pail_pairing_point_is_valid says; of other
     * points nothing follows from the answer. */
    bool (*are_one)(const void *p, const void *q, size_t n);

    /* The product itself, each pairing being the reduced optimal ate pairing to the power 3 for
     * BLS12-381, and 2 x (6 x^2 + 3 x + 1) with x the curve's parameter for BN254, which are
     * cheaper to take. value: [value_bytes], 12 coordinates, canonical, little-endian. The field is
     * GF(p)[u, v, w] with u^2 = -1, v^3 = xi, w^2 = v, xi being 9 + u for BN254 and 1 + u for
     * BLS12-381: those of 1, u, v, u v, v^2, u v^2, then those of the same times w. */
    void (*product)(uint8_t *value, const void *p, const void *q, size_t n);

    /* The lines of a point of G2 which many pairings have in common, so that no other computes
     * them, and no inversion is left in their loops: lines: [lines_bytes], aligned for uint64_t. q
     * may be infinity. */
    void (*prepare)(void *lines, const void *q);
    /* are_one of p[i] and the point of lines[i]: the same answer. */
    bool (*prepared_are_one)(const void *p, const void *const *lines, size_t n);
};

/* NULL if the curve has none. */
const struct pail_pairing_ops *pail_pairing_ops(uint32_t curve);

/* The same functions by what the processor has: every value and all lines are the same bytes.
 * pail_pairing_ops's own where there is nothing better, or what there is fails its test, which a
 * process makes once for a curve in about two milliseconds. Any threads. */
const struct pail_pairing_ops *pail_pairing_fast(uint32_t curve);

/* The test: whether a table computes a product of pairings as the plain one does. */
bool pail_pairing_test(const struct pail_pairing_ops *fast, const struct pail_pairing_ops *ops);

/* True if a point may be paired: on the curve and of order r, or infinity. Costs about as much as a
 * short scalar multiplication where the curve has other points. */
bool pail_pairing_point_is_valid(const struct pail_curve_ops *group, const void *affine);

/* The same of a point of a key, which is asked about when the key is opened and for each proof: the
 * last valid ones are remembered. Any threads. */
bool pail_pairing_key_point_is_valid(const struct pail_curve_ops *group, const void *affine);

#endif /* PAIL_CURVES_PAIRING_H */
