/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what the front lets through: what of it this backend has. */
#ifndef PAIL_CPU_MSM_ARGUMENTS_H
#define PAIL_CPU_MSM_ARGUMENTS_H

#include "context.h"

pail_status pail_cpu_config_check(const pail_msm_config *config, struct pail_error *err);

/* i: its number, for the sentence. */
pail_status pail_cpu_job_check(const pail_msm_job *job, size_t i, struct pail_error *err);

#endif /* PAIL_CPU_MSM_ARGUMENTS_H */
