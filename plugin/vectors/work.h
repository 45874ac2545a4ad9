/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on vectors under way: start, wait, finish, abandon. */
#ifndef PAIL_FIELD_WORK_H
#define PAIL_FIELD_WORK_H

#include "pending_kind.h"
#include "vk/memory.h"
#include "vk/pipeline.h"
#include "warm_list.h"

#include <pail/backend.h>

#include <core/error.h>

struct pail_vectors;

struct pail_field_work;

extern const struct pail_pending_kind pail_field_pending;

/* See backend.h; the operations have been copied out of the caller's structs. The kernels they need
 * are tested first (selftest.h). */
pail_status pail_field_start(struct pail_vectors *field, struct pail_pending **out,
                             const pail_vector_op ops[], size_t n_ops, struct pail_error *err);

/* Finishes pending work of the kind above, and destroys it. stats: of full size. */
pail_status pail_field_finish(struct pail_pending *pending, pail_stats *stats,
                              struct pail_error *err);

/* Ends it without a result: waits, and what was to be written is zeros. */
void pail_field_refuse(struct pail_pending *pending);

/* Operations at once, untested: for the self-test. pipelines: those of it are added. */
pail_status pail_field_run_ops(struct pail_vectors *field, const pail_vector_op ops[], size_t n_ops,
                               struct pail_vk_pipeline_stats *pipelines, struct pail_error *err);

struct pail_vectors *pail_field_of(const struct pail_pending *pending);

/* The pipelines that vectors need, before there are any. */

struct pail_vectors;

/* Adds all that vectors of a curve ask for; 0: of every curve, and transforms in every form that
 * the device can have. Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_field_warm_add(struct pail_vectors *field, struct pail_warm_list *list,
                                uint32_t curve, struct pail_error *err);

/* Adds what the quotient of a proof asks for, over a domain of n elements. */
pail_status pail_field_warm_add_quotient(struct pail_vectors *field, struct pail_warm_list *list,
                                         uint32_t curve, uint64_t n, struct pail_error *err);

#endif /* PAIL_FIELD_WORK_H */
