/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplications whose points are taken chunk by chunk while their scalars, or the points as well,
 * are sent, with PAIL_DEBUG=overlap: the same sums, from every kind of points and scalars, several
 * at a time, and nothing left behind by one that is abandoned. */
#include <pthread.h>

#include "support/plugin.h"
#include "support/test.h"

#include <curves/inputs.h>

/* Enough for the three chunks that PAIL_DEBUG=overlap cuts of 256 points and more, and for
 * others in the threads that take less. */
enum { N = 320, OFFSET = 7 };

/* Points that stay in host memory: three chunks of the fewest that one has, of which the
 * first is two. */
enum { STREAMED = 3 * 1024 };

static struct test_plugin plugin;
static uint8_t points[(STREAMED + OFFSET) * 64];

PAIL_FIXTURE(setup)
{
    return test_plugin_debug("overlap") == 0 ? test_plugin_open(&plugin) : -1;
}

PAIL_FIXTURE(teardown)
{
    return test_plugin_close(&plugin);
}

static const struct pail_curve_ops *ops(void)
{
    return pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
}

static pail_bases *make_bases_at(enum pail_base_kind kind, size_t n, uint32_t residency)
{
    pail_bases *bases = NULL;
    pail_make_bases(ops(), points, true, 0, n + OFFSET, kind, 1);
    const pail_bases_desc desc = SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
                                       .encoding = PAIL_ENCODING_MONTGOMERY, .residency = residency,
                                       .points = points, .n_points = n + OFFSET);
    assert_int_equal(plugin.api->bases_create(plugin.context, &bases, NULL, &desc), PAIL_OK);
    return bases;
}

static pail_bases *make_bases(enum pail_base_kind kind)
{
    return make_bases_at(kind, N, PAIL_RESIDENCY_AUTO);
}

/* One multiplication of n points; returns whether its sum is that of the closed form. */
static bool multiply(pail_bases *bases, enum pail_base_kind kind, enum pail_scalar_dist dist,
                     size_t n, pail_stats *stats)
{
    uint8_t *scalars = malloc(32 * n + 1);
    pail_make_scalars(ops(), scalars, n, dist, n);
    pail_point expected;
    pail_expected_msm(ops(), &expected, scalars, OFFSET, n, kind, 1);
    const pail_msm_job job =
        SIZED(pail_msm_job, .bases = bases, .base_offset = OFFSET, .scalars = scalars, .n = n);
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    *stats = (pail_stats){.struct_size = sizeof(*stats)};
    pail_status status = plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL);
    memset(scalars, 0xEE, 32 * n); /* they are the caller's again */
    free(scalars);
    if (status == PAIL_OK)
        status = plugin.api->msm_finish(&pending, &result, 1, stats);
    if (status != PAIL_OK)
        (void)fprintf(stderr, "%s\n", plugin.api->error(plugin.context));
    return status == PAIL_OK && test_result_is(ops(), &result, &expected);
}

PAIL_TEST(kinds)
{
    static const enum pail_base_kind base_kinds[] = {PAIL_BASES_DISTINCT, PAIL_BASES_EQUAL,
                                                     PAIL_BASES_PAIRS, PAIL_BASES_INFINITY};
    static const enum pail_scalar_dist dists[] = {PAIL_SCALARS_UNIFORM, PAIL_SCALARS_EDGE,
                                                  PAIL_SCALARS_HOT, PAIL_SCALARS_BITS01};
    static const size_t sizes[] = {0, 15, 16, 100, 257, N};
    for (size_t k = 0; k < 4; k++) {
        pail_bases *bases = make_bases(base_kinds[k]);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            /* Cuts of chunks depend on their number, not on what the points are. */
            if (k != 0 && sizes[i] != 16 && sizes[i] != N)
                continue;
            pail_stats stats;
            assert_true(multiply(bases, base_kinds[k], dists[(k + i) % 4], sizes[i], &stats));
            /* Infinities are left out, a third of the points. */
            const size_t kept = base_kinds[k] == PAIL_BASES_INFINITY ? sizes[i] / 3 * 2 : sizes[i];
            if (kept >= 256)
                assert_int_equal(stats.chunks, 3);
            else if (kept >= 16)
                assert_int_equal(stats.chunks, 2);
        }
        plugin.api->bases_destroy(plugin.context, &bases);
    }
}

/* One multiplication of scalars at a device address, with what else the job says; the right sum, by
 * the plan of the estimate, or the test fails. Returns the number of chunks. */
static uint32_t multiply_at(pail_bases *bases, enum pail_base_kind kind, uint32_t memory_kind,
                            size_t n, size_t skipped, uint32_t bits)
{
    pail_memory *memory = NULL;
    pail_memory_info info = {.struct_size = sizeof(info)};
    assert_int_equal(
        plugin.api->memory_create(plugin.context, &memory, &info, memory_kind, 32 * (n + skipped)),
        PAIL_OK);
    uint8_t *scalars = calloc(n + skipped, 32);
    assert_non_null(scalars);
    pail_make_scalars(ops(), scalars + 32 * skipped, n,
                      bits < 256 ? PAIL_SCALARS_BITS01 : PAIL_SCALARS_UNIFORM, n);
    pail_point expected;
    pail_expected_msm(ops(), &expected, scalars + 32 * skipped, OFFSET, n, kind, 1);
    assert_int_equal(plugin.api->memory_write(memory, 0, scalars, 32 * (n + skipped)), PAIL_OK);
    free(scalars);
    const pail_msm_job job =
        SIZED(pail_msm_job, .bases = bases, .base_offset = OFFSET,
              .scalars = (const void *)(uintptr_t)(info.address + 32 * skipped), .n = n,
              .scalar_bits = bits, .scalar_location = PAIL_LOCATION_DEVICE_ADDRESS);
    pail_msm_result result = {.struct_size = sizeof(result)};
    pail_stats stats = {.struct_size = sizeof(stats)}, estimate = stats;
    pail_pending *pending = NULL;
    assert_int_equal(plugin.api->msm_estimate(plugin.context, &estimate, &job, NULL), PAIL_OK);
    assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL), PAIL_OK);
    assert_int_equal(plugin.api->msm_finish(&pending, &result, 1, &stats), PAIL_OK);
    assert_true(test_result_is(ops(), &result, &expected));
    assert_int_equal(estimate.chunks, stats.chunks);
    assert_int_equal(estimate.bytes_estimate, stats.bytes_estimate);
    plugin.api->memory_destroy(plugin.context, &memory);
    return stats.chunks;
}

/* Scalars in pinned memory are copied while work goes on, unless the kernel that fetches scalars
 * has to look at them: by a map, or for a promise. It fetches those in the device's memory, too. */
PAIL_TEST(pinned)
{
    if (!(plugin.device.features & PAIL_FEATURE_DEVICE_ADDRESS))
        SKIP_BECAUSE("the device has no buffer device addresses");
    pail_bases *bases = make_bases(PAIL_BASES_DISTINCT);
    const enum pail_base_kind kind = PAIL_BASES_DISTINCT;
    assert_int_equal(multiply_at(bases, kind, PAIL_MEMORY_HOST, N, 0, 256), 3);
    assert_int_equal(multiply_at(bases, kind, PAIL_MEMORY_HOST, N - 1, 3, 0), 3);
    assert_int_equal(multiply_at(bases, kind, PAIL_MEMORY_HOST, 15, 0, 0), 1);
    assert_int_equal(multiply_at(bases, kind, PAIL_MEMORY_HOST, N, 0, 250), 1);
    assert_int_equal(multiply_at(bases, kind, PAIL_MEMORY_DEVICE, N, 0, 0), 1);
    plugin.api->bases_destroy(plugin.context, &bases);
    bases = make_bases(PAIL_BASES_INFINITY);
    assert_int_equal(multiply_at(bases, PAIL_BASES_INFINITY, PAIL_MEMORY_HOST, N, 0, 0), 1);
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* Points from host memory: each chunk to the place that the one before the last was in, whatever
 * their number, and from wherever the scalars come. */
PAIL_TEST(streamed)
{
    static const enum pail_base_kind base_kinds[] = {PAIL_BASES_DISTINCT, PAIL_BASES_INFINITY};
    static const size_t sizes[] = {0, 1025, STREAMED};
    const bool addresses = (plugin.device.features & PAIL_FEATURE_DEVICE_ADDRESS) != 0;
    for (size_t k = 0; k < 2; k++) {
        pail_bases *bases = make_bases_at(base_kinds[k], STREAMED, PAIL_RESIDENCY_HOST);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            const size_t n = sizes[i];
            pail_stats stats;
            assert_true(multiply(bases, base_kinds[k], PAIL_SCALARS_UNIFORM, n, &stats));
            if (k != 0)
                continue;
            assert_int_equal(stats.chunks, n ? (n + 1023) / 1024 + 1 : 0);
            assert_int_equal(stats.bytes_streamed, 64 * n);
        }
        if (addresses) {
            const uint32_t chunks =
                multiply_at(bases, base_kinds[k], PAIL_MEMORY_HOST, STREAMED, 3, 0);
            assert_int_equal(
                multiply_at(bases, base_kinds[k], PAIL_MEMORY_DEVICE, STREAMED, 1, 256), chunks);
            assert_in_range(chunks, 2, 4);
        }
        plugin.api->bases_destroy(plugin.context, &bases);
    }
}

static pail_bases *shared_bases;
enum { ROUNDS = 2 };

static void *work(void *user)
{
    size_t *good = user;
    pail_stats stats;
    for (size_t i = 0; i < ROUNDS; i++)
        *good += multiply(shared_bases, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM,
                          N - 50 * i - *good, &stats);
    return NULL;
}

PAIL_TEST(threads)
{
    enum { THREADS = 3 };
    pthread_t ids[THREADS];
    size_t good[THREADS] = {0};
    shared_bases = make_bases(PAIL_BASES_DISTINCT);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, work, &good[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(ids[i], NULL);
        assert_int_equal(good[i], ROUNDS);
    }
    plugin.api->bases_destroy(plugin.context, &shared_bases);
}

PAIL_TEST(abandoned)
{
    static uint8_t scalars[32 * STREAMED];
    pail_make_scalars(ops(), scalars, STREAMED, PAIL_SCALARS_UNIFORM, 1);
    for (size_t k = 0; k < 2; k++) {
        const size_t n = k ? STREAMED : N;
        pail_bases *bases =
            make_bases_at(PAIL_BASES_DISTINCT, n, k ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE);
        const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = n);
        for (size_t i = 0; i < (k ? 1 : 3); i++) {
            pail_pending *pending = NULL;
            assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL),
                             PAIL_OK);
            plugin.api->pending_abandon(&pending);
        }
        pail_stats stats;
        assert_true(multiply(bases, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, n, &stats));
        plugin.api->bases_destroy(plugin.context, &bases);
    }
}

PAIL_TEST_GROUP(setup, teardown)
