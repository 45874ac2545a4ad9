/* SPDX-License-Identifier: Apache-2.0 */
/* A device that belongs to the host: made here with a loader of its own, lent, and used afterwards.
 */
#include "support.h"
#include "support/test.h"

#include <dlfcn.h>

struct lent {
    void *loader;
    PFN_vkGetInstanceProcAddr get;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family, n_families;
    bool timeline;
    struct VolkDeviceTable vk;
    int locked, locks, unlocks, wrong_locks; /* calls of the queue lock */
    VkDebugUtilsMessengerEXT messenger;
    int messages; /* from the validation layer */
};

#define GET(lent, name) ((PFN_##name)(lent)->get((lent)->instance, #name))

static void lock_queue(void *user, uint32_t family, uint32_t index)
{
    struct lent *l = user;
    l->wrong_locks += l->locked || family != l->family || index != 0;
    l->locked = 1;
    l->locks++;
}

static void unlock_queue(void *user, uint32_t family, uint32_t index)
{
    struct lent *l = user;
    l->wrong_locks += !l->locked || family != l->family || index != 0;
    l->locked = 0;
    l->unlocks++;
}

/* The host's own way to functions, which need not be the loader's. */
static int gets;
static PFN_vkGetInstanceProcAddr real_get;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL counting_get(VkInstance instance, const char *name)
{
    gets++;
    return real_get(instance, name);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user)
{
    (void)severity, (void)types;
    if (vk_is_foreign(data->pMessage))
        return VK_FALSE;
    ((struct lent *)user)->messages++;
    print_error("%s\n", data->pMessage);
    return VK_FALSE;
}

static void lent_open(struct lent *l, uint32_t version, bool timeline)
{
    memset(l, 0, sizeof(*l));
    l->timeline = timeline;
    l->loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(l->loader);
    void *symbol = dlsym(l->loader, "vkGetInstanceProcAddr");
    memcpy(&real_get, &symbol, sizeof(symbol));
    l->get = counting_get;
    const PFN_vkCreateInstance create = GET(l, vkCreateInstance);
    const char *const layers[] = {"VK_LAYER_KHRONOS_validation"};
    const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = version};
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
        .enabledLayerCount = *vk_debug_words() ? 1 : 0,
        .ppEnabledLayerNames = layers,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = extensions,
    };
    assert_int_equal(create(&info, NULL, &l->instance), VK_SUCCESS);
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = l,
    };
    assert_int_equal(
        GET(l, vkCreateDebugUtilsMessengerEXT)(l->instance, &messenger, NULL, &l->messenger),
        VK_SUCCESS);
    uint32_t n = 1;
    const VkResult listed = GET(l, vkEnumeratePhysicalDevices)(l->instance, &n, &l->physical);
    assert_true(listed == VK_SUCCESS || listed == VK_INCOMPLETE);
    VkQueueFamilyProperties families[16];
    l->n_families = 16;
    GET(l, vkGetPhysicalDeviceQueueFamilyProperties)(l->physical, &l->n_families, families);
    l->family = pail_vk_main_family(families, l->n_families);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = l->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkPhysicalDeviceVulkan12Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .timelineSemaphore = timeline,
    };
    const VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = version >= VK_API_VERSION_1_2 ? &features : NULL,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
    };
    assert_int_equal(GET(l, vkCreateDevice)(l->physical, &device, NULL, &l->device), VK_SUCCESS);
    const PFN_vkGetDeviceProcAddr get = GET(l, vkGetDeviceProcAddr);
    pail_vk_loader_device(&l->vk, l->device, get);
    l->vk.vkGetDeviceQueue(l->device, l->family, 0, &l->queue);
}

static void lent_close(struct lent *l)
{
    /* It is still the host's and still works. */
    assert_int_equal(l->vk.vkDeviceWaitIdle(l->device), VK_SUCCESS);
    l->vk.vkDestroyDevice(l->device, NULL);
    GET(l, vkDestroyDebugUtilsMessengerEXT)(l->instance, l->messenger, NULL);
    GET(l, vkDestroyInstance)(l->instance, NULL);
    dlclose(l->loader);
    assert_int_equal(l->messages, 0);
}

static struct pail_vk_import describe(struct lent *l)
{
    return (struct pail_vk_import){
        .instance = l->instance,
        .physical = l->physical,
        .device = l->device,
        .queue_family = l->family,
        .get_instance_proc_addr = l->get,
        .lock_queue = lock_queue,
        .unlock_queue = unlock_queue,
        .user = l,
        .timeline_semaphore = l->timeline,
    };
}

static void use(struct pail_vk_device *dev, uint32_t seed)
{
    enum { BYTES = 300001 };
    struct pail_vk_buffer buffer;
    ASSERT_OK(pail_vk_buffer_create(dev, &buffer, PAIL_VK_MEMORY_DEVICE, BYTES, "lent", ERR));
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&buffer, 0, BYTES);
    uint8_t *sent = vk_pattern_make(BYTES, seed), *got = vk_pattern_make(BYTES, seed + 1);
    ASSERT_OK(pail_vk_upload(dev, &slice, 0, sent, BYTES, NULL, ERR));
    ASSERT_OK(pail_vk_download(dev, &slice, 0, got, BYTES, PAIL_VK_FOREVER, ERR));
    assert_memory_equal(sent, got, BYTES);
    free(sent);
    free(got);
    pail_vk_buffer_destroy(dev, &buffer);
    const struct pail_vk_pipeline *pipeline;
    ASSERT_OK(pail_vk_pipeline_get(dev, PAIL_KERNEL_MSM_ORDER_WINDOWS, (struct pail_variant){0},
                                   NULL, 0, &pipeline, ERR));
}

static void use_lent(bool timeline)
{
    struct lent l;
    struct vk_host host = {0};
    lent_open(&l, VK_API_VERSION_1_2, timeline);
    const struct pail_vk_env env = vk_env(&host, "");
    const struct pail_vk_import import = describe(&l);
    for (uint32_t round = 0; round < 3; round++) {
        struct pail_vk_device *dev;
        gets = 0;
        ASSERT_OK(pail_vk_device_import(&dev, &env, &import, NULL, ERR));
        assert_true(gets > 0);
        /* Not enabled, so not there, whatever the device could do. */
        const struct pail_vk_caps *caps = pail_vk_device_caps(dev);
        assert_false(caps->int64 || caps->float64 || caps->buffer_device_address);
        assert_false(caps->transfer_queue);
        assert_int_equal(caps->timeline_semaphore, timeline);
        use(dev, round);
        assert_true(l.locks > 0);
        assert_int_equal(l.locks, l.unlocks);
        assert_int_equal(l.wrong_locks, 0);
        pail_vk_device_destroy(&dev);
        assert_int_equal(atomic_load(&host.live), 0);
    }
    lent_close(&l);
}

PAIL_TEST(lend_and_use)
{
    use_lent(true);
}

PAIL_TEST(lend_without_timelines)
{
    use_lent(false);
}

PAIL_TEST(lend_without_lock)
{
    struct lent l;
    struct vk_host host = {0};
    lent_open(&l, VK_API_VERSION_1_2, true);
    const struct pail_vk_env env = vk_env(&host, "validate");
    struct pail_vk_import import = describe(&l);
    import.lock_queue = import.unlock_queue = NULL;
    host.match = "no effect on an imported device";
    import.get_instance_proc_addr = NULL; /* the loader of the system */
    struct pail_vk_device *dev;
    gets = 0;
    ASSERT_OK(pail_vk_device_import(&dev, &env, &import, NULL, ERR));
    assert_int_equal(gets, 0);
    assert_true(host.matched[0]); /* the host is told that its wish is not met */
    use(dev, 9);
    assert_int_equal(l.locks, 0);
    pail_vk_device_destroy(&dev);
    assert_int_equal(atomic_load(&host.live), 0);
    lent_close(&l);
}

PAIL_TEST(refuse)
{
    struct lent l;
    struct vk_host host = {0};
    lent_open(&l, VK_API_VERSION_1_2, true);
    const struct pail_vk_env env = vk_env(&host, "");
    const struct pail_vk_import right = describe(&l);
    struct pail_vk_device *dev;
    struct pail_vk_import import = right;
    import.device = VK_NULL_HANDLE;
    ASSERT_STATUS(pail_vk_device_import(&dev, &env, &import, NULL, ERR), PAIL_ERR_ARGUMENT,
                  "has no device");
    assert_null(dev);
    import = right;
    import.physical = VK_NULL_HANDLE;
    ASSERT_STATUS(pail_vk_device_import(&dev, &env, &import, NULL, ERR), PAIL_ERR_ARGUMENT,
                  "has no physical device");
    import = right;
    import.instance = VK_NULL_HANDLE;
    ASSERT_STATUS(pail_vk_device_import(&dev, &env, &import, NULL, ERR), PAIL_ERR_ARGUMENT,
                  "has no instance");
    import = right;
    import.unlock_queue = NULL;
    ASSERT_STATUS(pail_vk_device_import(&dev, &env, &import, NULL, ERR), PAIL_ERR_ARGUMENT,
                  "has no unlock_queue");
    import = right;
    import.queue_family = l.n_families + 3;
    ASSERT_STATUS(pail_vk_device_import(&dev, &env, &import, NULL, ERR), PAIL_ERR_ARGUMENT,
                  "the imported queue is of family");
    import = right;
    import.queue_index = 1000;
    ASSERT_STATUS(pail_vk_device_import(&dev, &env, &import, NULL, ERR), PAIL_ERR_ARGUMENT,
                  "is number 1000 of family");
    assert_null(dev);
    assert_int_equal(atomic_load(&host.live), 0);
    lent_close(&l);
}

/* The queue of a lost device is stopped under the host's lock, and the device is left to the host.
 */
static VKAPI_ATTR VkResult VKAPI_CALL lost_submit(VkQueue queue, uint32_t n,
                                                  const VkSubmitInfo *infos, VkFence fence)
{
    (void)queue, (void)n, (void)infos, (void)fence;
    return VK_ERROR_DEVICE_LOST;
}

static void lose_lent(bool timeline)
{
    struct lent l;
    struct vk_host host = {0};
    lent_open(&l, VK_API_VERSION_1_2, timeline);
    const struct pail_vk_env env = vk_env(&host, "");
    const struct pail_vk_import import = describe(&l);
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_import(&dev, &env, &import, NULL, ERR));
    use(dev, 1);
    pail_vk_device_table(dev)->vkQueueSubmit = lost_submit;
    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    ASSERT_OK(pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "lost", &cmd, ERR));
    ASSERT_STATUS(pail_vk_cmd_submit(cmd, &ticket, ERR), PAIL_ERR_DEVICE_LOST, "vkQueueSubmit");
    pail_vk_cmd_release(&cmd);
    pail_vk_device_destroy(&dev);
    assert_int_equal(l.locks, l.unlocks);
    assert_int_equal(l.wrong_locks, 0);
    assert_int_equal(atomic_load(&host.live), 0);
    lent_close(&l);
}

PAIL_TEST(lend_and_lose)
{
    lose_lent(true);
}

PAIL_TEST(lend_without_timelines_and_lose)
{
    lose_lent(false);
}
