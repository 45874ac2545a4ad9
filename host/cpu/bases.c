/* SPDX-License-Identifier: Apache-2.0 */
#include "bases.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include <front/front.h>
#include <points/source.h>

#include "adders.h"
#include "context.h"
#include "memories.h"
#include "pool.h"
#include <curves/fast.h>

/* Points of a task: some 3 ms of work, or 10 with the subgroup. */
#define TASK_POINTS          16384
#define TASK_POINTS_SUBGROUP 128

#define BATCH 32 /* points that are imported at a time */

/* Infinities are left out when more than one point in so many is one: the others need numbers
 * then. */
#define FEW_INFINITIES 8

enum defect { GOOD, NOT_BELOW_P, NOT_ON_CURVE, NOT_IN_SUBGROUP };

struct decoding {
    struct pail_cpu_work work;
    pail_bases *bases;
    const pail_bases_desc *desc;
    struct pail_point_source source;
    size_t task_points;
    bool compact;     /* points at infinity leave no gap within a task, and `kept` has numbers */
    uint32_t *counts; /* [tasks]: of points that a task has kept, if compact */
    uint8_t *buffers; /* [slots][PAIL_POINTS_BUFFER]; NULL: points are looked at where they are */
    atomic_size_t n_infinities;
    atomic_size_t first_bad; /* SIZE_MAX: none so far */
    pthread_mutex_t lock;    /* guards what follows, and writing first_bad */
    enum defect defect;      /* of the first bad point */
};

/* Jacobian points first ... first + n - 1 of a view, made affine together. */
struct jacobian {
    size_t first, n, good; /* good: of them are below p, from the first on */
    uint64_t affine[PAIL_JACOBIAN_BATCH * PAIL_AFFINE_LIMBS_MAX]; /* packed */
};

static void make_affine(const struct decoding *d, struct jacobian *made,
                        const struct pail_point_view *view, size_t first, size_t end)
{
    const uint8_t *points[PAIL_JACOBIAN_BATCH];
    made->first = first;
    made->n = end - first < PAIL_JACOBIAN_BATCH ? end - first : PAIL_JACOBIAN_BATCH;
    for (size_t i = 0; i < made->n; i++)
        points[i] = pail_point_view_is_infinity(view, first + i)
                        ? NULL
                        : pail_point_view_at(view, first + i);
    made->good = d->bases->ops->decode_jacobian(made->affine, points, made->n);
}

/* Decodes a point. False: a coordinate is not below p. made: of this point, if it is Jacobian. */
static bool take_affine(const struct decoding *d, void *affine, const struct jacobian *made,
                        const struct pail_point_view *view, size_t i)
{
    const struct pail_curve_ops *ops = d->bases->ops;
    const unsigned char *const from = (const unsigned char *)made->affine;
    if (d->desc->encoding != PAIL_ENCODING_JACOBIAN)
        return ops->decode(affine, pail_point_view_at(view, i),
                           d->desc->encoding == PAIL_ENCODING_MONTGOMERY);
    if (i - made->first >= made->good)
        return false;
    memcpy(affine, from + (i - made->first) * ops->affine_bytes, ops->affine_bytes);
    return true;
}

static enum defect decode_one(const struct decoding *d, void *affine, const struct jacobian *made,
                              const struct pail_point_view *view, size_t i)
{
    const struct pail_curve_ops *ops = d->bases->ops;
    if (pail_point_view_marked(view, i)) {
        memset(affine, 0, ops->affine_bytes);
        return GOOD;
    }
    if (!take_affine(d, affine, made, view, i))
        return NOT_BELOW_P;
    /* x = y = 0 is infinity where points are affine, and else on no curve. */
    if (d->desc->encoding == PAIL_ENCODING_JACOBIAN && d->desc->validation != PAIL_VALIDATE_NONE &&
        ops->affine_is_infinity(affine) && !pail_point_view_is_infinity(view, i))
        return NOT_ON_CURVE;
    if (d->desc->validation != PAIL_VALIDATE_NONE &&
        (!d->bases->adder->off_curve || d->desc->validation == PAIL_VALIDATE_SUBGROUP) &&
        !ops->on_curve(affine))
        return NOT_ON_CURVE;
    if (d->desc->validation == PAIL_VALIDATE_SUBGROUP && !ops->in_subgroup(affine))
        return NOT_IN_SUBGROUP;
    return GOOD;
}

static void note_bad(struct decoding *d, size_t i, enum defect defect)
{
    pthread_mutex_lock(&d->lock);
    if (i < atomic_load(&d->first_bad)) {
        atomic_store(&d->first_bad, i);
        d->defect = defect;
    }
    pthread_mutex_unlock(&d->lock);
}

/* Points that are looked at together. */
struct batch {
    size_t n;
    size_t numbers[BATCH];
    uint64_t affine[BATCH * PAIL_AFFINE_LIMBS_MAX]; /* packed, in the CPU's form */
};

/* Imports a batch to the point with the number `to`, and checks it there. */
static bool import_batch(struct decoding *d, struct batch *batch, size_t to)
{
    const struct pail_cpu_adder *const adder = d->bases->adder;
    unsigned char *const points = d->bases->points + to * adder->point_bytes;
    adder->import(points, batch->affine, batch->n);
    if (d->desc->validation != PAIL_VALIDATE_NONE && adder->off_curve) {
        const size_t bad = adder->off_curve(points, batch->n);
        if (bad < batch->n) {
            note_bad(d, batch->numbers[bad], NOT_ON_CURVE);
            return false;
        }
    }
    if (d->compact)
        for (size_t i = 0; i < batch->n; i++)
            d->bases->kept[to + i] = (uint32_t)batch->numbers[i];
    batch->n = 0;
    return true;
}

/* Decodes points first to first + n - 1 into `to` and the following; *to: behind them. False: one
 * is bad.
 */
static bool decode_view(struct decoding *d, const struct pail_point_view *view, size_t first,
                        size_t n, size_t *to)
{
    const size_t bytes = d->bases->ops->affine_bytes;
    size_t n_infinities = 0;
    struct batch batch = {.n = 0};
    struct jacobian made = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        void *const point = (unsigned char *)batch.affine + batch.n * bytes;
        if (d->desc->encoding == PAIL_ENCODING_JACOBIAN && i == made.first + made.n)
            make_affine(d, &made, view, i, n);
        const enum defect defect = decode_one(d, point, &made, view, i);
        if (defect != GOOD) {
            /* An earlier point of the batch may be worse than this one. */
            if (import_batch(d, &batch, *to))
                note_bad(d, first + i, defect);
            return false;
        }
        const bool infinite = d->bases->ops->affine_is_infinity(point);
        n_infinities += infinite;
        if (infinite && d->compact)
            continue;
        batch.numbers[batch.n++] = first + i;
        if (batch.n == BATCH) {
            if (!import_batch(d, &batch, *to))
                return false;
            *to += BATCH;
        }
    }
    const size_t left = batch.n;
    if (!import_batch(d, &batch, *to))
        return false;
    *to += left;
    atomic_fetch_add(&d->n_infinities, n_infinities);
    return true;
}

static void decode_task(struct pail_cpu_work *work, size_t task, size_t slot)
{
    struct decoding *d = (struct decoding *)work; /* its first member */
    const size_t begin = task * d->task_points, left = d->bases->n - begin;
    const size_t end = begin + (left < d->task_points ? left : d->task_points);
    const size_t at_once = pail_point_source_at_once(&d->source);
    uint8_t *const buffer = d->buffers ? d->buffers + slot * PAIL_POINTS_BUFFER : NULL;
    size_t to = begin;
    /* Points after a bad one do not matter: the lowest index is reported. */
    for (size_t first = begin; first < end && first < atomic_load(&d->first_bad);
         first += at_once) {
        const size_t n = end - first < at_once ? end - first : at_once;
        struct pail_point_view view;
        if (pail_point_source_view(&d->source, &view, first, n, buffer) != PAIL_OK ||
            !decode_view(d, &view, first, n, &to))
            return;
    }
    if (d->compact)
        d->counts[task] = (uint32_t)(to - begin);
}

/* Points at infinity add nothing: where they are many, those that each task has kept are moved
 * together. */
static void close_gaps(const struct decoding *d)
{
    pail_bases *const bases = d->bases;
    const size_t bytes = bases->adder->point_bytes;
    size_t to = 0;
    for (size_t task = 0; task < d->work.n_tasks; task++) {
        const size_t from = task * d->task_points, n = d->counts[task];
        memmove(bases->points + to * bytes, bases->points + from * bytes, n * bytes);
        memmove(bases->kept + to, bases->kept + from, n * sizeof *bases->kept);
        to += n;
    }
    bases->n_kept = to;
    const ptrdiff_t before = bases->points - (unsigned char *)bases->block;
    bases->block = pail_cpu_shrink(&bases->memory, bases->block, to * bytes + PAIL_CPU_ALIGNMENT);
    bases->points = pail_cpu_aligned(bases->block);
    /* The distance from a multiple of the alignment may differ in the new block. */
    const unsigned char *const moved = (unsigned char *)bases->block + before;
    if (moved != bases->points)
        memmove(bases->points, moved, to * bytes);
    bases->kept = pail_cpu_shrink(&bases->memory, bases->kept, to * sizeof *bases->kept + 1);
}

/* Moves each point to its own place, never towards the front: for few infinities. */
static void open_gaps(const struct decoding *d)
{
    pail_bases *const bases = d->bases;
    const size_t bytes = bases->adder->point_bytes;
    for (size_t task = 0; task < d->work.n_tasks; task++) {
        const size_t begin = task * d->task_points, left = bases->n - begin;
        const size_t end = begin + (left < d->task_points ? left : d->task_points);
        size_t n = d->counts[task];
        for (size_t i = end; i-- > begin;) {
            unsigned char *const place = bases->points + i * bytes;
            if (n == 0 || bases->kept[begin + n - 1] != i)
                memset(place, 0, bytes);
            else if (begin + --n != i)
                memcpy(place, bases->points + (begin + n) * bytes, bytes);
        }
    }
    pail_cpu_free(&bases->memory, bases->kept);
    bases->kept = NULL;
}

/* Concludes the registration, once no task decodes any more. */
static pail_status conclude(struct decoding *d, size_t *bad_index, struct pail_error *err)
{
    const size_t bad = atomic_load(&d->first_bad);
    pail_status status = pail_point_source_status(&d->source);
    struct pail_point_view view;
    if (status == PAIL_OK && bad != SIZE_MAX) /* once more, for its sentence */
        status = pail_point_source_view(&d->source, &view, bad, 1, d->buffers);
    if (status != PAIL_OK) {
        return pail_fail(err, status,
                         "desc->read_points: status %d for bytes %" PRIu64 " to %" PRIu64
                         " of %zu points",
                         (int)status, d->source.failed_offset,
                         d->source.failed_offset + d->source.failed_bytes - 1, d->bases->n);
    }
    if (bad == SIZE_MAX) {
        d->bases->n_infinities = atomic_load(&d->n_infinities);
        return PAIL_OK;
    }
    *bad_index = bad;
    static const enum pail_point_defect defects[] = {
        [NOT_BELOW_P] = PAIL_POINT_NOT_BELOW_P,
        [NOT_ON_CURVE] = PAIL_POINT_OFF_CURVE,
        [NOT_IN_SUBGROUP] = PAIL_POINT_NOT_IN_SUBGROUP,
    };
    const struct pail_bad_point named = {
        .index = bad,
        .at = pail_point_view_at(&view, 0),
        .coordinate_bytes = d->bases->ops->coordinate_bytes,
        .group = d->desc->group,
        .defect = defects[d->defect],
        .curve_name = d->bases->ops->curve_name,
        .group_name = d->bases->ops->group_name,
    };
    char text[PAIL_BAD_POINT_TEXT];
    pail_bad_point_text(text, &named);
    return pail_fail(err, PAIL_ERR_DATA, "%s", text);
}

/* memory: the one that the points are in; NULL: none. */
static pail_status decode_all(pail_context *context, pail_bases *bases, size_t *bad_index,
                              const pail_bases_desc *desc, const pail_memory *memory,
                              struct pail_error *err)
{
    const bool slow = desc->validation == PAIL_VALIDATE_SUBGROUP && !bases->ops->cofactor_one;
    const size_t task_points = slow ? TASK_POINTS_SUBGROUP : TASK_POINTS;
    const size_t n_tasks = bases->n / task_points + (bases->n % task_points != 0);
    if (n_tasks == 0)
        return PAIL_OK;
    size_t running = pail_cpu_pool_threads(context->pool);
    running = running < n_tasks ? running : n_tasks;
    size_t *slots = pail_cpu_alloc(&context->memory, running, sizeof *slots);
    const bool compact = (desc->flags & PAIL_BASES_KEEP_INFINITIES) == 0 && bases->n <= UINT32_MAX;
    uint32_t *counts = pail_cpu_alloc(&context->memory, compact ? n_tasks : 1, sizeof *counts);
    if (compact)
        bases->kept = pail_cpu_alloc(&context->memory, bases->n, sizeof *bases->kept);
    uint8_t *buffers =
        desc->read_points ? pail_cpu_alloc(&context->memory, running, PAIL_POINTS_BUFFER) : NULL;
    const struct pail_cpu_use use = {memory, false};
    pail_status status;
    if (slots && counts && (bases->kept || !compact) && (buffers || !desc->read_points)) {
        struct decoding d = {
            .work = {.run = decode_task,
                     .n_tasks = n_tasks,
                     .max_running = running,
                     .slots = slots,
                     .uses = &use,
                     .n_uses = memory ? 1 : 0},
            .bases = bases,
            .desc = desc,
            .task_points = task_points,
            .compact = compact,
            .counts = counts,
            .buffers = buffers,
        };
        pail_point_source_init(&d.source, desc, bases->ops->coordinate_bytes);
        atomic_init(&d.n_infinities, 0);
        atomic_init(&d.first_bad, SIZE_MAX);
        pthread_mutex_init(&d.lock, NULL);
        pail_cpu_pool_submit(context->pool, &d.work);
        pail_cpu_pool_wait(context->pool, &d.work, UINT64_MAX);
        pthread_mutex_destroy(&d.lock);
        status = conclude(&d, bad_index, err);
        if (status == PAIL_OK && compact)
            (bases->n_infinities > bases->n / FEW_INFINITIES ? close_gaps : open_gaps)(&d);
    } else {
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory to decode %zu points", bases->n);
    }
    pail_cpu_free(&context->memory, buffers);
    pail_cpu_free(&context->memory, counts);
    pail_cpu_free(&context->memory, slots);
    return status;
}

static pail_status check(pail_context *context, const struct pail_curve_ops **ops,
                         enum pail_cpu_arithmetic *arithmetic, const pail_bases_desc *desc,
                         struct pail_error *err)
{
    *ops = pail_curve_ops(desc->curve, desc->group);
    if (!*ops || !pail_cpu_adder_find(context->choice.arithmetic, desc->curve, desc->group)) {
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "desc->curve %u, desc->group %u: the CPU backend has no such group",
                         desc->curve, desc->group);
    }
    const pail_status status = pail_front_bases_desc(desc, *ops, err);
    if (status != PAIL_OK)
        return status;
    if (desc->table_factor > 1) {
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "desc->table_factor is %u; the CPU backend has no tables",
                         desc->table_factor);
    }
    return pail_cpu_arithmetic_of(arithmetic, &context->choice, desc->curve, PAIL_CPU_TEST_SUMS,
                                  err);
}

size_t pail_cpu_bases_kept_before(const pail_bases *bases, size_t i)
{
    size_t low = 0, high = bases->n_kept;
    if (!bases->kept)
        return i;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bases->kept[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

pail_status pail_cpu_bases_create(pail_context *context, pail_bases **out, size_t *bad_index,
                                  const pail_bases_desc *theirs, struct pail_error *err)
{
    const struct pail_curve_ops *ops;
    pail_bases_desc ours = *theirs;
    const pail_bases_desc *const desc = &ours;
    pail_memory *memory = NULL;
    enum pail_cpu_arithmetic arithmetic;
    pail_status status = check(context, &ops, &arithmetic, desc, err);
    if (desc->flags & PAIL_BASES_COMPACT && desc->validation == PAIL_VALIDATE_NONE)
        ours.validation = PAIL_VALIDATE_CURVE; /* as a device has to, which keeps no y */
    if (status == PAIL_OK && desc->address && desc->n_points) {
        const size_t bytes = pail_point_source_bytes(desc->encoding, ops->coordinate_bytes);
        unsigned char *at;
        status = pail_cpu_memory_at(context, &memory, &at, desc->address, desc->n_points * bytes,
                                    sizeof(uint32_t), "desc->address", err);
        ours.points = at;
    }
    if (status != PAIL_OK)
        return status;
    const struct pail_cpu_adder *adder = pail_cpu_adder_find(arithmetic, desc->curve, desc->group);
    pail_bases *bases = pail_cpu_alloc(&context->memory, 1, sizeof *bases);
    if (!bases)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for bases");
    *bases = (pail_bases){
        .memory = context->memory,
        .ops = ops,
        .fold_ops = arithmetic == PAIL_CPU_PORTABLE ? ops : pail_fast_ops(ops, NULL),
        .adder = adder,
        .residency =
            desc->residency == PAIL_RESIDENCY_HOST ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE,
        .order_known = ops->cofactor_one || desc->validation == PAIL_VALIDATE_SUBGROUP,
        .n = desc->n_points,
        .n_kept = desc->n_points,
        .block = desc->n_points < SIZE_MAX / adder->point_bytes - 1
                     ? pail_cpu_alloc(&context->memory, 1,
                                      desc->n_points * adder->point_bytes + PAIL_CPU_ALIGNMENT)
                     : NULL,
    };
    atomic_init(&bases->references, 1);
    if (bases->block) {
        bases->points = pail_cpu_aligned(bases->block);
        status = decode_all(context, bases, bad_index, desc, memory, err);
    } else {
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for %zu points", desc->n_points);
    }
    if (status != PAIL_OK) {
        pail_cpu_bases_release(bases);
        return status;
    }
    *out = bases;
    return PAIL_OK;
}

pail_status pail_cpu_bases_info(const pail_bases *bases, pail_bases_info *info,
                                struct pail_error *err)
{
    (void)err;
    const uint64_t bytes = pail_cpu_bases_bytes(bases);
    const bool on_host = bases->residency == PAIL_RESIDENCY_HOST;
    *info = (pail_bases_info){
        .curve = bases->ops->curve,
        .group = bases->ops->group,
        .residency = bases->residency,
        .n_points = bases->n,
        .n_infinities = bases->n_infinities,
        .n_kept = bases->n_kept,
        .device_bytes = on_host ? 0 : bytes,
        .host_bytes = on_host ? bytes : 0,
        .order_known = bases->order_known,
    };
    return PAIL_OK;
}

uint64_t pail_cpu_bases_bytes(const pail_bases *bases)
{
    const uint64_t each = bases->adder->point_bytes + (bases->kept ? sizeof *bases->kept : 0);
    return bases->n_kept * each;
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
        const struct pail_alloc memory = last->memory;
        pail_cpu_free(&memory, last->block);
        pail_cpu_free(&memory, last->kept);
        pail_cpu_free(&memory, last);
    }
}
