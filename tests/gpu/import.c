/* A host that brings its own VkInstance, VkDevice and queue: the plugin computes on them, calls the
 * host's lock around the queue, and leaves them alone afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <vulkan/vulkan.h>

#include <inputs.h>

#include "plugin.h"

struct host_device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family;
    bool int64;
    int locked, locks;
};

static void on_lock(void *user, uint32_t family, uint32_t index)
{
    struct host_device *host = user;
    assert_int_equal(family, host->family);
    assert_int_equal(index, 0);
    assert_int_equal(host->locked++, 0);
    host->locks++;
}

static void on_unlock(void *user, uint32_t family, uint32_t index)
{
    struct host_device *host = user;
    (void)family;
    (void)index;
    assert_int_equal(host->locked--, 1);
}

static uint32_t compute_family(VkPhysicalDevice physical)
{
    VkQueueFamilyProperties families[16];
    uint32_t n = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &n, families);
    for (uint32_t i = 0; i < n; i++)
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return i;
    fail_msg("no queue family computes");
    return 0;
}

static void make_device(struct host_device *host)
{
    *host = (struct host_device){0};
    const VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = VK_API_VERSION_1_2,
    };
    const VkInstanceCreateInfo instance = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
    };
    assert_int_equal(vkCreateInstance(&instance, NULL, &host->instance), VK_SUCCESS);
    uint32_t n = 1;
    const VkResult found = vkEnumeratePhysicalDevices(host->instance, &n, &host->physical);
    assert_true(found == VK_SUCCESS || found == VK_INCOMPLETE);
    assert_int_equal(n, 1);
    host->family = compute_family(host->physical);
    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(host->physical, &features);
    host->int64 = features.shaderInt64;
    const VkPhysicalDeviceVulkan12Features enabled12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .timelineSemaphore = VK_TRUE,
    };
    const VkPhysicalDeviceFeatures enabled = {.shaderInt64 = features.shaderInt64};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = host->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &enabled12,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .pEnabledFeatures = &enabled,
    };
    assert_int_equal(vkCreateDevice(host->physical, &device, NULL, &host->device), VK_SUCCESS);
}

static void multiply(struct test_plugin *plugin)
{
    enum { N = 300 };
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    static uint8_t points[N * 64], scalars[N * 32];
    pail_make_bases(ops, points, true, 0, N, PAIL_BASES_PAIRS, 1);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_UNIFORM, 2);
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = PAIL_CURVE_BN254,
                                  .group = PAIL_G1,
                                  .encoding = PAIL_ENCODING_MONTGOMERY,
                                  .points = points,
                                  .n_points = N};
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    if (plugin->api->bases_create(plugin->context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));
    const pail_msm_job job = {
        .struct_size = sizeof(job), .bases = bases, .scalars = scalars, .n = N};
    if (plugin->api->msm_start(plugin->context, &pending, &job, 1, NULL) != PAIL_OK ||
        plugin->api->msm_finish(&pending, &result, 1, NULL) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));
    plugin->api->bases_destroy(plugin->context, &bases);

    pail_point expected;
    pail_affine affine;
    uint8_t bytes[64];
    pail_expected_msm(ops, &expected, scalars, 0, N, PAIL_BASES_PAIRS, 1);
    ops->to_affine(&affine, &expected);
    ops->encode(bytes, &affine, false);
    assert_memory_equal(result.x, bytes, 32);
    assert_memory_equal(result.y, bytes + 32, 32);
}

static void import_into(struct test_plugin *plugin, struct host_device *host, bool own_loader)
{
    pail_vulkan_import import = {
        .struct_size = sizeof(import),
        .queue_family = host->family,
        .enabled_features = host->int64 ? PAIL_FEATURE_INT64 : 0,
        .instance = host->instance,
        .physical_device = host->physical,
        .device = host->device,
        .lock_queue = on_lock,
        .unlock_queue = on_unlock,
        .user = host,
    };
    const PFN_vkGetInstanceProcAddr loader = vkGetInstanceProcAddr;
    if (own_loader)
        memcpy(&import.get_instance_proc_addr, &loader, sizeof(loader));
    const pail_context_params params = {.struct_size = sizeof(params), .import = &import};
    if (plugin->api->context_create(&plugin->host, &plugin->context, &params) != PAIL_OK)
        fail_msg("%s", plugin->api->error(NULL));
}

static void test_import(void **state)
{
    (void)state;
    for (int own_loader = 0; own_loader < 2; own_loader++) {
        struct test_plugin plugin;
        struct host_device host;
        make_device(&host);
        assert_int_equal(test_plugin_load(&plugin), 0);
        import_into(&plugin, &host, own_loader);
        multiply(&plugin);
        assert_int_equal(test_plugin_close(&plugin), 0);
        assert_in_range(host.locks, 1, 1000);
        assert_int_equal(host.locked, 0);
        /* The host's device still works after the plugin is gone. */
        assert_int_equal(vkDeviceWaitIdle(host.device), VK_SUCCESS);
        vkDestroyDevice(host.device, NULL);
        vkDestroyInstance(host.instance, NULL);
    }
}

static void test_bad_imports(void **state)
{
    (void)state;
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
    assert_non_null(strstr(plugin.api->error(NULL), "pail_vulkan_import"));
    assert_int_equal(test_plugin_close(&plugin), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_bad_imports),
    };
    return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
