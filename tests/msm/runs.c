/* SPDX-License-Identifier: Apache-2.0 */
/* Few points as runs in order of their length (PAIL_DEBUG=runs), and where batches leave it chunk
 * by chunk, so that runs add to what is in their buckets (PAIL_DEBUG=overlap): the same results,
 * byte for byte, as from shares of the entries, and kernels that are others. */

#include "support/test.h"

#include <curves/inputs.h>
#include <kernels.h>

#include "support/plugin_group.h"

/* A context beside the plugin's own, which has no such words. */
static pail_context *without;

PAIL_FIXTURE(setup)
{
    const pail_context_params params = SIZED(pail_context_params, .device = PAIL_DEVICE_BEST);
    if (test_plugin_load(&plugin) != 0 ||
        plugin.api->context_create(&plugin.host, &without, &params) != PAIL_OK ||
        test_plugin_debug("runs,overlap") != 0)
        return -1;
    return test_plugin_context(&plugin);
}

static int teardown(void **state)
{
    plugin.api->context_destroy(&without);
    return plugin_teardown(state);
}

struct setting {
    const struct pail_curve_ops *ops;
    size_t n;
    enum pail_base_kind kind;
    enum pail_scalar_dist dist;
    uint32_t validation;
    pail_msm_config config;
};

static pail_bases *make_set(pail_context *context, const struct setting *s)
{
    uint8_t *points = malloc(2 * s->ops->coordinate_bytes * (s->n + 1));
    assert_non_null(points);
    pail_make_bases(s->ops, points, true, 0, s->n, s->kind, 3);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = s->ops->curve, .group = s->ops->group,
              .encoding = PAIL_ENCODING_MONTGOMERY, .validation = s->validation, .points = points,
              .n_points = s->n);
    pail_bases *bases = NULL;
    if (plugin.api->bases_create(context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(context));
    free(points);
    return bases;
}

static pail_stats run(pail_context *context, const struct setting *s, const uint8_t *scalars,
                      pail_msm_result *result)
{
    pail_context *const own = plugin.context;
    pail_bases *bases = make_set(context, s);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = s->n);
    plugin.context = context;
    const pail_stats stats = plugin_run(&job, 1, &s->config, result);
    plugin.context = own;
    plugin.api->bases_destroy(context, &bases);
    return stats;
}

static void check(struct setting s)
{
    uint8_t *scalars = malloc(32 * (s.n + 1));
    assert_non_null(scalars);
    s.config.struct_size = sizeof(s.config);
    pail_make_scalars(s.ops, scalars, s.n, s.dist, s.n);
    pail_msm_result result, other;
    const pail_stats runs = run(plugin.context, &s, scalars, &result);
    const pail_stats shares = run(without, &s, scalars, &other);
    pail_point expected;
    pail_expected_msm(s.ops, &expected, scalars, 0, s.n, s.kind, 3);
    if (!test_result_is(s.ops, &result, &expected))
        fail_msg("%s %s, %zu bases %s, scalars %s: wrong", s.ops->curve_name, s.ops->group_name,
                 s.n, pail_base_kind_name(s.kind), pail_scalar_dist_name(s.dist));
    assert_memory_equal(&result, &other, sizeof(result));
    assert_int_equal(runs.windows, shares.windows);
    if (s.n >= 300 && s.kind == PAIL_BASES_DISTINCT && !s.config.force_batches &&
        !s.config.memory_budget)
        assert_int_equal(runs.chunks, 3);
    /* Software drivers have runs in the first group without the word, too, and other devices may
     * have them where a sum is in two invocations. */
    const bool software = plugin.device.type == PAIL_DEVICE_CPU;
    const bool always = s.config.field == PAIL_FIELD_AUTO && s.ops->group == PAIL_G1 && software &&
                        !plugin_is_slow();
    /* Chunks are smaller with the word, and few entries are sorted by a kernel of their own. */
    const bool sorts_alike = s.n <= 256;
    if (software || s.ops->coordinate_bytes < 96)
        assert_int_equal(runs.kernel_hash == shares.kernel_hash, always && sorts_alike);
    free(scalars);
}

static bool few(void)
{
    return plugin_is_slow() || test_sanitized();
}

/* Kernels of second groups take software drivers half a minute, in each context. */
PAIL_TEST(test_groups)
{
    static const struct {
        size_t n;
        enum pail_base_kind kind;
        enum pail_scalar_dist dist;
    } cases[] = {
        {300, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM},
        {97, PAIL_BASES_INFINITY, PAIL_SCALARS_HOT},
        {131, PAIL_BASES_PAIRS, PAIL_SCALARS_EDGE},
        {64, PAIL_BASES_EQUAL, PAIL_SCALARS_EQUAL},
        {1, PAIL_BASES_DISTINCT, PAIL_SCALARS_ONE},
        {77, PAIL_BASES_DUPLICATES, PAIL_SCALARS_ZERO},
    };
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++)
            for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                if (plugin.device.type != PAIL_DEVICE_CPU ||
                    (i < 2 && !(few() && group == PAIL_G2) &&
                     !(curve == PAIL_CURVE_BLS12_381 && group == PAIL_G2)))
                    check((struct setting){.ops = pail_curve_ops(curve, group),
                                           .n = cases[i].n,
                                           .kind = cases[i].kind,
                                           .dist = cases[i].dist});
}

/* One vector under sets of both groups: each set has its own way to take the same runs. */
PAIL_TEST(test_sets)
{
    enum { N = 150, SETS = 3 };
    static uint8_t scalars[32 * N];
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++) {
        const uint32_t groups[SETS] = {PAIL_G1, PAIL_G2, PAIL_G1};
        pail_msm_job jobs[SETS];
        pail_msm_result results[SETS];
        pail_bases *bases[SETS];
        if (few() || (curve == PAIL_CURVE_BLS12_381 && plugin.device.type == PAIL_DEVICE_CPU))
            continue;
        pail_make_scalars(pail_curve_ops(curve, PAIL_G1), scalars, N, PAIL_SCALARS_UNIFORM, 9);
        for (size_t i = 0; i < SETS; i++) {
            /* Sets share a sort where scalars count modulo r in all of them, or in none. */
            const struct setting s = {.ops = pail_curve_ops(curve, groups[i]),
                                      .n = N,
                                      .validation = PAIL_VALIDATE_SUBGROUP};
            bases[i] = make_set(plugin.context, &s);
            jobs[i] = (pail_msm_job){
                .struct_size = sizeof(jobs[i]), .bases = bases[i], .scalars = scalars, .n = N};
        }
        const pail_stats stats = plugin_run(jobs, SETS, NULL, results);
        assert_int_equal(stats.sorts, 1);
        for (size_t i = 0; i < SETS; i++) {
            const struct pail_curve_ops *ops = pail_curve_ops(curve, groups[i]);
            pail_point expected;
            pail_expected_msm(ops, &expected, scalars, 0, N, PAIL_BASES_DISTINCT, 3);
            test_expect_result(ops, &results[i], &expected);
            plugin.api->bases_destroy(plugin.context, &bases[i]);
        }
    }
}

/* Threads from one group to more than there are entries; batches, chunks, other forms. */
PAIL_TEST(test_knobs)
{
    const struct setting s = {.ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1),
                              .n = few() ? 200 : 700,
                              .config = {.field = PAIL_FIELD_LIMB32}};
    static const struct {
        pail_msm_config config;
        enum pail_scalar_dist dist;
    } cases[] = {
        {{.threads = 1, .window_bits = 7}, PAIL_SCALARS_UNIFORM},
        {{.threads = 33, .window_bits = 5}, PAIL_SCALARS_HOT},
        {{.threads = 4000, .window_bits = 6}, PAIL_SCALARS_SMALL},
        {{.force_batches = 3, .window_bits = 9}, PAIL_SCALARS_BITS01},
        {{.memory_budget = 150000, .window_bits = 4}, PAIL_SCALARS_EDGE},
        {{.prefix_placement = PAIL_PLACEMENT_WORKGROUP, .workgroup = 32}, PAIL_SCALARS_BITS256},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct setting one = s;
        one.config = cases[i].config;
        one.config.field = PAIL_FIELD_LIMB32;
        one.dist = cases[i].dist;
        check(one);
    }
    struct setting limbs29 = s;
    limbs29.config =
        (pail_msm_config){.field = PAIL_FIELD_LIMB29, .prefix_placement = PAIL_PLACEMENT_WORKGROUP};
    if (!plugin_is_slow())
        check(limbs29);
}

PAIL_TEST_GROUP(setup, teardown)
