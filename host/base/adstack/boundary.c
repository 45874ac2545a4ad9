/* SPDX-License-Identifier: Apache-2.0 */
#include "boundary.h"

#include <string.h>

#include <curves/registry_id.h>
#include <front/front.h>
#include <platform/process.h>

#include "blob.h"
#include "diagnose.h"
#include "launch.h"
#include "prepared.h"
#include "record.h"

static const struct pail_log *log_of(const struct pail_adstack *service)
{
    return service ? &service->env.log : NULL;
}

/* ---- Without a context ----------------------------------------------------------------------- */
uint32_t pail_front_adstack_id(const char *name, size_t name_bytes, int32_t task_index)
{
    return pail_registry_id(name, name ? name_bytes : 0, (uint32_t)task_index);
}

pail_status pail_front_adstack_validate(const pail_tree *tree, const uint8_t *source_rank,
                                        size_t n_sources)
{
    static const struct pail_alloc alloc; /* the machine's allocator: there is no host here */
    struct pail_error err = {0};
    pail_status status = pail_front_need(tree, "tree", &err);
    if (status == PAIL_OK && n_sources > 0)
        status = pail_front_need(source_rank, "source_rank", &err);
    if (status == PAIL_OK)
        status = pail_ad_tree_check(tree, source_rank, n_sources, "tree", &alloc, &err);
    return pail_front_end(NULL, status, &err);
}

/* ---- Kernels --------------------------------------------------------------------------------- */
/* Number of tasks of a description, for outputs that are zeroed whatever else is wrong. */
static size_t tasks_of(const pail_kernel_desc *desc)
{
    return desc && desc->struct_size >= PAIL_KERNEL_DESC_SIZE_1_0 &&
                   desc->n_tasks <= PAIL_AD_MAX_TASKS
               ? desc->n_tasks
               : 0;
}

pail_status pail_front_adstack_register(struct pail_adstack *service, pail_adstack_kernel *kernel,
                                        uint32_t *task_ids, const pail_kernel_desc *desc)
{
    struct pail_error err = {0};
    uint64_t handle = 0;
    if (task_ids)
        memset(task_ids, 0, tasks_of(desc) * sizeof(*task_ids));
    if (kernel)
        *kernel = 0;
    pail_status status = pail_front_object(service, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(kernel, "kernel", &err);
    if (status == PAIL_OK)
        status = pail_front_need(task_ids, "task_ids", &err);
    if (status == PAIL_OK)
        status = pail_adstack_register(service, &handle, task_ids, desc, &err);
    if (status != PAIL_OK)
        return pail_front_end(log_of(service), status, &err);
    *kernel = handle;
    return PAIL_OK;
}

pail_status pail_front_adstack_unregister(struct pail_adstack *service, pail_adstack_kernel kernel)
{
    struct pail_error err = {0};
    pail_status status = pail_front_object(service, "context", &err);
    if (status == PAIL_OK)
        status = pail_adstack_unregister(service, kernel, &err);
    return pail_front_end(log_of(service), status, &err);
}

pail_status pail_front_adstack_lookup(struct pail_adstack *service, char *name, size_t capacity,
                                      int32_t *task_index, uint32_t id)
{
    struct pail_error err = {0};
    if (task_index)
        *task_index = 0;
    if (name && capacity > 0)
        name[0] = '\0';
    pail_status status = pail_front_object(service, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(name, "name", &err);
    if (status == PAIL_OK)
        status = pail_front_need(task_index, "task_index", &err);
    if (status == PAIL_OK)
        status = pail_adstack_lookup(service, name, capacity, task_index, id, &err);
    return pail_front_end(log_of(service), status, &err);
}

pail_status pail_front_adstack_export(struct pail_adstack *service, void *blob, size_t *size_bytes,
                                      pail_adstack_kernel kernel)
{
    struct pail_error err = {0};
    pail_status status = pail_front_need(size_bytes, "size_bytes", &err);
    if (status == PAIL_OK && (status = pail_front_object(service, "context", &err)) != PAIL_OK)
        *size_bytes = 0;
    if (status == PAIL_OK)
        status = pail_adstack_export(service, blob, size_bytes, kernel, &err);
    return pail_front_end(log_of(service), status, &err);
}

pail_status pail_front_adstack_import(struct pail_adstack *service, pail_adstack_kernel *kernel,
                                      uint32_t *task_ids, const void *blob, size_t size_bytes)
{
    struct pail_error err = {0};
    uint64_t handle = 0;
    if (kernel)
        *kernel = 0;
    pail_status status = pail_front_object(service, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(kernel, "kernel", &err);
    if (status == PAIL_OK)
        status = pail_front_need(blob, "blob", &err);
    if (status == PAIL_OK)
        status = pail_adstack_import(service, &handle, task_ids, blob, size_bytes, &err);
    if (status != PAIL_OK)
        return pail_front_end(log_of(service), status, &err);
    *kernel = handle;
    return PAIL_OK;
}

/* ---- Launches -------------------------------------------------------------------------------- */
/* Checks what starts from a launch, and reads the launch. out: the output is there; name: its name.
 */
static pail_status read_launch(pail_launch *ours, const struct pail_adstack *service,
                               const void *out, const char *name, const pail_launch *launch,
                               struct pail_error *err)
{
    pail_status status = pail_front_object(service, "context", err);
    if (status == PAIL_OK)
        status = pail_front_need(out, name, err);
    if (status == PAIL_OK)
        status = pail_struct_in(ours, sizeof(*ours), launch, PAIL_LAUNCH_SIZE_1_0, "launch", err);
    return status;
}

pail_status pail_front_adstack_evaluate(struct pail_adstack *service, pail_adstack_result **result,
                                        const pail_launch *launch)
{
    struct pail_error err = {0};
    pail_launch l;
    if (result)
        *result = NULL;
    pail_status status = read_launch(&l, service, result, "result", launch, &err);
    if (status == PAIL_OK)
        status = pail_adstack_evaluate(service, result, &l, &err);
    return pail_front_end(log_of(service), status, &err);
}

pail_status pail_front_adstack_prepare(struct pail_adstack *service,
                                       pail_adstack_prepared **prepared, const pail_launch *launch)
{
    struct pail_error err = {0};
    pail_launch l;
    if (prepared)
        *prepared = NULL;
    pail_status status = read_launch(&l, service, prepared, "prepared", launch, &err);
    if (status == PAIL_OK)
        status = pail_adstack_prepare(service, prepared, &l, &err);
    return pail_front_end(log_of(service), status, &err);
}

pail_status pail_front_adstack_evaluate_prepared(pail_adstack_prepared *prepared,
                                                 pail_adstack_result **result,
                                                 const pail_launch_change *change)
{
    struct pail_error err;
    pail_launch_change c;
    err.text[0] = '\0'; /* the rest is written where something fails */
    if (result)
        *result = NULL;
    pail_status status = pail_front_object(prepared, "prepared", &err);
    if (status == PAIL_OK)
        status = pail_front_need(result, "result", &err);
    if (status == PAIL_OK && change)
        status = pail_struct_in(&c, sizeof(c), change, PAIL_LAUNCH_CHANGE_SIZE_1_1,
                                "pail_launch_change", &err);
    if (status == PAIL_OK)
        status = pail_adstack_evaluate_prepared(prepared, result, change ? &c : NULL, &err);
    return pail_front_end(prepared ? pail_adstack_prepared_log(prepared) : NULL, status, &err);
}

void pail_front_adstack_prepared_destroy(pail_adstack_prepared **prepared)
{
    pail_adstack_prepared *const p = prepared ? *prepared : NULL;
    if (!p)
        return;
    *prepared = NULL;
    if (pail_process_is_first())
        pail_adstack_prepared_destroy(p);
}

/* ---- Results --------------------------------------------------------------------------------- */
void pail_front_adstack_retain(pail_adstack_result *result)
{
    if (result && pail_process_is_first())
        pail_ad_result_retain(result);
}

void pail_front_adstack_release(pail_adstack_result *result)
{
    if (pail_process_is_first())
        pail_ad_result_release(result);
}

pail_status pail_front_adstack_task_size(const pail_adstack_result *result, pail_task_size *size,
                                         size_t task)
{
    struct pail_error err = {0};
    pail_task_size filled = {.struct_size = sizeof(filled)};
    pail_status status = pail_struct_out(size, PAIL_TASK_SIZE_SIZE_1_0, "size", &err);
    if (status == PAIL_OK)
        status = pail_front_object(result, "result", &err);
    if (status == PAIL_OK)
        status = pail_adstack_task_size(result, &filled, task, &err);
    if (status != PAIL_OK)
        return pail_front_end(NULL, status, &err);
    pail_struct_deliver(size, &filled, sizeof(filled));
    return PAIL_OK;
}

pail_status pail_front_adstack_stack_size(const pail_adstack_result *result, pail_stack_size *size,
                                          size_t task, size_t stack)
{
    struct pail_error err = {0};
    pail_stack_size filled = {.struct_size = sizeof(filled)};
    pail_status status = pail_struct_out(size, PAIL_STACK_SIZE_SIZE_1_0, "size", &err);
    if (status == PAIL_OK)
        status = pail_front_object(result, "result", &err);
    if (status == PAIL_OK)
        status = pail_adstack_stack_size(result, &filled, task, stack, &err);
    if (status != PAIL_OK)
        return pail_front_end(NULL, status, &err);
    pail_struct_deliver(size, &filled, sizeof(filled));
    return PAIL_OK;
}

pail_status pail_front_adstack_metadata(const pail_adstack_result *result, uint32_t *words,
                                        size_t *n_words, size_t task)
{
    struct pail_error err = {0};
    pail_status status = pail_front_need(n_words, "n_words", &err);
    if (status == PAIL_OK && (status = pail_front_object(result, "result", &err)) != PAIL_OK)
        *n_words = 0;
    if (status == PAIL_OK)
        status = pail_adstack_metadata(result, words, n_words, task, &err);
    return pail_front_end(NULL, status, &err);
}

pail_status pail_front_adstack_explain(const pail_adstack_result *result, char *text, size_t *size)
{
    struct pail_error err = {0};
    pail_status status = pail_front_need(size, "size", &err);
    if (status == PAIL_OK && text && *size > 0)
        text[0] = '\0';
    if (status == PAIL_OK && (status = pail_front_object(result, "result", &err)) != PAIL_OK)
        *size = 0;
    if (status == PAIL_OK)
        status = pail_adstack_explain(result, text, size, &err);
    return pail_front_end(NULL, status, &err);
}

/* ---- Arrays ---------------------------------------------------------------------------------- */
void pail_front_adstack_bump(struct pail_adstack *service, uint64_t identity)
{
    if (service && pail_process_is_first())
        pail_adstack_bump(service, identity);
}

void pail_front_adstack_forget(struct pail_adstack *service, uint64_t identity)
{
    if (service && pail_process_is_first())
        pail_adstack_forget(service, identity);
}

void pail_front_adstack_invalidate(struct pail_adstack *service, pail_adstack_kernel kernel)
{
    if (service && pail_process_is_first())
        pail_adstack_invalidate(service, kernel);
}

/* ---- Overflows ------------------------------------------------------------------------------- */
static pail_status take_overflows(struct pail_adstack *service, pail_overflow records[],
                                  size_t room, size_t *n, struct pail_error *err)
{
    const struct pail_ad_overflow_memory *memory = &service->env.overflow_memory;
    *n = 0;
    if (memory->poll)
        return memory->poll(memory->user, records, room, n, err);
    *n = pail_adstack_poll_overflow(service, records, room);
    return PAIL_OK;
}

pail_status pail_front_adstack_poll_overflow(struct pail_adstack *service, pail_overflow *records,
                                             size_t *n_records)
{
    struct pail_error err = {0};
    pail_overflow found[PAIL_AD_OVERFLOW_RECORDS + 1];
    size_t room = 0, stride = 0;
    pail_status status = pail_front_need(n_records, "n_records", &err);
    if (status == PAIL_OK) {
        room = *n_records;
        *n_records = 0;
        status = pail_front_object(service, "context", &err);
    }
    if (status == PAIL_OK && room > 0) {
        status = pail_struct_out(records, PAIL_OVERFLOW_SIZE_1_0, "record", &err);
        stride = status == PAIL_OK ? records->struct_size : 0;
    }
    if (status != PAIL_OK)
        return pail_front_end(log_of(service), status, &err);
    const size_t most = sizeof(found) / sizeof(found[0]);
    size_t n;
    status = take_overflows(service, found, room < most ? room : most, &n, &err);
    for (size_t i = 0; i < n; i++) {
        char *record = (char *)records + i * stride;
        memset(record, 0, stride);
        memcpy(record, &(uint32_t){(uint32_t)stride}, sizeof(uint32_t));
        pail_struct_deliver(record, &found[i], sizeof(found[i]));
    }
    /* The records were taken also if clearing failed: they are not in the buffer any more. */
    *n_records = n;
    return pail_front_end(log_of(service), status, &err);
}

pail_status pail_front_adstack_diagnose(struct pail_adstack *service, pail_diagnosis *diagnosis,
                                        const pail_overflow *record)
{
    struct pail_error err = {0};
    pail_diagnosis filled = {.struct_size = sizeof(filled)};
    pail_overflow r;
    pail_status status = pail_struct_out(diagnosis, PAIL_DIAGNOSIS_SIZE_1_0, "diagnosis", &err);
    if (status == PAIL_OK)
        status = pail_front_object(service, "context", &err);
    if (status == PAIL_OK)
        status = pail_struct_in(&r, sizeof(r), record, PAIL_OVERFLOW_SIZE_1_0, "record", &err);
    if (status == PAIL_OK && r.kind != PAIL_OVERFLOW_STACK && r.kind != PAIL_OVERFLOW_GATE)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "pail_overflow: kind is %u", r.kind);
    if (status == PAIL_OK)
        status = pail_adstack_diagnose(service, &filled, &r, &err);
    if (status != PAIL_OK)
        return pail_front_end(log_of(service), status, &err);
    pail_struct_deliver(diagnosis, &filled, sizeof(filled));
    return PAIL_OK;
}

static pail_status open_overflows(struct pail_adstack *service, uint64_t *vk_buffer,
                                  uint64_t *address, struct pail_error *err)
{
    const struct pail_ad_overflow_memory *memory = &service->env.overflow_memory;
    if (memory->open)
        return memory->open(memory->user, vk_buffer, address, err);
    *address = (uint64_t)(uintptr_t)service->overflow_words;
    return PAIL_OK;
}

pail_status pail_front_adstack_overflow_buffer(struct pail_adstack *service, uint64_t *vk_buffer,
                                               uint64_t *address)
{
    struct pail_error err = {0};
    if (vk_buffer)
        *vk_buffer = 0;
    if (address)
        *address = 0;
    pail_status status = pail_front_object(service, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(vk_buffer, "vk_buffer", &err);
    if (status == PAIL_OK)
        status = pail_front_need(address, "address", &err);
    if (status == PAIL_OK)
        status = open_overflows(service, vk_buffer, address, &err);
    return pail_front_end(log_of(service), status, &err);
}

/* ---- Counters -------------------------------------------------------------------------------- */
void pail_front_adstack_stats(struct pail_adstack *service, pail_adstack_stats *stats)
{
    struct pail_error err = {0};
    pail_adstack_stats filled = {.struct_size = sizeof(filled)};
    if (pail_struct_out(stats, PAIL_ADSTACK_STATS_SIZE_1_0, "stats", &err) != PAIL_OK)
        return;
    if (service && pail_process_is_first())
        pail_adstack_read_stats(service, &filled);
    pail_struct_deliver(stats, &filled, sizeof(filled));
}

void pail_front_adstack_reset_stats(struct pail_adstack *service)
{
    if (service && pail_process_is_first())
        pail_adstack_reset_stats(service);
}

/* ---- Command buffers ------------------------------------------------------------------------- */
pail_status pail_front_adstack_record(struct pail_adstack *service, pail_adstack_result **result,
                                      const pail_launch *launch, void *command_buffer,
                                      uint64_t metadata_address)
{
    struct pail_error err = {0};
    pail_launch l;
    if (result)
        *result = NULL;
    pail_status status = pail_front_object(service, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(result, "result", &err);
    if (status == PAIL_OK)
        status = pail_front_need(command_buffer, "command_buffer", &err);
    if (status == PAIL_OK)
        status = pail_struct_in(&l, sizeof(l), launch, PAIL_LAUNCH_SIZE_1_0, "launch", &err);
    if (status == PAIL_OK)
        status = pail_adstack_record(service, result, &l, command_buffer, metadata_address, &err);
    return pail_front_end(log_of(service), status, &err);
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

pail_status pail_front_adstack_record_layout(struct pail_adstack *service, pail_record_task *tasks,
                                             size_t n_tasks, uint64_t *bytes,
                                             pail_adstack_kernel kernel)
{
    struct pail_error err = {0};
    pail_record_task *places = NULL;
    size_t stride = 0;
    if (bytes)
        *bytes = 0;
    pail_status status = pail_front_object(service, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(bytes, "bytes", &err);
    if (status == PAIL_OK && tasks && n_tasks > PAIL_AD_MAX_TASKS)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "n_tasks: %zu", n_tasks);
    /* The first one only, until the count is known to be the kernel's. */
    if (status == PAIL_OK)
        status = zero_places(tasks, n_tasks ? 1 : 0, &stride, &err);
    if (status == PAIL_OK && tasks &&
        !(places = pail_calloc(&service->env.alloc, n_tasks + 1, sizeof(*places))))
        status = pail_fail(&err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu tasks", n_tasks);
    if (status == PAIL_OK)
        status = pail_adstack_record_layout(service, places, n_tasks, bytes, kernel, &err);
    if (status == PAIL_OK && places)
        status = zero_places(tasks, n_tasks, &stride, &err);
    for (size_t i = 0; places && i < n_tasks && status == PAIL_OK; i++)
        pail_struct_deliver((char *)tasks + i * stride, &places[i], sizeof(places[i]));
    if (places)
        pail_free(&service->env.alloc, places);
    return pail_front_end(log_of(service), status, &err);
}
