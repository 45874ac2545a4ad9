/* Operations on vectors in the background. */
#ifndef PAIL_CPU_VECTOR_WORK_H
#define PAIL_CPU_VECTOR_WORK_H

#include <pail/backend.h>

/* Entries of the table. */
pail_status pail_cpu_vector_start(pail_context *context, pail_pending **pending,
                                  const pail_vector_op *ops, size_t n_ops);
pail_status pail_cpu_vector_finish(pail_pending **pending, pail_stats *stats);

#endif /* PAIL_CPU_VECTOR_WORK_H */
