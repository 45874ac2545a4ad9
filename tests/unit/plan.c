/* The plan of an MSM is a pure function: over a grid of shapes, limits and knobs, every region has
 * room for what the kernels index in it, nothing overlaps, and everything adds up. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <msm/plan.h>
#include <msm/table.h>
#include <shared/msm_layout.h>

#include "cmocka_all.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

enum { SCALAR_BITS = 254, POINT_BYTES = 64, XYZZ_BYTES = 128 };

static const struct pail_msm_limits ample = {
    .max_binding_bytes = 4 * GIB - 1,
    .align = 256,
    .max_workgroups = 65535,
    .max_threads = 131072,
    .quads_at_once = 10000,
    .sorter = {.bits_max = 8, .subtile = 1024, .tiles = 16, .subtiles = 4},
    .accumulator = {.workgroup = 64, .shares = 1, .share_max = 8192},
};

static struct pail_msm_shape shape_of(uint64_t n)
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
    const uint32_t table = shape->table ? shape->table : 1;
    assert_true(plan->digits * plan->window_bits > shape->scalar_bits);
    assert_true((plan->digits - 1) * plan->window_bits <= shape->scalar_bits);
    /* As few rows as the copies allow, with the digits dealt out evenly. */
    assert_in_range(plan->copies, 1, table);
    assert_true(plan->windows * table >= plan->digits);
    assert_true((plan->windows - 1) * table < plan->digits);
    assert_true(plan->windows * plan->copies >= plan->digits);
    assert_true(plan->windows * (plan->copies - 1) < plan->digits);
    assert_int_equal(plan->stride, (uint32_t)1 << (plan->window_bits - 1));
    assert_int_equal(plan->rows, plan->windows * shape->vectors);
    assert_in_range(plan->batches, 1, plan->rows);
    /* Every batch has a row, and together they have all. */
    assert_true((uint64_t)plan->batches * plan->batch_rows >= plan->rows);
    assert_true((uint64_t)(plan->batches - 1) * plan->batch_rows < plan->rows);
    /* The zero digit's key is `stride`, which has window_bits bits. */
    assert_true(plan->sort_passes * plan->sort_bits >= plan->window_bits);
    assert_in_range(plan->sort_bits, 1, plan->sorter.bits_max);
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
    uint32_t pieces = 2 * plan->shares, keys = plan->keys, at = plan->pieces;
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

/* Every pass has jobs where there are levels; a row comes down to 2, 4 or 8 elements, or is one. */
static void check_reduce(const struct pail_msm_plan *plan)
{
    const uint32_t log2 = plan->log2_stride, levels = MSM_REDUCE_LEVELS(log2);
    assert_int_equal(plan->stride, 1u << log2);
    assert_in_range(plan->stride >> (3 * levels), log2 ? 2 : 1, 8);
    for (uint32_t pass = 0; pass <= levels + 2; pass++)
        assert_int_equal(MSM_REDUCE_QUADS(log2, levels, pass) > 0, pass != levels || levels > 0);
}

static void check_regions(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape)
{
    const uint64_t bw = plan->batch_rows, entries = plan->chunk * plan->copies * bw;
    struct span words[SPANS_MAX] = {
        {plan->starts, bw * (plan->stride + 1)},
        {plan->row_first, bw + 1},
        {plan->cuts, 2 * ((uint64_t)plan->shares + 1)},
        {plan->keys, 2 * (uint64_t)plan->shares},
        {plan->adds, 1},
        {plan->status, 1},
    };
    struct span points[SPANS_MAX] = {
        {plan->buckets, bw * plan->stride},
        {plan->pieces, 2 * (uint64_t)plan->shares},
    };
    size_t n_words = 6, n_points = 2, n_levels = 0;
    check_combine(plan, words + n_words, points + n_points, &n_levels);
    n_words += n_levels;
    n_points += n_levels;
    check_reduce(plan);
    const uint64_t *bytes = plan->region_bytes;
    assert_int_equal(bytes[PAIL_MSM_SORTED], 8 * entries);
    assert_tiled(words, n_words, bytes[PAIL_MSM_INDEX] / 4);
    /* Entries while they are sorted, and afterwards the points. */
    uint64_t n_all = 0;
    for (size_t i = 0; i < n_points; i++)
        n_all += points[i].n;
    assert_tiled(points, n_points, n_all);
    /* Prefix products begin where the later steps' points do, and may need more. */
    const uint64_t scratch = (uint64_t)plan->threads * plan->accumulator.scratch_bytes;
    assert_int_equal(plan->scratch, plan->pieces + 2 * (uint64_t)plan->shares);
    const uint64_t with_scratch =
        plan->scratch + (scratch + shape->xyzz_bytes - 1) / shape->xyzz_bytes;
    const uint64_t shared = shape->xyzz_bytes * (with_scratch > n_all ? with_scratch : n_all);
    /* Where chunks add to the same buckets, entries are sorted behind them. */
    assert_in_range(plan->temp, plan->joined ? shared : 0, plan->joined ? shared + 255 : 0);
    const uint64_t sorting = plan->temp + 8 * entries;
    assert_int_equal(bytes[PAIL_MSM_SHARED], shared > sorting ? shared : sorting);
    assert_int_equal(plan->parts, plan->joined ? 1 : plan->chunks);

    /* A chunk that is not full has fewer tiles, and its totals at the same offset. */
    const struct pail_msm_sorter *sorter = &plan->sorter;
    const uint64_t row = plan->chunk * plan->copies;
    const uint64_t tiles = pail_msm_tiles(plan, row);
    const uint64_t most = sorter->tiles * (bw < 8 ? (7 + bw) / bw : 1);
    assert_int_equal(pail_msm_row_entries(plan, plan->chunk), row);
    assert_true(tiles * plan->tile >= row && (tiles - 1) * plan->tile < row);
    assert_int_equal(plan->tile % sorter->subtile, 0);
    assert_in_range(plan->tile / sorter->subtile, 1, sorter->subtiles);
    assert_true(tiles <= most || plan->tile == sorter->subtiles * sorter->subtile);
    assert_true(plan->tile == sorter->subtile || (plan->tile - sorter->subtile) * most < row);
    const uint64_t bins = bw << plan->sort_bits;
    assert_int_equal(plan->totals, bins * tiles);
    assert_int_equal(bytes[PAIL_MSM_COUNTS], 4 * (bins * tiles + bins));

    const uint64_t results = (uint64_t)shape->vectors * shape->sets;
    const uint64_t held = plan->stepped ? plan->chunk : shape->n;
    assert_true(plan->stepped || !shape->streamed);
    assert_int_equal(bytes[PAIL_MSM_SCALARS], 32 * held * shape->vectors);
    assert_int_equal(bytes[PAIL_MSM_STREAM], shape->streamed ? held * shape->point_bytes : 0);
    /* Sums of few rows come back level by level, where the host folds them. */
    const uint64_t rows = (uint64_t)plan->rows * shape->sets;
    const uint32_t levels = MSM_REDUCE_LEVELS(plan->log2_stride);
    assert_int_equal(plan->window_parts, plan->fold_on_device || rows > 40 ? 1 : levels + 1);
    assert_int_equal(bytes[PAIL_MSM_WINDOWS],
                     plan->parts * rows * plan->window_parts * shape->xyzz_bytes);
    assert_int_equal(bytes[PAIL_MSM_FOLDED], results * (shape->xyzz_bytes + shape->point_bytes));
    assert_true(plan->fold_on_device || !shape->device_results);
}

static void check_threads(const struct pail_msm_plan *plan, const struct pail_msm_limits *limits,
                          const struct pail_msm_knobs *knobs, uint64_t entries)
{
    const struct pail_msm_accumulator *a = &plan->accumulator;
    const uint64_t most = (uint64_t)limits->max_workgroups * a->workgroup;
    assert_int_equal(plan->shares, a->shares ? plan->threads * a->shares : 0);
    if (a->shares == 0) {
        assert_int_equal(plan->threads, plan->batch_rows * plan->stride);
        assert_true(plan->stride <= most && plan->chunk * plan->copies <= a->share_max);
        return;
    }
    assert_true(plan->threads <= most);
    /* No share is too long: not where all threads have one, nor where entries are so few that some
     * have none and the others up to twice the least. */
    assert_in_range(plan->share, 1, (a->share_max + 1) / 2);
    assert_true((entries + plan->shares - 1) / plan->shares <= a->share_max);
    /* As many threads as asked for or as fill the device, unless their shares would be too long. */
    const uint32_t asked = knobs->threads ? knobs->threads : limits->max_threads;
    const uint64_t each = (uint64_t)a->shares * a->share_max;
    assert_true(plan->threads * each >= entries);
    if (plan->threads > asked)
        assert_true((plan->threads - 1) * each < entries);
    else if (knobs->threads)
        assert_int_equal(plan->threads, knobs->threads);
}

/* The first passes of the reduction are wide, those with too many jobs for quads. */
static void check_wide(const struct pail_msm_plan *plan, const struct pail_msm_limits *limits)
{
    const uint32_t levels = MSM_REDUCE_LEVELS(plan->log2_stride);
    assert_true(plan->wide_passes <= levels);
    for (uint32_t pass = 0; pass < levels; pass++) {
        const uint64_t jobs = (uint64_t)MSM_REDUCE_QUADS(plan->log2_stride, levels, pass);
        assert_int_equal(pass<plan->wide_passes, jobs * plan->batch_rows> limits->quads_at_once);
    }
}

static void check_limits(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                         const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs)
{
    const uint64_t entries = plan->chunk * plan->copies * plan->batch_rows,
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
    assert_true(plan->batch_rows <= limits->max_workgroups);
    assert_true(32 * plan->chunk <= most);
    assert_true(plan->chunk * shape->point_bytes <= most);
    assert_true(entries < (uint64_t)1 << 31);
    /* Points are addressed in 16-byte vectors, by 32-bit numbers. */
    assert_true(plan->region_bytes[PAIL_MSM_SHARED] / 16 <= UINT32_MAX);
    assert_true(pail_msm_tiles(plan, plan->chunk * plan->copies) <= limits->max_workgroups);
    assert_true(plan->threads >= 1);
    assert_memory_equal(&plan->accumulator, &limits->accumulator, sizeof(plan->accumulator));
    assert_memory_equal(&plan->sorter, &limits->sorter, sizeof(plan->sorter));
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

/* Plans and checks; on failure the sentence must be there and the plan zero. */
static pail_status try_plan(struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                            const struct pail_msm_limits *limits,
                            const struct pail_msm_knobs *knobs, struct pail_error *err)
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

static void expect_plan(struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                        const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs)
{
    struct pail_error err;
    if (try_plan(plan, shape, limits, knobs, &err) != PAIL_OK)
        fail_msg("n %" PRIu64 ", window %u, batches %u, threads %u: %s", shape->n,
                 knobs->window_bits, knobs->batches, knobs->threads, err.text);
}

/* 0, 1, 2, 3, 31, 100, 1000, 2^10 ... 2^27 and their neighbours. */
static size_t sizes_make(uint64_t sizes[])
{
    static const uint64_t small[] = {0, 1, 2, 3, 31, 100, 1000};
    size_t n = sizeof(small) / sizeof(small[0]);
    memcpy(sizes, small, sizeof(small));
    for (uint32_t k = 10; k <= 27; k++)
        for (uint64_t d = 0; d < 3; d++)
            sizes[n++] = ((uint64_t)1 << k) + d - 1;
    return n;
}

/* Points of the points region when a chunk is as small as it may be: buckets and pieces, and less
 * than a half on top for the levels. */
static uint64_t least_points(const struct pail_msm_shape *shape, const struct pail_msm_knobs *knobs)
{
    const uint32_t c = knobs->window_bits ? knobs->window_bits : PAIL_MSM_WINDOW_MIN;
    const uint64_t windows = (shape->scalar_bits + c) / c;
    const uint64_t batches = knobs->batches ? knobs->batches : windows;
    const uint64_t batch_rows = (windows + batches - 1) / batches;
    return (batch_rows * ((uint64_t)1 << (c - 1)) + 2 * (uint64_t)knobs->threads) * 3 / 2 + 1024;
}

/* While scalars are sent the first points are worked on: a quarter, or a sixteenth and so on. */
static void test_overlap(void **state)
{
    (void)state;
    const uint64_t least = 1000;
    static const struct {
        uint64_t n;
        uint32_t chunks;
        uint64_t lead;
    } cases[] = {{999, 1, 0},     {1000, 2, 250}, {1001, 2, 251},
                 {3999, 2, 1000}, {4000, 3, 250}, {1 << 20, 3, 1 << 16}};
    struct pail_msm_limits limits = ample;
    limits.overlap_points = least;
    limits.accumulator.resumes = true;
    struct pail_msm_plan plan;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pail_msm_shape shape = shape_of(cases[i].n);
        shape.sent = true;
        expect_plan(&plan, &shape, &limits, &(const struct pail_msm_knobs){0});
        assert_int_equal(plan.joined, cases[i].chunks > 1);
        assert_int_equal(plan.chunks, cases[i].chunks);
        assert_int_equal(plan.lead, cases[i].lead);
        assert_int_equal(plan.batches, 1);
    }
    /* Not where there is nothing to wait for, or no way or no room to do it. */
    for (uint32_t i = 0; i < 8; i++) {
        struct pail_msm_shape shape = shape_of(1 << 16);
        struct pail_msm_limits other = limits;
        struct pail_msm_knobs knobs = {0};
        shape.sent = i != 1;
        shape.vectors = i == 2 ? 2 : 1;
        shape.segment = i == 3 ? 1 << 15 : 0;
        shape.streamed = i == 4;
        other.accumulator.resumes = i != 5;
        other.overlap_points = i == 6 ? 0 : least;
        knobs.batches = i == 7 ? 2 : 0;
        expect_plan(&plan, &shape, &other, &knobs);
        assert_int_equal(plan.joined, i == 0);
    }
    const struct pail_msm_shape shape = {.n = 1 << 16,
                                         .vectors = 1,
                                         .sets = 1,
                                         .scalar_bits = 254,
                                         .point_bytes = 64,
                                         .xyzz_bytes = 128,
                                         .sent = true};
    const struct pail_msm_knobs tight = {.memory_budget = 8 * MIB};
    expect_plan(&plan, &shape, &limits, &tight);
    assert_false(plan.joined);
}

static void test_grid(void **state)
{
    (void)state;
    static const uint64_t bindings[] = {128 * MIB, GIB, 4 * GIB - 1};
    static const uint64_t aligns[] = {16, 64, 256};
    static const uint32_t threads[] = {0, 1, 64, 1000, 1 << 20};
    static const uint32_t batches[] = {0, 1, 2, 3, 7, 200};
    static const uint32_t tables[] = {0, 1, 2, 3, 13, 1000};
    uint64_t sizes[64];
    const size_t n = sizes_make(sizes);
    uint32_t number = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t c = 0; c <= PAIL_MSM_WINDOW_MAX; c += c ? 1 : PAIL_MSM_WINDOW_MIN)
            for (size_t b = 0; b < 3; b++)
                for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
                    struct pail_msm_shape shape = shape_of(sizes[i]);
                    if (c) /* tables are for one window */
                        shape.table = tables[number / 2 % 6];
                    struct pail_msm_limits limits = ample;
                    limits.max_binding_bytes = bindings[b];
                    limits.align = aligns[number % 3];
                    const struct pail_msm_knobs knobs = {
                        .window_bits = c,
                        .threads = threads[t],
                        .batches = batches[number / 3 % 6],
                    };
                    number++;
                    struct pail_msm_plan plan;
                    struct pail_error err;
                    const pail_status status = try_plan(&plan, &shape, &limits, &knobs, &err);
                    if (status != PAIL_OK && least_points(&shape, &knobs) * 128 <= bindings[b])
                        fail_msg("n %" PRIu64 ", window %u, batches %u, threads %u: %s", shape.n, c,
                                 knobs.batches, knobs.threads, err.text);
                }
}

/* Several shares for each thread, prefix products in device memory, no shares at all. */
static void test_accumulators(void **state)
{
    (void)state;
    static const struct pail_msm_accumulator accumulators[] = {
        {.workgroup = 64, .slots = 1, .shares = 1, .share_max = 300},
        {.workgroup = 128, .slots = 7, .shares = 7, .share_max = 8192},
        {.workgroup = 1, .slots = 32, .shares = 32, .share_max = 200, .scratch_bytes = 32 * 32},
        {.workgroup = 256, .slots = 8, .shares = 8, .share_max = 8192, .scratch_bytes = 8 * 32},
        {.workgroup = 64, .shares = 0, .share_max = 32767},
    };
    static const uint64_t sizes[] = {0, 1, 1000, 100000, 1 << 20, 1 << 24};
    static const uint32_t threads[] = {0, 1, 1000};
    for (size_t a = 0; a < sizeof(accumulators) / sizeof(accumulators[0]); a++)
        for (size_t i = 0; i < 6; i++)
            for (size_t t = 0; t < 3; t++)
                for (uint32_t c = 0; c <= 16; c += 8) {
                    const struct pail_msm_shape shape = shape_of(sizes[i]);
                    struct pail_msm_limits limits = ample;
                    limits.accumulator = accumulators[a];
                    const struct pail_msm_knobs knobs = {.window_bits = c, .threads = threads[t]};
                    struct pail_msm_plan plan;
                    expect_plan(&plan, &shape, &limits, &knobs);
                }
    /* Few entries give no more threads than there are shares to fill. */
    const struct pail_msm_shape shape = shape_of(1000);
    const struct pail_msm_knobs knobs = {.window_bits = 8};
    struct pail_msm_limits limits = ample;
    struct pail_msm_plan one, seven;
    expect_plan(&one, &shape, &limits, &knobs);
    limits.accumulator = accumulators[1];
    expect_plan(&seven, &shape, &limits, &knobs);
    assert_in_range(one.threads / seven.threads, 6, 7);
}

static void test_batches(void **state)
{
    (void)state;
    for (uint32_t c = PAIL_MSM_WINDOW_MIN; c <= PAIL_MSM_WINDOW_MAX; c++)
        for (uint32_t batches = 1; batches <= 130; batches++) {
            const struct pail_msm_shape shape = shape_of(5000);
            const struct pail_msm_knobs knobs = {.window_bits = c, .batches = batches};
            struct pail_msm_plan plan;
            expect_plan(&plan, &shape, &ample, &knobs);
            assert_true(plan.batches <= batches);
        }
}

static void test_scalar_bits(void **state)
{
    (void)state;
    for (uint32_t bits = 1; bits <= 256; bits++)
        for (uint32_t c = 0; c <= PAIL_MSM_WINDOW_MAX; c += c ? 1 : PAIL_MSM_WINDOW_MIN) {
            struct pail_msm_shape shape = shape_of(1000);
            shape.scalar_bits = bits;
            const struct pail_msm_knobs knobs = {.window_bits = c};
            struct pail_msm_plan plan;
            expect_plan(&plan, &shape, &ample, &knobs);
        }
}

static void test_window_choice(void **state)
{
    (void)state;
    uint64_t sizes[64];
    const size_t n = sizes_make(sizes);
    uint32_t before = 0;
    for (size_t i = 0; i < n; i++) {
        const struct pail_msm_shape shape = shape_of(sizes[i]);
        struct pail_msm_plan plan;
        expect_plan(&plan, &shape, &ample, &(struct pail_msm_knobs){0});
        assert_true(plan.window_bits >= before);
        before = plan.window_bits;
    }
    assert_true(before > 12);
}

static void test_chunks(void **state)
{
    (void)state;
    static const uint64_t segments[] = {0, 1024, 4096, 10240, MIB};
    static const uint64_t offsets[] = {0, 1, 1023, 1024, 4095, 5000, 1000003};
    static const uint64_t sizes[] = {0, 1, 2, 1023, 1024, 1025, 4096, 5000, 100001, MIB + 1};
    static const uint64_t budgets[] = {0, 2 * MIB, 64 * MIB};
    for (size_t s = 0; s < 5; s++)
        for (size_t o = 0; o < 7; o++)
            for (size_t i = 0; i < 10; i++)
                for (size_t b = 0; b < 3; b++) {
                    struct pail_msm_shape shape = shape_of(sizes[i]);
                    shape.segment = segments[s];
                    shape.base_offset = offsets[o];
                    const struct pail_msm_knobs knobs = {.memory_budget = budgets[b]};
                    struct pail_msm_plan plan;
                    struct pail_error err;
                    /* Scalars alone may take more than a budget. */
                    if (try_plan(&plan, &shape, &ample, &knobs, &err) != PAIL_OK)
                        assert_true(budgets[b] != 0 && sizes[i] > 1025);
                }
}

/* Large pieces come first in the search, so that a larger budget may only move a plan forward. */
static int compare_pieces(const struct pail_msm_plan *a, const struct pail_msm_plan *b)
{
    const uint64_t x[] = {a->window_bits, a->chunk, a->batch_rows};
    const uint64_t y[] = {b->window_bits, b->chunk, b->batch_rows};
    for (size_t i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static uint64_t number_after(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    if (!at)
        fail_msg("\"%s\" is not in: %s", words, text);
    return strtoull(at + strlen(words), NULL, 10);
}

static void test_budget(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 1, 1000, 5000, 100001, (uint64_t)1 << 20};
    static const uint32_t windows[] = {0, 2, 8, 16};
    for (size_t i = 0; i < 6; i++)
        for (size_t w = 0; w < 4; w++) {
            const struct pail_msm_shape shape = shape_of(sizes[i]);
            struct pail_msm_knobs knobs = {.window_bits = windows[w], .memory_budget = 1};
            struct pail_msm_plan plan, before = {0};
            struct pail_error err;
            assert_int_equal(try_plan(&plan, &shape, &ample, &knobs, &err), PAIL_ERR_ARGUMENT);
            assert_int_equal(number_after(err.text, "memory_budget: "), 1);
            const uint64_t floor = number_after(err.text, "less than the ");

            knobs.memory_budget = floor - 1;
            assert_int_equal(try_plan(&plan, &shape, &ample, &knobs, &err), PAIL_ERR_ARGUMENT);
            assert_int_equal(number_after(err.text, "less than the "), floor);
            knobs.memory_budget = floor;
            expect_plan(&plan, &shape, &ample, &knobs);
            assert_int_equal(plan.scratch_bytes, floor);

            knobs.memory_budget = 0;
            expect_plan(&plan, &shape, &ample, &knobs);
            const uint64_t all = plan.scratch_bytes;
            for (uint64_t budget = floor; budget < 2 * all; budget += budget / 16 + 1) {
                knobs.memory_budget = budget;
                expect_plan(&plan, &shape, &ample, &knobs);
                assert_true(compare_pieces(&before, &plan) <= 0);
                before = plan;
            }
            assert_int_equal(before.scratch_bytes, all);
        }
}

/* Both budgets count, the context's and the call's own. */
static void test_budget_of_limits(void **state)
{
    (void)state;
    const struct pail_msm_shape shape = shape_of(100000);
    struct pail_msm_limits limits = ample;
    struct pail_msm_knobs knobs = {0};
    struct pail_msm_plan plan, tight;
    expect_plan(&plan, &shape, &limits, &knobs);
    limits.memory_budget = plan.scratch_bytes / 2;
    expect_plan(&tight, &shape, &limits, &knobs);
    assert_true(tight.scratch_bytes <= limits.memory_budget);
    knobs.memory_budget = plan.scratch_bytes;
    expect_plan(&tight, &shape, &limits, &knobs);
    assert_true(tight.scratch_bytes <= limits.memory_budget);
    knobs.memory_budget = plan.scratch_bytes / 4;
    expect_plan(&tight, &shape, &limits, &knobs);
    assert_true(tight.scratch_bytes <= knobs.memory_budget);
}

static void expect_error(const struct pail_msm_shape *shape, const struct pail_msm_limits *limits,
                         const struct pail_msm_knobs *knobs, pail_status wanted, const char *words)
{
    struct pail_msm_plan plan;
    struct pail_error err;
    const pail_status status = try_plan(&plan, shape, limits, knobs, &err);
    if (status != wanted || !strstr(err.text, words))
        fail_msg("status %d, wanted %d with \"%s\": %s", (int)status, (int)wanted, words, err.text);
}

static void test_errors(void **state)
{
    (void)state;
    const struct pail_msm_shape shape = shape_of(1000);
    struct pail_msm_limits limits = ample;
    expect_error(&shape, &ample, &(struct pail_msm_knobs){.window_bits = 1}, PAIL_ERR_ARGUMENT,
                 "window_bits: 1 ");
    expect_error(&shape, &ample, &(struct pail_msm_knobs){.window_bits = 23}, PAIL_ERR_ARGUMENT,
                 "window_bits: 23 ");
    expect_error(&shape, &ample, &(struct pail_msm_knobs){.threads = (1 << 24) + 1},
                 PAIL_ERR_ARGUMENT, "threads: 16777217 ");
    /* 65535 workgroups of 64 threads are fewer than 2^24 threads. */
    expect_error(&shape, &ample, &(struct pail_msm_knobs){.threads = 1 << 24}, PAIL_ERR_UNSUPPORTED,
                 "65535 workgroups");
    limits.max_binding_bytes = 1000;
    expect_error(&shape, &limits, &(struct pail_msm_knobs){0}, PAIL_ERR_UNSUPPORTED,
                 "bindings of 1000 bytes");
}

/* Handles have 31 bits for the point and positions 32 bits; more is refused, not wrapped. */
static void test_large(void **state)
{
    (void)state;
    const uint64_t limit = (uint64_t)1 << 31;
    struct pail_msm_limits limits = ample;
    struct pail_msm_plan plan;
    limits.max_binding_bytes = UINT64_MAX;
    for (uint64_t n = limit / 16; n < limit; n = 2 * n + 1) {
        const struct pail_msm_shape shape = shape_of(n);
        expect_plan(&plan, &shape, &limits, &(struct pail_msm_knobs){0});
        expect_plan(&plan, &shape, &limits, &(struct pail_msm_knobs){.batches = 1});
        expect_plan(&plan, &shape, &ample, &(struct pail_msm_knobs){0});
    }
    const struct pail_msm_shape most = shape_of(limit - 1);
    expect_plan(&plan, &most, &limits, &(struct pail_msm_knobs){0});
    static const uint64_t beyond[] = {(uint64_t)1 << 31, (uint64_t)1 << 32, (uint64_t)1 << 59,
                                      UINT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        const struct pail_msm_shape shape = shape_of(beyond[i]);
        expect_error(&shape, &limits, &(struct pail_msm_knobs){0}, PAIL_ERR_UNSUPPORTED,
                     "2147483647");
    }
}

/* The model of tables: as many copies as are asked for and pay, in rows that are evenly full, in
 * segments that one binding reaches. */
static void test_tables(void **state)
{
    (void)state;
    static const uint32_t factors[] = {2, 3, 7, 13, 64, UINT32_MAX};
    static const uint64_t sizes[] = {1, 31, 1000, 1 << 16, 1 << 20, 1 << 24};
    const struct pail_msm_table none = pail_msm_table_choose(1000, 254, 1, 64, GIB);
    assert_int_equal(none.factor, 1);
    assert_int_equal(none.bits, 0);
    assert_int_equal(pail_msm_table_choose(0, 254, 13, 64, GIB).factor, 1);
    assert_int_equal(pail_msm_table_choose(1000, 254, 13, 64, 64 * 64 - 1).factor, 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (size_t k = 0; k < sizeof(factors) / sizeof(factors[0]); k++) {
            const struct pail_msm_table t =
                pail_msm_table_choose(sizes[i], 254, factors[k], 64, 4 * GIB - 1);
            const uint32_t digits = pail_msm_windows(254, t.bits);
            assert_in_range(t.bits, PAIL_MSM_WINDOW_MIN, PAIL_MSM_WINDOW_MAX);
            assert_in_range(t.factor, 2, factors[k]);
            const uint32_t rows = (digits + t.factor - 1) / t.factor;
            assert_true(rows * (uint64_t)factors[k] >= digits);
            assert_true(rows == 1 || (rows - 1) * (uint64_t)factors[k] < digits);
            assert_true(rows * (t.factor - 1) < digits);
        }
    /* The case that tables are for: one row, and windows wider than without. */
    const struct pail_msm_table t = pail_msm_table_choose(1 << 20, 254, 13, 64, 4 * GIB - 1);
    assert_int_equal(t.factor, 13);
    assert_int_equal(t.bits, 20);
    /* One window has all bits of a short scalar. */
    assert_int_equal(pail_msm_table_choose(1 << 20, 5, 13, 64, GIB).factor, 1);

    const pail_msm_config any = {.struct_size = sizeof(any)}, same = {.window_bits = 20},
                          other = {.window_bits = 19};
    struct pail_error err;
    uint32_t bits = 0;
    assert_int_equal(pail_msm_table_window(&bits, &none, &other, &err), PAIL_OK);
    assert_int_equal(bits, 0);
    assert_int_equal(pail_msm_table_window(&bits, &t, &any, &err), PAIL_OK);
    assert_int_equal(bits, 20);
    assert_int_equal(pail_msm_table_window(&bits, &t, &same, &err), PAIL_OK);
    assert_int_equal(pail_msm_table_window(&bits, &t, &other, &err), PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "window_bits: 19"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),          cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_tables),        cmocka_unit_test(test_accumulators),
        cmocka_unit_test(test_batches),       cmocka_unit_test(test_scalar_bits),
        cmocka_unit_test(test_window_choice), cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_budget),        cmocka_unit_test(test_budget_of_limits),
        cmocka_unit_test(test_errors),        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
