/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-scalar multiplication by Pippenger's method, in the background. */
#ifndef PAIL_CPU_MSM_H
#define PAIL_CPU_MSM_H

#include <core/error.h>
#include <pail/backend.h>

/* Behind the front. */
pail_status pail_cpu_msm_estimate(pail_context *context, pail_stats *stats, const pail_msm_job *job,
                                  const pail_msm_config *config, struct pail_error *err);
pail_status pail_cpu_msm_start(pail_context *context, pail_pending **pending,
                               const pail_msm_job *jobs, size_t n_jobs,
                               const pail_msm_config *config, struct pail_error *err);
pail_status pail_cpu_msm_finish(pail_pending *pending, pail_msm_result *results, pail_stats *stats,
                                struct pail_error *err);

#endif /* PAIL_CPU_MSM_H */
