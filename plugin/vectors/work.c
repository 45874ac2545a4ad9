/* SPDX-License-Identifier: Apache-2.0 */
#include "work.h"

#include "field.h"
#include "points.h"
#include "selftest.h"
#include "steps.h"
#include "sums.h"
#include "tables.h"
#include "vk/wipe.h"

#include <platform/clock.h>
#include <stdio.h>
#include <string.h>

struct pail_field_work {
    const struct pail_pending_kind *kind; /* first: pending_kind.h */
    struct pail_vectors *field;
    struct pail_ntt_kernel kernel;
    size_t n_ops;
    struct pail_field_op *ops; /* [n_ops] operands are retained */
    struct pail_field_scratch *scratch;
    uint64_t scratch_bytes;
    unsigned destroyed; /* allocations of the context, when it began */
    struct pail_field_steps steps;
    struct pail_field_run run;
    struct pail_vk_pipeline_stats tested; /* pipelines of self-tests */
    double start_ms;
};

static struct pail_field_work *work_of(struct pail_pending *pending)
{
    return (struct pail_field_work *)(void *)pending;
}

static void retain(const pail_vector_op *op)
{
    const pail_vector *operands[] = {op->r, op->a, op->b, op->c};
    for (uint32_t i = 0; i < 4; i++)
        if (operands[i])
            pail_vector_retain((struct pail_vector *)(uintptr_t)operands[i]);
    if (op->matrix)
        pail_matrix_retain((struct pail_matrix *)(uintptr_t)op->matrix);
}

static void release(const pail_vector_op *op)
{
    const pail_vector *operands[] = {op->r, op->a, op->b, op->c};
    for (uint32_t i = 0; i < 4; i++)
        pail_vector_release((struct pail_vector *)(uintptr_t)operands[i]);
    pail_matrix_release((struct pail_matrix *)(uintptr_t)op->matrix);
}

/* True if values of memory that is gone may lie in the scratch: memory may go once the device has
 * done the work, when the scratch was not idle yet. Vectors stay as long as the work. */
static bool outlives_memory(const struct pail_field_work *w)
{
    bool any = false;
    for (size_t i = 0; i < w->n_ops; i++)
        any |= pail_op_within_memory(&w->ops[i].op) || pail_op_of_points(&w->ops[i].op);
    return any && w->scratch && atomic_load(&w->field->memories->destroyed) != w->destroyed;
}

/* No work of it may run any more. */
static void destroy(struct pail_field_work *w)
{
    struct pail_vectors *field = w->field;
    pail_field_run_fini(&w->run, &w->steps);
    pail_field_steps_fini(&w->steps);
    pail_field_scratch_give(field, w->scratch);
    if (outlives_memory(w))
        pail_field_wipe_idle(field);
    for (size_t i = 0; i < w->n_ops; i++) {
        pail_table_give(field, &field->tables, w->ops[i].table);
        release(&w->ops[i].op);
    }
    pail_free(&field->alloc, w->ops);
    pail_free(&field->alloc, w);
}

/* Waits for whatever was submitted, by anybody: after a failure. */
static void stop(const struct pail_field_work *w)
{
    struct pail_vk_device *dev = w->field->dev;
    for (int kind = 0; kind < PAIL_VK_QUEUE_KINDS; kind++)
        (void)pail_vk_wait(dev, pail_vk_last_ticket(dev, (enum pail_vk_queue_kind)kind),
                           PAIL_VK_FOREVER, NULL);
}

/* The work comes behind multiplications that read what it writes. */
static void wait_for_readers(struct pail_field_work *w)
{
    for (size_t i = 0; i < w->n_ops; i++)
        for (uint32_t side = 0; side < PAIL_VK_SIDES_MAX && w->ops[i].op.r; side++) {
            const pail_vk_ticket read = atomic_load(&w->ops[i].op.r->read[side]);
            if (w->steps.behind[side] < read)
                w->steps.behind[side] = read;
        }
}

static void note_written(const struct pail_field_work *w)
{
    for (size_t i = 0; i < w->n_ops; i++)
        if (w->ops[i].op.r)
            pail_vector_note_written(w->ops[i].op.r, w->run.ticket);
}

/* Zeroes all results: after a failure they may hold anything. */
static void zero_results(const struct pail_field_work *w)
{
    for (size_t i = 0; i < w->n_ops; i++) {
        const pail_vector_op *op = &w->ops[i].op;
        if (op->n == 0)
            continue;
        const struct pail_vk_slice part =
            pail_op_of_points(op) || pail_op_within_memory(op) ? w->ops[i].to
            : op->r ? pail_vk_buffer_slice(&op->r->buffer, 32 * op->r_offset, 32 * op->n)
                    : w->ops[i].place;
        (void)pail_vk_wipe(w->field->dev, &part, NULL);
    }
}

static pail_status make_steps(struct pail_field_work *w, struct pail_error *err)
{
    struct pail_vectors *field = w->field;
    struct pail_vk_slice scratch;
    uint64_t elements = 0;
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < w->n_ops && status == PAIL_OK; i++) {
        struct pail_table_key key;
        const uint64_t n = pail_field_scratch_of(field, &w->ops[i].op, &w->kernel);
        elements = n > elements ? n : elements;
        if (pail_field_table_key(&key, &w->ops[i].op, &w->kernel))
            status = pail_table_take(field, &field->tables, &w->ops[i].table, &key, err);
    }
    w->scratch_bytes = 32 * elements;
    if (status == PAIL_OK && elements)
        status = pail_field_scratch_take(field, &w->scratch, &scratch, w->scratch_bytes, err);
    for (size_t i = 0; i < w->n_ops && status == PAIL_OK; i++)
        pail_field_steps_add(&w->steps, &w->ops[i], &w->kernel, &scratch);
    return status;
}

/* Finds what lies at addresses; false: *gone is where there is nothing any more. */
static bool find_places(const struct pail_field_work *w, struct pail_field_op *op,
                        const char **gone)
{
    const pail_vector_op *o = &op->op;
    struct pail_memories *memories = w->field->memories;
    const bool points = pail_op_of_points(o);
    if (o->n == 0 || !(points || pail_op_at_address(o)))
        return true;
    *gone = "address";
    if (!pail_memories_find(memories, o->address, points ? pail_sums_from_bytes(o) : 32 * o->n,
                            false, &op->place))
        return false;
    *gone = "to_address";
    return !(points || pail_op_within_memory(o)) ||
           pail_memories_find(memories, o->to_address, points ? pail_sums_to_bytes(o) : 32 * o->n,
                              false, &op->to);
}

static pail_status take_ops(struct pail_field_work *w, const pail_vector_op ops[], size_t n_ops,
                            struct pail_error *err)
{
    w->ops = pail_calloc(&w->field->alloc, n_ops, sizeof(*w->ops));
    if (!w->ops)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu operations", n_ops);
    for (size_t i = 0; i < n_ops; i++) {
        w->ops[i].op = ops[i];
        retain(&ops[i]);
    }
    w->n_ops = n_ops;
    for (size_t i = 0; i < n_ops; i++) {
        const char *gone = NULL;
        if (!find_places(w, &w->ops[i], &gone))
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "ops[%zu].%s: the memory there was destroyed by another thread", i,
                             gone);
    }
    return PAIL_OK;
}

static pail_status self_test(struct pail_vectors *field, const pail_vector_op ops[], size_t n_ops,
                             struct pail_vk_pipeline_stats *pipelines, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (uint32_t c = PAIL_CURVE_BN254; c <= PAIL_CURVE_BLS12_381 && status == PAIL_OK; c++)
        status = pail_field_self_test(field, c, pail_field_parts_of(field, ops, n_ops, c),
                                      pipelines, err);
    return status;
}

static pail_status start(struct pail_vectors *field, struct pail_field_work **out,
                         const pail_vector_op ops[], size_t n_ops, bool tested,
                         struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(field->dev);
    const struct pail_ntt_kernel kernel = pail_ntt_kernel(caps, pail_ntt_form_auto(caps));
    struct pail_vk_pipeline_stats pipelines = {0};
    *out = NULL;
    pail_status status = pail_field_check(field, ops, n_ops, &kernel, err);
    if (status == PAIL_OK && tested)
        status = self_test(field, ops, n_ops, &pipelines, err);
    if (status != PAIL_OK)
        return status;
    const double begun = pail_now_ms();
    struct pail_field_work *w = pail_calloc(&field->alloc, 1, sizeof(*w));
    if (!w)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu operations", n_ops);
    w->kind = &pail_field_pending;
    w->field = field;
    w->kernel = kernel;
    w->destroyed = atomic_load(&field->memories->destroyed);
    w->tested = pipelines;
    w->start_ms = begun;
    pail_field_steps_init(&w->steps, field);
    status = take_ops(w, ops, n_ops, err);
    if (status == PAIL_OK)
        status = make_steps(w, err);
    if (status == PAIL_OK) {
        wait_for_readers(w);
        status = pail_field_run_begin(&w->run, &w->steps, err);
        note_written(w);
        if (status != PAIL_OK && w->run.cmd) { /* part of it may have been submitted */
            stop(w);
            zero_results(w);
        }
    }
    if (status != PAIL_OK) {
        destroy(w);
        return status;
    }
    *out = w;
    return PAIL_OK;
}

pail_status pail_field_start(struct pail_vectors *field, struct pail_pending **out,
                             const pail_vector_op ops[], size_t n_ops, struct pail_error *err)
{
    struct pail_field_work *w;
    const pail_status status = start(field, &w, ops, n_ops, true, err);
    *out = (struct pail_pending *)(void *)w;
    return status;
}

static pail_status wait(struct pail_pending *pending, uint64_t timeout_ns, struct pail_error *err)
{
    const struct pail_field_work *w = work_of(pending);
    return pail_vk_wait(w->field->dev, w->run.ticket, timeout_ns, err);
}

static void drop(struct pail_pending *pending)
{
    struct pail_field_work *w = work_of(pending);
    if (wait(pending, PAIL_VK_FOREVER, NULL) != PAIL_OK) {
        stop(w);
        zero_results(w);
    }
    destroy(w);
}

void pail_field_refuse(struct pail_pending *pending)
{
    struct pail_field_work *w = work_of(pending);
    stop(w);
    zero_results(w);
    destroy(w);
}

const struct pail_pending_kind pail_field_pending = {
    .what = "operations on vectors",
    .finish = "vector_finish",
    .wait = wait,
    .drop = drop,
};

struct pail_vectors *pail_field_of(const struct pail_pending *pending)
{
    return ((const struct pail_field_work *)(const void *)pending)->field;
}

static pail_status read_stats(const struct pail_field_work *w, pail_stats *stats,
                              struct pail_error *err)
{
    struct pail_vk_phase phases[PAIL_PHASES_MAX];
    struct pail_vk_submissions made;
    uint32_t n = 0;
    pail_status status = pail_vk_cmd_phases(w->run.cmd, phases, PAIL_PHASES_MAX, &n, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_submissions(w->run.cmd, &made, err);
    if (status != PAIL_OK)
        return status;
    for (uint32_t i = 0; i < n; i++) {
        pail_phase *phase = &stats->phases[stats->n_phases++];
        (void)snprintf(phase->name, sizeof(phase->name), "%s", phases[i].name);
        phase->ms = phases[i].ms;
        stats->device_ms += phases[i].ms;
    }
    stats->n_jobs = (uint32_t)w->n_ops;
    stats->submissions = made.n;
    stats->longest_submission_ms = made.longest_ms;
    stats->field = (uint32_t)w->kernel.form; /* numbered alike */
    stats->workgroup = w->kernel.workgroup;
    struct pail_vk_pipeline_stats pipelines = w->tested;
    pail_vk_pipeline_stats_add(&pipelines, &w->run.stats);
    stats->pipelines_memory = (uint32_t)pipelines.memory;
    stats->pipelines_disk = (uint32_t)pipelines.disk;
    stats->pipelines_compiled = (uint32_t)pipelines.compiled;
    stats->pipelines_ms = pipelines.ms;
    stats->kernel_hash = w->run.kernel_hash;
    stats->bytes_estimate = stats->bytes_requested = w->scratch_bytes;
    if (w->scratch)
        stats->bytes_allocated = pail_vk_arena_allocated(&w->scratch->arena);
    return PAIL_OK;
}

pail_status pail_field_finish(struct pail_pending *pending, pail_stats *stats,
                              struct pail_error *err)
{
    struct pail_field_work *w = work_of(pending);
    pail_status status = wait(pending, PAIL_VK_FOREVER, err);
    if (status == PAIL_OK)
        status = read_stats(w, stats, err);
    if (status != PAIL_OK) {
        stop(w);
        zero_results(w);
    }
    stats->wall_ms = pail_now_ms() - w->start_ms;
    destroy(w);
    return status;
}

pail_status pail_field_run_ops(struct pail_vectors *field, const pail_vector_op ops[], size_t n_ops,
                               struct pail_vk_pipeline_stats *pipelines, struct pail_error *err)
{
    struct pail_field_work *w;
    pail_stats stats = {.struct_size = sizeof(stats)};
    pail_status status = start(field, &w, ops, n_ops, false, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_pipeline_stats_add(pipelines, &w->run.stats);
    return pail_field_finish((struct pail_pending *)(void *)w, &stats, err);
}

static const enum pail_kernel_id kernels[] = {
    PAIL_KERNEL_VECTOR_ARITH,   PAIL_KERNEL_VECTOR_POWERS, PAIL_KERNEL_VECTOR_SPMV,
    PAIL_KERNEL_VECTOR_SUM,     PAIL_KERNEL_VECTOR_ENCODE, PAIL_KERNEL_VECTOR_SCALARS,
    PAIL_KERNEL_VECTOR_REVERSE,
};

enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

/* The one that moves elements is the same for all curves. */
static struct pail_vk_pipeline_request request_of(enum pail_kernel_id kernel, uint32_t curve)
{
    return (struct pail_vk_pipeline_request){
        .kernel = kernel, .variant = {.curve = kernel == PAIL_KERNEL_VECTOR_REVERSE ? 0 : curve}};
}

/* True if transforms can be in that form. */
static bool can(const struct pail_vk_caps *caps, enum pail_field_form form)
{
    if (form == PAIL_FORM_D51)
        return caps->int64 && caps->float64 && caps->fused_doubles;
    return form == PAIL_FORM_X32 || caps->int64;
}

/* Adds transforms with the workgroups of every pass, over few elements and over many. */
static pail_status add_transforms(struct pail_vectors *field, struct pail_warm_list *list,
                                  uint32_t curve, enum pail_field_form form, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(field->dev);
    const struct pail_ntt_kernel widest = pail_ntt_kernel(caps, form);
    pail_status status =
        pail_warm_list_add(list, pail_table_request(curve, form), &field->alloc, err);
    for (uint32_t log_n = 0; log_n <= PAIL_NTT_LOG_MANY; log_n++)
        for (uint32_t log_k = 1; log_k <= widest.log_elements && status == PAIL_OK; log_k++) {
            const struct pail_ntt_kernel kernel =
                pail_ntt_kernel_of_pass(caps, &widest, UINT64_C(1) << log_n, log_k);
            status = pail_warm_list_add(list, pail_ntt_request(&kernel, curve), &field->alloc, err);
        }
    return status;
}

static pail_status add_curve(struct pail_vectors *field, struct pail_warm_list *list,
                             uint32_t curve, bool all_forms, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(field->dev);
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < KERNELS && status == PAIL_OK; i++) {
        const struct pail_vk_pipeline_request request = request_of(kernels[i], curve);
        status = pail_warm_list_add(list, request, &field->alloc, err);
    }
    const enum pail_field_form chosen = pail_ntt_form_auto(caps);
    if (status == PAIL_OK)
        status = pail_points_warm_add(field, list, curve, err);
    for (uint32_t f = PAIL_FORM_X32; f < PAIL_FORM_COUNT && status == PAIL_OK; f++) {
        const enum pail_field_form form = (enum pail_field_form)f;
        if (form == chosen || (all_forms && can(caps, form)))
            status = add_transforms(field, list, curve, form, err);
    }
    return status;
}

pail_status pail_field_warm_add(struct pail_vectors *field, struct pail_warm_list *list,
                                uint32_t curve, struct pail_error *err)
{
    if (curve)
        return add_curve(field, list, curve, false, err);
    pail_status status = PAIL_OK;
    for (uint32_t c = PAIL_CURVE_BN254; c <= PAIL_CURVE_BLS12_381 && status == PAIL_OK; c++)
        status = add_curve(field, list, c, true, err);
    return status;
}

/* Vectors have one transform, or the three of a quotient. */
static pail_status add_passes(struct pail_vectors *field, struct pail_warm_list *list,
                              uint32_t curve, uint32_t log_n, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(field->dev);
    const enum pail_field_form form = pail_ntt_form_auto(caps);
    const struct pail_ntt_kernel widest = pail_ntt_kernel(caps, form);
    const struct pail_ntt_plan plan =
        pail_ntt_plan(&widest, &(struct pail_ntt_kind){.log_n = log_n});
    const uint64_t n = UINT64_C(1) << log_n, most = pail_field_binding_most(field);
    pail_status status =
        pail_warm_list_add(list, pail_table_request(curve, form), &field->alloc, err);
    for (uint32_t i = 0; i < plan.n; i++)
        for (uint64_t all = 1; all <= 3 && status == PAIL_OK; all += 2) {
            const struct pail_ntt_kernel kernel = pail_ntt_kernel_of_pass(
                caps, &widest, pail_ntt_batch(most, log_n, all * n) * n, plan.bits[i]);
            status = pail_warm_list_add(list, pail_ntt_request(&kernel, curve), &field->alloc, err);
        }
    return status;
}

pail_status pail_field_warm_add_quotient(struct pail_vectors *field, struct pail_warm_list *list,
                                         uint32_t curve, uint64_t n, struct pail_error *err)
{
    const struct pail_ntt_kernel widest = pail_ntt_kernel(
        pail_vk_device_caps(field->dev), pail_ntt_form_auto(pail_vk_device_caps(field->dev)));
    uint32_t log_n = 0;
    while (log_n < 63 && UINT64_C(1) << log_n < n)
        log_n++;
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < KERNELS && status == PAIL_OK; i++) {
        const struct pail_vk_pipeline_request request = request_of(kernels[i], curve);
        if (kernels[i] != PAIL_KERNEL_VECTOR_POWERS && kernels[i] != PAIL_KERNEL_VECTOR_REVERSE)
            status = pail_warm_list_add(list, request, &field->alloc, err);
    }
    return status == PAIL_OK && log_n >= 1 && log_n <= pail_ntt_log_max(&widest)
               ? add_passes(field, list, curve, log_n, err)
               : status;
}
