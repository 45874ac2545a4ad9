/* Adstack at the boundary: writes to arrays, overflows, counters, and command buffers. */
#include "api.h"

#include "context.h"

#include <string.h>

#include <adstack/diagnose.h>
#include <adstack/record.h>
#include <core/structs.h>

#define BYTES ((uint64_t)PAIL_AD_OVERFLOW_WORDS(PAIL_AD_OVERFLOW_RECORDS) * sizeof(uint32_t))

static bool is_open(struct pail_context *ctx)
{
    pthread_mutex_lock(&ctx->lock);
    const bool open = ctx->overflow.handle != VK_NULL_HANDLE;
    pthread_mutex_unlock(&ctx->lock);
    return open;
}

/* Makes ctx->overflow if nobody has. Errors: memory, PAIL_ERR_DEVICE_LOST */
static pail_status pail_overflow_open(struct pail_context *ctx, struct pail_error *err)
{
    struct pail_vk_buffer made;
    if (is_open(ctx))
        return PAIL_OK;
    pail_status status = pail_vk_buffer_create(ctx->dev, &made, PAIL_VK_MEMORY_READBACK, BYTES,
                                               "adstack overflows", err);
    if (status != PAIL_OK)
        return status;
    pthread_mutex_lock(&ctx->lock);
    if (ctx->overflow.handle == VK_NULL_HANDLE) {
        ctx->overflow = made;
        made = (struct pail_vk_buffer){0};
        pail_ad_overflow_lend(&ctx->adstack->overflows, ctx->overflow.mapped,
                              PAIL_AD_OVERFLOW_RECORDS);
    }
    pthread_mutex_unlock(&ctx->lock);
    pail_vk_buffer_destroy(ctx->dev, &made);
    const struct pail_vk_slice all = pail_vk_buffer_slice(&ctx->overflow, 0, BYTES);
    return pail_vk_flush(ctx->dev, &all, err);
}

/* Takes the records of kernels whose work is complete. records: [room] at full size; n: how many.
 * Errors: memory, PAIL_ERR_DEVICE_LOST */
static pail_status pail_overflow_poll(struct pail_context *ctx, pail_overflow records[],
                                      size_t room, size_t *n, struct pail_error *err)
{
    *n = 0;
    if (room == 0 || !is_open(ctx))
        return PAIL_OK;
    const struct pail_vk_slice all = pail_vk_buffer_slice(&ctx->overflow, 0, BYTES);
    pail_status status = pail_vk_invalidate(ctx->dev, &all, err);
    if (status == PAIL_OK)
        *n = pail_adstack_poll_overflow(ctx->adstack, records, room);
    return status == PAIL_OK ? pail_vk_flush(ctx->dev, &all, err) : status;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */
void pail_api_adstack_bump(pail_context *context, uint64_t identity)
{
    if (context && pail_process_is_first())
        pail_ad_identities_bump(&context->adstack->identities, identity);
}

void pail_api_adstack_forget(pail_context *context, uint64_t identity)
{
    if (context && pail_process_is_first())
        pail_ad_identities_forget(&context->adstack->identities, identity);
}

void pail_api_adstack_invalidate(pail_context *context, pail_adstack_kernel kernel)
{
    if (context && pail_process_is_first())
        pail_adstack_invalidate(context->adstack, kernel);
}

/* ---- Overflows ------------------------------------------------------------------------------- */
pail_status pail_api_adstack_poll_overflow(pail_context *context, pail_overflow *records,
                                           size_t *n_records)
{
    struct pail_error err = {0};
    pail_overflow found[PAIL_AD_OVERFLOW_RECORDS + 1];
    size_t room = 0, stride = 0;
    pail_status status = pail_front_need(n_records, "n_records", &err);
    if (status == PAIL_OK) {
        room = *n_records;
        *n_records = 0;
        status = pail_front_object(context, "context", &err);
    }
    if (status == PAIL_OK && room > 0) {
        status = pail_struct_out(records, PAIL_OVERFLOW_SIZE_1_0, "record", &err);
        stride = status == PAIL_OK ? records->struct_size : 0;
    }
    if (status != PAIL_OK)
        return pail_api_end(context, status, &err);
    const size_t most = sizeof(found) / sizeof(found[0]);
    size_t n;
    status = pail_overflow_poll(context, found, room < most ? room : most, &n, &err);
    for (size_t i = 0; i < n; i++) {
        char *record = (char *)records + i * stride;
        memset(record, 0, stride);
        memcpy(record, &(uint32_t){(uint32_t)stride}, sizeof(uint32_t));
        pail_struct_deliver(record, &found[i], sizeof(found[i]));
    }
    /* The records were taken also if clearing failed: they are not in the buffer any more. */
    *n_records = n;
    return pail_api_end(context, status, &err);
}

pail_status pail_api_adstack_diagnose(pail_context *context, pail_diagnosis *diagnosis,
                                      const pail_overflow *record)
{
    struct pail_error err = {0};
    pail_diagnosis filled = {.struct_size = sizeof(filled)};
    pail_overflow r;
    pail_status status = pail_struct_out(diagnosis, PAIL_DIAGNOSIS_SIZE_1_0, "diagnosis", &err);
    if (status == PAIL_OK)
        status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_struct_in(&r, sizeof(r), record, PAIL_OVERFLOW_SIZE_1_0, "record", &err);
    if (status == PAIL_OK && r.kind != PAIL_OVERFLOW_STACK && r.kind != PAIL_OVERFLOW_GATE)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "pail_overflow: kind is %u", r.kind);
    if (status == PAIL_OK)
        status = pail_adstack_diagnose(context->adstack, &filled, &r, &err);
    if (status != PAIL_OK)
        return pail_api_end(context, status, &err);
    pail_struct_deliver(diagnosis, &filled, sizeof(filled));
    return PAIL_OK;
}

pail_status pail_api_adstack_overflow_buffer(pail_context *context, uint64_t *vk_buffer,
                                             uint64_t *address)
{
    struct pail_error err = {0};
    if (vk_buffer)
        *vk_buffer = 0;
    if (address)
        *address = 0;
    pail_status status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(vk_buffer, "vk_buffer", &err);
    if (status == PAIL_OK)
        status = pail_front_need(address, "address", &err);
    if (status == PAIL_OK)
        status = pail_overflow_open(context, &err);
    if (status != PAIL_OK)
        return pail_api_end(context, status, &err);
    *vk_buffer = (uint64_t)(uintptr_t)context->overflow.handle;
    *address = context->overflow.address;
    return PAIL_OK;
}

/* ---- Counters -------------------------------------------------------------------------------- */
void pail_api_adstack_stats(pail_context *context, pail_adstack_stats *stats)
{
    struct pail_error err = {0};
    pail_adstack_stats filled = {.struct_size = sizeof(filled)};
    if (pail_struct_out(stats, PAIL_ADSTACK_STATS_SIZE_1_0, "stats", &err) != PAIL_OK)
        return;
    if (context && pail_process_is_first())
        pail_adstack_read_stats(context->adstack, &filled);
    pail_struct_deliver(stats, &filled, sizeof(filled));
}

void pail_api_adstack_reset_stats(pail_context *context)
{
    if (context && pail_process_is_first())
        pail_adstack_reset_stats(context->adstack);
}

/* ---- Command buffers ------------------------------------------------------------------------- */
pail_status pail_api_adstack_record(pail_context *context, pail_adstack_result **result,
                                    const pail_launch *launch, void *command_buffer,
                                    uint64_t metadata_address)
{
    struct pail_error err = {0};
    pail_launch l;
    if (result)
        *result = NULL;
    pail_status status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(result, "result", &err);
    if (status == PAIL_OK)
        status = pail_front_need(command_buffer, "command_buffer", &err);
    if (status == PAIL_OK)
        status = pail_struct_in(&l, sizeof(l), launch, PAIL_LAUNCH_SIZE_1_0, "launch", &err);
    if (status == PAIL_OK)
        status = pail_adstack_record(context->adstack, result, &l, command_buffer, metadata_address,
                                     &err);
    return pail_api_end(context, status, &err);
}

/* Checks and zeroes the caller's array of outputs, as far as it is right: its first element gives
 * the stride, and those behind it need no struct_size of their own. */
static pail_status zero_places(pail_record_task *tasks, size_t n_tasks, size_t *stride,
                               struct pail_error *err)
{
    pail_status status = PAIL_OK;
    if (!tasks || n_tasks == 0)
        return PAIL_OK;
    *stride = tasks[0].struct_size;
    for (size_t i = 0; i < n_tasks && status == PAIL_OK; i++) {
        char *place = (char *)tasks + i * *stride;
        if (i > 0)
            memcpy(place, &(uint32_t){(uint32_t)*stride}, sizeof(uint32_t));
        status = pail_struct_out(place, PAIL_RECORD_TASK_SIZE_1_0, "tasks", err);
    }
    return status;
}

pail_status pail_api_adstack_record_layout(pail_context *context, pail_record_task *tasks,
                                           size_t n_tasks, uint64_t *bytes,
                                           pail_adstack_kernel kernel)
{
    struct pail_error err = {0};
    pail_record_task *places = NULL;
    size_t stride = 0;
    if (bytes)
        *bytes = 0;
    pail_status status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(bytes, "bytes", &err);
    if (status == PAIL_OK && tasks && n_tasks > PAIL_AD_MAX_TASKS)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "n_tasks: %zu", n_tasks);
    /* The first one only, until the count is known to be the kernel's. */
    if (status == PAIL_OK)
        status = zero_places(tasks, n_tasks ? 1 : 0, &stride, &err);
    if (status == PAIL_OK && tasks &&
        !(places = pail_calloc(&context->alloc, n_tasks + 1, sizeof(*places))))
        status = pail_fail(&err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu tasks", n_tasks);
    if (status == PAIL_OK)
        status = pail_adstack_record_layout(context->adstack, places, n_tasks, bytes, kernel, &err);
    if (status == PAIL_OK && places)
        status = zero_places(tasks, n_tasks, &stride, &err);
    for (size_t i = 0; places && i < n_tasks && status == PAIL_OK; i++)
        pail_struct_deliver((char *)tasks + i * stride, &places[i], sizeof(places[i]));
    if (places)
        pail_free(&context->alloc, places);
    return pail_api_end(context, status, &err);
}
