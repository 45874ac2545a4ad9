/* SPDX-License-Identifier: Apache-2.0 */
/* Support for the tests of vectors: a context of a backend, numbers modulo the order, and short
 * forms of the calls, which assert that they succeed. */
#ifndef PAIL_TESTS_FIELD_SUPPORT_H
#define PAIL_TESTS_FIELD_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cpu_backend/support.h>
#include <curves/curve_ops.h>

/* The curve whose scalar field all is over. */
void field_choose(uint32_t curve);
uint32_t field_curve(void);
const struct pail_curve_ops *field_ops(void);

/* A number that the seed and i name, below the order. */
pail_u256 field_number(uint64_t seed, uint64_t i);
void field_numbers(uint8_t *elements, size_t n, uint64_t seed); /* 32 bytes each */

pail_u256 field_power(const pail_u256 *a, uint64_t e);
pail_u256 field_inverse(const pail_u256 *a);
pail_u256 field_sub(const pail_u256 *a, const pail_u256 *b);
/* 5^((r - 1) / 2^log_n), of order 2^log_n on both curves. */
pail_u256 field_root(uint32_t log_n);
/* The value of a polynomial at x, by Horner; coefficients canonical. */
pail_u256 field_horner(const uint8_t *coefficients, size_t n, const pail_u256 *x);
size_t field_reverse(size_t i, uint32_t bits);

pail_vector *field_vector(struct test_cpu *cpu, uint64_t n);
/* Makes a vector of n elements, canonical. */
pail_vector *field_vector_of(struct test_cpu *cpu, const uint8_t *elements, uint64_t n);
void field_read(struct test_cpu *cpu, const pail_vector *vector, uint8_t *elements, uint64_t n);

/* Starts the operations, waits, and finishes. */
void field_run(struct test_cpu *cpu, const pail_vector_op *ops, size_t n_ops);
/* A transform of whole vectors. shift NULL: 1. */
pail_vector_op field_transform(pail_vector_op_kind kind, uint32_t flags, uint32_t log_n,
                               pail_vector *r, const pail_vector *a, uint64_t n,
                               const pail_u256 *shift);

/* Runs a test once for each curve. */
void field_on_both(void (*test)(void));

/* Runs the cases, or skips all where PAIL_CPU asks for what the processor does not have. */
int field_main(void);

#endif /* PAIL_TESTS_FIELD_SUPPORT_H */
