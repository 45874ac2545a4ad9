/* SPDX-License-Identifier: Apache-2.0 */
/* CPU twins of the kernels in glsl/vector and glsl/ntt; see twins.h. Elements are 8 words. */
#ifndef PAIL_TESTS_TWINS_VECTOR_TWINS_H
#define PAIL_TESTS_TWINS_VECTOR_TWINS_H

#include <curves/curve_ops.h>
#include <shared/vector_layout.h>

/* An element's words as an integer, and back. */
pail_u256 pail_twin_scalar(const uint32_t *words, uint64_t i);
void pail_twin_set_scalar(uint32_t *words, uint64_t i, const pail_u256 *value);

/* a b / 2^bits mod r: a product in a form of that radix. */
pail_u256 pail_twin_scalar_product(const struct pail_curve_ops *ops, uint32_t bits,
                                   const pail_u256 *a, const pail_u256 *b);

void pail_twin_vector_arith(const struct vector_arith_push *push, const struct pail_curve_ops *ops,
                            const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *r);
void pail_twin_vector_powers(const struct vector_powers_push *push,
                             const struct pail_curve_ops *ops, const uint32_t *a,
                             const uint32_t *table, uint32_t *r);
void pail_twin_vector_spmv(const struct vector_spmv_push *push, const struct pail_curve_ops *ops,
                           const uint32_t *structure, const uint32_t *values, const uint32_t *a,
                           uint32_t *r);
void pail_twin_vector_sum(const struct vector_sum_push *push, const struct pail_curve_ops *ops,
                          const uint32_t *structure, const uint32_t *parts, uint32_t *r);
void pail_twin_vector_reverse(const struct vector_reverse_push *push, const uint32_t *a,
                              uint32_t *r);
void pail_twin_vector_encode(const struct vector_encode_push *push,
                             const struct pail_curve_ops *ops, const uint32_t *a, uint32_t *r);
void pail_twin_vector_scalars(const struct vector_scalars_push *push,
                              const struct pail_curve_ops *ops, const uint32_t *a,
                              uint32_t *scalars, const uint32_t *map, uint32_t *index);

/* radix_bits: of the form; with 255, that of form d51, the table has digits. Elements of `in` may
 * be two's complements of anything that is the element modulo r; with NTT_ANY, such integers of 256
 * bits. Results are fully reduced,
 * NTT_LOOSE or not. */
void pail_twin_ntt_pass(const struct ntt_pass_push *push, const struct pail_curve_ops *ops,
                        uint32_t radix_bits, const uint32_t *in, const uint32_t *table,
                        uint32_t *out);

/* An entry of a table in a form of that radix. */
pail_u256 pail_twin_ntt_entry(const struct pail_curve_ops *ops, uint32_t radix_bits,
                              const uint32_t *table, uint64_t entry);

/* Elements that the kernel makes: out[push->n]. */
void pail_twin_ntt_table(const struct ntt_table_push *push, const struct pail_curve_ops *ops,
                         uint32_t radix_bits, const uint32_t *table, pail_u256 *out);

#endif /* PAIL_TESTS_TWINS_VECTOR_TWINS_H */
