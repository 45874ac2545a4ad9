/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of stacks are the fastest member's that has them, as vectors are: one registry, and caches
 * that know every launch. */
#include "stacks.h"

#include <cpu/cpu.h>
#include <platform/process.h>

#include "composite.h"

/* A member's result, and who takes questions about it. */
struct pail_adstack_result {
    const pail_backend *backend;
    pail_adstack_result *inner;
    struct pail_alloc memory;
    atomic_size_t references;
};

bool pail_composite_sizes_stacks(const pail_backend *b)
{
    return PAIL_HAS(b, adstack_register) && PAIL_HAS(b, adstack_unregister) &&
           PAIL_HAS(b, adstack_lookup) && PAIL_HAS(b, adstack_export) &&
           PAIL_HAS(b, adstack_import) && PAIL_HAS(b, adstack_evaluate) &&
           PAIL_HAS(b, adstack_record) && PAIL_HAS(b, adstack_record_layout) &&
           PAIL_HAS(b, adstack_retain) && PAIL_HAS(b, adstack_release) &&
           PAIL_HAS(b, adstack_task_size) && PAIL_HAS(b, adstack_stack_size) &&
           PAIL_HAS(b, adstack_metadata) && PAIL_HAS(b, adstack_explain) &&
           PAIL_HAS(b, adstack_bump) && PAIL_HAS(b, adstack_forget) &&
           PAIL_HAS(b, adstack_invalidate) && PAIL_HAS(b, adstack_overflow_buffer) &&
           PAIL_HAS(b, adstack_poll_overflow) && PAIL_HAS(b, adstack_diagnose) &&
           PAIL_HAS(b, adstack_stats) && PAIL_HAS(b, adstack_reset_stats);
}

/* The table and context that a call goes to: the member's. Without one, the CPU backend's table
 * without a context, which refuses, with all outputs zeroed. */
struct doer {
    const pail_backend *backend;
    pail_context *context;
};

static struct doer doer_of(pail_context *context)
{
    if (!context || context->stacks == context->n)
        return (struct doer){&pail_cpu_table, NULL};
    const struct pail_composite_member *const m = &context->members[context->stacks];
    return (struct doer){m->backend, m->context};
}

/* The end of a slot, with the member's name before its sentence. */
static pail_status said(const pail_context *context, pail_status status)
{
    struct pail_error err = {0};
    if (status == PAIL_OK || status == PAIL_NOT_READY || !context)
        return status;
    if (context->stacks == context->n)
        return pail_front_end(
            NULL, pail_fail(&err, PAIL_ERR_UNSUPPORTED, "no device of the context sizes stacks"),
            &err);
    const struct pail_composite_member *const m = &context->members[context->stacks];
    return pail_front_end(NULL, pail_composite_said(&err, m, status, m->backend->error(m->context)),
                          &err);
}

/* ---- Kernels --------------------------------------------------------------------------------- */
pail_status pail_composite_adstack_register(pail_context *context, pail_adstack_kernel *kernel,
                                            uint32_t *task_ids, const pail_kernel_desc *desc)
{
    const struct doer d = doer_of(context);
    return said(context, d.backend->adstack_register(d.context, kernel, task_ids, desc));
}

pail_status pail_composite_adstack_unregister(pail_context *context, pail_adstack_kernel kernel)
{
    const struct doer d = doer_of(context);
    return said(context, d.backend->adstack_unregister(d.context, kernel));
}

pail_status pail_composite_adstack_lookup(pail_context *context, char *name, size_t capacity,
                                          int32_t *task_index, uint32_t id)
{
    const struct doer d = doer_of(context);
    return said(context, d.backend->adstack_lookup(d.context, name, capacity, task_index, id));
}

pail_status pail_composite_adstack_export(pail_context *context, void *blob, size_t *size_bytes,
                                          pail_adstack_kernel kernel)
{
    const struct doer d = doer_of(context);
    return said(context, d.backend->adstack_export(d.context, blob, size_bytes, kernel));
}

pail_status pail_composite_adstack_import(pail_context *context, pail_adstack_kernel *kernel,
                                          uint32_t *task_ids, const void *blob, size_t size_bytes)
{
    const struct doer d = doer_of(context);
    return said(context, d.backend->adstack_import(d.context, kernel, task_ids, blob, size_bytes));
}

/* ---- Results --------------------------------------------------------------------------------- */
static pail_adstack_result **place_of(pail_context *context, const pail_adstack_result *inner)
{
    const uint64_t hash = (uint64_t)(uintptr_t)inner * UINT64_C(0x9e3779b97f4a7c15);
    return &context->results[hash >> 58 & (PAIL_COMPOSITE_RESULTS - 1)];
}

/* The result that wraps a member's, with a reference; NULL: it is not known. */
static pail_adstack_result *recall(pail_context *context, const pail_adstack_result *inner)
{
    pthread_mutex_lock(&context->lock);
    pail_adstack_result *known = *place_of(context, inner);
    if (known && known->inner == inner)
        (void)atomic_fetch_add_explicit(&known->references, 1, memory_order_relaxed);
    else
        known = NULL;
    pthread_mutex_unlock(&context->lock);
    return known;
}

/* Knows a result from now on, with a reference of its own, in the place of another one. */
static void know(pail_context *context, pail_adstack_result *result)
{
    pail_composite_adstack_retain(result);
    pthread_mutex_lock(&context->lock);
    pail_adstack_result **const place = place_of(context, result->inner);
    pail_adstack_result *const old = *place;
    *place = result;
    pthread_mutex_unlock(&context->lock);
    pail_composite_adstack_release(old);
}

void pail_composite_stacks_close(pail_context *context)
{
    for (size_t i = 0; i < PAIL_COMPOSITE_RESULTS; i++)
        pail_composite_adstack_release(context->results[i]);
}

/* Wraps what the member made; *result is NULL on failure. again: it may come again, if the launch
 * hits. */
static pail_status wrap(pail_context *context, const struct doer *d, pail_adstack_result **result,
                        pail_status status, pail_adstack_result *inner, bool again)
{
    struct pail_error err = {0};
    if (result)
        *result = NULL;
    if (status != PAIL_OK)
        return said(context, status);
    *result = again ? recall(context, inner) : NULL;
    if (*result) {
        d->backend->adstack_release(inner);
        return PAIL_OK;
    }
    pail_adstack_result *const r = pail_cpu_alloc(&context->memory, 1, sizeof *r);
    if (!r) {
        d->backend->adstack_release(inner);
        return pail_front_end(
            NULL, pail_fail(&err, PAIL_ERR_HOST_MEMORY, "no memory for a result of sizing"), &err);
    }
    *r = (pail_adstack_result){.backend = d->backend, .inner = inner, .memory = context->memory};
    atomic_init(&r->references, 1);
    if (again)
        know(context, r);
    *result = r;
    return PAIL_OK;
}

pail_status pail_composite_adstack_evaluate(pail_context *context, pail_adstack_result **result,
                                            const pail_launch *launch)
{
    const struct doer d = doer_of(context);
    pail_adstack_result *inner = NULL;
    const pail_status status =
        d.backend->adstack_evaluate(d.context, result ? &inner : NULL, launch);
    return wrap(context, &d, result, status, inner, true);
}

pail_status pail_composite_adstack_record(pail_context *context, pail_adstack_result **result,
                                          const pail_launch *launch, void *command_buffer,
                                          uint64_t metadata_address)
{
    const struct doer d = doer_of(context);
    pail_adstack_result *inner = NULL;
    const pail_status status = d.backend->adstack_record(d.context, result ? &inner : NULL, launch,
                                                         command_buffer, metadata_address);
    return wrap(context, &d, result, status, inner, false);
}

pail_status pail_composite_adstack_record_layout(pail_context *context, pail_record_task *tasks,
                                                 size_t n_tasks, uint64_t *bytes,
                                                 pail_adstack_kernel kernel)
{
    const struct doer d = doer_of(context);
    return said(context,
                d.backend->adstack_record_layout(d.context, tasks, n_tasks, bytes, kernel));
}

/* ---- Prepared launches ------------------------------------------------------------------------
 */
struct pail_adstack_prepared {
    pail_context *context;
    const pail_backend *backend;
    pail_adstack_prepared *inner;
};

pail_status pail_composite_adstack_prepare(pail_context *context, pail_adstack_prepared **prepared,
                                           const pail_launch *launch)
{
    const struct doer d = doer_of(context);
    struct pail_error err = {0};
    pail_adstack_prepared *inner = NULL;
    if (prepared)
        *prepared = NULL;
    if (!PAIL_HAS(d.backend, adstack_prepared_destroy))
        return pail_front_end(NULL,
                              pail_fail(&err, PAIL_ERR_UNSUPPORTED,
                                        "%s: the backend prepares no launches", d.backend->name),
                              &err);
    const pail_status status =
        d.backend->adstack_prepare(d.context, prepared ? &inner : NULL, launch);
    if (status != PAIL_OK)
        return said(context, status);
    pail_adstack_prepared *const p = pail_cpu_alloc(&context->memory, 1, sizeof *p);
    if (!p) {
        d.backend->adstack_prepared_destroy(&inner);
        return pail_front_end(
            NULL, pail_fail(&err, PAIL_ERR_HOST_MEMORY, "no memory for a prepared launch"), &err);
    }
    *p = (pail_adstack_prepared){.context = context, .backend = d.backend, .inner = inner};
    *prepared = p;
    return PAIL_OK;
}

pail_status pail_composite_adstack_evaluate_prepared(pail_adstack_prepared *prepared,
                                                     pail_adstack_result **result,
                                                     const pail_launch_change *change)
{
    if (!prepared)
        return pail_cpu_table.adstack_evaluate_prepared(NULL, result, change);
    const struct doer d = {prepared->backend, NULL};
    pail_adstack_result *inner = NULL;
    const pail_status status =
        d.backend->adstack_evaluate_prepared(prepared->inner, result ? &inner : NULL, change);
    return wrap(prepared->context, &d, result, status, inner, true);
}

void pail_composite_adstack_prepared_destroy(pail_adstack_prepared **prepared)
{
    pail_adstack_prepared *const p = prepared ? *prepared : NULL;
    if (!p)
        return;
    *prepared = NULL;
    if (!pail_process_is_first())
        return;
    p->backend->adstack_prepared_destroy(&p->inner);
    pail_cpu_free(&p->context->memory, p);
}

void pail_composite_adstack_retain(pail_adstack_result *result)
{
    if (result && pail_process_is_first())
        (void)atomic_fetch_add_explicit(&result->references, 1, memory_order_relaxed);
}

void pail_composite_adstack_release(pail_adstack_result *result)
{
    if (!result || !pail_process_is_first() ||
        atomic_fetch_sub_explicit(&result->references, 1, memory_order_acq_rel) != 1)
        return;
    const struct pail_alloc memory = result->memory;
    result->backend->adstack_release(result->inner);
    pail_cpu_free(&memory, result);
}

/* The end of a question about a result. */
static pail_status told(const pail_adstack_result *result, pail_status status)
{
    struct pail_error err = {0};
    if (status == PAIL_OK || status == PAIL_NOT_READY || !result)
        return status;
    return pail_front_end(
        NULL,
        pail_fail(&err, status, "%s: %s", result->backend->name, result->backend->error(NULL)),
        &err);
}

#define BACKEND(result) ((result) ? (result)->backend : &pail_cpu_table)
#define INNER(result)   ((result) ? (result)->inner : NULL)

pail_status pail_composite_adstack_task_size(const pail_adstack_result *result,
                                             pail_task_size *size, size_t task)
{
    return told(result, BACKEND(result)->adstack_task_size(INNER(result), size, task));
}

pail_status pail_composite_adstack_stack_size(const pail_adstack_result *result,
                                              pail_stack_size *size, size_t task, size_t stack)
{
    return told(result, BACKEND(result)->adstack_stack_size(INNER(result), size, task, stack));
}

pail_status pail_composite_adstack_metadata(const pail_adstack_result *result, uint32_t *words,
                                            size_t *n_words, size_t task)
{
    return told(result, BACKEND(result)->adstack_metadata(INNER(result), words, n_words, task));
}

pail_status pail_composite_adstack_explain(const pail_adstack_result *result, char *text,
                                           size_t *size)
{
    return told(result, BACKEND(result)->adstack_explain(INNER(result), text, size));
}

/* ---- Arrays, overflows, counters ------------------------------------------------------------- */
void pail_composite_adstack_bump(pail_context *context, uint64_t identity)
{
    const struct doer d = doer_of(context);
    d.backend->adstack_bump(d.context, identity);
}

void pail_composite_adstack_forget(pail_context *context, uint64_t identity)
{
    const struct doer d = doer_of(context);
    d.backend->adstack_forget(d.context, identity);
}

void pail_composite_adstack_invalidate(pail_context *context, pail_adstack_kernel kernel)
{
    const struct doer d = doer_of(context);
    d.backend->adstack_invalidate(d.context, kernel);
}

pail_status pail_composite_adstack_overflow_buffer(pail_context *context, uint64_t *vk_buffer,
                                                   uint64_t *address)
{
    const struct doer d = doer_of(context);
    return said(context, d.backend->adstack_overflow_buffer(d.context, vk_buffer, address));
}

pail_status pail_composite_adstack_poll_overflow(pail_context *context, pail_overflow *records,
                                                 size_t *n_records)
{
    const struct doer d = doer_of(context);
    return said(context, d.backend->adstack_poll_overflow(d.context, records, n_records));
}

pail_status pail_composite_adstack_diagnose(pail_context *context, pail_diagnosis *diagnosis,
                                            const pail_overflow *record)
{
    const struct doer d = doer_of(context);
    return said(context, d.backend->adstack_diagnose(d.context, diagnosis, record));
}

void pail_composite_adstack_stats(pail_context *context, pail_adstack_stats *stats)
{
    const struct doer d = doer_of(context);
    d.backend->adstack_stats(d.context, stats);
}

void pail_composite_adstack_reset_stats(pail_context *context)
{
    const struct doer d = doer_of(context);
    d.backend->adstack_reset_stats(d.context);
}
