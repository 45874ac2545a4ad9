/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a scalar field as kernels read them from tables. */
#ifndef PAIL_FIELD_SCALAR_H
#define PAIL_FIELD_SCALAR_H

#include <curves/scalar.h>
#include <kernels.h>

/* The radix of a form of the field in kernels, modulo r: 2^256, 2^261 or 2^255. */
pail_u256 pail_scalar_radix(const struct pail_curve_ops *ops, enum pail_field_form form);

/* Bytes of an element of a table: in form x32 its 32, in form x29 48, 9 limbs and three zeros, in
 * form d51 48, 5 digits as doubles and a zero. */
uint64_t pail_scalar_table_bytes(enum pail_field_form form);

/* The digits of the one of x and x - r that is nearer to 0, balanced but for the last, and 0. */
void pail_scalar_digits(const struct pail_curve_ops *ops, double digits[6], const pail_u256 *x);

/* The limbs of x of 29 bits, and zeros. */
void pail_scalar_limbs(uint32_t limbs[12], const pail_u256 *x);

/* first, first base, first base^2, ... to n elements of a table: times the form's radix. */
void pail_scalar_powers(const struct pail_curve_ops *ops, enum pail_field_form form, uint8_t *out,
                        uint64_t n, const pail_u256 *first, const pail_u256 *base);

#endif /* PAIL_FIELD_SCALAR_H */
