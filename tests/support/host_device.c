/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "host_device.h"

#include <string.h>

#include "limits.h"

static void on_lock(void *user, uint32_t family, uint32_t index)
{
    struct host_device *host = user;
    assert_int_equal(family, host->family);
    assert_int_equal(index, 0);
    /* Never nested; contexts on one device take turns. */
    assert_int_equal(pthread_mutex_lock(&host->queue), 0);
    assert_int_equal(host->locked++, 0);
    host->locks++;
}

static void on_unlock(void *user, uint32_t family, uint32_t index)
{
    struct host_device *host = user;
    (void)family;
    (void)index;
    assert_int_equal(host->locked--, 1);
    assert_int_equal(pthread_mutex_unlock(&host->queue), 0);
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

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user)
{
    struct host_device *host = user;
    (void)severity, (void)types;
    /* A layer of the NVIDIA driver asks for it each time a device is made; and the validation layer
     * speaks of itself (plugin/vk/instance.c). */
    if (strstr(data->pMessage, "vkGetDeviceProcAddr(): pName is trying to grab") ||
        strstr(data->pMessage, "This is most likely a validation bug"))
        return VK_FALSE;
    atomic_fetch_add(&host->messages, 1);
    (void)fprintf(stderr, "%s\n", data->pMessage);
    return VK_FALSE;
}

static void instance_make(struct host_device *host)
{
    const char *const words = getenv("PAIL_DEBUG");
    const bool sync = words && strstr(words, "sync");
    const bool validate = sync || (words && strstr(words, "validate"));
    const char *const layer = "VK_LAYER_KHRONOS_validation";
    const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                      VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = host,
    };
    const VkValidationFeatureEnableEXT enable =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    const VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = &enable,
    };
    const VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = VK_API_VERSION_1_2,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = sync ? &features : NULL,
        .pApplicationInfo = &app,
        .enabledLayerCount = validate,
        .ppEnabledLayerNames = &layer,
        .enabledExtensionCount = sync ? 2 : validate,
        .ppEnabledExtensionNames = extensions,
    };
    assert_int_equal(vkCreateInstance(&info, NULL, &host->instance), VK_SUCCESS);
    if (!validate)
        return;
    const PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(host->instance,
                                                                  "vkCreateDebugUtilsMessengerEXT");
    assert_int_equal(create(host->instance, &messenger, NULL, &host->messenger), VK_SUCCESS);
}

/* enabled: the features that a device of this kind has by structs of its own. */
static void device_make(struct host_device *host, const VkPhysicalDeviceFeatures2 *enabled)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = host->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = enabled->pNext,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .pEnabledFeatures = &enabled->features,
    };
    assert_int_equal(vkCreateDevice(host->physical, &device, NULL, &host->device), VK_SUCCESS);
}

static void physical_find(struct host_device *host)
{
    pthread_mutexattr_t attributes;
    *host = (struct host_device){0};
    assert_int_equal(pthread_mutexattr_init(&attributes), 0);
    assert_int_equal(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK), 0);
    assert_int_equal(pthread_mutex_init(&host->queue, &attributes), 0);
    assert_int_equal(pthread_mutexattr_destroy(&attributes), 0);
    instance_make(host);
    uint32_t n = 1;
    const VkResult found = vkEnumeratePhysicalDevices(host->instance, &n, &host->physical);
    assert_true(found == VK_SUCCESS || found == VK_INCOMPLETE);
    assert_int_equal(n, 1);
    host->family = compute_family(host->physical);
}

void host_device_make(struct host_device *host)
{
    if (getenv("PAIL_TEST_WITHOUT_TIMELINES")) {
        host_device_make_without_timelines(host, false);
        return;
    }
    physical_find(host);
    VkPhysicalDeviceVulkan12Features features12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &features12};
    vkGetPhysicalDeviceFeatures2(host->physical, &features);
    host->int64 = features.features.shaderInt64;
    host->addresses = features12.bufferDeviceAddress;
    host->timelines = true;
    VkPhysicalDeviceVulkan12Features enabled12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .timelineSemaphore = VK_TRUE,
        .bufferDeviceAddress = features12.bufferDeviceAddress,
    };
    const VkPhysicalDeviceFeatures2 enabled = {.pNext = &enabled12,
                                               .features = {.shaderInt64 = host->int64}};
    device_make(host, &enabled);
}

void host_device_make_without_timelines(struct host_device *host, bool bare)
{
    physical_find(host);
    if (bare) {
        device_make(host, &(VkPhysicalDeviceFeatures2){0});
        return;
    }
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
    VkPhysicalDevice16BitStorageFeatures storage16 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, .pNext = &addresses};
    VkPhysicalDevice8BitStorageFeatures storage8 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES, .pNext = &storage16};
    VkPhysicalDeviceShaderFloat16Int8Features small = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
        .pNext = &storage8};
    VkPhysicalDeviceVariablePointersFeatures pointers = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES, .pNext = &small};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &pointers};
    vkGetPhysicalDeviceFeatures2(host->physical, &features);
    host->int64 = features.features.shaderInt64;
    host->addresses = addresses.bufferDeviceAddress;
    addresses.bufferDeviceAddressCaptureReplay = VK_FALSE;
    addresses.bufferDeviceAddressMultiDevice = VK_FALSE;
    features.features =
        (VkPhysicalDeviceFeatures){.shaderInt16 = features.features.shaderInt16,
                                   .shaderInt64 = features.features.shaderInt64,
                                   .shaderFloat64 = features.features.shaderFloat64};
    device_make(host, &features);
}

void host_device_free(struct host_device *host)
{
    vkDestroyDevice(host->device, NULL);
    if (host->messenger) {
        const PFN_vkDestroyDebugUtilsMessengerEXT destroy =
            (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
                host->instance, "vkDestroyDebugUtilsMessengerEXT");
        destroy(host->instance, host->messenger, NULL);
    }
    vkDestroyInstance(host->instance, NULL);
    (void)pthread_mutex_destroy(&host->queue);
    assert_int_equal(host->messages, 0);
}

pail_vulkan_import host_device_describe(struct host_device *host)
{
    return (pail_vulkan_import)SIZED(
        pail_vulkan_import, .queue_family = host->family,
        .enabled_features = (host->int64 ? (uint32_t)PAIL_FEATURE_INT64 : 0) |
                            (host->addresses ? (uint32_t)PAIL_FEATURE_DEVICE_ADDRESS : 0),
        .instance = host->instance, .physical_device = host->physical, .device = host->device,
        .lock_queue = on_lock, .unlock_queue = on_unlock, .user = host,
        .flags = host->timelines ? 0 : (uint32_t)PAIL_IMPORT_WITHOUT_TIMELINES);
}

void host_device_import(struct host_device *host, struct test_plugin *plugin, bool own_loader)
{
    pail_vulkan_import import = host_device_describe(host);
    const PFN_vkGetInstanceProcAddr loader = vkGetInstanceProcAddr;
    if (own_loader)
        memcpy(&import.get_instance_proc_addr, &loader, sizeof(loader));
    const pail_context_params params = {.struct_size = sizeof(params), .import = &import};
    if (plugin->api->context_create(&plugin->host, &plugin->context, &params) != PAIL_OK)
        fail_msg("%s", plugin->api->error(NULL));
}

int host_device_open(struct host_device *host, struct test_plugin *plugin, bool pointers)
{
    if (test_plugin_load(plugin) != 0)
        return -1;
    host_device_make(host);
    char *limits = pointers ? NULL : limits_add("pointers=0");
    host_device_import(host, plugin, false);
    if (!pointers)
        limits_restore(limits);
    return 0;
}

void shared_make(const struct host_device *host, struct shared *s, uint64_t bytes)
{
    const VkBufferCreateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = bytes,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
    };
    assert_int_equal(vkCreateBuffer(host->device, &buffer, NULL, &s->buffer), VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(host->device, s->buffer, &needs);
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(host->physical, &types);
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (type < types.memoryTypeCount &&
           (!(needs.memoryTypeBits >> type & 1) ||
            (types.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    assert_true(type < types.memoryTypeCount);
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    const VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &flags,
        .allocationSize = needs.size,
        .memoryTypeIndex = type,
    };
    assert_int_equal(vkAllocateMemory(host->device, &memory, NULL, &s->memory), VK_SUCCESS);
    assert_int_equal(vkBindBufferMemory(host->device, s->buffer, s->memory, 0), VK_SUCCESS);
    void *mapped;
    assert_int_equal(vkMapMemory(host->device, s->memory, 0, VK_WHOLE_SIZE, 0, &mapped),
                     VK_SUCCESS);
    s->mapped = mapped;
    const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                            .buffer = s->buffer};
    s->address = vkGetBufferDeviceAddress(host->device, &info);
}

void shared_free(const struct host_device *host, struct shared *s)
{
    vkDestroyBuffer(host->device, s->buffer, NULL);
    vkFreeMemory(host->device, s->memory, NULL);
}

bool host_device_points(const struct host_device *host, const struct shared *memory)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(host->physical, &properties);
    return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU &&
           memory->address == (uint64_t)(uintptr_t)memory->mapped;
}

VkSemaphore host_device_timeline(const struct host_device *host)
{
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = &type};
    VkSemaphore timeline;
    if (!host->timelines)
        SKIP_BECAUSE("the device was made without timelineSemaphore");
    assert_int_equal(vkCreateSemaphore(host->device, &info, NULL, &timeline), VK_SUCCESS);
    return timeline;
}
