/* SPDX-License-Identifier: Apache-2.0 */
#include "front.h"

#include <string.h>

#include <platform/process.h>

/* One sentence for each thread, so that threads sharing a context do not overwrite one another's.
 */
static _Thread_local char last_error[sizeof(((struct pail_error *)0)->text)];

const char *pail_front_error(const pail_context *context)
{
    (void)context; /* a thread has one last failure, whatever it was about */
    return last_error[0] ? last_error : "no call has failed in this thread";
}

pail_status pail_front_end(const struct pail_log *log, pail_status status,
                           const struct pail_error *err)
{
    if (status == PAIL_OK || status == PAIL_NOT_READY)
        return status;
    /* No more of the stack than was written. */
    memcpy(last_error, err->text, strlen(err->text) + 1);
    if (log && pail_process_is_first())
        pail_log(log, PAIL_LOG_ERROR, "%s", err->text);
    return status;
}

pail_status pail_front_need(const void *argument, const char *name, struct pail_error *err)
{
    return argument ? PAIL_OK : pail_fail(err, PAIL_ERR_ARGUMENT, "%s is NULL", name);
}

pail_status pail_front_process(struct pail_error *err)
{
    return pail_process_is_first() ? PAIL_OK
                                   : pail_fail(err, PAIL_ERR_ARGUMENT, PAIL_PROCESS_FORKED);
}

pail_status pail_front_object(const void *object, const char *name, struct pail_error *err)
{
    const pail_status status = pail_front_need(object, name, err);
    return status == PAIL_OK ? pail_front_process(err) : status;
}

pail_status pail_front_host(const pail_host *host, struct pail_error *err)
{
    pail_host ours;
    pail_status status = pail_struct_in(&ours, sizeof(ours), host, PAIL_HOST_SIZE_1_0, "host", err);
    if (status == PAIL_OK)
        status = pail_front_process(err);
    if (status != PAIL_OK)
        return status;
    if (ours.abi_major != PAIL_ABI_MAJOR)
        return pail_fail(err, PAIL_ERR_ABI, "the host is of ABI %u.%u; this backend of %u.%u",
                         ours.abi_major, ours.abi_minor, PAIL_ABI_MAJOR, PAIL_ABI_MINOR);
    if (!ours.alloc != !ours.free)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "host->%s is NULL, but the other of alloc and free is not",
                         ours.alloc ? "free" : "alloc");
    return PAIL_OK;
}

static pail_status read_fetch(pail_fetch_callbacks *fetch, const pail_fetch_callbacks *theirs,
                              struct pail_error *err)
{
    const pail_status status = pail_struct_in(fetch, sizeof(*fetch), theirs,
                                              PAIL_FETCH_CALLBACKS_SIZE_1_1, "params->fetch", err);
    fetch->struct_size = sizeof(*fetch);
    if (status != PAIL_OK)
        return status;
    if (fetch->reserved)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "params->fetch->reserved is %u, and not 0",
                         fetch->reserved);
    if (!fetch->start)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "params->fetch->start is NULL");
    if (!fetch->wait != !fetch->abandon)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "params->fetch->%s is NULL, but the other of wait and abandon is not",
                         fetch->wait ? "abandon" : "wait");
    return PAIL_OK;
}

pail_status pail_front_params(pail_context_params *ours, pail_vulkan_import *import,
                              pail_cache_callbacks *cache, pail_fetch_callbacks *fetch,
                              const pail_context_params *theirs, struct pail_error *err)
{
    pail_status status =
        pail_struct_in(ours, sizeof(*ours), theirs, PAIL_CONTEXT_PARAMS_SIZE_1_0, "params", err);
    if (status == PAIL_OK && ours->import) {
        status = pail_struct_in(import, sizeof(*import), ours->import, PAIL_VULKAN_IMPORT_SIZE_1_0,
                                "params->import", err);
        import->struct_size = sizeof(*import);
        ours->import = import;
        if (status == PAIL_OK && import->flags & ~(uint32_t)PAIL_IMPORT_WITHOUT_TIMELINES)
            status = pail_fail(err, PAIL_ERR_ARGUMENT,
                               "params->import->flags is 0x%x; only 0x%x is known", import->flags,
                               PAIL_IMPORT_WITHOUT_TIMELINES);
        if (status == PAIL_OK && import->reserved)
            status = pail_fail(err, PAIL_ERR_ARGUMENT, "params->import->reserved is %u, and not 0",
                               import->reserved);
    }
    if (status == PAIL_OK && ours->cache) {
        status = pail_struct_in(cache, sizeof(*cache), ours->cache, PAIL_CACHE_CALLBACKS_SIZE_1_0,
                                "params->cache", err);
        cache->struct_size = sizeof(*cache);
        ours->cache = cache;
        if (status == PAIL_OK && (!cache->get || !cache->put))
            status = pail_fail(err, PAIL_ERR_ARGUMENT, "params->cache->%s is NULL",
                               cache->get ? "put" : "get");
    }
    if (status == PAIL_OK && ours->fetch) {
        status = read_fetch(fetch, ours->fetch, err);
        ours->fetch = fetch;
    }
    ours->struct_size = sizeof(*ours);
    return status;
}

pail_status pail_front_config(pail_msm_config *ours, const pail_msm_config *theirs,
                              struct pail_error *err)
{
    pail_status status = PAIL_OK;
    memset(ours, 0, sizeof(*ours));
    if (theirs)
        status =
            pail_struct_in(ours, sizeof(*ours), theirs, PAIL_MSM_CONFIG_SIZE_1_0, "config", err);
    ours->struct_size = sizeof(*ours);
    return status;
}

const struct pail_struct_array pail_front_jobs = {"jobs", sizeof(pail_msm_job),
                                                  PAIL_MSM_JOB_SIZE_1_0};
const struct pail_struct_array pail_front_ops = {"ops", sizeof(pail_vector_op),
                                                 PAIL_VECTOR_OP_SIZE_1_0};

pail_status pail_front_outputs(pail_msm_result *results, size_t n_results, size_t n_jobs,
                               pail_stats *stats, struct pail_error *err)
{
    struct pail_error ignored;
    const pail_status status = pail_structs_out(results, n_results < n_jobs ? n_results : n_jobs,
                                                PAIL_MSM_RESULT_SIZE_1_0, "results", err);
    const pail_status also = stats ? pail_struct_out(stats, PAIL_STATS_SIZE_1_0, "stats",
                                                     status == PAIL_OK ? err : &ignored)
                                   : PAIL_OK;
    return status == PAIL_OK ? also : status;
}
