/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that every plan keeps: every region has room for what the kernels index in it, nothing
 * overlaps, and everything adds up. */
#include "plan_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <shared/msm_layout.h>

const struct pail_msm_limits ample = {
    .max_binding_bytes = 4 * GIB - 1,
    .align = 256,
    .max_workgroups = 65535,
    .max_threads = 131072,
    .quads_at_once = 10000,
    .sort_kernels = {.workgroup = 256,
                     .items = 4,
                     .bits_max = 8,
                     .subtile = 1024,
                     .tiles = 16,
                     .subtiles = 4,
                     .memory = 49152},
    .accumulator = {.lanes = 1, .workgroup = 64, .shares = 1, .share_max = 8192},
};

struct pail_msm_shape shape_of(uint64_t n)
{
    return (struct pail_msm_shape){
        .n = n,
        .vectors = 1,
        .sets = 1,
        .scalar_bits = SCALAR_BITS,
        .point_bytes = POINT_BYTES,
        .xyzz_bytes = XYZZ_BYTES,
    };
}

struct span {
    uint64_t first, n;
};

enum { SPANS_MAX = 6 + 2 * PAIL_MSM_LEVELS_MAX + PAIL_MSM_LEVELS_MAX };

static int by_first(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Spans follow one another without a gap and end where the region does. */
static void assert_tiled(struct span spans[], size_t n, uint64_t end)
{
    uint64_t at = 0;
    qsort(spans, n, sizeof(spans[0]), by_first);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(spans[i].first, at);
        at += spans[i].n;
    }
    assert_int_equal(at, end);
}

static void check_windows(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape)
{
    const uint32_t table = plan->split ? 2 : shape->table ? shape->table : 1;
    /* Digits and bits of a half, or of the scalar. */
    const uint32_t digits = plan->split ? plan->digits / 2 : plan->digits;
    const uint32_t bits = (plan->split ? shape->half_bits : shape->scalar_bits) - plan->wide_top;
    const uint32_t rows = (uint32_t)1 << plan->wide_top;
    assert_true(shape->half_bits || !plan->split);
    /* As many bits more in the top window as it takes, and its windows are of the last batch. */
    if (plan->wide_top) {
        assert_true(plan->split && shape->vectors == 1);
        assert_in_range(plan->wide_top, 1, 2);
        assert_int_equal(digits * plan->window_bits, shape->half_bits + 1 - plan->wide_top);
        assert_in_range(plan->batches, 1, 2);
        if (plan->batches == 2) {
            const uint32_t first = pail_msm_batch_at(plan, 0);
            assert_int_equal(first, plan->windows / 2);
            assert_int_equal(pail_msm_batch_at(plan, first), plan->batch_windows);
            assert_true(plan->batch_windows >= rows && plan->batch_windows >= first);
        }
    }
    assert_true(digits * plan->window_bits > bits);
    assert_true((digits - 1) * plan->window_bits <= bits);
    assert_int_equal(plan->window_step, plan->window_bits * (plan->split ? 1 : plan->copies));
    /* The fewest windows that the copies allow, with the digits dealt out evenly. */
    assert_in_range(plan->copies, 1, table);
    assert_true(plan->windows * table >= plan->digits);
    assert_true((plan->windows - 1) * table < plan->digits);
    assert_true(plan->windows * plan->copies >= plan->digits);
    assert_true(plan->windows * (plan->copies - 1) < plan->digits);
    assert_int_equal(plan->window_buckets, (uint32_t)1 << (plan->window_bits - 1));
    assert_int_equal(plan->vector_windows, plan->windows + rows - 1);
    assert_int_equal(plan->total_windows, plan->vector_windows * shape->vectors);
    assert_in_range(plan->batches, 1, plan->total_windows);
    /* Every batch has a window, and together they have all. */
    assert_true((uint64_t)plan->batches * plan->batch_windows >= plan->total_windows);
    assert_true((uint64_t)(plan->batches - 1) * plan->batch_windows < plan->total_windows);
}

static void check_chunks(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape)
{
    uint64_t covered = 0, chunks = 0;
    while (covered < shape->n) {
        const uint64_t chunk = pail_msm_chunk_at(plan, shape, covered);
        assert_in_range(chunk, 1, plan->chunk);
        if (shape->segment) {
            const uint64_t first = shape->base_offset + covered;
            assert_int_equal(first / shape->segment, (first + chunk - 1) / shape->segment);
        }
        covered += chunk;
        chunks++;
    }
    assert_int_equal(covered, shape->n);
    assert_int_equal(chunks, plan->chunks);
}

static void check_combine(const struct pail_msm_plan *plan, struct span words[],
                          struct span points[], size_t *n)
{
    uint32_t pieces = plan->n_pieces, keys = plan->keys, at = plan->pieces;
    if (pieces == 0) {
        assert_int_equal(plan->n_combine, 0);
        return;
    }
    assert_in_range(plan->n_combine, 1, PAIL_MSM_LEVELS_MAX);
    for (uint32_t i = 0; i < plan->n_combine; i++) {
        const struct pail_msm_combine_level *level = &plan->combine[i];
        assert_int_equal(level->pieces, pieces);
        assert_int_equal(level->keys_in, keys);
        assert_int_equal(level->points_in, at);
        assert_true((uint64_t)level->tiles * MSM_COMBINE_TILE >= pieces);
        assert_true((uint64_t)(level->tiles - 1) * MSM_COMBINE_TILE < pieces);
        pieces = 2 * level->tiles;
        keys = level->keys_out;
        at = level->points_out;
        words[*n] = (struct span){keys, pieces};
        points[(*n)++] = (struct span){at, pieces};
    }
    assert_int_equal(plan->combine[plan->n_combine - 1].tiles, 1);
}

/* Every pass has jobs where there are levels; a window comes down to 2, 4 or 8 elements, or is one.
 */
static void check_reduce(const struct pail_msm_plan *plan)
{
    const uint32_t log2 = plan->log2_buckets, levels = MSM_REDUCE_LEVELS(log2);
    assert_int_equal(plan->window_buckets, 1u << log2);
    assert_in_range(plan->window_buckets >> (3 * levels), log2 ? 2 : 1, 8);
    for (uint32_t pass = 0; pass <= levels + 2; pass++)
        assert_int_equal(MSM_REDUCE_QUADS(log2, levels, pass) > 0, pass != levels || levels > 0);
}

static void check_regions(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape)
{
    const uint64_t bw = plan->batch_windows, entries = plan->chunk * plan->copies * bw;
    /* Pieces' keys have a binding of their own where another chunk is sorted meanwhile. */
    const bool joined = plan->joined;
    assert_true(!joined || (4 * (uint64_t)plan->keys % plan->align == 0 &&
                            plan->keys - plan->window_offsets < bw + 1 + plan->align));
    struct span words[SPANS_MAX] = {
        {plan->starts, bw * (plan->window_buckets + 1)},
        {plan->window_offsets, joined ? plan->keys - plan->window_offsets : bw + 1},
        {plan->cuts, plan->accumulator.runs
                         ? MSM_ORDER_COUNTS + MSM_RUN_WORDS * (bw * plan->window_buckets +
                                                               2 * (uint64_t)plan->shares)
                         : 2 * ((uint64_t)plan->shares + 1)},
        {plan->keys, plan->n_pieces},
        {plan->adds, 1},
        {plan->status, 1},
    };
    struct span points[SPANS_MAX] = {
        {plan->buckets, bw * plan->window_buckets},
        {plan->pieces, plan->n_pieces},
    };
    size_t n_words = 6, n_points = 2, n_levels = 0;
    check_combine(plan, words + n_words, points + n_points, &n_levels);
    n_words += n_levels;
    n_points += n_levels;
    check_reduce(plan);
    const uint64_t *bytes = plan->region_bytes;
    assert_int_equal(bytes[PAIL_MSM_SORTED], (plan->accumulator.runs ? 4 : 8) * entries);
    assert_tiled(words, n_words, bytes[PAIL_MSM_INDEX] / 4);
    /* Digits and words while entries are sorted, and afterwards the points. */
    uint64_t n_all = 0;
    for (size_t i = 0; i < n_points; i++)
        n_all += points[i].n;
    assert_tiled(points, n_points, n_all);
    /* Prefix products begin where the later steps' points do, and may need more. */
    const uint64_t scratch = (uint64_t)plan->threads * plan->accumulator.scratch_bytes;
    assert_int_equal(plan->scratch, plan->pieces + (uint64_t)plan->n_pieces);
    const uint64_t with_scratch =
        plan->scratch + (scratch + shape->xyzz_bytes - 1) / shape->xyzz_bytes;
    const uint64_t shared = shape->xyzz_bytes * (with_scratch > n_all ? with_scratch : n_all);
    /* Entries are sorted behind the buckets where chunks add to the same ones. */
    assert_in_range(plan->temp, plan->joined ? shared : 0, plan->joined ? shared + 255 : 0);
    const uint64_t behind = plan->temp + 4 * entries;
    assert_int_equal(bytes[PAIL_MSM_SHARED], shared > behind ? shared : behind);
    assert_int_equal(plan->parts, plan->joined ? 1 : plan->chunks);

    struct pail_msm_sort_plan sort_plan;
    const uint64_t window = plan->chunk * plan->copies;
    pail_msm_plan_sort(&sort_plan, &plan->sort_kernels, plan->window_bits - 1, window,
                       (uint32_t)bw);
    assert_memory_equal(&plan->sort_plan, &sort_plan, sizeof(sort_plan));
    assert_int_equal(pail_msm_window_entries(plan, plan->chunk), window);
    assert_int_equal(bytes[PAIL_MSM_COUNTS], 4 * sort_plan.words);

    const uint64_t results = (uint64_t)shape->vectors * shape->sets;
    const uint64_t held = plan->stepped ? plan->chunk : shape->n;
    assert_true(plan->stepped || !shape->streamed);
    /* One chunk is sent while another is worked on. */
    assert_in_range(plan->places, 1, plan->stepped && plan->chunks > 1 ? 2 : 1);
    const uint64_t more = plan->places - 1;
    const uint64_t scalars = 32 * held * shape->vectors;
    const uint64_t stream = shape->streamed ? held * shape->point_bytes : 0;
    assert_int_equal(bytes[PAIL_MSM_SCALARS], more * plan->scalars_pitch + scalars);
    assert_int_equal(bytes[PAIL_MSM_STREAM], more * plan->stream_pitch + stream);
    assert_in_range(plan->scalars_pitch, scalars, scalars + plan->align - 1);
    assert_in_range(plan->stream_pitch, stream, stream + plan->align - 1);
    assert_int_equal(plan->scalars_pitch % plan->align, 0);
    assert_int_equal(plan->stream_pitch % plan->align, 0);
    /* Sums of few windows come back level by level, where the host folds them. */
    const uint64_t windows = (uint64_t)plan->windows * shape->vectors * shape->sets;
    const uint32_t levels = MSM_REDUCE_LEVELS(plan->log2_buckets + plan->wide_top);
    const bool whole = plan->fold_on_device || windows > 40 || plan->accumulator.serial;
    assert_int_equal(plan->window_parts, whole ? 1 : levels + 1);
    assert_int_equal(bytes[PAIL_MSM_WINDOWS],
                     plan->parts * windows * plan->window_parts * shape->xyzz_bytes);
    assert_int_equal(bytes[PAIL_MSM_FOLDED], results * (shape->xyzz_bytes + shape->point_bytes));
    assert_true(plan->fold_on_device || !shape->device_results);
}

static void check_threads(const struct pail_msm_plan *plan, const struct pail_msm_limits *limits,
                          const struct pail_msm_knobs *knobs, uint64_t entries)
{
    const struct pail_msm_accumulator *a = &plan->accumulator;
    const uint64_t most = (uint64_t)limits->max_workgroups * a->workgroup / a->lanes;
    assert_int_equal(plan->shares, a->shares ? plan->threads * a->shares : 0);
    assert_int_equal(plan->n_pieces, (a->tasks ? 6 : 2) * plan->shares);
    if (a->shares == 0) {
        assert_int_equal(plan->threads, plan->batch_windows * plan->window_buckets);
        assert_true(plan->window_buckets <= most && plan->chunk * plan->copies <= a->share_max);
        return;
    }
    assert_true(plan->threads <= most);
    /* No share is too long: not where all threads have one, nor where entries are so few that some
     * have none and the others up to twice the least. */
    assert_in_range(plan->share, 1, (a->share_max + 1) / 2);
    assert_true((entries + plan->shares - 1) / plan->shares <= a->share_max);
    /* Threads as asked for or as fill the device, unless their shares would be too long. */
    const uint32_t asked = knobs->threads ? knobs->threads : limits->max_threads;
    const uint64_t each = (uint64_t)a->shares * a->share_max;
    assert_true(plan->threads * each >= entries);
    const uint32_t unit = a->tasks ? MSM_TASK : 1; /* groups of threads are whole */
    assert_int_equal(plan->threads % unit, 0);
    if (plan->threads > (asked + unit - 1) / unit * unit)
        assert_true((plan->threads - unit) * each < entries);
    else if (knobs->threads && unit == 1)
        assert_int_equal(plan->threads, knobs->threads);
}

/* The first passes of the reduction are wide, those with too many jobs for quads. */
static void check_wide(const struct pail_msm_plan *plan, const struct pail_msm_limits *limits)
{
    const uint32_t levels = MSM_REDUCE_LEVELS(plan->log2_buckets);
    if (plan->accumulator.serial) { /* none of these passes */
        assert_int_equal(plan->wide_passes, 0);
        return;
    }
    assert_true(plan->wide_passes <= levels);
    for (uint32_t pass = 0; pass < levels; pass++) {
        const uint64_t jobs = (uint64_t)MSM_REDUCE_QUADS(plan->log2_buckets, levels, pass);
        assert_int_equal(pass<plan->wide_passes, jobs * plan->batch_windows> limits->quads_at_once);
    }
}

static void check_limits(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                         const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs)
{
    const uint64_t entries = plan->chunk * plan->copies * plan->batch_windows,
                   most = limits->max_binding_bytes;
    uint64_t sum = 0;
    for (uint32_t r = 0; r < PAIL_MSM_REGIONS; r++) {
        /* One vector's scalars are bound chunk by chunk. */
        if (r != PAIL_MSM_SCALARS || shape->vectors > 1)
            assert_true(plan->region_bytes[r] <= most);
        /* An empty slice takes an alignment all the same. */
        const uint64_t bytes = plan->region_bytes[r] ? plan->region_bytes[r] : 1;
        sum += (bytes + limits->align - 1) / limits->align * limits->align;
    }
    assert_int_equal(plan->scratch_bytes, sum);
    assert_true(plan->batch_windows <= limits->max_workgroups);
    assert_true(32 * plan->chunk <= most);
    assert_true(plan->chunk * shape->point_bytes <= most);
    assert_true(entries < (uint64_t)1 << 31);
    /* Points are addressed in 16-byte vectors, by 32-bit numbers. */
    assert_true(plan->region_bytes[PAIL_MSM_SHARED] / 16 <= UINT32_MAX);
    assert_true(plan->sort_plan.tiles_max <= limits->max_workgroups);
    assert_true(plan->threads >= 1);
    assert_memory_equal(&plan->accumulator, &limits->accumulator, sizeof(plan->accumulator));
    const struct pail_msm_sort_kernels sort_kernels =
        pail_msm_sort_kernels_for(&limits->sort_kernels, plan->window_bits - 1);
    assert_int_equal(plan->sort_kernels.workgroup, sort_kernels.workgroup);
    assert_int_equal(plan->sort_kernels.items, sort_kernels.items);
    assert_int_equal(plan->sort_kernels.bits_max, sort_kernels.bits_max);
    assert_int_equal(plan->sort_kernels.subtile, sort_kernels.subtile);
    check_threads(plan, limits, knobs, entries);
    check_wide(plan, limits);
    if (knobs->window_bits)
        assert_int_equal(plan->window_bits, knobs->window_bits);
    const uint64_t budget = knobs->memory_budget ? knobs->memory_budget : limits->memory_budget;
    if (budget)
        assert_true(plan->scratch_bytes <= budget);
}

static void check_plan(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                       const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs)
{
    assert_int_equal(plan->n, shape->n);
    check_windows(plan, shape);
    check_chunks(plan, shape);
    check_regions(plan, shape);
    check_limits(plan, shape, limits, knobs);
}

pail_status try_plan(struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                     const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs,
                     struct pail_error *err)
{
    static const struct pail_msm_plan zero;
    *err = (struct pail_error){0};
    memset(plan, 0xAA, sizeof(*plan));
    const pail_status status = pail_msm_plan(plan, shape, limits, knobs, err);
    if (status == PAIL_OK) {
        check_plan(plan, shape, limits, knobs);
    } else {
        assert_memory_equal(plan, &zero, sizeof(zero));
        assert_int_not_equal(err->text[0], '\0');
    }
    return status;
}

void expect_plan(struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                 const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs)
{
    struct pail_error err;
    if (try_plan(plan, shape, limits, knobs, &err) != PAIL_OK)
        fail_msg("n %" PRIu64 ", window %u, batches %u, threads %u: %s", shape->n,
                 knobs->window_bits, knobs->batches, knobs->threads, err.text);
}
