/* SPDX-License-Identifier: Apache-2.0 */
#include "launch.h"

#include "arrays.h"
#include "culprit.h"
#include "solve.h"
#include "tasks.h"
#include "watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <core/debug.h>

#define EXPLANATION_BYTES (64u << 10)
#define ALL_FLAGS                                                                                  \
    (PAIL_LAUNCH_HOST | PAIL_LAUNCH_DEVICE | PAIL_LAUNCH_INTERPRET | PAIL_LAUNCH_SPECIALISE |      \
     PAIL_LAUNCH_NO_CACHE | PAIL_LAUNCH_EXPLAIN)

/* State of one call. */
struct call {
    struct pail_adstack *service;
    const pail_launch *launch;
    struct pail_ad_evaluation e;
    struct pail_ad_watch watch;
    bool keep;
    unsigned char *memory; /* memory of the arrays below, and of e's arrays */
    int64_t *raw;          /* [largest n_stacks] */
    uint32_t *n_stacks;    /* [n_tasks] */
    uint32_t *slots;       /* [stacks] of trees to compute, then of one task */
};

pail_status pail_ad_launch_check(const struct pail_adstack *service, const pail_launch *launch,
                                 struct pail_error *err)
{
    const uint32_t both[][2] = {{PAIL_LAUNCH_HOST, PAIL_LAUNCH_DEVICE},
                                {PAIL_LAUNCH_INTERPRET, PAIL_LAUNCH_SPECIALISE}};
    if (launch->flags & ~(uint32_t)ALL_FLAGS)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "pail_launch: flags is 0x%x", launch->flags);
    for (int i = 0; i < 2; i++)
        if ((launch->flags & both[i][0]) && (launch->flags & both[i][1]))
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "pail_launch: flags is 0x%x, with 0x%x and 0x%x at once",
                             launch->flags, both[i][0], both[i][1]);
    if (launch->wait_semaphore && service->env.no_semaphores)
        return pail_fail(err, service->env.semaphores ? service->env.semaphores : PAIL_ERR_ARGUMENT,
                         "pail_launch: wait_semaphore is 0x%" PRIx64 ", but %s",
                         launch->wait_semaphore, service->env.no_semaphores);
    return PAIL_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */
#define ALIGN(bytes) (((bytes) + 15) & ~(size_t)15)

static pail_status make_memory(struct call *call, struct pail_error *err)
{
    struct pail_ad_evaluation *e = &call->e;
    const struct pail_ad_program *p = e->kernel->program;
    const bool told = (call->launch->flags & PAIL_LAUNCH_EXPLAIN) ||
                      (call->service->env.debug & PAIL_DEBUG_TRACE);
    const size_t n_stacks = p->task_first[p->n_tasks];
    const size_t sizes[] = {ALIGN(p->n_tasks * sizeof(*e->laid)),
                            ALIGN(p->n_slots * sizeof(*e->values.value)),
                            ALIGN((n_stacks + 1) * sizeof(*call->raw)),
                            ALIGN((n_stacks + 1) * sizeof(*call->slots)),
                            ALIGN(p->n_tasks * sizeof(*call->n_stacks)),
                            ALIGN(p->n_slots),
                            ALIGN(p->n_slots),
                            ALIGN(p->n_slots),
                            ALIGN(p->n_tasks),
                            told ? EXPLANATION_BYTES : 0};
    size_t at[11] = {0};
    for (int i = 0; i < 10; i++)
        at[i + 1] = at[i] + sizes[i];
    unsigned char *memory = call->memory = pail_calloc(&call->service->env.alloc, 1, at[10]);
    if (!memory)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu bytes of a launch",
                         at[10]);
    e->laid = (struct pail_ad_laid **)(void *)memory;
    e->values.value = (struct pail_ad_value *)(void *)(memory + at[1]);
    call->raw = (int64_t *)(void *)(memory + at[2]);
    call->slots = (uint32_t *)(void *)(memory + at[3]);
    call->n_stacks = (uint32_t *)(void *)(memory + at[4]);
    e->values.known = memory + at[5];
    e->by = memory + at[6];
    e->need = memory + at[7];
    e->cached = memory + at[8];
    e->explanation = (struct pail_ad_explanation){told ? (char *)(memory + at[9]) : NULL, 0,
                                                  EXPLANATION_BYTES, 0};
    for (uint32_t t = 0; t < p->n_tasks; t++)
        call->n_stacks[t] = p->task_first[t + 1] - p->task_first[t];
    return PAIL_OK;
}

static struct pail_ad_how how_of(const pail_launch *launch)
{
    return (struct pail_ad_how){launch->flags, launch->wait_semaphore, launch->wait_value,
                                launch->serial, (launch->flags & PAIL_LAUNCH_NO_CACHE) != 0};
}

/* ---- Layouts --------------------------------------------------------------------------------- */
static void need_operand(void *user, uint32_t operand)
{
    uint8_t *need = user;
    need[operand] = 1;
}

/* Computes a tree anew, if that takes all of its values to describe its error: one that was found
 * in the cache comes without those that it was computed from. */
static void compute_again(struct call *call, uint32_t slot)
{
    struct pail_ad_evaluation *e = &call->e;
    const struct pail_ad_program *p = e->kernel->program;
    const pail_launch *launch = call->launch;
    const struct pail_ad_how how = how_of(launch);
    const struct pail_ad_value value = e->values.value[slot];
    struct pail_ad_culprit culprit;
    struct pail_error ignored; /* the description is less exact, no more */
    if (e->tree_hits + e->spec_hits == 0 || PAIL_AD_ERROR_KIND(value.error) != PAIL_AD_RANGE ||
        pail_ad_find_culprit(p, e->frame->arrays, NULL, slot, value.error,
                             &call->service->env.alloc, &culprit))
        return;
    memset(e->values.known, 0, p->n_slots);
    memset(e->need, 0, p->n_slots);
    e->need[slot] = 1;
    for (uint32_t i = p->n_slots; i-- > 0;)
        if (e->need[i])
            pail_ad_each_operand(p, i, need_operand, e->need);
    (void)pail_ad_solve(call->service, e, &how, &slot, 1, &ignored);
    e->values.value[slot] = value; /* the launch fails of that, whatever was written since */
}

/* The first tree of a task that cannot be computed. */
static pail_status check_values(struct call *call, uint32_t t, struct pail_error *err)
{
    struct pail_ad_evaluation *e = &call->e;
    const struct pail_ad_program *p = e->kernel->program;
    for (uint32_t r = p->task_first[t]; r < p->task_first[t + 1]; r++) {
        const uint32_t slot = p->roots[r].slot;
        if (slot == PAIL_AD_NONE || !e->values.value[slot].error)
            continue;
        char text[384];
        compute_again(call, slot);
        pail_ad_describe_tree(p, e->frame->arrays, &e->values, t, r - p->task_first[t],
                              e->values.value[slot].error, &call->service->env.alloc, text,
                              sizeof(text));
        const bool counts = r - p->task_first[t] >= pail_ad_n_placed(&e->kernel->desc->tasks[t]);
        return pail_fail(err, PAIL_ERR_DATA, "task %u, stack %u cannot be %s: %s", t,
                         r - p->task_first[t], counts ? "counted" : "sized", text);
    }
    return PAIL_OK;
}

static pail_status lay_out(struct call *call, uint32_t t, struct pail_error *err)
{
    struct pail_ad_evaluation *e = &call->e;
    const struct pail_ad_kernel *kernel = e->kernel;
    const struct pail_ad_program *p = kernel->program;
    const pail_task_desc *task = &kernel->desc->tasks[t];
    const struct pail_ad_task *mine = &kernel->tasks[t];
    char where[32];
    pail_status status = check_values(call, t, err);
    if (status == PAIL_OK)
        status = pail_ad_laid_make(&e->laid[t], task, mine->n_leaves, &kernel->alloc, err);
    if (status != PAIL_OK)
        return status;
    for (uint32_t i = 0; i < call->n_stacks[t]; i++) {
        const uint32_t slot = p->roots[p->task_first[t] + i].slot;
        call->raw[i] = slot == PAIL_AD_NONE ? (int64_t)task->stacks[i].static_capacity
                                            : e->values.value[slot].v;
    }
    for (uint32_t i = 0; i < mine->n_leaves; i++) {
        const uint32_t slot = kernel->task_leaves[mine->leaves_first + i];
        e->laid[t]->leaves[i] = e->values.value[slot];
        e->laid[t]->leaf_known[i] = e->values.known[slot];
    }
    (void)snprintf(where, sizeof(where), "task %u", t);
    status = pail_ad_layout(e->laid[t]->places, e->laid[t]->stride, task, call->raw, where, err);
    if (status != PAIL_OK) {
        pail_ad_laid_release(e->laid[t], &kernel->alloc);
        e->laid[t] = NULL; /* an incomplete layout must not be kept */
    }
    return status;
}

static uint8_t origin_of(const struct pail_ad_evaluation *e, uint32_t t, uint32_t root)
{
    const struct pail_ad_program *p = e->kernel->program;
    const uint32_t slot = p->roots[root].slot;
    if (slot == PAIL_AD_NONE)
        return PAIL_SIZE_STATIC;
    if (p->slots[slot].n_deps == 0)
        return PAIL_SIZE_CONSTANT;
    return e->cached[t] ? PAIL_SIZE_CACHED : e->by[slot];
}

/* Heaps of all tasks, whose layouts are there. */
static pail_status set_heaps(const struct call *call, struct pail_adstack_result *result,
                             struct pail_error *err)
{
    const uint64_t have[2] = {call->launch->heap_float, call->launch->heap_int};
    pail_status status = PAIL_OK;
    for (uint32_t t = 0; t < result->n_tasks && status == PAIL_OK; t++) {
        struct pail_ad_result_task *task = &result->tasks[t];
        const pail_task_launch how = pail_ad_task_launch(call->launch, t);
        struct pail_ad_claims *const claims = &task->claims;
        status = pail_ad_claims_choose(claims, task->laid, task->flags, &how, "", err);
        if (status != PAIL_OK) {
            char where[32];
            (void)snprintf(where, sizeof(where), "task %u", t);
            return pail_ad_claims_choose(claims, task->laid, task->flags, &how, where, err);
        }
        for (int heap = 0; heap < 2; heap++) {
            task->heap[heap] =
                claims->layout == PAIL_LAYOUT_CLAIMED ? claims->claimed[heap] : claims->rows[heap];
            task->grow[heap] = pail_ad_grow(have[heap], task->heap[heap]);
        }
    }
    return status;
}

static pail_status make_result(struct call *call, struct pail_adstack_result **out,
                               struct pail_error *err)
{
    struct pail_ad_evaluation *e = &call->e;
    const struct pail_ad_kernel *kernel = e->kernel;
    const struct pail_ad_program *p = kernel->program;
    struct pail_adstack_result *result;
    pail_status status = pail_ad_result_make(&result, p->n_tasks, call->n_stacks, kernel->n_key,
                                             &kernel->alloc, err);
    if (status != PAIL_OK)
        return status;
    memcpy(result->key, e->frame->key, kernel->n_key * sizeof(uint64_t));
    for (uint32_t t = 0; t < p->n_tasks; t++) {
        struct pail_ad_result_task *task = &result->tasks[t];
        task->laid = e->laid[t];
        pail_ad_laid_retain(task->laid);
        task->id = kernel->tasks[t].id;
        task->flags = kernel->desc->tasks[t].flags;
        for (uint32_t i = 0; i < call->n_stacks[t]; i++)
            task->origins[i] = origin_of(e, t, p->task_first[t] + i);
    }
    status = set_heaps(call, result, err);
    if (status == PAIL_OK)
        *out = result;
    else
        pail_ad_result_release(result);
    return status;
}

/* ---- Text ------------------------------------------------------------------------------------ */
static void log_explanation(const struct call *call)
{
    const struct pail_ad_explanation *explanation = &call->e.explanation;
    if (!(call->service->env.debug & PAIL_DEBUG_TRACE) || !explanation->text)
        return;
    for (const char *at = explanation->text; *at;) {
        const size_t n = strcspn(at, "\n");
        pail_log(&call->service->env.log, PAIL_LOG_DEBUG, "adstack: launch %" PRIu64 ": %.*s",
                 call->launch->serial, (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static void begin_explanation(struct call *call)
{
    const struct pail_ad_kernel *kernel = call->e.kernel;
    char name[96];
    pail_ad_explain(
        &call->e.explanation, "kernel %" PRIu64 " \"%s\": %zu tasks, %u reductions", kernel->handle,
        pail_ad_printable(name, sizeof(name), kernel->desc->name, kernel->desc->name_bytes),
        kernel->desc->n_tasks, kernel->program->n_specs);
}

static void tell_found(struct call *call)
{
    struct pail_ad_evaluation *e = &call->e;
    pail_ad_explain(&e->explanation,
                    "found in the cache: %" PRIu64 " tasks of %zu, %" PRIu64 " trees, %" PRIu64
                    " reductions",
                    e->task_hits, e->kernel->desc->n_tasks, e->tree_hits, e->spec_hits);
}

/* Units of a stack's size. */
static const char *counted_in(const struct pail_ad_laid *laid, uint32_t stack)
{
    return stack < laid->n_placed                   ? "entries"
           : stack == laid->counted                 ? "rows"
           : stack == laid->claims[PAIL_HEAP_FLOAT] ? "units of the float heap claimed"
                                                    : "units of the int heap claimed";
}

static void tell_claims(struct call *call, uint32_t t, const struct pail_ad_claims *claims)
{
    const pail_task_launch how = pail_ad_task_launch(call->launch, t);
    const uint32_t time = pail_ad_claimed_time(&how);
    const bool claimed = claims->layout == PAIL_LAYOUT_CLAIMED;
    pail_ad_explain(&call->e.explanation,
                    "task %u: heaps of %" PRIu64 " and %" PRIu64 " bytes if threads claim, of "
                    "%" PRIu64 " and %" PRIu64 " in rows; claims, of %u.%02u times the time%s, are "
                    "%s%s",
                    t, claims->claimed[0], claims->claimed[1], claims->rows[0], claims->rows[1],
                    time / PAIL_AD_ROWS_TIME, time % PAIL_AD_ROWS_TIME * 100 / PAIL_AD_ROWS_TIME,
                    how.rows_ns ? "" : " (not measured)", claimed ? "taken" : "not taken",
                    how.layout == PAIL_LAYOUT_AUTO ? "" : ", as the launch says");
}

static void tell_sizes(struct call *call, const struct pail_adstack_result *result)
{
    static const char *const origins[] = {"static", "constant", "host", "device", "cached"};
    struct pail_ad_evaluation *e = &call->e;
    const struct pail_ad_program *p = e->kernel->program;
    for (uint32_t t = 0; e->explanation.text && t < p->n_tasks; t++) {
        for (uint32_t i = 0; i < call->n_stacks[t]; i++)
            pail_ad_explain(&e->explanation, "task %u, stack %u: %" PRIu64 " %s (%s)", t, i,
                            e->laid[t]->places[i].capacity, counted_in(e->laid[t], i),
                            origins[origin_of(e, t, p->task_first[t] + i)]);
        if (result->tasks[t].claims.any)
            tell_claims(call, t, &result->tasks[t].claims);
    }
}

/* ---- The ways ---------------------------------------------------------------------------- */
/* A launch that is known: shares the result, or copies it where it is to be explained. */
static pail_status from_cache(struct call *call, struct pail_adstack_result *found,
                              struct pail_adstack_result **out, struct pail_error *err)
{
    struct pail_adstack *service = call->service;
    const char *text = "the launch is in the cache as a whole: nothing that its stacks depend on "
                       "has changed";
    pail_ad_count(service, PAIL_AD_STAT_LAUNCH_HITS, 1);
    if (service->env.debug & PAIL_DEBUG_TRACE)
        pail_log(&service->env.log, PAIL_LOG_DEBUG, "adstack: launch %" PRIu64 ": %s",
                 call->launch->serial, text);
    if (!(call->launch->flags & PAIL_LAUNCH_EXPLAIN)) {
        *out = found;
        return PAIL_OK;
    }
    const pail_status status = pail_ad_result_cached(out, found, text, err);
    pail_ad_result_release(found);
    return status;
}

/* Sizes that are known, for other threads or heaps: only the heaps are computed. found: becomes the
 * launch's result. */
static pail_status lay_out_again(struct call *call, struct pail_adstack_result **found,
                                 struct pail_error *err)
{
    struct pail_ad_evaluation *e = &call->e;
    struct pail_adstack_result *result, *sizes = *found;
    pail_status status = pail_ad_result_cached(&result, sizes, NULL, err);
    pail_ad_result_release(sizes);
    if (status == PAIL_OK) {
        memcpy(result->key, e->frame->key, e->kernel->n_key * sizeof(uint64_t));
        status = set_heaps(call, result, err);
    }
    if (status == PAIL_OK)
        pail_ad_cache_beside(e, call->launch->serial, result);
    else
        pail_ad_result_release(result);
    *found = status == PAIL_OK ? result : NULL;
    return status;
}

static pail_status compute(struct call *call, struct pail_error *err)
{
    struct pail_ad_evaluation *e = &call->e;
    const struct pail_ad_program *p = e->kernel->program;
    const pail_launch *launch = call->launch;
    const struct pail_ad_how how = how_of(launch);
    uint32_t n = 0;
    pail_ad_watch_begin(&call->watch, launch->max_cells, launch->max_ms, launch->cancel);
    e->values.watch = &call->watch;
    pail_ad_cache_look(e, (launch->flags & PAIL_LAUNCH_NO_CACHE) != 0);
    tell_found(call);
    pail_ad_count(call->service, PAIL_AD_STAT_TASK_HITS, e->task_hits);
    pail_ad_count(call->service, PAIL_AD_STAT_TREE_HITS, e->tree_hits);
    pail_ad_count(call->service, PAIL_AD_STAT_SPEC_HITS, e->spec_hits);
    for (uint32_t t = 0; t < p->n_tasks; t++)
        for (uint32_t r = p->task_first[t]; !e->laid[t] && r < p->task_first[t + 1]; r++)
            if (p->roots[r].slot != PAIL_AD_NONE && !e->values.known[p->roots[r].slot])
                call->slots[n++] = p->roots[r].slot;
    pail_status status = pail_ad_solve(call->service, e, &how, call->slots, n, err);
    for (uint32_t t = 0; t < p->n_tasks && status == PAIL_OK; t++)
        if (!e->laid[t]) {
            status = lay_out(call, t, err);
            pail_ad_count(call->service, PAIL_AD_STAT_LAYOUTS, status == PAIL_OK);
        }
    return status;
}

/* Values are kept also when a tree has an error, which is a value. */
static pail_status finish(struct call *call, struct pail_adstack_result **out, pail_status status,
                          struct pail_error *err)
{
    const uint32_t flags = call->launch->flags;
    struct pail_adstack_result *result = NULL, *twin = NULL;
    struct pail_error ignored;
    if (status == PAIL_OK)
        status = make_result(call, &result, err);
    if (status == PAIL_OK)
        tell_sizes(call, result);
    pail_ad_explanation_end(&call->e.explanation);
    if (status == PAIL_OK && (flags & PAIL_LAUNCH_EXPLAIN))
        status = pail_ad_result_tell(result, call->e.explanation.text, err);
    if (status == PAIL_OK && call->keep)
        (void)pail_ad_result_cached(&twin, result, NULL, &ignored); /* else it is not found */
    if (!(flags & PAIL_LAUNCH_NO_CACHE) && (status == PAIL_OK || status == PAIL_ERR_DATA))
        pail_ad_cache_keep(&call->e, twin);
    pail_ad_result_release(twin);
    log_explanation(call);
    if (status == PAIL_OK) {
        pail_ad_cache_recent(call->e.kernel, call->launch->serial, result);
        *out = result;
    } else {
        pail_ad_result_release(result);
    }
    return status;
}

static pail_status work_out(struct call *call, struct pail_adstack_result **out,
                            struct pail_error *err)
{
    struct pail_ad_evaluation *e = &call->e;
    pail_status status = make_memory(call, err);
    if (status == PAIL_OK) {
        begin_explanation(call);
        status = finish(call, out, compute(call, err), err);
        for (uint32_t t = 0; t < e->kernel->program->n_tasks; t++)
            pail_ad_laid_release(e->laid[t], &e->kernel->alloc);
    }
    pail_free(&call->service->env.alloc, call->memory);
    return status;
}

pail_status pail_ad_launch_answer(struct pail_adstack *service, struct pail_ad_kernel *kernel,
                                  struct pail_ad_frame *frame, const pail_launch *launch, bool keep,
                                  struct pail_ad_answer *answer, struct pail_error *err)
{
    struct call call = {
        .service = service, .launch = launch, .keep = keep, .e = {kernel, frame, .laid = NULL}};
    bool exact = false;
    struct pail_adstack_result *found =
        keep ? pail_ad_cache_launch(&call.e, launch->serial, &exact) : NULL;
    pail_status status = PAIL_OK;
    *answer = (struct pail_ad_answer){NULL, found != NULL, call.e.drops};
    if (found && !exact)
        status = lay_out_again(&call, &found, err);
    if (status != PAIL_OK)
        return status;
    return found ? from_cache(&call, found, &answer->result, err)
                 : work_out(&call, &answer->result, err);
}

static pail_status with_frame(struct pail_adstack *service, struct pail_ad_kernel *kernel,
                              struct pail_ad_frame *frame, const pail_launch *launch,
                              struct pail_adstack_result **out, struct pail_error *err)
{
    struct pail_ad_answer answer;
    pail_status status = pail_ad_arrays_take(frame, kernel, launch, &service->env, err);
    if (status == PAIL_OK)
        status = pail_ad_identities_see(&service->identities, frame->seen, kernel->n_seen,
                                        &service->env.alloc, err);
    if (status != PAIL_OK)
        return status;
    const bool keep =
        pail_ad_arrays_key(frame, kernel, launch) && !(launch->flags & PAIL_LAUNCH_NO_CACHE);
    status = pail_ad_launch_answer(service, kernel, frame, launch, keep, &answer, err);
    *out = answer.result;
    return status;
}

pail_status pail_adstack_evaluate(struct pail_adstack *service, struct pail_adstack_result **result,
                                  const pail_launch *launch, struct pail_error *err)
{
    struct pail_ad_kernel *kernel;
    struct pail_ad_frame *frame = NULL;
    *result = NULL;
    pail_ad_count(service, PAIL_AD_STAT_EVALUATIONS, 1);
    pail_status status = pail_ad_registry_find(&service->registry, &kernel, launch->kernel, err);
    if (status == PAIL_OK)
        status = pail_ad_launch_check(service, launch, err);
    if (status == PAIL_OK)
        status = pail_ad_tasks_check(launch, kernel->desc->tasks, kernel->desc->n_tasks, err);
    if (status == PAIL_OK)
        status = pail_ad_frame_take(&frame, kernel, err);
    if (status == PAIL_OK)
        status = with_frame(service, kernel, frame, launch, result, err);
    if (kernel)
        pail_ad_frame_give(kernel, frame);
    pail_ad_kernel_release(kernel);
    return status;
}

/* Queries of a result. */

/* NULL and a status in *err: there is none. */
static const struct pail_ad_result_task *task_of(const struct pail_adstack_result *result,
                                                 size_t task, struct pail_error *err)
{
    if (task < result->n_tasks)
        return &result->tasks[task];
    if (result->recorded)
        (void)pail_fail(err, PAIL_NOT_READY, "the sizes are where the command buffer writes them");
    else
        (void)pail_fail(err, PAIL_ERR_ARGUMENT, "task: %zu, but the kernel has %u", task,
                        result->n_tasks);
    return NULL;
}

pail_status pail_adstack_task_size(const struct pail_adstack_result *result, pail_task_size *size,
                                   size_t task, struct pail_error *err)
{
    const struct pail_ad_result_task *t = task_of(result, task, err);
    if (!t)
        return err->status;
    *size = (pail_task_size){
        .struct_size = size->struct_size,
        .id = t->id,
        .stride_float = pail_ad_units(t->flags, t->laid->stride[PAIL_HEAP_FLOAT]),
        .stride_int = pail_ad_units(t->flags, t->laid->stride[PAIL_HEAP_INT]),
        .heap_float = t->heap[PAIL_HEAP_FLOAT],
        .heap_int = t->heap[PAIL_HEAP_INT],
        .n_stacks = t->laid->n_stacks,
        .grow_float = t->grow[PAIL_HEAP_FLOAT],
        .grow_int = t->grow[PAIL_HEAP_INT],
        .layout = t->claims.layout,
        .rows_float = t->claims.rows[PAIL_HEAP_FLOAT],
        .rows_int = t->claims.rows[PAIL_HEAP_INT],
        .claimed_float = t->claims.claimed[PAIL_HEAP_FLOAT],
        .claimed_int = t->claims.claimed[PAIL_HEAP_INT],
    };
    return PAIL_OK;
}

pail_status pail_adstack_stack_size(const struct pail_adstack_result *result, pail_stack_size *size,
                                    size_t task, size_t stack, struct pail_error *err)
{
    const struct pail_ad_result_task *t = task_of(result, task, err);
    if (!t)
        return err->status;
    if (stack >= t->laid->n_stacks)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "stack: %zu, but task %zu has %u", stack, task,
                         t->laid->n_stacks);
    const struct pail_ad_place *place = &t->laid->places[stack];
    *size = (pail_stack_size){
        .struct_size = size->struct_size,
        .origin = t->origins[stack],
        .capacity = place->capacity,
        .offset = pail_ad_units(t->flags, place->offset),
        .raw = place->raw,
    };
    return PAIL_OK;
}

pail_status pail_adstack_metadata(const struct pail_adstack_result *result, uint32_t *words,
                                  size_t *n_words, size_t task, struct pail_error *err)
{
    const size_t room = words ? *n_words : 0;
    pail_status status = PAIL_OK;
    *n_words = 0;
    const struct pail_ad_result_task *t = task_of(result, task, err);
    if (!t)
        return err->status;
    const size_t base = (size_t)pail_ad_metadata_words(t->flags, t->laid->n_placed);
    const size_t n = (size_t)pail_ad_words_in(t->flags, t->laid->n_placed, t->claims.any);
    if (words) /* zeroes at most the words of the result, whatever room the caller claims */
        memset(words, 0, (room < n ? room : n) * sizeof(*words));
    if (words && room < n)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "n_words: %zu, but task %zu has %zu", room, task,
                         n);
    if (words)
        status = pail_ad_metadata(words, t->flags, t->laid->places, t->laid->n_placed,
                                  t->laid->stride, task, err);
    if (status == PAIL_OK && words && t->claims.any)
        status = pail_ad_claims_put(words + base, t->flags, &t->claims, task, err);
    if (status == PAIL_OK)
        *n_words = n;
    else
        memset(words, 0, n * sizeof(*words));
    return status;
}

pail_status pail_adstack_explain(const struct pail_adstack_result *result, char *text, size_t *size,
                                 struct pail_error *err)
{
    const size_t room = text ? *size : 0;
    *size = 0;
    if (!result->text)
        return pail_fail(err, PAIL_NOT_READY,
                         "there is no explanation: PAIL_LAUNCH_EXPLAIN was not set at the launch");
    const size_t n = strlen(result->text) + 1;
    *size = n;
    if (room > 0) {
        const size_t part = room < n ? room - 1 : n - 1;
        memcpy(text, result->text, part);
        text[part] = '\0';
    }
    return PAIL_OK;
}
