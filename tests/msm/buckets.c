/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of buckets that the plugin gives: with each bucket multiplied by its digit and its
 * window's place they are the multiplication, also in batches and in chunks; and what it refuses.
 */

#include "support/plugin_group.h"
#include "support/test.h"

#include <curves/inputs.h>

enum { N = 3000, SEED = 3 };

static const struct pail_curve_ops *ops;
static uint8_t bases_bytes[N * 64], scalars[32 * N];

static pail_bases *make_bases(uint32_t residency, pail_msm_job *job)
{
    pail_bases *bases = NULL;
    ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    pail_make_bases(ops, bases_bytes, true, 0, N, PAIL_BASES_DISTINCT, SEED);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_BITS256, SEED);
    const pail_bases_desc desc = SIZED(
        pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
        .encoding = PAIL_ENCODING_MONTGOMERY, .points = bases_bytes, .n_points = N,
        .residency = residency, .table_factor = 1); /* windows of one digit, on a GPU as well */
    if (plugin.api->bases_create(plugin.context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    *job = (pail_msm_job){.struct_size = sizeof(*job), .bases = bases, .scalars = scalars, .n = N};
    return bases;
}

/* The multiplication that the buckets stand for: windows of one digit each. */
static void fold(pail_point *sum, const uint8_t *points, const pail_bucket_info *info)
{
    const size_t bytes = 2 * (size_t)info->coordinate_bytes;
    *sum = (pail_point){{0}};
    for (uint32_t window = info->windows; window-- > 0;) {
        ops->dbl_times(sum, sum, info->window_bits);
        for (uint32_t b = 0; b < info->buckets; b++) {
            pail_affine affine;
            pail_point point;
            const pail_u256 digit = {{b + 1}};
            assert_true(
                ops->decode(&affine, points + ((size_t)window * info->buckets + b) * bytes, false));
            assert_true(ops->on_curve(&affine));
            ops->from_affine(&point, &affine);
            ops->mul(&point, &point, &digit);
            ops->add(sum, sum, &point);
        }
    }
}

PAIL_TEST(test_sums)
{
    static const pail_msm_config configs[] = {
        {.struct_size = sizeof(configs[0]), .window_bits = 4},
        {.struct_size = sizeof(configs[0]), .window_bits = 5, .force_batches = 7},
        SIZED(pail_msm_config, .window_bits = 4, .accumulator = PAIL_ACCUMULATOR_DEBUG,
              .force_batches = 3),
    };
    for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
        pail_msm_job job;
        pail_msm_config config = configs[i];
        pail_bases *bases = make_bases(i == 1 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE, &job);
        pail_bucket_info info = {.struct_size = sizeof(info)};
        pail_stats stats = {.struct_size = sizeof(stats)};
        size_t n_bytes = 1;
        /* The least budget that some of the points at a time fit into. */
        for (uint64_t budget = 8 << 10; i == 1 && stats.chunks < 2; budget += 4 << 10) {
            config.memory_budget = budget;
            (void)plugin.api->msm_estimate(plugin.context, &stats, &job, &config);
            assert_true(budget < 1 << 20);
        }
        if (plugin.api->msm_buckets(plugin.context, NULL, &n_bytes, &info, &stats, &job, &config) !=
            PAIL_OK)
            fail_msg("%s", plugin.api->error(plugin.context));
        assert_int_equal(n_bytes, (size_t)info.windows * info.buckets * 64);
        assert_int_equal(info.window_bits, config.window_bits);
        assert_int_equal(info.buckets, 1 << (config.window_bits - 1));
        assert_int_equal(info.copies, 1);
        assert_int_equal(stats.blocks, 0);
        uint8_t *points = malloc(n_bytes);
        assert_non_null(points);
        if (plugin.api->msm_buckets(plugin.context, points, &n_bytes, &info, &stats, &job,
                                    &config) != PAIL_OK)
            fail_msg("%s", plugin.api->error(plugin.context));
        assert_int_equal(stats.blocks, stats.batches * stats.chunks);
        if (i == 1)
            assert_true(stats.chunks > 1);
        pail_msm_result result;
        pail_point sum;
        plugin_run(&job, 1, &config, &result);
        fold(&sum, points, &info);
        test_expect_result(ops, &result, &sum);
        free(points);
        plugin.api->bases_destroy(plugin.context, &bases);
    }
}

PAIL_TEST(test_refusals)
{
    pail_msm_job job;
    pail_bases *bases = make_bases(PAIL_RESIDENCY_DEVICE, &job);
    const pail_msm_config config = {.struct_size = sizeof(config), .window_bits = 4};
    pail_bucket_info info = {.struct_size = sizeof(info), .windows = 5};
    uint8_t points[64];
    size_t n_bytes = sizeof(points);
    memset(points, 0x5a, sizeof(points));
    assert_int_equal(
        plugin.api->msm_buckets(plugin.context, points, &n_bytes, &info, NULL, &job, &config),
        PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(plugin.api->error(plugin.context), "n_bytes: 64, but the buckets take"));
    assert_int_equal(n_bytes, 0);
    assert_int_equal(info.windows, 0);
    for (size_t i = 0; i < sizeof(points); i++)
        assert_int_equal(points[i], 0);
    assert_int_equal(
        plugin.api->msm_buckets(plugin.context, NULL, NULL, &info, NULL, &job, &config),
        PAIL_ERR_ARGUMENT);
    assert_int_equal(
        plugin.api->msm_buckets(plugin.context, NULL, &n_bytes, NULL, NULL, &job, &config),
        PAIL_ERR_ARGUMENT);
    assert_int_equal(plugin.api->msm_buckets(NULL, NULL, &n_bytes, &info, NULL, &job, &config),
                     PAIL_ERR_ARGUMENT);
    job.n = 0;
    n_bytes = 1;
    assert_int_equal(
        plugin.api->msm_buckets(plugin.context, points, &n_bytes, &info, NULL, &job, &config),
        PAIL_OK);
    assert_int_equal(n_bytes, 0);
    assert_int_equal(info.windows, 0);
    plugin.api->bases_destroy(plugin.context, &bases);
}

PAIL_TEST_GROUP(plugin_setup, plugin_teardown)
