#include "msm_arguments.h"

#include <stdio.h>

#include "bases.h"
#include "error.h"
#include "plan.h"
#include "sized.h"
#include "vector.h"

#define THREADS_MAX ((uint32_t)1 << 24) /* as other backends have it */

pail_status pail_cpu_config_read(pail_context *context, pail_msm_config *config,
                                 const pail_msm_config *theirs)
{
    *config = (pail_msm_config){0};
    if (theirs) {
        const pail_status status =
            pail_cpu_check(context, theirs, PAIL_MSM_CONFIG_SIZE_1_0, "config");
        if (status != PAIL_OK)
            return status;
        pail_cpu_read(config, sizeof *config, theirs);
    }
    if (config->window_bits > PAIL_CPU_WINDOW_MAX) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "config->window_bits is %u; the CPU backend takes 1 to %d",
                             config->window_bits, PAIL_CPU_WINDOW_MAX);
    }
    if (config->accumulator != PAIL_ACCUMULATOR_AUTO &&
        config->accumulator != PAIL_ACCUMULATOR_WALKER) {
        return pail_cpu_fail(context, PAIL_ERR_UNSUPPORTED,
                             "config->accumulator is %u; the CPU backend has only walker (%d)",
                             config->accumulator, PAIL_ACCUMULATOR_WALKER);
    }
    if (config->field != PAIL_FIELD_AUTO && config->field != PAIL_FIELD_HOST) {
        return pail_cpu_fail(context, PAIL_ERR_UNSUPPORTED,
                             "config->field is %u; the CPU backend has only host (%d)",
                             config->field, PAIL_FIELD_HOST);
    }
    if (config->prefix_placement > PAIL_PLACEMENT_DEVICE) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "config->prefix_placement is %u, which is none",
                             config->prefix_placement);
    }
    if (config->threads > THREADS_MAX) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "config->threads is %u; at most %u",
                             config->threads, THREADS_MAX);
    }
    if ((config->flags & ~PAIL_MSM_FLAGS) != 0) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "config->flags is 0x%x; only 0x%x is known", config->flags,
                             PAIL_MSM_FLAGS);
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
            return pail_cpu_fail(context, PAIL_ERR_UNSUPPORTED,
                                 "config->%s is %u; the CPU backend has no %s", missing[i].name,
                                 missing[i].value, missing[i].what);
        }
    }
    return PAIL_OK;
}

/* Checks a job's source of scalars. */
static pail_status check_scalars(pail_context *context, const pail_msm_job *job, size_t i)
{
    if (job->scalar_location == PAIL_LOCATION_HOST) {
        if (!job->scalar_vector)
            return PAIL_OK;
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "jobs[%zu].scalar_vector is set, but scalar_location is %u, the host",
                             i, job->scalar_location);
    }
    if (job->scalar_location != PAIL_LOCATION_VECTOR) {
        return pail_cpu_fail(context, PAIL_ERR_UNSUPPORTED,
                             "jobs[%zu].scalar_location is %u; the CPU backend reads host memory "
                             "and vectors",
                             i, job->scalar_location);
    }
    if (job->scalars || job->scalar_encoding != 0) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "jobs[%zu].%s is set, but scalars come from a vector", i,
                             job->scalars ? "scalars" : "scalar_encoding");
    }
    char name[48];
    snprintf(name, sizeof name, "jobs[%zu].scalar_vector", i);
    const pail_status status =
        pail_cpu_vector_check(context, job->scalar_vector, job->scalar_offset, job->n, name);
    if (status == PAIL_OK && job->scalar_vector->ops->curve != job->bases->ops->curve) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "%s is of %s, but the bases of %s", name,
                             job->scalar_vector->ops->curve_name, job->bases->ops->curve_name);
    }
    return status;
}

pail_status pail_cpu_job_read(pail_context *context, pail_msm_job *job, const void *theirs,
                              size_t i)
{
    const pail_status status = pail_cpu_check(context, theirs, PAIL_MSM_JOB_SIZE_1_0, "job");
    if (status != PAIL_OK)
        return status;
    pail_cpu_read(job, sizeof *job, theirs);
    if (!job->bases)
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "jobs[%zu].bases is NULL", i);
    if (job->base_offset > job->bases->n || job->n > job->bases->n - job->base_offset) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "jobs[%zu] wants bases %zu to %zu + %zu; there are %zu", i,
                             job->base_offset, job->base_offset, job->n, job->bases->n);
    }
    if (job->scalar_encoding > PAIL_ENCODING_MONTGOMERY) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "jobs[%zu].scalar_encoding is %u, which is none", i,
                             job->scalar_encoding);
    }
    const pail_status scalars = check_scalars(context, job, i);
    if (scalars != PAIL_OK)
        return scalars;
    if (job->result_location != PAIL_LOCATION_HOST) {
        return pail_cpu_fail(
            context, PAIL_ERR_UNSUPPORTED,
            "jobs[%zu].result_location is %u; the CPU backend has no device memory", i,
            job->result_location);
    }
    if (job->wait_semaphore != 0) {
        return pail_cpu_fail(
            context, PAIL_ERR_UNSUPPORTED,
            "jobs[%zu].wait_semaphore is set; the CPU backend has no Vulkan device", i);
    }
    if (job->scalar_bits > 256) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "jobs[%zu].scalar_bits is %u; at most 256",
                             i, job->scalar_bits);
    }
    return PAIL_OK;
}
