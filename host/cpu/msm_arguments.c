/* SPDX-License-Identifier: Apache-2.0 */
#include "msm_arguments.h"

#include "plan.h"

#define THREADS_MAX ((uint32_t)1 << 24) /* as other backends have it */

pail_status pail_cpu_config_check(const pail_msm_config *config, struct pail_error *err)
{
    if (config->window_bits > PAIL_CPU_WINDOW_MAX) {
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "config->window_bits is %u; the CPU backend takes 1 to %d",
                         config->window_bits, PAIL_CPU_WINDOW_MAX);
    }
    if (config->accumulator != PAIL_ACCUMULATOR_AUTO &&
        config->accumulator != PAIL_ACCUMULATOR_WALKER) {
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "config->accumulator is %u; the CPU backend has only walker (%d)",
                         config->accumulator, PAIL_ACCUMULATOR_WALKER);
    }
    if (config->field != PAIL_FIELD_AUTO && config->field != PAIL_FIELD_HOST) {
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "config->field is %u; the CPU backend has only host (%d)", config->field,
                         PAIL_FIELD_HOST);
    }
    if (config->prefix_placement > PAIL_PLACEMENT_DEVICE) {
        return pail_fail(err, PAIL_ERR_ARGUMENT, "config->prefix_placement is %u, which is none",
                         config->prefix_placement);
    }
    if (config->threads > THREADS_MAX) {
        return pail_fail(err, PAIL_ERR_ARGUMENT, "config->threads is %u; at most %u",
                         config->threads, THREADS_MAX);
    }
    if ((config->flags & ~PAIL_MSM_FLAGS) != 0) {
        return pail_fail(err, PAIL_ERR_ARGUMENT, "config->flags is 0x%x; only 0x%x is known",
                         config->flags, PAIL_MSM_FLAGS);
    }
    const struct {
        const char *name, *what;
        uint32_t value;
    } missing[] = {
        {"prefix_placement", "prefix products to place", config->prefix_placement},
        {"workgroup", "workgroups", config->workgroup},
        {"slots", "slots to choose", config->slots},
        {"inversion_group", "inversions that threads share", config->inversion_group},
        {"force_batches", "batches of windows",
         config->force_batches > 1 ? config->force_batches : 0},
    };
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        if (missing[i].value != 0) {
            return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                             "config->%s is %u; the CPU backend has no %s", missing[i].name,
                             missing[i].value, missing[i].what);
        }
    }
    return PAIL_OK;
}

pail_status pail_cpu_job_check(const pail_msm_job *job, size_t i, struct pail_error *err)
{
    if (job->scalar_location > PAIL_LOCATION_VECTOR)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "jobs[%zu].scalar_location is %u, which is none",
                         i, job->scalar_location);
    if (job->result_location > PAIL_LOCATION_DEVICE_ADDRESS)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "jobs[%zu].result_location is %u, which is none",
                         i, job->result_location);
    if (job->wait_semaphore != 0)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "jobs[%zu].wait_semaphore is set; the CPU backend has no Vulkan device",
                         i);
    return PAIL_OK;
}
