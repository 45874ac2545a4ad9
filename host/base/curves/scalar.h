/* SPDX-License-Identifier: Apache-2.0 */
/* Single elements of a scalar field, as integers below r. All that is computed with them is known
 * to everybody: roots, shifts, sizes. */
#ifndef PAIL_CURVES_SCALAR_H
#define PAIL_CURVES_SCALAR_H

#include "curve_ops.h"

/* Little-endian bytes; false, and r is 0, if they are not below the order. */
bool pail_scalar_read(pail_u256 *r, const struct pail_curve_ops *ops, const uint8_t bytes[32]);

/* True if all n elements, each of 32 bytes, are below the order; *bad is the number of the first
 * that is not. */
bool pail_scalars_below(const struct pail_curve_ops *ops, const uint8_t *bytes, uint64_t n,
                        uint64_t *bad);

pail_u256 pail_scalar_of(uint64_t integer);
bool pail_scalar_equal(const pail_u256 *a, const pail_u256 *b);

/* a < b, as integers. */
bool pail_scalar_less(const pail_u256 *a, const pail_u256 *b);

/* a^(2^n) */
pail_u256 pail_scalar_square_times(const struct pail_curve_ops *ops, const pail_u256 *a,
                                   uint32_t n);

/* 1 / a; 0 for 0. */
pail_u256 pail_scalar_inverse(const struct pail_curve_ops *ops, const pail_u256 *a);

/* A power of 5 of order 2^log_n, which r - 1 is a multiple of: 5 is no square modulo either order.
 */
pail_u256 pail_scalar_root(const struct pail_curve_ops *ops, uint32_t log_n);

/* True if a has order 2^log_n exactly. */
bool pail_scalar_has_order(const struct pail_curve_ops *ops, const pail_u256 *a, uint32_t log_n);

#endif /* PAIL_CURVES_SCALAR_H */
