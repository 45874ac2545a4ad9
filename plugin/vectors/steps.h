/* SPDX-License-Identifier: Apache-2.0 */
/* Operations as steps: a pure function of them, of their tables and of the device's limits. */
#ifndef PAIL_FIELD_STEPS_H
#define PAIL_FIELD_STEPS_H

#include "matrix.h"
#include "ntt.h"
#include "run.h"
#include "tables.h"
#include "vector.h"

struct pail_vectors;

/* One operation, checked, with its table. */
struct pail_field_op {
    pail_vector_op op;
    struct pail_table *table;   /* for transforms and powers; NULL where there is nothing to do */
    struct pail_vk_slice place; /* of operands in memory: at the address */
    struct pail_vk_slice to;    /* of results that go from there to another one */
};

/* The key of an operation's table; false: it has none. */
bool pail_field_table_key(struct pail_table_key *key, const pail_vector_op *op,
                          const struct pail_ntt_kernel *kernel);

/* Number of transforms, of n / 2^log_n, that one dispatch takes. most: elements that a binding
 * has. */
uint64_t pail_ntt_batch(uint64_t most, uint32_t log_n, uint64_t n);

/* Elements of scratch that the operation takes. */
uint64_t pail_field_scratch_of(const struct pail_vectors *field, const pail_vector_op *op,
                               const struct pail_ntt_kernel *kernel);

/* Adds its steps. scratch: of at least so many elements, the same for all operations. */
void pail_field_steps_add(struct pail_field_steps *s, const struct pail_field_op *op,
                          const struct pail_ntt_kernel *kernel,
                          const struct pail_vk_slice *scratch);

/* The request for the kernel of transforms. */
struct pail_vk_pipeline_request pail_ntt_request(const struct pail_ntt_kernel *kernel,
                                                 uint32_t curve);

struct pail_vectors;

/* True if it is a transform of elements in memory. */
static inline bool pail_op_within_memory(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_NTT_AT || op->kind == PAIL_VECTOR_OP_INTT_AT;
}

static inline bool pail_op_transforms(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_NTT || op->kind == PAIL_VECTOR_OP_INTT ||
           pail_op_within_memory(op);
}

static inline bool pail_op_inverts(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_INTT || op->kind == PAIL_VECTOR_OP_INTT_AT;
}

/* True if blocks of 2^log_n are reordered, by BIT_REVERSE or with a transform. */
static inline bool pail_op_reverses(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_BIT_REVERSE ||
           (pail_op_transforms(op) && (op->flags & PAIL_VECTOR_OP_COEFFICIENTS_REVERSED) != 0);
}

static inline bool pail_op_at_address(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_LOAD || op->kind == PAIL_VECTOR_OP_STORE ||
           pail_op_within_memory(op);
}

/* True of operations on points by sums of multiples. */
static inline bool pail_op_of_sums(const pail_vector_op *op)
{
    return op->kind >= PAIL_VECTOR_OP_POINTS_TABLE && op->kind <= PAIL_VECTOR_OP_POINTS_TRUNCATE;
}

/* True of operations on points, whose results are in no vector. */
static inline bool pail_op_of_points(const pail_vector_op *op)
{
    return (op->kind >= PAIL_VECTOR_OP_POINTS_NTT && op->kind <= PAIL_VECTOR_OP_POINTS_CONVERT) ||
           pail_op_of_sums(op);
}

/* The curve; STORE alone, of those with a vector, writes none. */
static inline uint32_t pail_op_curve(const pail_vector_op *op)
{
    return pail_op_of_points(op) || pail_op_within_memory(op) ? op->curve
           : op->r                                            ? op->r->curve
                                                              : op->a->curve;
}

/* Checks that the device can do the operations, whose arguments the front has checked.
 * Errors: PAIL_ERR_UNSUPPORTED  more at a time than the device binds; the sentence has the
 *         operation's number */
pail_status pail_field_check(struct pail_vectors *field, const pail_vector_op ops[], size_t n_ops,
                             const struct pail_ntt_kernel *kernel, struct pail_error *err);

#endif /* PAIL_FIELD_STEPS_H */
