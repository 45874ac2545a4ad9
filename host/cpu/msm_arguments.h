/* Arguments of msm_start and msm_estimate, checked. */
#ifndef PAIL_CPU_MSM_ARGUMENTS_H
#define PAIL_CPU_MSM_ARGUMENTS_H

#include "context.h"

/* theirs: may be NULL, which asks for nothing. */
pail_status pail_cpu_config_read(pail_context *context, pail_msm_config *config,
                                 const pail_msm_config *theirs);

/* i: its number, for the sentence. The presence of scalars is not checked. */
pail_status pail_cpu_job_read(pail_context *context, pail_msm_job *job, const void *theirs,
                              size_t i);

#endif /* PAIL_CPU_MSM_ARGUMENTS_H */
