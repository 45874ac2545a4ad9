/* SPDX-License-Identifier: Apache-2.0 */
/* Shared code of the cases of gpu_msm. Include it in one file of a program. */
#ifndef PAIL_TESTS_MSM_CHECKED_H
#define PAIL_TESTS_MSM_CHECKED_H

#include "support/test.h"

#include <curves/inputs.h>

#include "workload.h"

static struct test_plugin plugin;
static const struct pail_curve_ops *ops;

PAIL_FIXTURE(setup)
{
    ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    return test_plugin_open(&plugin);
}

PAIL_FIXTURE(teardown)
{
    return test_plugin_close(&plugin);
}

static bool has_int64(void)
{
    return (plugin.device.features & PAIL_FEATURE_INT64) != 0;
}

/* A driver without 64-bit integers does a few million field multiplications a second. Several
 * chunks and workgroups are all that a size is for there; one with 64-bit integers takes them as
 * they are, in the form for the others too (test_field_forms). */
static bool is_fast(void)
{
    return has_int64() && !test_sanitized();
}

static size_t largest(size_t n)
{
    return is_fast() || n < 257 ? n : 257;
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
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .validation = PAIL_VALIDATE_CURVE,
              .points = points, .n_points = in->n);
    pail_bases *bases = NULL;
    if (plugin.api->bases_create(plugin.context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    free(points);
    return bases;
}

/* Asked before or told after, the plan is the same, and takes what it says. */
static void expect_estimate(const pail_msm_job *job, const pail_msm_config *config,
                            const pail_stats *stats)
{
    pail_stats estimate = {.struct_size = sizeof(estimate)};
    if (plugin.api->msm_estimate(plugin.context, &estimate, job, config) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    assert_int_equal(estimate.bytes_estimate, stats->bytes_estimate);
    assert_int_equal(estimate.window_bits, stats->window_bits);
    assert_int_equal(estimate.batches, stats->batches);
    assert_int_equal(estimate.chunks, stats->chunks);
    assert_int_equal(estimate.threads, stats->threads);
    assert_int_equal(estimate.accumulator, stats->accumulator);
    assert_int_equal(estimate.workgroup, stats->workgroup);
    assert_int_equal(estimate.slots, stats->slots);
    assert_int_equal(estimate.inversion_group, stats->inversion_group);
    assert_int_equal(estimate.prefix_placement, stats->prefix_placement);
    assert_int_equal(stats->bytes_requested, stats->bytes_estimate);
}

static pail_stats run(const pail_bases *bases, const uint8_t *scalars, size_t n,
                      const pail_msm_config *config, pail_msm_result *result)
{
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = n);
    pail_pending *pending = NULL;
    pail_stats stats = {.struct_size = sizeof(stats)};
    *result = (pail_msm_result){.struct_size = sizeof(*result)};
    if (plugin.api->msm_start(plugin.context, &pending, &job, 1, config) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    if (plugin.api->msm_finish(&pending, result, 1, &stats) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    expect_estimate(&job, config, &stats);
    return stats;
}

static pail_stats check(const struct input *in, const pail_msm_config *config)
{
    uint8_t *scalars = malloc(32 * in->n + 1);
    assert_non_null(scalars);
    pail_make_scalars(ops, scalars, in->n, in->dist, in->seed + 1);
    pail_bases *bases = make_bases(in);
    pail_msm_result result;
    pail_point expected;
    const pail_stats stats = run(bases, scalars, in->n, config, &result);
    pail_expected_msm(ops, &expected, scalars, 0, in->n, in->kind, in->seed);
    if (getenv("PAIL_TEST_LOG"))
        print_message("n %zu bases %s scalars %s seed %llu: window %u, %llu additions, %.1f ms\n",
                      in->n, pail_base_kind_name(in->kind), pail_scalar_dist_name(in->dist),
                      (unsigned long long)in->seed, stats.window_bits,
                      (unsigned long long)stats.adds, stats.wall_ms);
    for (uint32_t i = 0; i < stats.n_phases && getenv("PAIL_TEST_LOG"); i++)
        print_message("  %s %.3f\n", stats.phases[i].name, stats.phases[i].ms);
    test_expect_result(ops, &result, &expected);
    plugin.api->bases_destroy(plugin.context, &bases);
    free(scalars);
    return stats;
}

#endif /* PAIL_TESTS_MSM_CHECKED_H */
