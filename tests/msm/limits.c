/* SPDX-License-Identifier: Apache-2.0 */
/* Results stay right on a device of which less is believed than it can do, and the device's
 * description says what is believed. */

#include "support/test.h"

#include <curves/inputs.h>

#include "workload.h"

static struct test_plugin plugin;

PAIL_FIXTURE(setup)
{
    unsetenv("PAIL_LIMITS");
    return test_plugin_load(&plugin);
}

PAIL_FIXTURE(teardown)
{
    return test_plugin_close(&plugin);
}

/* A context under these limits; plugin.device describes its device. */
static void open(const char *limits)
{
    if (setenv("PAIL_LIMITS", limits, 1) != 0)
        fail_msg("no memory for the environment");
    if (test_plugin_context(&plugin) != 0)
        fail_msg("%s", limits);
}

static void close(void)
{
    plugin.api->context_destroy(&plugin.context);
    unsetenv("PAIL_LIMITS");
}

static void expect_right(const char *limits)
{
    const struct test_workload w = test_workload_run(&plugin, PAIL_CURVE_BN254, PAIL_G1, NULL);
    assert_in_range(w.runs, 5, 1000);
    if (w.wrong)
        fail_msg("PAIL_LIMITS=%s: %u of %u wrong, the first: %s", limits, w.wrong, w.runs, w.first);
}

/* Whatever the device, it looks as small as any Vulkan device may be. */
PAIL_TEST(test_portable)
{
    open("portable");
    const pail_device_info *d = &plugin.device;
    assert_int_equal(d->max_storage_buffers, 4);
    assert_int_equal(d->max_workgroup_bytes, 16384);
    assert_int_equal(d->subgroup_size, 4);
    assert_true(d->max_binding_bytes <= (uint64_t)1 << 27);
    assert_int_equal(d->features & ~(uint32_t)PAIL_FEATURE_UNIFIED_MEMORY, 0);
    assert_int_equal(d->budget_bytes, 0);
    expect_right("portable");
    close();
}

/* The same before there is a context. */
PAIL_TEST(test_described)
{
    pail_device_info info = {.struct_size = sizeof(info)};
    setenv("PAIL_LIMITS", "workgroup_bytes=20000,binding=1000000,int64=0", 1);
    assert_int_equal(plugin.api->device_info(&plugin.host, 0, &info), PAIL_OK);
    assert_int_equal(info.max_workgroup_bytes, 20000);
    assert_int_equal(info.max_binding_bytes, 1000000);
    assert_int_equal(info.features & PAIL_FEATURE_INT64, 0);
    unsetenv("PAIL_LIMITS");
}

/* Limits only go down. */
PAIL_TEST(test_upwards)
{
    open("");
    const pail_device_info before = plugin.device;
    close();
    open("storage_buffers=4000000000,workgroup_bytes=99999999,binding=9000000000000,"
         "allocation=9000000000000000,invocations=999999");
    assert_int_equal(plugin.device.max_storage_buffers, before.max_storage_buffers);
    assert_int_equal(plugin.device.max_workgroup_bytes, before.max_workgroup_bytes);
    assert_int_equal(plugin.device.max_binding_bytes, before.max_binding_bytes);
    assert_int_equal(plugin.device.max_allocation_bytes, before.max_allocation_bytes);
    assert_int_equal(plugin.device.max_workgroup_invocations, before.max_workgroup_invocations);
    close();
}

PAIL_TEST(test_each_word)
{
    static const char *const words[] = {
        "storage_buffers=4",  "workgroup_bytes=16384",
        "invocations=128",    "binding=1048576",
        "allocation=1048576", "int64=0",
        "float64=0",          "timestamps=0",
        "budget=0",           "queues=1",
        "subgroup=4",         "address=0",
    };
    enum { N = sizeof(words) / sizeof(words[0]) };
    open("");
    const pail_device_info before = plugin.device;
    close();
    /* A driver without 64-bit integers takes seconds to make the pipelines of each context. */
    const size_t together = before.features & PAIL_FEATURE_INT64 ? 1 : 4;
    unsigned tried = 0;
    for (size_t i = 0; i < N; i += together) {
        char list[256] = "";
        for (size_t k = i; k < i + together; k++)
            strcat(strcat(list, k > i ? "," : ""), words[k]);
        open(list);
        /* A limit that the device has anyway was tried with the other words. */
        if (memcmp(&plugin.device, &before, sizeof(before)) != 0) {
            expect_right(list);
            tried++;
        }
        close();
    }
    assert_in_range(tried, 2, N);
}

struct part {
    size_t from, n;
};

/* Multiplies parts of a set of bases, on a device that takes points and scalars in chunks. */
static void multiply_in_chunks(const char *words, const struct part parts[], size_t n_parts)
{
    enum { N = 20000 };
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    static uint8_t points[N * 64], scalars[N * 32];
    pail_make_bases(ops, points, true, 0, N, PAIL_BASES_DISTINCT, 7);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_UNIFORM, 7);
    open(words);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .validation = PAIL_VALIDATE_CURVE,
              .points = points, .n_points = N);
    pail_bases *bases = NULL;
    assert_int_equal(plugin.api->bases_create(plugin.context, &bases, NULL, &desc), PAIL_OK);
    for (size_t i = 0; i < n_parts; i++) {
        if (parts[i].n > 1000 && i > 0 && !(plugin.device.features & PAIL_FEATURE_INT64))
            continue; /* minutes there */
        const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .base_offset = parts[i].from,
                                       .scalars = scalars, .n = parts[i].n);
        pail_pending *pending = NULL;
        pail_msm_result result = {.struct_size = sizeof(result)};
        pail_stats stats = {.struct_size = sizeof(stats)};
        if (plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL) != PAIL_OK)
            fail_msg("%s", plugin.api->error(plugin.context));
        assert_int_equal(plugin.api->msm_finish(&pending, &result, 1, &stats), PAIL_OK);
        assert_in_range(stats.chunks, 2, 100);
        if (i == 0)
            assert_in_range(stats.batches, 2, 1000);
        pail_point expected;
        pail_expected_msm(ops, &expected, scalars, parts[i].from, parts[i].n, PAIL_BASES_DISTINCT,
                          7);
        test_expect_result(ops, &result, &expected);
    }
    plugin.api->bases_destroy(plugin.context, &bases);
    close();
}

/* A binding of 128 KiB holds 2048 bases: more make segments, and runs over parts of them. */
PAIL_TEST(test_small_binding)
{
    static const struct part parts[] = {{0, 4200}, {1, 4199}, {2047, 2}, {1900, 2300}};
    multiply_in_chunks("binding=131072", parts, sizeof(parts) / sizeof(parts[0]));
}

/* All scalars are more than an allocation, as 2^27 are on NVIDIA's driver. */
PAIL_TEST(test_small_allocation)
{
    static const struct part parts[] = {{0, 20000}, {100, 19000}};
    multiply_in_chunks("allocation=524288", parts, sizeof(parts) / sizeof(parts[0]));
}

/* Without device times the wall time is there, and the phases are not made up. */
PAIL_TEST(test_untimed)
{
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    uint8_t point[64], scalar[32] = {5};
    pail_make_bases(ops, point, true, 0, 1, PAIL_BASES_DISTINCT, 1);
    open("timestamps=0");
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .points = point, .n_points = 1);
    pail_bases *bases = NULL;
    assert_int_equal(plugin.api->bases_create(plugin.context, &bases, NULL, &desc), PAIL_OK);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalar, .n = 1);
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    pail_stats stats = {.struct_size = sizeof(stats)};
    assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL), PAIL_OK);
    assert_int_equal(plugin.api->msm_finish(&pending, &result, 1, &stats), PAIL_OK);
    assert_true(stats.wall_ms > 0);
    assert_int_equal(stats.n_phases, 0);
    assert_true(stats.device_ms == 0);
    plugin.api->bases_destroy(plugin.context, &bases);
    close();
}

/* Work that the device cannot do any more is an error that says so, not a wrong result. */
PAIL_TEST(test_refused)
{
    static const struct {
        const char *limits, *says;
    } cases[] = {
        {"storage_buffers=2", "storage buffers"},
        {"workgroup_bytes=500", "bytes of workgroup memory"},
        {"invocations=32", "threads"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open(cases[i].limits);
        const struct test_workload w = test_workload_run(&plugin, PAIL_CURVE_BN254, PAIL_G1, NULL);
        assert_int_equal(w.wrong, w.runs);
        if (!strstr(w.first, cases[i].says) || !strstr(w.first, "allows"))
            fail_msg("PAIL_LIMITS=%s: %s", cases[i].limits, w.first);
        close();
    }
    open("int64=0");
    const pail_msm_config config = {.struct_size = sizeof(config), .field = PAIL_FIELD_LIMB29};
    const struct test_workload w = test_workload_run(&plugin, PAIL_CURVE_BN254, PAIL_G1, &config);
    assert_int_equal(w.wrong, w.runs);
    assert_non_null(strstr(w.first, "needs 64-bit integers"));
    close();
}

PAIL_TEST(test_bad_words)
{
    static const char *const words[] = {
        "int64",    "int64=1",   "int64=00",   "queues=0",   "binding=0",
        "binding=", "binding=x", "binding=5k", "portables",  "portable=1",
        "=4",       "PORTABLE",  "nonsense",   "binding=-1", "binding=99999999999999999999",
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const pail_context_params params = SIZED(pail_context_params, .device = PAIL_DEVICE_BEST);
        pail_context *context = NULL;
        char list[64] = "subgroup=4,";
        strcat(list, words[i]);
        setenv("PAIL_LIMITS", list, 1);
        const pail_status status = plugin.api->context_create(&plugin.host, &context, &params);
        unsetenv("PAIL_LIMITS");
        if (status != PAIL_ERR_ARGUMENT || context)
            fail_msg("PAIL_LIMITS=%s: status %d", list, (int)status);
        char quoted[64] = "PAIL_LIMITS has \"";
        strcat(strcat(quoted, words[i]), "\"");
        assert_non_null(strstr(plugin.api->error(NULL), quoted));
    }
}

PAIL_TEST_GROUP(setup, teardown)
