/* Whole multi-scalar multiplications through the plugin, against the closed form: base i is d_i G
 * with a known d_i. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <inputs.h>

#include "plugin.h"

static struct test_plugin plugin;
static const struct pail_curve_ops *ops;

static int setup(void **state)
{
    (void)state;
    ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    return test_plugin_open(&plugin);
}

static int teardown(void **state)
{
    (void)state;
    return test_plugin_close(&plugin);
}

static bool has_int64(void)
{
    return (plugin.device.features & PAIL_FEATURE_INT64) != 0;
}

/* A driver without 64-bit integers is an interpreter of a few million multiplications a second. */
static size_t largest(size_t n)
{
    return has_int64() || n < 1024 ? n : 1025;
}

struct input {
    size_t n;
    enum pail_base_kind kind;
    enum pail_scalar_dist dist;
    uint64_t seed;
};

static pail_bases *make_bases(const struct input *in)
{
    const size_t bytes = 2 * ops->coordinate_bytes;
    uint8_t *points = malloc(in->n * bytes + 1);
    assert_non_null(points);
    pail_make_bases(ops, points, true, 0, in->n, in->kind, in->seed);
    const pail_bases_desc desc = {
        .struct_size = sizeof(desc),
        .curve = PAIL_CURVE_BN254,
        .group = PAIL_G1,
        .encoding = PAIL_ENCODING_MONTGOMERY,
        .validation = PAIL_VALIDATE_CURVE,
        .points = points,
        .n_points = in->n,
    };
    pail_bases *bases = NULL;
    if (plugin.api->bases_create(plugin.context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    free(points);
    return bases;
}

static void expect(const pail_msm_result *result, const pail_point *expected)
{
    pail_affine affine;
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    ops->to_affine(&affine, expected);
    ops->encode(bytes, &affine, false);
    assert_int_equal(result->coordinate_bytes, ops->coordinate_bytes);
    assert_int_equal(result->infinity, ops->affine_is_infinity(&affine));
    assert_memory_equal(result->x, bytes, ops->coordinate_bytes);
    assert_memory_equal(result->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes);
}

static pail_stats run(const pail_bases *bases, const uint8_t *scalars, size_t n,
                      const pail_msm_config *config, pail_msm_result *result)
{
    const pail_msm_job job = {
        .struct_size = sizeof(job),
        .bases = bases,
        .scalars = scalars,
        .n = n,
    };
    pail_pending *pending = NULL;
    pail_stats stats = {.struct_size = sizeof(stats)};
    *result = (pail_msm_result){.struct_size = sizeof(*result)};
    if (plugin.api->msm_start(plugin.context, &pending, &job, 1, config) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    if (plugin.api->msm_finish(&pending, result, 1, &stats) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    return stats;
}

static void check(const struct input *in, const pail_msm_config *config)
{
    uint8_t *scalars = malloc(32 * in->n + 1);
    assert_non_null(scalars);
    pail_make_scalars(ops, scalars, in->n, in->dist, in->seed + 1);
    pail_bases *bases = make_bases(in);
    pail_msm_result result;
    pail_point expected;
    const pail_stats stats = run(bases, scalars, in->n, config, &result);
    pail_expected_msm(ops, &expected, scalars, 0, in->n, in->kind, in->seed);
    print_message("n %zu bases %s scalars %s seed %llu: window %u, %llu additions, %.1f ms\n",
                  in->n, pail_base_kind_name(in->kind), pail_scalar_dist_name(in->dist),
                  (unsigned long long)in->seed, stats.window_bits, (unsigned long long)stats.adds,
                  stats.wall_ms);
    for (uint32_t i = 0; i < stats.n_phases && getenv("PAIL_TEST_LOG"); i++)
        print_message("  %s %.3f\n", stats.phases[i].name, stats.phases[i].ms);
    expect(&result, &expected);
    plugin.api->bases_destroy(plugin.context, &bases);
    free(scalars);
}

static void test_sizes(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 31, 100, 255, 257, 4095, 4097, 16383, 16385};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (largest(sizes[i]) != sizes[i])
            continue;
        check(&(struct input){sizes[i], PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, i}, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests_name("msm", tests, setup, teardown);
}
