/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of bases with shifted copies: the same results as without, whatever the points, the scalars
 * and the part of the set; and what the boundary says of them. */

#include "support/test.h"

#include <kernels.h>

#include "point_set.h"
#include "support/long.h"
#include "support/plugin_group.h"

static pail_bases *make_set(const struct point_set *s)
{
    return point_set_make(&plugin, s);
}

static pail_bases_info info_of(const pail_bases *bases)
{
    return point_set_info(&plugin, bases);
}

/* n scalars from the base `offset` on, of which it is promised how short they are. */
static pail_stats expect_right(const struct point_set *s, const pail_bases *bases, size_t offset,
                               size_t n, enum pail_scalar_dist dist, const pail_msm_config *config)
{
    const uint32_t bits = dist == PAIL_SCALARS_SMALL ? 4 : 0;
    return point_set_multiply(&plugin, s, bases, offset, n, dist, bits, config);
}

static uint32_t windows_of(const struct point_set *s, uint32_t bits)
{
    const uint32_t all = s->in_group || s->ops->cofactor_one ? s->ops->order_bits : 256;
    return (all + bits) / bits;
}

/* Checks that pail_bases_info says what is there. */
static void expect_info(const struct point_set *s, const pail_bases *bases)
{
    const pail_bases_info info = info_of(bases);
    const uint64_t points = info.n_kept * 2 * s->ops->coordinate_bytes;
    const uint64_t map = info.n_kept < info.n_points ? 4 * info.n_kept : 0;
    assert_in_range(info.table_factor, 2, s->factor);
    assert_in_range(info.table_bits, 2, 22);
    const uint32_t digits = windows_of(s, info.table_bits);
    const uint32_t windows = (digits + s->factor - 1) / s->factor;
    assert_int_equal(info.table_factor, (digits + windows - 1) / windows);
    assert_int_equal(info.device_bytes, points * info.table_factor + map);
    assert_int_equal(info.table_bytes, points * (info.table_factor - 1));
    assert_int_equal(info.residency, PAIL_RESIDENCY_DEVICE);
    assert_true(info.table_ms > 0);
}

static void check_set(const struct point_set *s)
{
    static const enum pail_scalar_dist dists[] = {PAIL_SCALARS_UNIFORM, PAIL_SCALARS_EDGE,
                                                  PAIL_SCALARS_BITS256, PAIL_SCALARS_HOT,
                                                  PAIL_SCALARS_SMALL,   PAIL_SCALARS_EQUAL};
    pail_bases *bases = make_set(s);
    expect_info(s, bases);
    const uint32_t bits = info_of(bases).table_bits;
    const bool few = plugin_is_slow() || test_sanitized();
    for (size_t i = 0; i < (few ? 2 : sizeof(dists) / sizeof(dists[0])); i++) {
        const pail_stats stats = expect_right(s, bases, 0, s->n, dists[i], NULL);
        assert_int_equal(stats.window_bits, bits);
        assert_int_equal(stats.windows,
                         dists[i] == PAIL_SCALARS_SMALL ? (4 + bits) / bits : windows_of(s, bits));
        assert_int_equal(stats.bytes_bases, info_of(bases).n_kept * 2 * s->ops->coordinate_bytes *
                                                info_of(bases).table_factor);
    }
    /* Parts, with the window said and in batches. */
    const pail_msm_config config = SIZED(pail_msm_config, .window_bits = bits, .force_batches = 2);
    if (s->n > 2)
        (void)expect_right(s, bases, s->n / 3, s->n - s->n / 3 - 1, PAIL_SCALARS_UNIFORM, &config);
    (void)expect_right(s, bases, s->n - 1, 1, PAIL_SCALARS_BITS256, NULL);
    (void)expect_right(s, bases, 0, 0, PAIL_SCALARS_UNIFORM, NULL);
    plugin.api->bases_destroy(plugin.context, &bases);
}

PAIL_TEST(test_groups)
{
    static const struct {
        size_t n;
        enum pail_base_kind kind;
        uint32_t factor;
        bool in_group;
    } sets[] = {
        {300, PAIL_BASES_DISTINCT, 2, true},    {97, PAIL_BASES_INFINITY, 3, false},
        {131, PAIL_BASES_PAIRS, 1000, true},    {64, PAIL_BASES_EQUAL, 13, false},
        {1, PAIL_BASES_DISTINCT, 4, true},      {77, PAIL_BASES_DUPLICATES, 1000, false},
        {2, PAIL_BASES_MULTIPLES, 5, true},     {65, PAIL_BASES_OUTSIDE, 6, false},
        {70, PAIL_BASES_SMALL_ORDER, 3, false},
    };
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++)
            for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
                const struct point_set s = {pail_curve_ops(curve, group),
                                            sets[i].n,
                                            sets[i].kind,
                                            sets[i].factor,
                                            sets[i].in_group,
                                            0,
                                            0};
                const bool few = plugin_is_slow() || test_sanitized();
                if (few && (group == PAIL_G2 ? i != 1 : i > 2))
                    continue;
                if (group == PAIL_G2 && i % 3 != 1 && !test_long())
                    continue; /* additions take three times as long, and know no copies */
                if (s.in_group && !pail_base_kind_in_group(s.ops, s.kind))
                    continue;
                if (s.ops->cofactor_one && s.kind == PAIL_BASES_SMALL_ORDER)
                    continue; /* there is none: all would be left out */
                check_set(&s);
            }
}

/* The other form is made of all copies; every accumulator reads them. */
PAIL_TEST(test_forms)
{
    static const uint32_t accumulators[] = {PAIL_ACCUMULATOR_XYZZ, PAIL_ACCUMULATOR_WALKER,
                                            PAIL_ACCUMULATOR_COOP, PAIL_ACCUMULATOR_DEBUG};
    const struct point_set s = {
        pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), 333, PAIL_BASES_DISTINCT, 7, true, 0, 0};
    pail_bases *bases = make_set(&s);
    const uint64_t bytes = info_of(bases).device_bytes, more = info_of(bases).table_bytes;
    const uint32_t own = expect_right(&s, bases, 3, 330, PAIL_SCALARS_UNIFORM, NULL).field;
    for (uint32_t field = PAIL_FIELD_LIMB32; field <= PAIL_FIELD_LIMB29; field++)
        for (size_t i = 0; i < 4; i++) {
            const pail_msm_config config =
                SIZED(pail_msm_config, .field = field, .accumulator = accumulators[i]);
            if (field == PAIL_FIELD_LIMB29 && plugin_is_slow())
                continue;
            (void)expect_right(&s, bases, 3, 330, PAIL_SCALARS_UNIFORM, &config);
        }
    if (!plugin_is_slow()) {
        const uint64_t forms = own > PAIL_FIELD_LIMB29 ? 3 : 2;
        assert_int_equal(info_of(bases).device_bytes, forms * bytes);
        assert_int_equal(info_of(bases).table_bytes, forms * more);
    }
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* Several vectors over one set, and one vector under several sets. */
PAIL_TEST(test_bundles)
{
    static struct point_set_jobs all;
    const struct point_set s = {pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1),
                                POINT_SET_BUNDLE,
                                PAIL_BASES_DISTINCT,
                                6,
                                true,
                                0,
                                0};
    pail_bases *bases = make_set(&s);
    const pail_stats stats = point_set_bundle(&plugin, &s, bases, NULL, &all);
    assert_int_equal(stats.sorts, stats.batches); /* folded on the device */

    /* The same table, another table, none: the first two share their sort. */
    const struct point_set others[] = {
        s,
        s,
        {s.ops, s.n, s.kind, 2, true, 0, 0},
        {s.ops, s.n, s.kind, 0, true, 0, 0},
        {s.ops, s.n + 1, s.kind, 6, true, 0, 0},
        {pail_curve_ops(PAIL_CURVE_BN254, PAIL_G2), s.n, s.kind, 6, true, 0, 0}};
    enum { SETS = sizeof(others) / sizeof(others[0]) };
    assert_in_range(point_set_one_vector(&plugin, others, SETS, NULL, &all).sorts, 3, SETS - 1);
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* Segments of few points, each with all of its copies; the last has its own pitch. */
PAIL_TEST(test_segments)
{
    if (setenv("PAIL_LIMITS", "binding=100000", 1) != 0)
        fail_msg("no memory for the environment");
    plugin.api->context_destroy(&plugin.context);
    assert_int_equal(test_plugin_context(&plugin), 0);
    const struct point_set s = {pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1),
                                plugin_is_slow() ? 300 : 1500,
                                PAIL_BASES_INFINITY,
                                9,
                                true,
                                0,
                                0};
    pail_bases *bases = make_set(&s);
    expect_info(&s, bases);
    const pail_stats stats = expect_right(&s, bases, 0, s.n, PAIL_SCALARS_UNIFORM, NULL);
    assert_true(stats.chunks > 1);
    (void)expect_right(&s, bases, 201, s.n - 203, PAIL_SCALARS_BITS256, NULL);
    const pail_msm_config config = {.struct_size = sizeof(config), .field = PAIL_FIELD_LIMB32};
    (void)expect_right(&s, bases, 100, 150, PAIL_SCALARS_HOT, &config);
    plugin.api->bases_destroy(plugin.context, &bases);

    /* So few bytes that no segment has all copies. */
    plugin.api->context_destroy(&plugin.context);
    setenv("PAIL_LIMITS", "binding=8200", 1);
    assert_int_equal(test_plugin_context(&plugin), 0);
    const struct point_set none = {s.ops, 64, s.kind, 9, true, 0, 0};
    if (point_set_try(&plugin, &none, &bases) == PAIL_OK) {
        /* Fewer copies fit: that is what the set has. */
        assert_in_range(info_of(bases).table_factor, 1, 2);
        plugin.api->bases_destroy(plugin.context, &bases);
    } else {
        assert_non_null(strstr(plugin.api->error(plugin.context), "binds"));
    }
    plugin.api->context_destroy(&plugin.context);
    unsetenv("PAIL_LIMITS");
    assert_int_equal(test_plugin_context(&plugin), 0);
}

PAIL_TEST(test_refusals)
{
    const struct point_set s = {
        pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), 100, PAIL_BASES_DISTINCT, 4, true, 0, 0};
    struct point_set on_host = s;
    on_host.residency = PAIL_RESIDENCY_HOST;
    pail_bases *bases = (pail_bases *)(uintptr_t)8;
    assert_int_equal(point_set_try(&plugin, &on_host, &bases), PAIL_ERR_UNSUPPORTED);
    assert_null(bases);
    assert_non_null(strstr(plugin.api->error(plugin.context), "table_factor is 4"));

    bases = make_set(&s);
    uint8_t scalars[32 * 100] = {1};
    const uint32_t bits = info_of(bases).table_bits;
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = 100);
    const pail_msm_config config = {.struct_size = sizeof(config), .window_bits = bits + 1};
    pail_pending *pending = (pail_pending *)(uintptr_t)8;
    pail_stats stats = {.struct_size = sizeof(stats)};
    char text[64];
    (void)snprintf(text, sizeof(text), "window_bits is %u", bits + 1);
    assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, &config),
                     PAIL_ERR_ARGUMENT);
    assert_null(pending);
    assert_non_null(strstr(plugin.api->error(plugin.context), text));
    assert_int_equal(plugin.api->msm_estimate(plugin.context, &stats, &job, &config),
                     PAIL_ERR_ARGUMENT);
    stats.struct_size = sizeof(stats);
    assert_int_equal(plugin.api->msm_estimate(plugin.context, &stats, &job, NULL), PAIL_OK);
    assert_int_equal(stats.bytes_bases, info_of(bases).device_bytes);
    plugin.api->bases_destroy(plugin.context, &bases);

    /* A set without points, and one whose points are all left out. */
    const struct point_set empty = {s.ops, 0, PAIL_BASES_DISTINCT, 4, true, 0, 0};
    bases = make_set(&empty);
    assert_int_equal(info_of(bases).table_factor, 1);
    (void)expect_right(&empty, bases, 0, 0, PAIL_SCALARS_UNIFORM, NULL);
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* The table of buffers is what the set and the work take. */
PAIL_TEST(test_memory)
{
    const struct point_set s = {
        pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), 500, PAIL_BASES_DISTINCT, 5, true, 0, 0};
    pail_bases *bases = make_set(&s);
    uint8_t *scalars = calloc(s.n, 32);
    assert_non_null(scalars);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = s.n);
    pail_stats estimate = {.struct_size = sizeof(estimate)}, table = estimate;
    assert_int_equal(plugin.api->msm_estimate(plugin.context, &estimate, &job, NULL), PAIL_OK);
    pail_memory_query query = SIZED(pail_memory_query, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
                                    .n = s.n, .table_factor = 5, .device = &plugin.device);
    pail_memory_row rows[16];
    size_t n = 16;
    rows[0].struct_size = sizeof(rows[0]);
    if (plugin.api->msm_memory(rows, &n, &table, &query) != PAIL_OK)
        fail_msg("%s", plugin.api->error(NULL));
    assert_int_equal(table.window_bits, estimate.window_bits);
    assert_int_equal(table.bytes_bases, estimate.bytes_bases);
    assert_int_equal(table.bytes_bases, info_of(bases).device_bytes);
    query.residency = PAIL_RESIDENCY_HOST;
    assert_int_equal(plugin.api->msm_memory(rows, &n, &table, &query), PAIL_ERR_ARGUMENT);
    free(scalars);
    plugin.api->bases_destroy(plugin.context, &bases);

    /* A budget with room for the points and not for the copies. */
    plugin.api->context_destroy(&plugin.context);
    const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .memory_budget = 200000);
    assert_int_equal(plugin.api->context_create(&plugin.host, &plugin.context, &params), PAIL_OK);
    const struct point_set large = {s.ops, 1500, s.kind, 13, true, 0, 0};
    bases = (pail_bases *)(uintptr_t)8;
    assert_int_equal(point_set_try(&plugin, &large, &bases), PAIL_ERR_DEVICE_MEMORY);
    assert_null(bases);
    const struct point_set plain = {s.ops, 1500, s.kind, 0, true, 0, 0};
    bases = make_set(&plain);
    plugin.api->bases_destroy(plugin.context, &bases);
    plugin.api->context_destroy(&plugin.context);
    assert_int_equal(test_plugin_context(&plugin), 0);
}

PAIL_TEST_MAIN
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    unsetenv("PAIL_LIMITS");
    return test_run("gpu_tables", plugin_setup, plugin_teardown);
}
