/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of points that are kept as x and a sign: the same results as of whole points, whatever the
 * points, the accumulator, the form, the chunks and where scalars are; and what they take. */

#include "support/test.h"

#include <string.h>

#include "point_set.h"
#include "support/long.h"
#include "support/plugin_group.h"

static struct point_set compact_set(const struct pail_curve_ops *ops, size_t n,
                                    enum pail_base_kind kind)
{
    return (struct point_set){.ops = ops, .n = n, .kind = kind, .flags = PAIL_BASES_COMPACT};
}

static bool is_short(void)
{
    return plugin_is_slow() || test_sanitized();
}

/* Half the bytes of points, and a word for each where infinities were left out. */
static void expect_half(const struct point_set *s, const pail_bases *bases)
{
    const pail_bases_info info = point_set_info(&plugin, bases);
    const uint64_t map = info.n_kept < info.n_points ? 4 * info.n_kept : 0;
    assert_int_equal(info.device_bytes, info.n_kept * s->ops->coordinate_bytes + map);
    assert_int_equal(info.host_bytes, map);
    assert_int_equal(info.residency, PAIL_RESIDENCY_DEVICE);
    assert_int_equal(info.table_factor, 1);
}

PAIL_TEST(points)
{
    static const struct {
        size_t n;
        enum pail_base_kind kind;
        enum pail_scalar_dist dist;
        bool in_group;
    } sets[] = {
        {131, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, false},
        {97, PAIL_BASES_INFINITY, PAIL_SCALARS_EDGE, true},
        {1, PAIL_BASES_DISTINCT, PAIL_SCALARS_BITS256, true},
        {64, PAIL_BASES_EQUAL, PAIL_SCALARS_HOT, false},
        {70, PAIL_BASES_PAIRS, PAIL_SCALARS_EQUAL, true},
        {65, PAIL_BASES_OUTSIDE, PAIL_SCALARS_BITS256, false},
        {70, PAIL_BASES_SMALL_ORDER, PAIL_SCALARS_UNIFORM, false},
    };
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
            struct point_set s =
                compact_set(pail_curve_ops(curve, PAIL_G1), sets[i].n, sets[i].kind);
            s.in_group = sets[i].in_group;
            if ((is_short() && i > 2) || (curve == PAIL_CURVE_BLS12_381 && i % 5 != 1) ||
                (s.in_group && !pail_base_kind_in_group(s.ops, s.kind)) ||
                (s.ops->cofactor_one && s.kind == PAIL_BASES_SMALL_ORDER))
                continue;
            pail_bases *bases = point_set_make(&plugin, &s);
            expect_half(&s, bases);
            const pail_stats stats =
                point_set_multiply(&plugin, &s, bases, 0, s.n, sets[i].dist, 0, NULL);
            assert_int_equal(stats.bytes_bases,
                             point_set_info(&plugin, bases).n_kept * s.ops->coordinate_bytes);
            if (s.n > 2)
                (void)point_set_multiply(&plugin, &s, bases, s.n / 3, s.n - s.n / 3 - 1,
                                         PAIL_SCALARS_UNIFORM, 0, NULL);
            (void)point_set_multiply(&plugin, &s, bases, 0, 0, PAIL_SCALARS_UNIFORM, 0, NULL);
            plugin.api->bases_destroy(plugin.context, &bases);
        }
}

/* One copy serves all forms; every accumulator reads what is expanded. */
PAIL_TEST(forms)
{
    static const uint32_t accumulators[] = {PAIL_ACCUMULATOR_XYZZ, PAIL_ACCUMULATOR_WALKER,
                                            PAIL_ACCUMULATOR_COOP, PAIL_ACCUMULATOR_DEBUG};
    const struct point_set s =
        compact_set(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), 133, PAIL_BASES_INFINITY);
    pail_bases *bases = point_set_make(&plugin, &s);
    for (uint32_t field = PAIL_FIELD_LIMB32; field <= PAIL_FIELD_LIMB29; field++)
        for (size_t i = 0; i < 4; i++) {
            const pail_msm_config config =
                SIZED(pail_msm_config, .field = field, .accumulator = accumulators[i]);
            /* The sums of form 8x32 are slow to compile; what is expanded is read alike. To the
             * host accumulators are a number. */
            if (field == PAIL_FIELD_LIMB32 ? i > 0 : plugin_is_slow())
                continue;
            if (test_sanitized() && !test_long() && i > 0)
                continue;
            const pail_stats stats =
                point_set_multiply(&plugin, &s, bases, 3, 130, PAIL_SCALARS_UNIFORM, 0, &config);
            assert_int_equal(stats.field, field);
        }
    expect_half(&s, bases);
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* Chunks and batches, by budgets from the largest plan down to the least. */
PAIL_TEST(chunks)
{
    const size_t n = is_short() ? 1100 : 2500;
    const struct point_set s = compact_set(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), n,
                                           is_short() ? PAIL_BASES_DISTINCT : PAIL_BASES_INFINITY);
    pail_bases *bases = point_set_make(&plugin, &s);
    pail_msm_config config = {.struct_size = sizeof(config), .window_bits = 6};
    pail_stats stats =
        point_set_multiply(&plugin, &s, bases, 0, n, PAIL_SCALARS_UNIFORM, 0, &config);
    assert_int_equal(stats.chunks, 1);
    const uint64_t whole = stats.bytes_estimate;
    /* A chunk's points and scalars are what counts with one window at a time. */
    config.force_batches = UINT32_MAX;
    stats = point_set_multiply(&plugin, &s, bases, 0, n, PAIL_SCALARS_UNIFORM, 0, &config);
    assert_int_equal(stats.chunks, 1);
    assert_int_equal(stats.batches, stats.windows);
    assert_true(stats.bytes_estimate < whole);
    /* The largest budget that takes several chunks. */
    const pail_msm_job some = SIZED(pail_msm_job, .bases = bases, .base_offset = 1,
                                    .scalars = (const uint8_t *)"", .n = n - 1);
    const uint64_t step = stats.bytes_estimate / 64;
    config.memory_budget = stats.bytes_estimate;
    do {
        config.memory_budget -= step;
        if (plugin.api->msm_estimate(plugin.context, &stats, &some, &config) != PAIL_OK)
            fail_msg("%s", plugin.api->error(plugin.context));
    } while (stats.chunks == 1);
    stats = point_set_multiply(&plugin, &s, bases, 1, n - 1, PAIL_SCALARS_EDGE, 0, &config);
    assert_in_range(stats.chunks, 2, 3);
    assert_in_range(stats.bytes_allocated, 1, config.memory_budget);
    config.memory_budget = 1;
    const pail_msm_job job =
        SIZED(pail_msm_job, .bases = bases, .scalars = (const uint8_t *)"", .n = n);
    pail_pending *pending = NULL;
    assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, &config),
                     PAIL_ERR_ARGUMENT);
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* Jobs of one start do not share a bundle, and all are right. */
PAIL_TEST(jobs)
{
    static struct point_set_jobs all;
    const struct point_set s = compact_set(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1),
                                           POINT_SET_BUNDLE, PAIL_BASES_DISTINCT);
    pail_bases *bases = point_set_make(&plugin, &s);
    (void)point_set_bundle(&plugin, &s, bases, NULL, &all);
    plugin.api->bases_destroy(plugin.context, &bases);
    /* The same scalars under compact points and whole ones. */
    struct point_set sets[3] = {s, s, s};
    sets[1].flags = 0;
    (void)point_set_one_vector(&plugin, sets, 3, NULL, &all);
}

/* The same bytes as of whole points, with scalars in memory of the context, wherever that is. */
PAIL_TEST(addresses)
{
    enum { N = 300 };
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    if (!(plugin.device.features & PAIL_FEATURE_DEVICE_ADDRESS))
        SKIP_BECAUSE("the device has no buffer device addresses");
    if (is_short())
        SKIP_BECAUSE("other tests show that digits are taken from addresses on this driver");
    struct point_set s = compact_set(ops, N, PAIL_BASES_INFINITY);
    uint8_t scalars[32 * N];
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_UNIFORM, 3);
    pail_msm_result results[2];
    for (uint32_t kind = PAIL_MEMORY_DEVICE; kind <= PAIL_MEMORY_HOST; kind++) {
        pail_memory *memory = NULL;
        pail_memory_info info = {.struct_size = sizeof(info)};
        assert_int_equal(plugin.api->memory_create(plugin.context, &memory, &info, kind, 32 * N),
                         PAIL_OK);
        assert_int_equal(plugin.api->memory_write(memory, 0, scalars, 32 * N), PAIL_OK);
        for (uint32_t i = 0; i < 2; i++) {
            s.flags = i ? PAIL_BASES_COMPACT : 0;
            pail_bases *bases = point_set_make(&plugin, &s);
            const pail_msm_job job =
                SIZED(pail_msm_job, .bases = bases, .scalar_location = PAIL_LOCATION_DEVICE_ADDRESS,
                      .scalars = (const void *)(uintptr_t)info.address, .n = N);
            (void)plugin_run(&job, 1, NULL, &results[i]);
            plugin.api->bases_destroy(plugin.context, &bases);
        }
        assert_memory_equal(results[0].x, results[1].x, sizeof(results[0].x));
        assert_memory_equal(results[0].y, results[1].y, sizeof(results[0].y));
        plugin.api->memory_destroy(plugin.context, &memory);
    }
}

/* A point off the curve has no y, so it is refused whatever is to be checked. */
PAIL_TEST(bad_points)
{
    static const uint8_t zeros[64];
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    uint8_t points[3 * 64];
    pail_make_bases(ops, points, false, 0, 3, PAIL_BASES_DISTINCT, 1);
    memcpy(points, zeros, sizeof(zeros));
    points[2 * 64 + 32] ^= 1;
    pail_bases_desc desc = SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
                                 .points = points, .n_points = 3, .flags = PAIL_BASES_COMPACT);
    size_t bad = 0;
    pail_bases *bases = NULL;
    assert_int_equal(plugin.api->bases_create(plugin.context, &bases, &bad, &desc), PAIL_ERR_DATA);
    assert_null(bases);
    assert_int_equal(bad, 2);
    desc.n_points = 2;
    assert_int_equal(plugin.api->bases_create(plugin.context, &bases, &bad, &desc), PAIL_OK);
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* The table of buffers is what the set and the work take; and how much that is at 2^20, without
 * any device and without one chosen number. */
PAIL_TEST(memory)
{
    const uint64_t most = (uint64_t)75 << 20;
    const struct point_set s =
        compact_set(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), 500, PAIL_BASES_DISTINCT);
    pail_bases *bases = point_set_make(&plugin, &s);
    uint8_t *scalars = calloc(s.n, 32);
    assert_non_null(scalars);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = s.n);
    pail_stats estimate = {.struct_size = sizeof(estimate)}, table = estimate;
    assert_int_equal(plugin.api->msm_estimate(plugin.context, &estimate, &job, NULL), PAIL_OK);
    pail_memory_query query =
        SIZED(pail_memory_query, .curve = PAIL_CURVE_BN254, .group = PAIL_G1, .n = s.n,
              .bases_flags = PAIL_BASES_COMPACT, .device = &plugin.device);
    size_t n = 0;
    if (plugin.api->msm_memory(NULL, &n, &table, &query) != PAIL_OK)
        fail_msg("%s", plugin.api->error(NULL));
    assert_int_equal(table.window_bits, estimate.window_bits);
    assert_int_equal(table.bytes_estimate, estimate.bytes_estimate);
    assert_int_equal(table.bytes_bases, estimate.bytes_bases);
    assert_int_equal(table.bytes_bases, point_set_info(&plugin, bases).device_bytes);
    free(scalars);
    plugin.api->bases_destroy(plugin.context, &bases);

    query.n = (uint64_t)1 << 20;
    query.device = NULL;
    assert_int_equal(plugin.api->msm_memory(NULL, &n, &table, &query), PAIL_OK);
    assert_int_equal(table.bytes_bases, (uint64_t)32 << 20);
    assert_in_range(table.bytes_estimate + table.bytes_bases, 1, most);
}

PAIL_TEST(refusals)
{
    const struct pail_curve_ops *const g1 = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    const struct {
        struct point_set set;
        pail_status status;
        const char *sentence;
    } cases[] = {
        {{.ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G2), .n = 3, .flags = PAIL_BASES_COMPACT},
         PAIL_ERR_UNSUPPORTED,
         "desc->flags has PAIL_BASES_COMPACT, and the group is 2; only points of G1 (1) can be "
         "compact"},
        {{.ops = g1, .n = 3, .factor = 2, .flags = PAIL_BASES_COMPACT},
         PAIL_ERR_ARGUMENT,
         "desc->flags has PAIL_BASES_COMPACT, and the table factor is 2; compact points have no "
         "tables, which take more memory"},
        {{.ops = g1, .n = 3, .residency = PAIL_RESIDENCY_HOST, .flags = PAIL_BASES_COMPACT},
         PAIL_ERR_ARGUMENT,
         "desc->flags has PAIL_BASES_COMPACT, and the residency is 2, host memory; compact points "
         "stay on the device"},
        {{.ops = g1, .n = 3, .flags = 4},
         PAIL_ERR_ARGUMENT,
         "desc->flags is 0x4; only 0x3 is known"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pail_bases *bases = (pail_bases *)(uintptr_t)8;
        assert_int_equal(point_set_try(&plugin, &cases[i].set, &bases), cases[i].status);
        assert_null(bases);
        assert_string_equal(plugin.api->error(plugin.context), cases[i].sentence);
    }
    /* Whole points would go to host memory. */
    plugin.api->context_destroy(&plugin.context);
    const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .memory_budget = 100000);
    assert_int_equal(plugin.api->context_create(&plugin.host, &plugin.context, &params), PAIL_OK);
    const struct point_set large = compact_set(g1, 4000, PAIL_BASES_DISTINCT);
    pail_bases *bases = NULL;
    assert_int_equal(point_set_try(&plugin, &large, &bases), PAIL_ERR_DEVICE_MEMORY);
    assert_null(bases);
    plugin.api->context_destroy(&plugin.context);
    assert_int_equal(test_plugin_context(&plugin), 0);
}

PAIL_TEST_MAIN
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    unsetenv("PAIL_LIMITS");
    return test_run("gpu_compact", plugin_setup, plugin_teardown);
}
