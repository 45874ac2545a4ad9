/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of multiples of points as steps: tables of fixed points, sums by scalars of a vector, and
 * truncations of values, which are sums by constants (glsl/points, curves/sums.h). */
#ifndef PAIL_FIELD_SUMS_H
#define PAIL_FIELD_SUMS_H

#include "steps.h"

/* Bytes of the table of POINTS_TABLE or POINTS_SUMS. */
uint64_t pail_sums_table_bytes(const pail_vector_op *op);

/* Bytes at the address of any operation on points, and at that of its results. */
uint64_t pail_sums_from_bytes(const pail_vector_op *op);
uint64_t pail_sums_to_bytes(const pail_vector_op *op);

/* Errors: PAIL_ERR_UNSUPPORTED  a table, or the parts of a batch, do not fit a binding of the
 *         device; the sentence has the operation's number */
pail_status pail_sums_check(struct pail_vectors *field, const pail_vector_op *op, size_t number,
                            struct pail_error *err);

/* Bytes of scratch of an operation; a multiple of 32. */
uint64_t pail_sums_scratch(const struct pail_vectors *field, const pail_vector_op *op);

/* Add the steps of one operation. */
void pail_sums_add_table(struct pail_field_steps *s, const struct pail_field_op *op,
                         const struct pail_vk_slice *scratch);
void pail_sums_add(struct pail_field_steps *s, const struct pail_field_op *op,
                   const struct pail_vk_slice *scratch);
void pail_sums_add_truncation(struct pail_field_steps *s, const struct pail_field_op *op,
                              const struct pail_vk_slice *scratch);

#endif /* PAIL_FIELD_SUMS_H */
