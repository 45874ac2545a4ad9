/* Checks that a device can do operations that are as vectors.h says. */
#ifndef PAIL_FIELD_CHECK_H
#define PAIL_FIELD_CHECK_H

#include "matrix.h"
#include "ntt.h"
#include "vector.h"

struct pail_vectors;

static inline bool pail_op_transforms(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_NTT || op->kind == PAIL_VECTOR_OP_INTT;
}

/* Errors: PAIL_ERR_UNSUPPORTED: more at a time than the device binds; the sentence has the
 * operation's number. */
pail_status pail_field_check(struct pail_vectors *field, const pail_vector_op ops[], size_t n_ops,
                             const struct pail_ntt_kernel *kernel, struct pail_error *err);

#endif /* PAIL_FIELD_CHECK_H */
