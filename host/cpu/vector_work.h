/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on vectors in the background. */
#ifndef PAIL_CPU_VECTOR_WORK_H
#define PAIL_CPU_VECTOR_WORK_H

#include <core/error.h>
#include <pail/backend.h>

/* Behind the front. */
pail_status pail_cpu_vector_start(pail_context *context, pail_pending **pending,
                                  const pail_vector_op *ops, size_t n_ops, struct pail_error *err);
pail_status pail_cpu_vector_finish(pail_pending *pending, pail_stats *stats,
                                   struct pail_error *err);
void pail_cpu_vector_refuse(pail_pending *pending);

#endif /* PAIL_CPU_VECTOR_WORK_H */
