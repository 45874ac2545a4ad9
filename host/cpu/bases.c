#include "bases.h"

#include <string.h>

#include "context.h"
#include "error.h"
#include "pool.h"
#include "sized.h"

/* Points of a task: some 3 ms of work. */
#define TASK_POINTS 16384

struct decoding {
    struct pail_cpu_work work;
    pail_bases *bases;
    const pail_bases_desc *desc;
    size_t stride;
    atomic_size_t first_bad; /* SIZE_MAX: none so far */
};

enum defect { GOOD, NOT_BELOW_P, NOT_ON_CURVE };

static enum defect decode_one(const struct decoding *d, void *affine, size_t i)
{
    const struct pail_curve_ops *ops = d->bases->ops;
    const uint8_t *bytes = (const uint8_t *)d->desc->points + i * d->stride;
    if (d->desc->infinity_byte != 0 && bytes[d->desc->infinity_byte - 1] != 0) {
        memset(affine, 0, ops->affine_bytes);
        return GOOD;
    }
    if (!ops->decode(affine, bytes, d->desc->encoding == PAIL_ENCODING_MONTGOMERY)) {
        return NOT_BELOW_P;
    }
    /* The groups so far have cofactor 1: on the curve is in the subgroup. */
    if (d->desc->validation != PAIL_VALIDATE_NONE && !ops->on_curve(affine)) {
        return NOT_ON_CURVE;
    }
    return GOOD;
}

static void decode_task(struct pail_cpu_work *work, size_t task, size_t slot)
{
    (void)slot;
    struct decoding *d = (struct decoding *)work; /* its first member */
    const size_t size = d->bases->ops->affine_bytes, begin = task * TASK_POINTS;
    const size_t left = d->bases->n - begin, n = left < TASK_POINTS ? left : TASK_POINTS;
    for (size_t i = begin; i < begin + n; i++) {
        if (decode_one(d, d->bases->points + i * size, i) != GOOD) {
            size_t first = atomic_load(&d->first_bad);
            while (i < first && !atomic_compare_exchange_weak(&d->first_bad, &first, i)) {
            }
            return;
        }
    }
}

static pail_status decode_all(pail_context *context, pail_bases *bases, size_t *bad_index,
                              const pail_bases_desc *desc, size_t stride)
{
    const size_t n_tasks = bases->n / TASK_POINTS + (bases->n % TASK_POINTS != 0);
    if (n_tasks == 0) {
        return PAIL_OK;
    }
    size_t running = pail_cpu_pool_threads(context->pool);
    running = running < n_tasks ? running : n_tasks;
    size_t *slots = pail_cpu_alloc(&context->memory, running, sizeof *slots);
    if (!slots) {
        return pail_cpu_fail(context, PAIL_ERR_HOST_MEMORY, "no memory to decode %zu points",
                             bases->n);
    }
    struct decoding d = {
        .work = {.run = decode_task, .n_tasks = n_tasks, .max_running = running, .slots = slots},
        .bases = bases,
        .desc = desc,
        .stride = stride,
    };
    atomic_init(&d.first_bad, SIZE_MAX);
    pail_cpu_pool_submit(context->pool, &d.work);
    pail_cpu_pool_wait(context->pool, &d.work, UINT64_MAX);
    pail_cpu_free(&context->memory, slots);

    const size_t bad = atomic_load(&d.first_bad);
    if (bad == SIZE_MAX) {
        return PAIL_OK;
    }
    *bad_index = bad;
    pail_affine affine;
    return pail_cpu_fail(context, PAIL_ERR_DATA,
                         decode_one(&d, &affine, bad) == NOT_BELOW_P
                             ? "point %zu has a coordinate that is not below p of %s %s"
                             : "point %zu is not on %s %s",
                         bad, bases->ops->curve_name, bases->ops->group_name);
}

static pail_status check(pail_context *context, const struct pail_curve_ops **ops,
                         const pail_bases_desc *desc)
{
    *ops = pail_curve_ops(desc->curve, desc->group);
    if (!*ops) {
        return pail_cpu_fail(context, PAIL_ERR_UNSUPPORTED,
                             "desc->curve %u, desc->group %u: the CPU backend has no such group",
                             desc->curve, desc->group);
    }
    if (desc->encoding > PAIL_ENCODING_MONTGOMERY) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "desc->encoding is %u, which is none",
                             desc->encoding);
    }
    if (desc->validation > PAIL_VALIDATE_SUBGROUP) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "desc->validation is %u, which is none",
                             desc->validation);
    }
    if (desc->table_factor > 1) {
        return pail_cpu_fail(context, PAIL_ERR_UNSUPPORTED,
                             "desc->table_factor is %u: the CPU backend has no tables",
                             desc->table_factor);
    }
    if (!desc->points && desc->n_points > 0) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "desc->points is NULL, but desc->n_points is %zu", desc->n_points);
    }
    const size_t bytes = 2 * (*ops)->coordinate_bytes;
    if (desc->stride != 0 && desc->stride < bytes) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "desc->stride is %zu; a point has %zu bytes", desc->stride, bytes);
    }
    if (desc->infinity_byte > (desc->stride ? desc->stride : bytes)) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "desc->infinity_byte is %u, beyond the stride of %zu bytes",
                             desc->infinity_byte, desc->stride ? desc->stride : bytes);
    }
    return PAIL_OK;
}

pail_status pail_cpu_bases_create(pail_context *context, pail_bases **out, size_t *bad_index,
                                  const pail_bases_desc *their_desc)
{
    if (out) {
        *out = NULL;
    }
    size_t ignored;
    bad_index = bad_index ? bad_index : &ignored;
    *bad_index = SIZE_MAX;
    if (!context || !out) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "%s is NULL", out ? "context" : "bases");
    }
    pail_status status = pail_cpu_check(context, their_desc, PAIL_BASES_DESC_SIZE_1_0, "desc");
    if (status != PAIL_OK) {
        return status;
    }
    pail_bases_desc desc;
    pail_cpu_read(&desc, sizeof desc, their_desc);
    const struct pail_curve_ops *ops;
    status = check(context, &ops, &desc);
    if (status != PAIL_OK) {
        return status;
    }
    const size_t stride = desc.stride ? desc.stride : 2 * ops->coordinate_bytes;

    pail_bases *bases = pail_cpu_alloc(&context->memory, 1, sizeof *bases);
    if (!bases) {
        return pail_cpu_fail(context, PAIL_ERR_HOST_MEMORY, "no memory for bases");
    }
    *bases = (pail_bases){
        .memory = context->memory,
        .ops = ops,
        .kernel = pail_cpu_kernel_find(desc.curve, desc.group),
        .n = desc.n_points,
        .points = pail_cpu_alloc(&context->memory, desc.n_points, ops->affine_bytes),
    };
    atomic_init(&bases->references, 1);
    if (bases->points) {
        status = decode_all(context, bases, bad_index, &desc, stride);
    } else {
        status =
            pail_cpu_fail(context, PAIL_ERR_HOST_MEMORY, "no memory for %zu points", desc.n_points);
    }
    if (status != PAIL_OK) {
        pail_cpu_bases_release(bases);
        return status;
    }
    *out = bases;
    return PAIL_OK;
}

/* The count is the one thing that changes in bases that are const to their users. */
static atomic_size_t *references(const pail_bases *bases)
{
    return (atomic_size_t *)(uintptr_t)&bases->references;
}

void pail_cpu_bases_retain(const pail_bases *bases)
{
    atomic_fetch_add_explicit(references(bases), 1, memory_order_relaxed);
}

void pail_cpu_bases_release(const pail_bases *bases)
{
    if (atomic_fetch_sub_explicit(references(bases), 1, memory_order_acq_rel) == 1) {
        pail_bases *last = (pail_bases *)(uintptr_t)bases;
        const struct pail_cpu_memory memory = last->memory;
        pail_cpu_free(&memory, last->points);
        pail_cpu_free(&memory, last);
    }
}

void pail_cpu_bases_destroy(pail_context *context, pail_bases **bases)
{
    (void)context;
    if (bases && *bases) {
        pail_cpu_bases_release(*bases);
        *bases = NULL;
    }
}
