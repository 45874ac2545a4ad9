/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-scalar multiplications under way: start, poll, wait, finish, abandon. */
#ifndef PAIL_MSM_MULTIPLICATIONS_H
#define PAIL_MSM_MULTIPLICATIONS_H

#include "msm/bases/bases.h"
#include "msm/plan/plan.h"
#include "pending_kind.h"

/* See backend.h; arguments have been copied out of the caller's structs, jobs is [n_jobs]. */
pail_status pail_msm_estimate_job(struct pail_msm *msm, pail_stats *stats, const pail_msm_job *job,
                                  const pail_msm_config *config, struct pail_error *err);

/* The buffers that a query is about, and the stats of the plan. */
struct pail_msm_memory {
    pail_stats stats;
    pail_memory_row rows[PAIL_MSM_REGIONS + 1];
    size_t n_rows;
};

/* See backend.h, msm_memory; the query has been copied out of the caller's structs. */
pail_status pail_msm_memory_table(struct pail_msm_memory *out, const pail_memory_query *query,
                                  struct pail_error *err);

/* The kind of pending multiplications. */
extern const struct pail_pending_kind pail_msm_pending;

pail_status pail_msm_start_jobs(struct pail_msm *msm, struct pail_pending **out,
                                const pail_msm_job jobs[], size_t n_jobs,
                                const pail_msm_config *config, struct pail_error *err);
pail_status pail_msm_wait(struct pail_pending *pending, uint64_t timeout_ns,
                          struct pail_error *err);
/* results: [n_jobs], of full size. Destroys pending. */
pail_status pail_msm_deliver(struct pail_pending *pending, pail_msm_result results[],
                             pail_stats *stats, struct pail_error *err);
/* Waits for the device and destroys pending. */
void pail_msm_drop(struct pail_pending *pending);

size_t pail_msm_n_jobs(const struct pail_pending *pending);
struct pail_msm *pail_msm_of(const struct pail_pending *pending);

#endif /* PAIL_MSM_MULTIPLICATIONS_H */
