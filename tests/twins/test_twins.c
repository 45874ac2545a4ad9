/* Whole multi-scalar multiplications by the CPU twins alone, run after run as a plan says, against
 * the closed form. Buffers are poisoned first: nothing may be read that was not written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "twins.h"
#include <curves/fold.h>
#include <curves/inputs.h>
#include <curves/rng.h>
#include <msm/plan.h>

#include "cmocka_all.h"

enum { AFFINE_WORDS = 16, XYZZ_WORDS = 32, SCALAR_BYTES = 32 };

static const struct pail_curve_ops *ops(void)
{
    return pail_curve_ops(1, 1);
}

static uint32_t *make_words(uint64_t n)
{
    uint32_t *words = malloc(4 * (size_t)n + 4);
    assert_non_null(words);
    memset(words, 0xAA, 4 * (size_t)n + 4);
    return words;
}

static void to_words(uint32_t *words, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        words[i / 4] = (i % 4 ? words[i / 4] : 0) | (uint32_t)bytes[i] << (8 * (i % 4));
}

struct machine {
    struct pail_twin_variant variant;
    const struct pail_msm_plan *plan;
    uint32_t *scalars, *bases, *windows;
    uint32_t *region[PAIL_MSM_REGIONS];
};

struct run {
    uint32_t n, first, first_row, rows, chunk;
};

/* Sorts the entries, back and forth between two regions, so that they end in PAIL_MSM_SORTED. */
static void sort(const struct machine *m, const struct run *r)
{
    const uint32_t passes = m->plan->sorting.passes;
    bool in_place = passes % 2 == 0;
    struct msm_sort_push push = {.first_row = r->first_row,
                                 .vector_rows = m->plan->vector_rows,
                                 .keyless = m->plan->keyless};
    uint32_t *counts = m->region[PAIL_MSM_COUNTS], *index = m->region[PAIL_MSM_INDEX];
    for (uint32_t pass = 0; pass < passes; pass++, in_place = !in_place) {
        uint32_t *from = m->region[in_place ? PAIL_MSM_SORTED : PAIL_MSM_SHARED];
        uint32_t *to = m->region[in_place ? PAIL_MSM_SHARED : PAIL_MSM_SORTED];
        pail_msm_sorting_push(&m->plan->sorting, pass, r->n, m->plan->starts, &push);
        if (pass > 0) {
            pail_twin_sort_tiles(&push, r->rows, counts);
        }
        pail_twin_sort_count(&push, r->rows, from, counts);
        pail_twin_sort_scan(&push, r->rows, counts);
        if (pass + 1 < passes) {
            pail_twin_sort_scatter(&push, r->rows, from, counts, to);
        } else {
            pail_twin_sort_finish(&push, r->rows, from, counts, to, index);
        }
    }
}

static void accumulate_runs(const struct machine *m, const struct run *r)
{
    const struct pail_msm_plan *plan = m->plan;
    uint32_t *index = m->region[PAIL_MSM_INDEX];
    const struct msm_order_push order = {
        .n = r->n,
        .rows = r->rows,
        .stride = plan->stride,
        .starts = plan->starts,
        .row_first = plan->row_first,
        .counts = plan->cuts,
        .runs = plan->cuts + MSM_ORDER_COUNTS,
        .keys = plan->keys,
        .threads = plan->threads,
        .share = plan->share,
        .places_first = plan->accumulator.tasks ? 2 * plan->threads : 0,
        .places = plan->accumulator.tasks ? MSM_TASK_PLACES : 1,
    };
    const struct msm_runs_push push = {
        .counts = order.counts,
        .runs = order.runs,
        .keys = plan->keys,
        .places_first = order.places_first,
        .places = order.places,
        .threads = plan->threads,
        .adds = plan->adds,
        .base_first = r->first,
        .buckets = plan->buckets,
        .pieces = plan->pieces,
    };
    memset(index + order.counts, 0, 4 * MSM_ORDER_COUNTS);
    memset(index + order.keys, 0xff, 4 * (size_t)plan->n_pieces);
    pail_twin_order_count(&order, index);
    pail_twin_order_scan(&order, index);
    pail_twin_order_place(&order, index);
    (plan->accumulator.tasks ? pail_twin_accumulate_runs : pail_twin_accumulate_serial)(
        &push, &m->variant, m->bases, m->region[PAIL_MSM_SORTED], index,
        m->region[PAIL_MSM_SHARED]);
}

static void accumulate_shares(const struct machine *m, const struct run *r)
{
    const struct pail_msm_plan *plan = m->plan;
    const uint32_t *sorted = m->region[PAIL_MSM_SORTED];
    uint32_t *index = m->region[PAIL_MSM_INDEX], *points = m->region[PAIL_MSM_SHARED];
    const struct msm_cuts_push cuts = {
        .rows = r->rows,
        .stride = plan->stride,
        .starts = plan->starts,
        .row_first = plan->row_first,
        .cuts = plan->cuts,
        .threads = plan->threads,
        .share = plan->share,
    };
    const struct msm_accumulate_push push = {
        .n = r->n,
        .rows = r->rows,
        .stride = plan->stride,
        .starts = plan->starts,
        .cuts = plan->cuts,
        .keys = plan->keys,
        .adds = plan->adds,
        .threads = plan->threads,
        .base_first = r->first,
        .buckets = plan->buckets,
        .pieces = plan->pieces,
    };
    pail_twin_cuts(&cuts, index);
    pail_twin_accumulate(&push, &m->variant, m->bases, sorted, index, points);
}

static void accumulate(const struct machine *m, const struct run *r)
{
    const struct pail_msm_plan *plan = m->plan;
    uint32_t *index = m->region[PAIL_MSM_INDEX], *points = m->region[PAIL_MSM_SHARED];
    const struct msm_rows_push rows = {r->rows, plan->stride, plan->starts, plan->row_first};
    pail_twin_rows(&rows, index);
    if (plan->accumulator.runs)
        accumulate_runs(m, r);
    else
        accumulate_shares(m, r);
    for (uint32_t i = 0; i < plan->n_combine; i++) {
        const struct pail_msm_combine_level *level = &plan->combine[i];
        const struct msm_combine_push combine = {
            .n = level->pieces,
            .tiles = level->tiles,
            .keys_in = level->keys_in,
            .keys_out = level->keys_out,
            .pieces_in = level->points_in,
            .pieces_out = level->points_out,
            .adds = plan->adds,
            .buckets = plan->buckets,
        };
        pail_twin_combine(&combine, &m->variant, index, points);
    }
}

static void reduce(const struct machine *m, const struct run *r)
{
    struct msm_reduce_push push = {
        .rows = r->rows,
        .log2_stride = m->plan->log2_stride,
        .levels = MSM_REDUCE_LEVELS(m->plan->log2_stride),
        .buckets = m->plan->buckets,
        .first_out = (r->chunk * m->plan->rows + r->first_row) * m->plan->window_parts,
        .parts = m->plan->window_parts,
    };
    const uint32_t last = push.levels + (push.parts > 1 ? 1 : 2);
    for (; push.pass < m->plan->wide_passes; push.pass++)
        for (push.step = 0; push.step < MSM_REDUCE_STEPS; push.step++)
            pail_twin_reduce_wide(&push, &m->variant, m->region[PAIL_MSM_SHARED]);
    for (; push.pass <= last; push.pass++) {
        push.team = push.pass <= push.levels + 1 && (push.pass + r->n) % 2 ? MSM_REDUCE_TEAM : 1;
        pail_twin_reduce(&push, &m->variant, m->region[PAIL_MSM_SHARED], m->windows);
    }
}

/* Entries that count, less buckets that have any: what the additions must come to. */
static uint64_t expected_adds(const struct machine *m, const struct run *r)
{
    uint64_t adds = 0;
    for (uint32_t w = 0; w < r->rows; w++) {
        const uint32_t *starts =
            m->region[PAIL_MSM_INDEX] + m->plan->starts + (size_t)w * (m->plan->stride + 1);
        adds += starts[m->plan->stride];
        for (uint32_t key = 0; key < m->plan->stride; key++)
            adds -= starts[key + 1] > starts[key];
    }
    return adds;
}

/* Returns whether the additions were as many as expected. */
static bool run(const struct machine *m, const struct run *r)
{
    const struct pail_msm_plan *plan = m->plan;
    m->region[PAIL_MSM_INDEX][plan->adds] = 0;
    const struct msm_decompose_push decompose = {
        .n = r->n,
        .window_bits = plan->window_bits,
        .vector_rows = plan->vector_rows,
        .first_row = r->first_row,
        .rows = r->rows,
        .scalar_first = r->first,
        .reduce = 1,
    };
    pail_recode(&decompose, ops(), false, m->scalars,
                m->region[plan->sorting.passes % 2 ? PAIL_MSM_SHARED : PAIL_MSM_SORTED]);
    sort(m, r);
    memset(m->region[PAIL_MSM_SHARED], 0, (size_t)4 * XYZZ_WORDS * r->rows * plan->stride);
    accumulate(m, r);
    reduce(m, r);
    return m->region[PAIL_MSM_INDEX][plan->adds] == expected_adds(m, r);
}

struct input {
    uint32_t n;
    enum pail_base_kind kind;
    enum pail_scalar_dist dist;
    enum pail_radix radix;
    struct pail_msm_knobs knobs;
    bool generic; /* bases with random logarithms in place of `kind`: no sums happen to cancel */
    bool serial;  /* runs in order of their length, dealt out to threads */
    bool tasks;   /* the same as tasks of groups of threads */
};

static void make_generic(uint8_t *points, pail_point *expected, const uint8_t *scalars, uint32_t n)
{
    struct pail_rng rng;
    pail_affine affine;
    pail_point g, p;
    pail_u256 sum = {{0}};
    pail_rng_init(&rng, 7);
    ops()->generator(&affine);
    ops()->from_affine(&g, &affine);
    for (uint32_t i = 0; i < n; i++) {
        pail_u256 s, k = {{pail_rng_next(&rng), pail_rng_next(&rng), pail_rng_next(&rng)}};
        ops()->mul(&p, &g, &k);
        ops()->to_affine(&affine, &p);
        ops()->encode(points + 4 * (size_t)AFFINE_WORDS * i, &affine, false);
        pail_u256_from_bytes(&s, scalars + SCALAR_BYTES * (size_t)i);
        ops()->scalar_mul(&s, &s, &k);
        ops()->scalar_add(&sum, &sum, &s);
    }
    ops()->mul(expected, &g, &sum);
}

static void fill(struct machine *m, const struct input *in, pail_point *expected)
{
    uint8_t *scalars = malloc(SCALAR_BYTES * (size_t)in->n + 1);
    uint8_t *points = malloc(4 * AFFINE_WORDS * (size_t)in->n + 1);
    assert_non_null(scalars);
    assert_non_null(points);
    pail_make_scalars(ops(), scalars, in->n, in->dist, 5);
    if (in->generic) {
        make_generic(points, expected, scalars, in->n);
    } else {
        pail_make_bases(ops(), points, false, 0, in->n, in->kind, 6);
        pail_expected_msm(ops(), expected, scalars, 0, in->n, in->kind, 6);
    }
    uint32_t *raw = make_words((uint64_t)AFFINE_WORDS * in->n);
    to_words(m->scalars, scalars, SCALAR_BYTES * (size_t)in->n);
    to_words(raw, points, 4 * AFFINE_WORDS * (size_t)in->n);
    uint32_t status[MSM_STATUS_WORDS] = {UINT32_MAX, UINT32_MAX};
    const struct msm_convert_push push = {.n = in->n, .validation = 1};
    pail_twin_convert(&push, &m->variant, raw, m->bases, status);
    assert_int_equal(status[MSM_STATUS_RANGE], UINT32_MAX);
    assert_int_equal(status[MSM_STATUS_OFF_CURVE], UINT32_MAX);
    free(raw);
    free(points);
    free(scalars);
}

/* Returns the number of chunks. */
static uint32_t check(const struct input *in)
{
    const struct pail_msm_shape shape = {
        .n = in->n,
        .vectors = 1,
        .sets = 1,
        .scalar_bits = 254,
        .point_bytes = 64,
        .xyzz_bytes = 128,
    };
    const struct pail_msm_limits limits = {
        .max_binding_bytes = (uint64_t)1 << 30,
        .align = 4,
        .max_workgroups = 65535,
        .max_threads = 256,
        .quads_at_once = 40,
        .sorter = {.bits_max = in->n % 2 ? 4 : 8, .subtile = 32, .tiles = 2, .subtiles = 32},
        .accumulator = {.workgroup = 64,
                        .shares = 1,
                        .share_max = 8192,
                        .serial = in->serial,
                        .runs = in->serial || in->tasks,
                        .tasks = in->tasks},
    };
    struct pail_msm_plan plan;
    struct pail_error err = {0};
    if (pail_msm_plan(&plan, &shape, &limits, &in->knobs, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    struct machine m = {
        .variant = {ops(), in->radix},
        .plan = &plan,
        .scalars = make_words(8 * (uint64_t)in->n),
        .bases = make_words((uint64_t)AFFINE_WORDS * in->n),
        .windows = make_words(plan.region_bytes[PAIL_MSM_WINDOWS] / 4),
    };
    for (uint32_t i = 0; i < PAIL_MSM_REGIONS; i++)
        m.region[i] = make_words(plan.region_bytes[i] / 4);
    pail_point expected, sum;
    fill(&m, in, &expected);

    bool adds_right = true;
    struct run r = {0};
    for (; r.first < in->n; r.first += r.n, r.chunk++) {
        r.n = (uint32_t)pail_msm_chunk_at(&plan, &shape, r.first);
        for (r.first_row = 0; r.first_row < plan.rows; r.first_row += r.rows) {
            const uint32_t left = plan.rows - r.first_row;
            r.rows = left < plan.batch_rows ? left : plan.batch_rows;
            adds_right = run(&m, &r) && adds_right;
        }
    }
    assert_int_equal(r.chunk, plan.chunks);
    /* Pieces that are infinite join without an addition. */
    if (in->generic)
        assert_true(adds_right);

    size_t bad;
    assert_true(pail_fold(ops(), &sum, &bad, m.windows, plan.chunks, plan.windows, plan.window_bits,
                          plan.window_parts, in->radix));
    assert_true(ops()->equal(&sum, &expected));
    for (uint32_t i = 0; i < PAIL_MSM_REGIONS; i++) {
        const size_t words = (size_t)plan.region_bytes[i] / 4;
        assert_int_equal(m.region[i][words], 0xAAAAAAAA);
        free(m.region[i]);
    }
    free(m.windows);
    free(m.bases);
    free(m.scalars);
    return plan.chunks;
}

static void test_inputs(void **state)
{
    (void)state;
    for (uint32_t dist = 0; dist < PAIL_SCALARS_COUNT; dist++)
        for (uint32_t kind = 0; kind < PAIL_BASES_COUNT; kind++)
            check(&(struct input){
                .n = 150,
                .kind = (enum pail_base_kind)kind,
                .dist = (enum pail_scalar_dist)dist,
                .radix = (dist + kind) % 2 ? PAIL_RADIX_X29 : PAIL_RADIX_X32,
                .serial = (dist + kind) % 3 == 0,
                .tasks = (dist + kind) % 3 == 1,
            });
}

static void test_sizes(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 31, 100, 1023, 1025};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (int tasks = 0; tasks < 2; tasks++)
            check(&(struct input){.n = sizes[i],
                                  .dist = PAIL_SCALARS_UNIFORM,
                                  .radix = PAIL_RADIX_X29,
                                  .tasks = tasks});
}

static void test_windows(void **state)
{
    (void)state;
    for (uint32_t c = PAIL_MSM_WINDOW_MIN; c <= 12; c++)
        check(&(struct input){
            .n = 64,
            .dist = PAIL_SCALARS_EDGE,
            .radix = PAIL_RADIX_X32,
            .knobs = {.window_bits = c},
            .generic = true,
        });
}

static void test_knobs(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 7, 64, 1000};
    for (size_t t = 0; t < 5; t++)
        for (uint32_t batches = 1; batches <= 9; batches += 4)
            check(&(struct input){
                .n = 200,
                .dist = batches == 5 ? PAIL_SCALARS_HOT : PAIL_SCALARS_UNIFORM,
                .radix = PAIL_RADIX_X29,
                .knobs = {.window_bits = 5, .threads = threads[t], .batches = batches},
                .generic = true,
            });
    for (size_t t = 0; t < 10; t++)
        check(&(struct input){
            .n = 200,
            .dist = t % 2 ? PAIL_SCALARS_HOT : PAIL_SCALARS_UNIFORM,
            .radix = PAIL_RADIX_X29,
            .knobs = {.window_bits = 5,
                      .threads = threads[t % 5],
                      .batches = 1 + 4 * (uint32_t)(t % 3)},
            .generic = true,
            .serial = t < 5,
            .tasks = t >= 5,
        });
}

/* Few points at a time: the window sums of several chunks are folded. */
static void test_chunks(void **state)
{
    (void)state;
    struct input in = {
        .n = 3000,
        .dist = PAIL_SCALARS_UNIFORM,
        .radix = PAIL_RADIX_X29,
        .knobs = {.window_bits = 4, .batches = 13, .memory_budget = 200000},
    };
    assert_true(check(&in) > 1);
    in.knobs.memory_budget = 0;
    assert_int_equal(check(&in), 1);
}

/* What is written as words reads back the same, in both forms and with infinity. */
static void test_words(void **state)
{
    (void)state;
    uint8_t bytes[5 * 64];
    pail_make_bases(ops(), bytes, false, 0, 5, PAIL_BASES_INFINITY, 1);
    for (enum pail_radix radix = PAIL_RADIX_X32; radix <= PAIL_RADIX_X29; radix++)
        for (size_t i = 0; i < 5; i++) {
            uint32_t words[XYZZ_WORDS];
            pail_affine affine, back;
            pail_point p, q;
            assert_true(ops()->decode(&affine, bytes + 64 * i, false));
            ops()->affine_to_words(words, &affine, radix);
            assert_true(ops()->affine_from_words(&back, words, radix));
            assert_memory_equal(&affine, &back, ops()->affine_bytes);
            ops()->from_affine(&p, &affine);
            ops()->dbl(&p, &p);
            ops()->to_words(words, &p, radix);
            assert_true(ops()->from_words(&q, words, radix));
            assert_memory_equal(&p, &q, 2 * ops()->affine_bytes);
            memset(words, 0xff, sizeof(words));
            assert_false(ops()->affine_from_words(&back, words, radix));
            assert_true(ops()->affine_is_infinity(&back));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words), cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_windows),
        cmocka_unit_test(test_knobs), cmocka_unit_test(test_chunks),
    };
    return cmocka_run_group_tests_name("twin", tests, NULL, NULL);
}
