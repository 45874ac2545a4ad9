/* SPDX-License-Identifier: Apache-2.0 */
/* A host that brings its own VkInstance, VkDevice and queue: the plugin computes on them, calls the
 * host's lock around the queue, and leaves them alone afterwards. */

#include "support/host_device.h"

#include <curves/inputs.h>

#include "support/test.h"

static void multiply(struct test_plugin *plugin)
{
    enum { N = 300 };
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    static uint8_t points[N * 64], scalars[N * 32];
    pail_make_bases(ops, points, true, 0, N, PAIL_BASES_PAIRS, 1);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_UNIFORM, 2);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .points = points, .n_points = N);
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    if (plugin->api->bases_create(plugin->context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = N);
    if (plugin->api->msm_start(plugin->context, &pending, &job, 1, NULL) != PAIL_OK ||
        plugin->api->msm_finish(&pending, &result, 1, NULL) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));
    plugin->api->bases_destroy(plugin->context, &bases);

    pail_point expected;
    pail_expected_msm(ops, &expected, scalars, 0, N, PAIL_BASES_PAIRS, 1);
    test_expect_result(ops, &result, &expected);
}

static void make(struct host_device *host, bool timelines)
{
    if (timelines)
        host_device_make(host);
    else
        host_device_make_without_timelines(host, false);
}

PAIL_TEST(test_import)
{
    for (int way = 0; way < 4; way++) {
        const bool own_loader = way & 1, timelines = !(way & 2);
        struct test_plugin plugin;
        struct host_device host;
        make(&host, timelines);
        assert_int_equal(test_plugin_load(&plugin), 0);
        host_device_import(&host, &plugin, own_loader);
        multiply(&plugin);
        assert_int_equal(test_plugin_close(&plugin), 0);
        assert_in_range(host.locks, 1, 1000);
        assert_int_equal(host.locked, 0);
        /* The host's device still works after the plugin is gone. */
        assert_int_equal(vkDeviceWaitIdle(host.device), VK_SUCCESS);
        host_device_free(&host);
    }
}

/* Scalars that the host's device writes after the start, where a semaphore tells of them, and
 * results where it wants them: whole sets and sets with infinities left out, all at once and in
 * small pieces. */
static void check_addresses(struct test_plugin *plugin, const struct host_device *host,
                            enum pail_base_kind kind, uint32_t residency, uint64_t budget)
{
    enum { N = 3000, RESULT = 32 * N, OFFSET = 5 };
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    static uint8_t points[(N + OFFSET) * 64], scalars[N * 32];
    struct shared s;
    shared_make(host, &s, RESULT + 64);
    memset(s.mapped, 0xAA, RESULT + 64);
    const VkSemaphore timeline = host->timelines ? host_device_timeline(host) : VK_NULL_HANDLE;
    pail_make_bases(ops, points, true, 0, N + OFFSET, kind, 1);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_SMALL, 2);
    const pail_bases_desc desc = SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
                                       .encoding = PAIL_ENCODING_MONTGOMERY, .residency = residency,
                                       .points = points, .n_points = N + OFFSET);
    pail_bases *bases = NULL;
    if (plugin->api->bases_create(plugin->context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));
    pail_msm_job job =
        SIZED(pail_msm_job, .scalar_location = PAIL_LOCATION_DEVICE_ADDRESS, .scalar_bits = 8,
              .bases = bases, .base_offset = OFFSET, .scalars = (const void *)(uintptr_t)s.address,
              .n = N, .result_location = PAIL_LOCATION_DEVICE_ADDRESS,
              .result_address = s.address + RESULT, .wait_value = host->timelines ? 7 : 0);
    memcpy(&job.wait_semaphore, &timeline, sizeof(timeline));
    if (!host->timelines)
        memcpy(s.mapped, scalars, sizeof(scalars));
    const pail_msm_config config = {.struct_size = sizeof(config), .memory_budget = budget};
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    if (plugin->api->msm_start(plugin->context, &pending, &job, 1, &config) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));
    const VkSemaphoreSignalInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = timeline, .value = 7};
    if (host->timelines) {
        assert_int_equal(plugin->api->pending_poll(pending), PAIL_NOT_READY);
        memcpy(s.mapped, scalars, sizeof(scalars));
        assert_int_equal(vkSignalSemaphore(host->device, &signal), VK_SUCCESS);
    }
    if (plugin->api->msm_finish(&pending, &result, 1, NULL) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));

    pail_point expected;
    pail_expected_msm(ops, &expected, scalars, OFFSET, N, kind, 1);
    test_expect_result(ops, &result, &expected);
    assert_memory_equal(s.mapped + RESULT, result.x, 32);
    assert_memory_equal(s.mapped + RESULT + 32, result.y, 32);

    /* An empty sum is wanted there as well. */
    pail_msm_job empty = job;
    empty.n = 0;
    memset(s.mapped + RESULT, 0xAA, 64);
    assert_int_equal(plugin->api->msm_start(plugin->context, &pending, &empty, 1, &config),
                     PAIL_OK);
    assert_int_equal(plugin->api->msm_finish(&pending, &result, 1, NULL), PAIL_OK);
    static const uint8_t zeros[64];
    assert_memory_equal(s.mapped + RESULT, zeros, 64);
    assert_int_equal(result.infinity, 1);

    /* A scalar that is longer than was promised is found on the device. */
    s.mapped[32 * 1234 + 1] = 1;
    assert_int_equal(plugin->api->msm_start(plugin->context, &pending, &job, 1, &config), PAIL_OK);
    const pail_status broken = plugin->api->msm_finish(&pending, &result, 1, NULL);
    const bool left_out =
        points[(OFFSET + 1234) * 64] == 0 && points[(OFFSET + 1234) * 64 + 1] == 0;
    if (broken != PAIL_ERR_DATA && !left_out)
        fail_msg("a broken promise gave status %d", (int)broken);
    if (broken == PAIL_ERR_DATA)
        assert_non_null(strstr(plugin->api->error(plugin->context), "scalar 1234"));
    if (!host->timelines) {
        job.wait_semaphore = 77;
        assert_int_equal(plugin->api->msm_start(plugin->context, &pending, &job, 1, &config),
                         PAIL_ERR_UNSUPPORTED);
        assert_null(pending);
        assert_string_equal(plugin->api->error(plugin->context),
                            "jobs[0].wait_semaphore is 0x4d, but the device was made without "
                            "timelineSemaphore: wait in the host before the call");
    }
    plugin->api->bases_destroy(plugin->context, &bases);
    vkDestroySemaphore(host->device, timeline, NULL);
    shared_free(host, &s);
}

static void test_addresses(bool timelines)
{
    struct test_plugin plugin;
    struct host_device host;
    make(&host, timelines);
    if (!host.addresses) {
        host_device_free(&host);
        SKIP_BECAUSE("the device has no buffer device addresses");
    }
    assert_int_equal(test_plugin_load(&plugin), 0);
    host_device_import(&host, &plugin, false);
    static const enum pail_base_kind kinds[] = {PAIL_BASES_DISTINCT, PAIL_BASES_INFINITY};
    for (size_t k = 0; k < 2; k++) {
        check_addresses(&plugin, &host, kinds[k], PAIL_RESIDENCY_DEVICE, 0);
        check_addresses(&plugin, &host, kinds[k], PAIL_RESIDENCY_DEVICE, 160000);
        check_addresses(&plugin, &host, kinds[k], PAIL_RESIDENCY_HOST, 300000);
    }
    assert_int_equal(test_plugin_close(&plugin), 0);
    host_device_free(&host);
}

PAIL_TEST(test_addresses_with_timelines)
{
    test_addresses(true);
}

PAIL_TEST(test_addresses_without_timelines)
{
    test_addresses(false);
}

PAIL_TEST(test_bad_imports)
{
    struct test_plugin plugin;
    assert_int_equal(test_plugin_load(&plugin), 0);
    pail_vulkan_import import = {.struct_size = sizeof(import)};
    const pail_context_params params = {.struct_size = sizeof(params), .import = &import};
    assert_int_equal(plugin.api->context_create(&plugin.host, &plugin.context, &params),
                     PAIL_ERR_ARGUMENT);
    assert_null(plugin.context);
    import.struct_size = 8;
    assert_int_equal(plugin.api->context_create(&plugin.host, &plugin.context, &params),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(plugin.api->error(NULL), "params->import"));
    import = (pail_vulkan_import){.struct_size = sizeof(import), .flags = 5};
    assert_int_equal(plugin.api->context_create(&plugin.host, &plugin.context, &params),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(plugin.api->error(NULL), "params->import->flags is 0x5; only 0x1 is known");
    assert_int_equal(test_plugin_close(&plugin), 0);
}
