#include "host_device.h"

#include <string.h>

#include "limits.h"

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

void host_device_make(struct host_device *host)
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
    VkPhysicalDeviceVulkan12Features features12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &features12};
    vkGetPhysicalDeviceFeatures2(host->physical, &features);
    host->int64 = features.features.shaderInt64;
    host->addresses = features12.bufferDeviceAddress;
    const VkPhysicalDeviceVulkan12Features enabled12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .timelineSemaphore = VK_TRUE,
        .bufferDeviceAddress = features12.bufferDeviceAddress,
    };
    const VkPhysicalDeviceFeatures enabled = {.shaderInt64 = features.features.shaderInt64};
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

void host_device_free(struct host_device *host)
{
    vkDestroyDevice(host->device, NULL);
    vkDestroyInstance(host->instance, NULL);
}

void host_device_import(struct host_device *host, struct test_plugin *plugin, bool own_loader)
{
    pail_vulkan_import import =
        SIZED(pail_vulkan_import, .queue_family = host->family,
              .enabled_features = (host->int64 ? (uint32_t)PAIL_FEATURE_INT64 : 0) |
                                  (host->addresses ? (uint32_t)PAIL_FEATURE_DEVICE_ADDRESS : 0),
              .instance = host->instance, .physical_device = host->physical, .device = host->device,
              .lock_queue = on_lock, .unlock_queue = on_unlock, .user = host);
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
    assert_int_equal(vkCreateSemaphore(host->device, &info, NULL, &timeline), VK_SUCCESS);
    return timeline;
}
