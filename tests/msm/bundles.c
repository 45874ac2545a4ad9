/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that share work, and work that goes to the device piece by piece: whatever the planner does
 * with them, the results are those of each job alone. An argument is a pattern of tests to run. */

#include "support/test.h"
#include <pthread.h>

#include <curves/inputs.h>

#include "support/long.h"
#include "support/plugin_group.h"

static const struct pail_curve_ops *ops_of(uint32_t group)
{
    return pail_curve_ops(PAIL_CURVE_BN254, group);
}

/* Base i is d_i G with a known d_i; infinities are left out where there are many. */
static pail_bases *bases_of(uint32_t group, size_t n, enum pail_base_kind kind, uint64_t seed,
                            uint32_t residency)
{
    const struct pail_curve_ops *ops = ops_of(group);
    uint8_t *points = malloc(2 * ops->coordinate_bytes * n);
    assert_non_null(points);
    pail_make_bases(ops, points, true, 0, n, kind, seed);
    const pail_bases_desc desc = SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = group,
                                       .encoding = PAIL_ENCODING_MONTGOMERY, .residency = residency,
                                       .points = points, .n_points = n);
    pail_bases *bases = NULL;
    if (plugin.api->bases_create(plugin.context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    free(points);
    return bases;
}

/* V vectors of N scalars over one set; vector v begins `step` bases after the one before. */
static void check_vectors(size_t vectors, size_t n, size_t step, enum pail_base_kind kind,
                          uint32_t batches)
{
    const struct pail_curve_ops *ops = ops_of(PAIL_G1);
    const size_t n_bases = n + (vectors - 1) * step;
    pail_bases *bases = bases_of(PAIL_G1, n_bases, kind, 3, PAIL_RESIDENCY_DEVICE);
    uint8_t *scalars = malloc(32 * n * vectors);
    pail_msm_job *jobs = calloc(vectors, sizeof(*jobs));
    pail_msm_result *results = calloc(vectors, sizeof(*results));
    assert_true(scalars && jobs && results);
    for (size_t v = 0; v < vectors; v++) {
        pail_make_scalars(ops, scalars + 32 * n * v, n,
                          (enum pail_scalar_dist)(v % PAIL_SCALARS_COUNT), v);
        jobs[v] = (pail_msm_job){.struct_size = sizeof(jobs[v]),
                                 .bases = bases,
                                 .base_offset = v * step,
                                 .scalars = scalars + 32 * n * v,
                                 .n = n};
    }
    const pail_msm_config config = SIZED(pail_msm_config, .force_batches = batches);
    const pail_stats stats = plugin_run(jobs, vectors, &config, results);
    assert_int_equal(stats.n_jobs, vectors);
    /* They shared their dispatches: kept points are as many for each where none is left out. */
    if (kind != PAIL_BASES_INFINITY || step == 0)
        assert_int_equal(stats.sorts, stats.batches);
    for (size_t v = 0; v < vectors; v++) {
        pail_point expected;
        pail_expected_msm(ops, &expected, jobs[v].scalars, v * step, n, kind, 3);
        test_expect_result(ops, &results[v], &expected);
    }
    plugin.api->bases_destroy(plugin.context, &bases);
    free(scalars);
    free(jobs);
    free(results);
}

PAIL_TEST(test_vectors)
{
    check_vectors(2, 33, 0, PAIL_BASES_DISTINCT, 0);
    check_vectors(5, 100, 0, PAIL_BASES_PAIRS, 7);     /* folded on the host */
    check_vectors(40, 20, 20, PAIL_BASES_DISTINCT, 0); /* on the device */
    check_vectors(17, 31, 3, PAIL_BASES_DISTINCT, 3);  /* overlapping, batches across vectors */
    check_vectors(20, 64, 0, PAIL_BASES_INFINITY, 0);
    check_vectors(4, 60, 7, PAIL_BASES_INFINITY, 0);
}

/* One vector under several sets, of both groups: decomposed and sorted once. */
PAIL_TEST(test_sets)
{
    enum { N = 90, SETS = 3 };
    static const uint32_t groups[SETS] = {PAIL_G1, PAIL_G2, PAIL_G1};
    static const size_t offsets[SETS] = {0, 5, 11};
    uint8_t scalars[32 * N];
    pail_bases *bases[SETS];
    pail_msm_job jobs[SETS];
    pail_msm_result results[SETS];
    /* Short ones, so that scalars mean the same digits whether or not the order is known. */
    pail_make_scalars(ops_of(PAIL_G1), scalars, N, PAIL_SCALARS_SMALL, 8);
    for (size_t s = 0; s < SETS; s++) {
        bases[s] =
            bases_of(groups[s], N + offsets[s], PAIL_BASES_DISTINCT, s, PAIL_RESIDENCY_DEVICE);
        jobs[s] = (pail_msm_job){.struct_size = sizeof(jobs[s]),
                                 .bases = bases[s],
                                 .base_offset = offsets[s],
                                 .scalar_bits = 64,
                                 .scalars = scalars,
                                 .n = N};
    }
    /* One form for both groups: those of different forms are not under one sort. */
    const pail_msm_config config =
        SIZED(pail_msm_config, .force_batches = 3,
              .field = plugin_is_slow() ? PAIL_FIELD_LIMB32 : PAIL_FIELD_LIMB29);
    const pail_stats stats = plugin_run(jobs, SETS, &config, results);
    assert_int_equal(stats.sorts, stats.batches);
    assert_int_equal(stats.blocks, SETS * stats.batches);
    for (size_t s = 0; s < SETS; s++) {
        pail_point expected;
        pail_expected_msm(ops_of(groups[s]), &expected, scalars, offsets[s], N, PAIL_BASES_DISTINCT,
                          s);
        test_expect_result(ops_of(groups[s]), &results[s], &expected);
        plugin.api->bases_destroy(plugin.context, &bases[s]);
    }
}

/* Sets of both groups under one vector share the cuts, so shares are no longer than the group with
 * the wider points may have. llvmpipe leaves out what is beyond 65535 iterations of loops: 1310
 * additions in a second group with field arithmetic in loops. In a first group one share may have
 * all N entries. */
PAIL_TEST(test_widest_group)
{
    enum { N = 1400, SETS = 2 };
    static const uint32_t groups[SETS] = {PAIL_G1, PAIL_G2};
    static uint8_t scalars[32 * N];
    pail_bases *bases[SETS];
    pail_msm_job jobs[SETS];
    pail_msm_result results[SETS], alone;
    if (test_sanitized() && !test_long())
        SKIP_BECAUSE("it is about how long a kernel works: the optimised build, or PAIL_TEST_LONG");
    for (size_t i = 0; i < N; i++)
        scalars[32 * i] = (uint8_t)(1 + i * 11 % 120);
    for (size_t s = 0; s < SETS; s++) {
        bases[s] = bases_of(groups[s], N, PAIL_BASES_DISTINCT, s, PAIL_RESIDENCY_DEVICE);
        jobs[s] = (pail_msm_job){.struct_size = sizeof(jobs[s]),
                                 .bases = bases[s],
                                 .scalar_bits = 7,
                                 .scalars = scalars,
                                 .n = N};
    }
    const pail_msm_config config =
        SIZED(pail_msm_config, .accumulator = PAIL_ACCUMULATOR_XYZZ, .field = PAIL_FIELD_LIMB32,
              .window_bits = 8, .threads = 1);
    const pail_stats stats = plugin_run(jobs, SETS, &config, results);
    assert_int_equal(stats.sorts, stats.batches);
    for (size_t s = 0; s < SETS; s++) {
        pail_point expected;
        pail_expected_msm(ops_of(groups[s]), &expected, scalars, 0, N, PAIL_BASES_DISTINCT, s);
        test_expect_result(ops_of(groups[s]), &results[s], &expected);
    }
    /* The same shares as the second group has by itself. */
    assert_int_equal(stats.threads, plugin_run(&jobs[1], 1, &config, &alone).threads);
    for (size_t s = 0; s < SETS; s++)
        plugin.api->bases_destroy(plugin.context, &bases[s]);
}

/* Every number of batches, bases on the device or streamed, with and without room for all scalars:
 * the same bytes. There are a hundred multiplications and more, so a window that has few buckets
 * for the number of points; others are in gpu_msm. */
PAIL_TEST(test_every_batch_count)
{
    enum { N = 800 };
    const struct pail_curve_ops *ops = ops_of(PAIL_G1);
    const bool slow = plugin_is_slow() || test_sanitized();
    const uint32_t step = plugin_is_slow() ? 14 : test_sanitized() ? 3 : 1;
    const size_t n = slow ? 300 : N;
    static const enum pail_base_kind kinds[] = {PAIL_BASES_DISTINCT, PAIL_BASES_INFINITY};
    uint8_t *scalars = malloc((size_t)32 * N);
    assert_non_null(scalars);
    pail_make_scalars(ops, scalars, n, PAIL_SCALARS_BITS256, 5);
    for (size_t k = 0; k < 2; k++) {
        pail_point expected;
        pail_expected_msm(ops, &expected, scalars, 0, n, kinds[k], 9);
        for (uint32_t residency = PAIL_RESIDENCY_DEVICE; residency <= PAIL_RESIDENCY_HOST;
             residency++) {
            pail_bases *bases = bases_of(PAIL_G1, n, kinds[k], 9, residency);
            const pail_msm_job job =
                SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = n);
            pail_msm_config config = {.struct_size = sizeof(config), .window_bits = slow ? 6 : 9};
            pail_msm_result result;
            const uint32_t windows = plugin_run(&job, 1, &config, &result).windows;
            for (uint32_t batches = 1; batches <= windows; batches += step) {
                config.force_batches = batches;
                config.memory_budget = 0;
                const pail_stats loose = plugin_run(&job, 1, &config, &result);
                test_expect_result(ops, &result, &expected);
                config.memory_budget = loose.bytes_estimate * 2 / 3;
                pail_stats estimate = {.struct_size = sizeof(estimate)};
                if (plugin.api->msm_estimate(plugin.context, &estimate, &job, &config) != PAIL_OK)
                    continue; /* below the floor of this batch count */
                const pail_stats stats = plugin_run(&job, 1, &config, &result);
                test_expect_result(ops, &result, &expected);
                assert_true(stats.bytes_requested <= config.memory_budget);
                if (residency == PAIL_RESIDENCY_HOST)
                    assert_true(stats.bytes_streamed > 0 && stats.bytes_bases == 0);
            }
            plugin.api->bases_destroy(plugin.context, &bases);
        }
    }
    free(scalars);
}

/* A streamed multiplication that is abandoned, polled, waited for too short a time. */
PAIL_TEST(test_streamed_is_asynchronous)
{
    enum { MOST = 4000 };
    const size_t n = plugin_is_slow() ? 1000 : MOST;
    const struct pail_curve_ops *ops = ops_of(PAIL_G1);
    uint8_t *scalars = malloc((size_t)32 * n);
    assert_non_null(scalars);
    pail_make_scalars(ops, scalars, n, PAIL_SCALARS_UNIFORM, 5);
    pail_point expected;
    pail_expected_msm(ops, &expected, scalars, 0, n, PAIL_BASES_DISTINCT, 9);
    pail_bases *bases = bases_of(PAIL_G1, n, PAIL_BASES_DISTINCT, 9, PAIL_RESIDENCY_HOST);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = n);
    const pail_msm_config config = {.struct_size = sizeof(config), .memory_budget = 3 << 20};
    for (int round = 0; round < 2; round++) {
        pail_pending *pending[2] = {NULL, NULL};
        pail_msm_result result = {.struct_size = sizeof(result)};
        for (size_t i = 0; i < 2; i++)
            if (plugin.api->msm_start(plugin.context, &pending[i], &job, 1, &config) != PAIL_OK)
                fail_msg("%s", plugin.api->error(plugin.context));
        const pail_status polled = plugin.api->pending_poll(pending[0]);
        assert_true(polled == PAIL_OK || polled == PAIL_NOT_READY);
        const pail_status waited = plugin.api->pending_wait(pending[0], 1000);
        assert_true(waited == PAIL_OK || waited == PAIL_NOT_READY);
        if (round == 0)
            plugin.api->pending_abandon(&pending[1]);
        assert_int_equal(plugin.api->pending_wait(pending[0], UINT64_MAX), PAIL_OK);
        assert_int_equal(plugin.api->msm_finish(&pending[0], &result, 1, NULL), PAIL_OK);
        test_expect_result(ops, &result, &expected);
        if (round == 1)
            assert_int_equal(plugin.api->msm_finish(&pending[1], &result, 1, NULL), PAIL_OK);
        test_expect_result(ops, &result, &expected);
    }
    plugin.api->bases_destroy(plugin.context, &bases);
    free(scalars);
}

/* Several threads on one context, each with multiplications of its own, resident and streamed. */
struct worker {
    pthread_t thread;
    uint32_t number;
    pail_bases *bases;
    uint8_t scalars[32 * 300];
    pail_msm_result result;
    pail_status status;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    const pail_msm_job job =
        SIZED(pail_msm_job, .bases = w->bases, .scalars = w->scalars, .n = 200 + 20 * w->number);
    for (int round = 0; round < 3 && w->status == PAIL_OK; round++) {
        pail_pending *pending = NULL;
        w->result = (pail_msm_result){.struct_size = sizeof(w->result)};
        w->status = plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL);
        if (w->status == PAIL_OK)
            w->status = plugin.api->msm_finish(&pending, &w->result, 1, NULL);
    }
    return NULL;
}

PAIL_TEST(test_threads)
{
    enum { WORKERS = 4 };
    static struct worker workers[WORKERS];
    const struct pail_curve_ops *ops = ops_of(PAIL_G1);
    for (uint32_t i = 0; i < WORKERS; i++) {
        struct worker *w = &workers[i];
        w->number = i;
        w->status = PAIL_OK;
        w->bases = bases_of(PAIL_G1, 300, PAIL_BASES_DISTINCT, i,
                            i % 2 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE);
        pail_make_scalars(ops, w->scalars, 300, PAIL_SCALARS_UNIFORM, i);
    }
    for (uint32_t i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (uint32_t i = 0; i < WORKERS; i++)
        pthread_join(workers[i].thread, NULL);
    for (uint32_t i = 0; i < WORKERS; i++) {
        pail_point expected;
        assert_int_equal(workers[i].status, PAIL_OK);
        pail_expected_msm(ops, &expected, workers[i].scalars, 0, 200 + 20 * i, PAIL_BASES_DISTINCT,
                          i);
        test_expect_result(ops, &workers[i].result, &expected);
        plugin.api->bases_destroy(plugin.context, &workers[i].bases);
    }
}

/* The table of buffers is what a multiplication takes, to the byte. */
PAIL_TEST(test_memory_table)
{
    static const size_t sizes[] = {1, 100, 5000};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t residency = PAIL_RESIDENCY_DEVICE; residency <= PAIL_RESIDENCY_HOST;
             residency++) {
            const size_t n = sizes[i];
            uint8_t *scalars = calloc(n, 32);
            assert_non_null(scalars);
            pail_bases *bases = bases_of(PAIL_G1, n, PAIL_BASES_DISTINCT, 1, residency);
            const pail_msm_job job =
                SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = n);
            const pail_msm_config config = {.struct_size = sizeof(config), .force_batches = 3};
            pail_msm_result result;
            const pail_stats stats = plugin_run(&job, 1, &config, &result);
            const pail_memory_query query =
                SIZED(pail_memory_query, .curve = PAIL_CURVE_BN254, .group = PAIL_G1, .n = n,
                      .residency = residency, .device = &plugin.device, .config = &config);
            pail_memory_row rows[32] = {{.struct_size = sizeof(rows[0])}};
            size_t n_rows = 32;
            pail_stats table = {.struct_size = sizeof(table)};
            if (plugin.api->msm_memory(rows, &n_rows, &table, &query) != PAIL_OK)
                fail_msg("%s", plugin.api->error(NULL));
            uint64_t sum = 0;
            for (size_t r = 0; r < n_rows; r++)
                sum += rows[r].bytes;
            assert_int_equal(sum, table.bytes_estimate + table.bytes_bases);
            assert_int_equal(table.bytes_estimate, stats.bytes_estimate);
            assert_int_equal(table.bytes_estimate, stats.bytes_requested);
            assert_int_equal(table.bytes_bases, stats.bytes_bases);
            assert_true(stats.bytes_allocated >= stats.bytes_requested);
            plugin.api->bases_destroy(plugin.context, &bases);
            free(scalars);
        }
}

PAIL_TEST_GROUP(plugin_setup, plugin_teardown)
