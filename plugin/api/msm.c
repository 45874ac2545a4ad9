#include <string.h>

#include <core/structs.h>
#include <platform/memory.h>

#include "api.h"
#include "msm/run/buckets.h"
#include "msm/run/multiplications.h"
#include "pending_kind.h"

/* Reports against a context that may be NULL. */
static pail_status failed(const pail_context *context, const struct pail_error *err)
{
    return pail_api_failed(context ? &context->log : NULL, err);
}

static pail_status take_config(pail_msm_config *out, const pail_msm_config *in,
                               struct pail_error *err)
{
    if (in)
        return pail_struct_in(out, sizeof(*out), in, PAIL_MSM_CONFIG_SIZE_1_0, "pail_msm_config",
                              err);
    memset(out, 0, sizeof(*out));
    return PAIL_OK;
}

pail_status pail_api_msm_estimate(pail_context *context, pail_stats *stats, const pail_msm_job *job,
                                  const pail_msm_config *config)
{
    struct pail_error err = {0};
    pail_msm_job j;
    pail_msm_config c;
    pail_stats filled = {.struct_size = sizeof(filled)};
    pail_status status = pail_struct_out(stats, PAIL_STATS_SIZE_1_0, "pail_stats", &err);
    if (status == PAIL_OK)
        status = pail_api_need_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_struct_in(&j, sizeof(j), job, PAIL_MSM_JOB_SIZE_1_0, "pail_msm_job", &err);
    if (status == PAIL_OK)
        status = take_config(&c, config, &err);
    if (status == PAIL_OK)
        status = pail_msm_estimate_job(context->msm, &filled, &j, &c, &err);
    if (status != PAIL_OK)
        return failed(context, &err);
    pail_struct_deliver(stats, &filled, sizeof(filled));
    return PAIL_OK;
}

pail_status pail_api_msm_start(pail_context *context, pail_pending **pending,
                               const pail_msm_job *jobs, size_t n_jobs,
                               const pail_msm_config *config)
{
    struct pail_error err = {0};
    static const struct pail_api_array kind = {"jobs", "jobs", "pail_msm_job", sizeof(pail_msm_job),
                                               PAIL_MSM_JOB_SIZE_1_0};
    void *list = NULL;
    pail_msm_config c;
    pail_status status = pail_api_need_object(context, "context", &err);
    if (pending)
        *pending = NULL;
    else if (status == PAIL_OK)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "pending: NULL");
    if (status == PAIL_OK)
        status = take_config(&c, config, &err);
    if (status == PAIL_OK)
        status = pail_api_take_array(context, &list, &kind, jobs, n_jobs, &err);
    if (status == PAIL_OK)
        status = pail_msm_start_jobs(context->msm, pending, list, n_jobs, &c, &err);
    if (list)
        pail_free(&context->alloc, list);
    return status == PAIL_OK ? PAIL_OK : failed(context, &err);
}

pail_status pail_api_pending_wait(pail_pending *pending, uint64_t timeout_ns)
{
    struct pail_error err = {0};
    pail_status status = pail_api_need_object(pending, "pending", &err);
    if (status == PAIL_OK)
        status = pail_pending_kind_of(pending)->wait(pending, timeout_ns, &err);
    return status == PAIL_OK || status == PAIL_NOT_READY ? status : pail_api_failed(NULL, &err);
}

pail_status pail_api_pending_poll(pail_pending *pending)
{
    return pail_api_pending_wait(pending, 0);
}

/* Checks the outputs and zeroes every one that can be zeroed, whatever else is wrong: of results as
 * many as there are jobs, however many the caller speaks of. */
static pail_status check_outputs(pail_msm_result *results, size_t n_results, size_t n_jobs,
                                 pail_stats *stats, struct pail_error *err)
{
    struct pail_error ignored;
    pail_status status = PAIL_OK;
    if (!results)
        status = pail_fail(err, PAIL_ERR_ARGUMENT, "results: NULL");
    else
        status = pail_structs_out(results, n_results < n_jobs ? n_results : n_jobs,
                                  PAIL_MSM_RESULT_SIZE_1_0, "pail_msm_result", err);
    if (!stats)
        return status;
    const pail_status also = pail_struct_out(stats, PAIL_STATS_SIZE_1_0, "pail_stats",
                                             status == PAIL_OK ? err : &ignored);
    return status == PAIL_OK ? also : status;
}

pail_status pail_api_msm_finish(pail_pending **pending, pail_msm_result *results, size_t n_results,
                                pail_stats *stats)
{
    struct pail_error err = {0};
    struct pail_pending *p = pending ? *pending : NULL;
    const bool ours = p && pail_pending_kind_of(p) == &pail_msm_pending;
    pail_status status =
        check_outputs(results, n_results, ours ? pail_msm_n_jobs(p) : 1, stats, &err);
    if (!p) {
        (void)pail_fail(&err, PAIL_ERR_ARGUMENT, "pending: NULL");
        return pail_api_failed(NULL, &err);
    }
    *pending = NULL;
    if (pail_api_need_process(&err) != PAIL_OK)
        return pail_api_failed(NULL, &err);
    if (!ours) {
        const struct pail_pending_kind *kind = pail_pending_kind_of(p);
        (void)pail_fail(&err, PAIL_ERR_ARGUMENT, "pending: has %s, which %s ends", kind->what,
                        kind->finish);
        kind->drop(p);
        return pail_api_failed(NULL, &err);
    }
    struct pail_msm *msm = pail_msm_of(p);
    pail_msm_result *list = NULL;
    pail_stats filled = {.struct_size = sizeof(filled)};
    if (status == PAIL_OK && n_results != pail_msm_n_jobs(p))
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "n_results: %zu, but %zu jobs were started",
                           n_results, pail_msm_n_jobs(p));
    if (status == PAIL_OK && !(list = pail_calloc(&msm->alloc, n_results, sizeof(*list))))
        status = pail_fail(&err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu results", n_results);
    if (status == PAIL_OK)
        status = pail_msm_deliver(p, list, &filled, &err);
    else
        pail_msm_drop(p);
    if (status == PAIL_OK) {
        const size_t stride = results[0].struct_size;
        for (size_t i = 0; i < n_results; i++)
            pail_struct_deliver((char *)results + i * stride, &list[i], sizeof(list[i]));
        if (stats)
            pail_struct_deliver(stats, &filled, sizeof(filled));
    }
    if (list) /* a sum over secret scalars tests a guess of them */
        pail_wipe(list, n_results * sizeof(*list));
    pail_free(&msm->alloc, list);
    return status == PAIL_OK ? PAIL_OK : pail_api_failed(&msm->log, &err);
}

void pail_api_pending_abandon(pail_pending **pending)
{
    if (!pending || !*pending)
        return;
    struct pail_pending *p = *pending;
    *pending = NULL;
    if (pail_process_is_first())
        pail_pending_kind_of(p)->drop(p);
}

/* The query with the structs it points to, as long as this ABI knows them. */
struct query {
    pail_memory_query query;
    pail_device_info device;
    pail_msm_config config;
};

static pail_status take_query(struct query *out, const pail_memory_query *in,
                              struct pail_error *err)
{
    pail_status status = pail_struct_in(&out->query, sizeof(out->query), in,
                                        PAIL_MEMORY_QUERY_SIZE_1_0, "pail_memory_query", err);
    if (status == PAIL_OK && out->query.device) {
        status = pail_struct_in(&out->device, sizeof(out->device), out->query.device,
                                PAIL_DEVICE_INFO_SIZE_1_0, "pail_device_info", err);
        out->query.device = &out->device;
    }
    if (status == PAIL_OK && out->query.config) {
        status = take_config(&out->config, out->query.config, err);
        out->query.config = &out->config;
    }
    return status;
}

/* Rows as the caller laid them out: the first one gives the stride. */
static pail_status deliver_rows(pail_memory_row *rows, size_t room,
                                const struct pail_msm_memory *memory, struct pail_error *err)
{
    if (!rows || room == 0)
        return PAIL_OK;
    pail_status status = pail_struct_out(rows, PAIL_MEMORY_ROW_SIZE_1_0, "pail_memory_row", err);
    const size_t stride = rows[0].struct_size;
    for (size_t i = 0; i < memory->n_rows && i < room && status == PAIL_OK; i++) {
        char *row = (char *)rows + i * stride;
        memcpy(row, &(uint32_t){(uint32_t)stride}, sizeof(uint32_t));
        pail_struct_deliver(row, &memory->rows[i], sizeof(memory->rows[i]));
    }
    return status;
}

pail_status pail_api_msm_memory(pail_memory_row *rows, size_t *n_rows, pail_stats *stats,
                                const pail_memory_query *query)
{
    struct pail_error err = {0};
    struct query q = {0};
    struct pail_msm_memory memory;
    const size_t room = n_rows ? *n_rows : 0;
    pail_status status = PAIL_OK;
    if (n_rows)
        *n_rows = 0;
    else
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "n_rows: NULL");
    if (stats) {
        const pail_status shape = pail_struct_out(stats, PAIL_STATS_SIZE_1_0, "pail_stats", &err);
        status = status == PAIL_OK ? shape : status;
    }
    if (status == PAIL_OK)
        status = take_query(&q, query, &err);
    if (status == PAIL_OK)
        status = pail_msm_memory_table(&memory, &q.query, &err);
    if (status == PAIL_OK)
        status = deliver_rows(rows, room, &memory, &err);
    if (status != PAIL_OK)
        return failed(NULL, &err);
    *n_rows = memory.n_rows;
    memory.stats.struct_size = sizeof(memory.stats);
    if (stats)
        pail_struct_deliver(stats, &memory.stats, sizeof(memory.stats));
    return PAIL_OK;
}

pail_status pail_api_msm_buckets(pail_context *context, void *points, size_t *n_bytes,
                                 pail_bucket_info *info, pail_stats *stats, const pail_msm_job *job,
                                 const pail_msm_config *config)
{
    struct pail_error err = {0};
    struct pail_error ignored;
    pail_msm_job j;
    pail_msm_config c;
    struct pail_msm_buckets buckets = {.bytes = 0};
    const size_t room = n_bytes ? *n_bytes : 0;
    pail_status status = pail_struct_out(info, PAIL_BUCKET_INFO_SIZE_1_0, "pail_bucket_info", &err);
    if (stats) {
        const pail_status shape = pail_struct_out(stats, PAIL_STATS_SIZE_1_0, "pail_stats",
                                                  status == PAIL_OK ? &err : &ignored);
        status = status == PAIL_OK ? shape : status;
    }
    if (n_bytes)
        *n_bytes = 0;
    else if (status == PAIL_OK)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "n_bytes: NULL");
    if (status == PAIL_OK)
        status = pail_api_need_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_struct_in(&j, sizeof(j), job, PAIL_MSM_JOB_SIZE_1_0, "pail_msm_job", &err);
    if (status == PAIL_OK)
        status = take_config(&c, config, &err);
    if (status == PAIL_OK)
        status = pail_msm_read_buckets(context->msm, &buckets, points, room, &j, &c, &err);
    if (status != PAIL_OK) {
        /* Zeroes at most the points of the buckets, whatever room the caller claims. */
        if (points)
            memset(points, 0, room < buckets.bytes ? room : buckets.bytes);
        return failed(context, &err);
    }
    *n_bytes = buckets.bytes;
    buckets.info.struct_size = sizeof(buckets.info);
    buckets.stats.struct_size = sizeof(buckets.stats);
    pail_struct_deliver(info, &buckets.info, sizeof(buckets.info));
    if (stats)
        pail_struct_deliver(stats, &buckets.stats, sizeof(buckets.stats));
    return PAIL_OK;
}
