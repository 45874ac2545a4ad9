/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms on the CPU, in the plainest way: what kernels are compared with. */
#ifndef PAIL_TESTS_FIELD_GPU_SUPPORT_H
#define PAIL_TESTS_FIELD_GPU_SUPPORT_H

#include <curves/curve_ops.h>

/* A root of order 2^log_n, below r. */
pail_u256 field_root(const struct pail_curve_ops *ops, uint32_t log_n);

pail_u256 field_pow(const struct pail_curve_ops *ops, const pail_u256 *a, uint64_t exponent);

/* r[k] = the sum of a[j] (shift root^k)^j; canonical bytes. r is not a. */
void field_transform(const struct pail_curve_ops *ops, uint8_t *r, const uint8_t *a, uint32_t log_n,
                     const pail_u256 *root, const pail_u256 *shift);

/* The value at x of the polynomial with n coefficients. */
pail_u256 field_value(const struct pail_curve_ops *ops, const uint8_t *coefficients, uint64_t n,
                      const pail_u256 *x);

uint32_t field_reverse(uint32_t i, uint32_t bits);

#endif /* PAIL_TESTS_FIELD_GPU_SUPPORT_H */
