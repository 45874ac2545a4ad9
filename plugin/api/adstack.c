/* Adstack at the boundary: kernels, launches and what results say. */
#include "api.h"

#include <curves/registry_id.h>
#include <string.h>

#include <adstack/blob.h>
#include <adstack/launch.h>
#include <adstack/prepared.h>

/* ---- Kernels --------------------------------------------------------------------------------- */
/* Number of tasks of a description, for outputs that are zeroed whatever else is wrong. */
static size_t tasks_of(const pail_kernel_desc *desc)
{
    return desc && desc->struct_size >= PAIL_KERNEL_DESC_SIZE_1_0 &&
                   desc->n_tasks <= PAIL_AD_MAX_TASKS
               ? desc->n_tasks
               : 0;
}

pail_status pail_api_adstack_register(pail_context *context, pail_adstack_kernel *kernel,
                                      uint32_t *task_ids, const pail_kernel_desc *desc)
{
    struct pail_error err = {0};
    uint64_t handle = 0;
    if (task_ids)
        memset(task_ids, 0, tasks_of(desc) * sizeof(*task_ids));
    if (kernel)
        *kernel = 0;
    pail_status status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(kernel, "kernel", &err);
    if (status == PAIL_OK)
        status = pail_front_need(task_ids, "task_ids", &err);
    if (status == PAIL_OK)
        status = pail_adstack_register(context->adstack, &handle, task_ids, desc, &err);
    if (status != PAIL_OK)
        return pail_api_end(context, status, &err);
    *kernel = handle;
    return PAIL_OK;
}

pail_status pail_api_adstack_unregister(pail_context *context, pail_adstack_kernel kernel)
{
    struct pail_error err = {0};
    pail_status status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_adstack_unregister(context->adstack, kernel, &err);
    return pail_api_end(context, status, &err);
}

uint32_t pail_api_adstack_id(const char *name, size_t name_bytes, int32_t task_index)
{
    return pail_registry_id(name, name ? name_bytes : 0, (uint32_t)task_index);
}

pail_status pail_api_adstack_lookup(pail_context *context, char *name, size_t capacity,
                                    int32_t *task_index, uint32_t id)
{
    struct pail_error err = {0};
    if (task_index)
        *task_index = 0;
    if (name && capacity > 0)
        name[0] = '\0';
    pail_status status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(name, "name", &err);
    if (status == PAIL_OK)
        status = pail_front_need(task_index, "task_index", &err);
    if (status == PAIL_OK)
        status = pail_adstack_lookup(context->adstack, name, capacity, task_index, id, &err);
    return pail_api_end(context, status, &err);
}

pail_status pail_api_adstack_validate(const pail_tree *tree, const uint8_t *source_rank,
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

pail_status pail_api_adstack_export(pail_context *context, void *blob, size_t *size_bytes,
                                    pail_adstack_kernel kernel)
{
    struct pail_error err = {0};
    pail_status status = pail_front_need(size_bytes, "size_bytes", &err);
    if (status == PAIL_OK && (status = pail_front_object(context, "context", &err)) != PAIL_OK)
        *size_bytes = 0;
    if (status == PAIL_OK)
        status = pail_adstack_export(context->adstack, blob, size_bytes, kernel, &err);
    return pail_api_end(context, status, &err);
}

pail_status pail_api_adstack_import(pail_context *context, pail_adstack_kernel *kernel,
                                    uint32_t *task_ids, const void *blob, size_t size_bytes)
{
    struct pail_error err = {0};
    uint64_t handle = 0;
    if (kernel)
        *kernel = 0;
    pail_status status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(kernel, "kernel", &err);
    if (status == PAIL_OK)
        status = pail_front_need(blob, "blob", &err);
    if (status == PAIL_OK)
        status = pail_adstack_import(context->adstack, &handle, task_ids, blob, size_bytes, &err);
    if (status != PAIL_OK)
        return pail_api_end(context, status, &err);
    *kernel = handle;
    return PAIL_OK;
}

/* ---- Launches -------------------------------------------------------------------------------- */
/* Checks what starts from a launch, and reads the launch. out: the output is there; name: its name.
 */
static pail_status read_launch(pail_launch *ours, const pail_context *context, const void *out,
                               const char *name, const pail_launch *launch, struct pail_error *err)
{
    pail_status status = pail_front_object(context, "context", err);
    if (status == PAIL_OK)
        status = pail_front_need(out, name, err);
    if (status == PAIL_OK)
        status = pail_struct_in(ours, sizeof(*ours), launch, PAIL_LAUNCH_SIZE_1_0, "launch", err);
    return status;
}

pail_status pail_api_adstack_evaluate(pail_context *context, pail_adstack_result **result,
                                      const pail_launch *launch)
{
    struct pail_error err = {0};
    pail_launch l;
    if (result)
        *result = NULL;
    pail_status status = read_launch(&l, context, result, "result", launch, &err);
    if (status == PAIL_OK)
        status = pail_adstack_evaluate(context->adstack, result, &l, &err);
    return pail_api_end(context, status, &err);
}

pail_status pail_api_adstack_prepare(pail_context *context, pail_adstack_prepared **prepared,
                                     const pail_launch *launch)
{
    struct pail_error err = {0};
    pail_launch l;
    if (prepared)
        *prepared = NULL;
    pail_status status = read_launch(&l, context, prepared, "prepared", launch, &err);
    if (status == PAIL_OK)
        status = pail_adstack_prepare(context->adstack, prepared, &l, &err);
    return pail_api_end(context, status, &err);
}

pail_status pail_api_adstack_evaluate_prepared(pail_adstack_prepared *prepared,
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

void pail_api_adstack_prepared_destroy(pail_adstack_prepared **prepared)
{
    pail_adstack_prepared *const p = prepared ? *prepared : NULL;
    if (!p)
        return;
    *prepared = NULL;
    if (pail_process_is_first())
        pail_adstack_prepared_destroy(p);
}

void pail_api_adstack_retain(pail_adstack_result *result)
{
    if (result && pail_process_is_first())
        pail_ad_result_retain(result);
}

void pail_api_adstack_release(pail_adstack_result *result)
{
    if (pail_process_is_first())
        pail_ad_result_release(result);
}

pail_status pail_api_adstack_task_size(const pail_adstack_result *result, pail_task_size *size,
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

pail_status pail_api_adstack_stack_size(const pail_adstack_result *result, pail_stack_size *size,
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

pail_status pail_api_adstack_metadata(const pail_adstack_result *result, uint32_t *words,
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

pail_status pail_api_adstack_explain(const pail_adstack_result *result, char *text, size_t *size)
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
