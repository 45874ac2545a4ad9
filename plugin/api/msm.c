/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of multiplications that no other backend has. */
#include <string.h>

#include "api.h"
#include "msm/run/buckets.h"
#include "msm/run/multiplications.h"

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
                                        PAIL_MEMORY_QUERY_SIZE_1_0, "query", err);
    if (status == PAIL_OK && out->query.device) {
        status = pail_struct_in(&out->device, sizeof(out->device), out->query.device,
                                PAIL_DEVICE_INFO_SIZE_1_0, "query->device", err);
        out->query.device = &out->device;
    }
    if (status == PAIL_OK && out->query.config) {
        status = pail_front_config(&out->config, out->query.config, err);
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
    pail_status status = pail_struct_out(rows, PAIL_MEMORY_ROW_SIZE_1_0, "rows", err);
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
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "n_rows is NULL");
    if (stats) {
        const pail_status shape = pail_struct_out(stats, PAIL_STATS_SIZE_1_0, "stats", &err);
        status = status == PAIL_OK ? shape : status;
    }
    if (status == PAIL_OK)
        status = take_query(&q, query, &err);
    if (status == PAIL_OK)
        status = pail_msm_memory_table(&memory, &q.query, &err);
    if (status == PAIL_OK)
        status = deliver_rows(rows, room, &memory, &err);
    if (status != PAIL_OK)
        return pail_front_end(NULL, status, &err);
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
    pail_status status = pail_struct_out(info, PAIL_BUCKET_INFO_SIZE_1_0, "info", &err);
    if (stats) {
        const pail_status shape = pail_struct_out(stats, PAIL_STATS_SIZE_1_0, "stats",
                                                  status == PAIL_OK ? &err : &ignored);
        status = status == PAIL_OK ? shape : status;
    }
    if (n_bytes)
        *n_bytes = 0;
    else if (status == PAIL_OK)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "n_bytes is NULL");
    if (status == PAIL_OK)
        status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_struct_in(&j, sizeof(j), job, PAIL_MSM_JOB_SIZE_1_0, "job", &err);
    if (status == PAIL_OK)
        status = pail_front_config(&c, config, &err);
    if (status == PAIL_OK)
        status = pail_front_check_jobs(&pail_api_facts, context->field, &j, 1, true, &err);
    if (status == PAIL_OK)
        status = pail_msm_read_buckets(context->msm, &buckets, points, room, &j, &c, &err);
    if (status != PAIL_OK) {
        /* Zeroes at most the points of the buckets, whatever room the caller claims. */
        if (points)
            memset(points, 0, room < buckets.bytes ? room : buckets.bytes);
        return pail_api_end(context, status, &err);
    }
    *n_bytes = buckets.bytes;
    buckets.info.struct_size = sizeof(buckets.info);
    buckets.stats.struct_size = sizeof(buckets.stats);
    pail_struct_deliver(info, &buckets.info, sizeof(buckets.info));
    if (stats)
        pail_struct_deliver(stats, &buckets.stats, sizeof(buckets.stats));
    return PAIL_OK;
}
