#include <pail/pail.h>

#include <string.h>

/* Zeroes a struct the caller owns, but for the size it states. */
static void zero_after_size(void *object, uint32_t struct_size)
{
    if (struct_size > sizeof struct_size && struct_size <= PAIL_STRUCT_SIZE_MAX)
        memset((char *)object + sizeof struct_size, 0, struct_size - sizeof struct_size);
}

pail_status pail_msm(const pail_backend *backend, pail_context *context, pail_msm_result *result,
                     pail_stats *stats, const pail_msm_job *job, const pail_msm_config *config)
{
    pail_pending *pending = NULL;
    pail_status status = PAIL_ERR_ARGUMENT;
    if (!backend || !result)
        goto out;
    if (!PAIL_HAS(backend, msm_start) || !PAIL_HAS(backend, msm_finish)) {
        status = PAIL_ERR_UNSUPPORTED;
        goto out;
    }
    /* Scalars stay in place, for the caller waits here. A config of another size is the backend's
     * to judge. */
    pail_msm_config stable = {.struct_size = sizeof stable};
    if (config && config->struct_size == sizeof stable)
        stable = *config;
    stable.flags |= PAIL_MSM_STABLE_SCALARS;
    if (!config || config->struct_size == sizeof stable)
        config = &stable;
    status = backend->msm_start(context, &pending, job, 1, config);
    if (status != PAIL_OK)
        goto out;
    return backend->msm_finish(&pending, result, 1, stats);

out:
    if (result)
        zero_after_size(result, result->struct_size);
    if (stats)
        zero_after_size(stats, stats->struct_size);
    return status;
}
