/* Arguments of vector_start: structs of any version read into ours, and the checks of them. */
#ifndef PAIL_CPU_VECTOR_ARGUMENTS_H
#define PAIL_CPU_VECTOR_ARGUMENTS_H

#include <curves/curve_ops.h>
#include <pail/backend.h>

/* An operation and its numbers; shift and scale are never 0. */
struct pail_cpu_vector_op {
    pail_vector_op op;
    pail_u256 root, shift, scale;
};

/* i: the operation's number, for the sentence. */
pail_status pail_cpu_vector_op_read(pail_context *context, struct pail_cpu_vector_op *op,
                                    const void *theirs, size_t i);

/* The kind's word in the stats. */
const char *pail_cpu_vector_op_name(uint32_t kind);

#endif /* PAIL_CPU_VECTOR_ARGUMENTS_H */
