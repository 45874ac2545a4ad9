/* SPDX-License-Identifier: Apache-2.0 */
#include <curves/curve_ops.h>
#include <pail/pail.h>
#include <platform/processors.h>
#include <platform/text.h>
#include <prover/key/domain.h>
#include <string.h>

const char *pail_version(void)
{
    return PAIL_VERSION;
}

const char *pail_status_name(pail_status status)
{
    switch (status) {
    case PAIL_OK:
        return "PAIL_OK";
    case PAIL_NOT_READY:
        return "PAIL_NOT_READY";
    case PAIL_ERR_ARGUMENT:
        return "PAIL_ERR_ARGUMENT";
    case PAIL_ERR_ABI:
        return "PAIL_ERR_ABI";
    case PAIL_ERR_DATA:
        return "PAIL_ERR_DATA";
    case PAIL_ERR_UNSUPPORTED:
        return "PAIL_ERR_UNSUPPORTED";
    case PAIL_ERR_HOST_MEMORY:
        return "PAIL_ERR_HOST_MEMORY";
    case PAIL_ERR_DEVICE_MEMORY:
        return "PAIL_ERR_DEVICE_MEMORY";
    case PAIL_ERR_DEVICE_LOST:
        return "PAIL_ERR_DEVICE_LOST";
    case PAIL_ERR_IO:
        return "PAIL_ERR_IO";
    case PAIL_ERR_INTERNAL:
        return "PAIL_ERR_INTERNAL";
    case PAIL_ERR_STOPPED:
        return "PAIL_ERR_STOPPED";
    case PAIL_STATUS_FORCE_32:
        break;
    }
    return "unknown status";
}

pail_status pail_root_of_unity(uint8_t root[PAIL_SCALAR_BYTES], uint32_t curve, uint32_t log_n)
{
    if (!root)
        return PAIL_ERR_ARGUMENT;
    const struct pail_curve_ops *ops = pail_curve_ops(curve, PAIL_G1);
    struct pail_domain domain;
    if (!ops || !pail_domain_init(&domain, ops, log_n)) {
        memset(root, 0, PAIL_SCALAR_BYTES);
        return PAIL_ERR_ARGUMENT;
    }
    memcpy(root, domain.root, PAIL_SCALAR_BYTES);
    return PAIL_OK;
}

pail_status pail_processors_set(const char *cpus, const char *numa, char *error, size_t capacity)
{
    struct pail_processors set;
    if (error && capacity > 0)
        error[0] = '\0';
    if ((!cpus || !*cpus) && (!numa || !*numa))
        return PAIL_OK;
    pail_processors_get(&set);
    if (set.count == 0) {
        if (error && capacity > 0)
            (void)pail_line(error, capacity,
                            "this system does not say on which processors a thread runs");
        return PAIL_ERR_UNSUPPORTED;
    }
    if (!pail_processors_choose(&set, "cpus", cpus, "numa", numa, NULL, error,
                                error ? capacity : 0))
        return PAIL_ERR_ARGUMENT;
    const int number = pail_processors_use(&set);
    if (number == 0) {
        pail_processors_chosen();
        return PAIL_OK;
    }
    if (error && capacity > 0)
        (void)pail_line(error, capacity, "threads cannot be told where to run: error %d", number);
    return PAIL_ERR_UNSUPPORTED;
}

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
