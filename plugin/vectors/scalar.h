/* Single elements of a scalar field, on the host: as integers below r. All that is computed with
 * them is known to everybody: roots, shifts, sizes. */
#ifndef PAIL_FIELD_SCALAR_H
#define PAIL_FIELD_SCALAR_H

#include <curves/curve_ops.h>
#include <kernels.h>

/* Little-endian bytes; false, and r is 0, if they are not below the order. */
bool pail_scalar_read(pail_u256 *r, const struct pail_curve_ops *ops, const uint8_t bytes[32]);

/* True if all n elements, each of 32 bytes, are below the order; *bad is the number of the first
 * that is not. */
bool pail_scalars_below(const struct pail_curve_ops *ops, const uint8_t *bytes, uint64_t n,
                        uint64_t *bad);

pail_u256 pail_scalar_of(uint64_t integer);
bool pail_scalar_equal(const pail_u256 *a, const pail_u256 *b);

/* a^(2^n) */
pail_u256 pail_scalar_square_times(const struct pail_curve_ops *ops, const pail_u256 *a,
                                   uint32_t n);

/* 1 / a; 0 for 0. */
pail_u256 pail_scalar_inverse(const struct pail_curve_ops *ops, const pail_u256 *a);

/* True if a has order 2^log_n exactly. */
bool pail_scalar_has_order(const struct pail_curve_ops *ops, const pail_u256 *a, uint32_t log_n);

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
