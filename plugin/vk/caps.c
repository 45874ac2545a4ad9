/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "instance_priv.h"

/* Answers of one query of a physical device. */
struct answers {
    VkPhysicalDeviceProperties2 properties;
    VkPhysicalDeviceVulkan11Properties properties11;
    VkPhysicalDeviceVulkan12Properties properties12;
    VkPhysicalDeviceMaintenance4Properties maintenance4;
    VkPhysicalDeviceFeatures2 features;
    VkPhysicalDeviceVulkan12Features features12;
    VkPhysicalDevicePipelineCreationCacheControlFeatures control;
    VkPhysicalDeviceMemoryProperties2 memory;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget;
};

uint32_t pail_vk_main_family(const VkQueueFamilyProperties families[], uint32_t n)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (!families[i].queueCount || !(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT))
            continue;
        /* A family without graphics does not queue up behind a desktop's frames. */
        if (!(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT))
            return i;
        if (found == UINT32_MAX)
            found = i;
    }
    return found;
}

uint32_t pail_vk_transfer_family(const VkQueueFamilyProperties families[], uint32_t n)
{
    const VkQueueFlags copies = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT;
    for (uint32_t i = 0; i < n; i++)
        if (families[i].queueCount && families[i].queueFlags & VK_QUEUE_TRANSFER_BIT &&
            !(families[i].queueFlags & ~copies))
            return i;
    return UINT32_MAX;
}

pail_status pail_vk_families(const struct pail_vk_instance_fns *fns, VkPhysicalDevice physical,
                             const struct pail_alloc *alloc, VkQueueFamilyProperties **families,
                             uint32_t *n, struct pail_error *err)
{
    *families = NULL;
    fns->vkGetPhysicalDeviceQueueFamilyProperties(physical, n, NULL);
    *families = pail_calloc(alloc, *n ? *n : 1, sizeof(**families));
    if (!*families) {
        *n = 0;
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to list queue families");
    }
    fns->vkGetPhysicalDeviceQueueFamilyProperties(physical, n, *families);
    return PAIL_OK;
}

static pail_status has_extension(const struct pail_vk_instance_fns *fns, VkPhysicalDevice physical,
                                 const struct pail_alloc *alloc, const char *name, bool *has,
                                 struct pail_error *err)
{
    *has = false;
    uint32_t n = 0;
    VkResult result = fns->vkEnumerateDeviceExtensionProperties(physical, NULL, &n, NULL);
    if (result != VK_SUCCESS)
        return pail_vk_result(result, "vkEnumerateDeviceExtensionProperties", err);
    VkExtensionProperties *list = pail_calloc(alloc, n ? n : 1, sizeof(*list));
    if (!list)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to list device extensions");
    result = fns->vkEnumerateDeviceExtensionProperties(physical, NULL, &n, list);
    for (uint32_t i = 0; result == VK_SUCCESS && i < n; i++)
        if (strcmp(list[i].extensionName, name) == 0)
            *has = true;
    pail_free(alloc, list);
    return pail_vk_result(result, "vkEnumerateDeviceExtensionProperties", err);
}

static uint64_t min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void copy_properties(struct pail_vk_caps *caps, const struct answers *a)
{
    const VkPhysicalDeviceProperties *p = &a->properties.properties;
    snprintf(caps->name, sizeof(caps->name), "%s", p->deviceName);
    snprintf(caps->driver_name, sizeof(caps->driver_name), "%s", a->properties12.driverName);
    snprintf(caps->driver_info, sizeof(caps->driver_info), "%s", a->properties12.driverInfo);
    caps->vendor_id = p->vendorID;
    caps->device_id = p->deviceID;
    caps->api_version = p->apiVersion;
    caps->driver_version = p->driverVersion;
    caps->type = p->deviceType;
    caps->driver_id = a->properties12.driverID;
    /* LP_MAX_TGSI_LOOP_ITERATIONS of Mesa's gallivm; what is left to do is left out silently. */
    if (caps->driver_id == VK_DRIVER_ID_MESA_LLVMPIPE)
        caps->max_loop_iterations = 65535;
    memcpy(caps->device_uuid, a->properties11.deviceUUID, VK_UUID_SIZE);
    memcpy(caps->driver_uuid, a->properties11.driverUUID, VK_UUID_SIZE);
    memcpy(caps->pipeline_cache_uuid, p->pipelineCacheUUID, VK_UUID_SIZE);

    const VkPhysicalDeviceLimits *l = &p->limits;
    caps->max_storage_range = l->maxStorageBufferRange;
    caps->max_allocation_bytes = a->properties11.maxMemoryAllocationSize;
    caps->max_buffer_bytes = caps->max_allocation_bytes;
    if (a->maintenance4.maxBufferSize)
        caps->max_buffer_bytes = min64(caps->max_buffer_bytes, a->maintenance4.maxBufferSize);
    if (a->features.features.sparseBinding)
        caps->max_sparse_bytes = l->sparseAddressSpaceSize;
    if (a->maintenance4.maxBufferSize) {
        caps->max_sparse_bytes = min64(caps->max_sparse_bytes, a->maintenance4.maxBufferSize);
        caps->max_tried_bytes = a->maintenance4.maxBufferSize;
    }
    caps->max_allocations = l->maxMemoryAllocationCount;
    caps->max_push_bytes = l->maxPushConstantsSize;
    caps->max_storage_buffers = l->maxPerStageDescriptorStorageBuffers;
    caps->max_workgroup_bytes = l->maxComputeSharedMemorySize;
    caps->max_workgroup_invocations = l->maxComputeWorkGroupInvocations;
    memcpy(caps->max_workgroup_size, l->maxComputeWorkGroupSize, sizeof(caps->max_workgroup_size));
    memcpy(caps->max_workgroup_count, l->maxComputeWorkGroupCount,
           sizeof(caps->max_workgroup_count));
    caps->storage_align = l->minStorageBufferOffsetAlignment;
    caps->non_coherent_align = l->nonCoherentAtomSize;
    caps->subgroup_size = a->properties11.subgroupSize;
    if (a->properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
        caps->subgroup_operations = a->properties11.subgroupSupportedOperations;
    caps->timestamp_ns = (double)l->timestampPeriod;
}

VkBufferUsageFlags pail_vk_buffer_usage(const struct pail_vk_caps *caps)
{
    return VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
           VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
           (caps->buffer_device_address ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u);
}

static void copy_memory(struct pail_vk_caps *caps, const struct answers *a)
{
    const VkPhysicalDeviceMemoryProperties *m = &a->memory.memoryProperties;
    caps->n_heaps = m->memoryHeapCount;
    caps->unified_memory = true;
    for (uint32_t i = 0; i < m->memoryHeapCount; i++) {
        const bool device_local = m->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
        caps->heaps[i] = (struct pail_vk_heap){
            .size = m->memoryHeaps[i].size,
            .budget = caps->memory_budget ? a->budget.heapBudget[i] : m->memoryHeaps[i].size,
            .usage = caps->memory_budget ? a->budget.heapUsage[i] : 0,
            .device_local = device_local,
        };
        caps->unified_memory &= device_local;
    }
}

void pail_vk_caps_reread_memory(struct pail_vk_caps *caps, const struct pail_vk_instance_fns *fns,
                                VkPhysicalDevice physical)
{
    if (!caps->memory_budget)
        return;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
    fns->vkGetPhysicalDeviceMemoryProperties2(physical, &memory);
    for (uint32_t i = 0; i < caps->n_heaps; i++) {
        caps->heaps[i].budget = budget.heapBudget[i];
        caps->heaps[i].usage = budget.heapUsage[i];
    }
}

pail_status pail_vk_caps_read(struct pail_vk_caps *caps, const struct pail_vk_instance_fns *fns,
                              VkPhysicalDevice physical, const struct pail_alloc *alloc,
                              struct pail_error *err)
{
    memset(caps, 0, sizeof(*caps));
    VkQueueFamilyProperties *families = NULL;
    uint32_t n_families = 0;
    pail_status status = PAIL_OK;

    struct answers a = {
        .properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2},
        .properties11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES},
        .properties12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES},
        .maintenance4 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES},
        .features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2},
        .features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES},
        .control = {.sType =
                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES},
        .memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2},
        .budget = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT},
    };
    /* A device may only be asked for structs its version knows. */
    fns->vkGetPhysicalDeviceProperties2(physical, &a.properties);
    const uint32_t version = a.properties.properties.apiVersion;
    const bool has12 = version >= VK_API_VERSION_1_2;
    status = has_extension(fns, physical, alloc, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME,
                           &caps->memory_budget, err);
    if (status == PAIL_OK)
        status =
            has_extension(fns, physical, alloc, VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME,
                          &caps->creation_feedback, err);
    if (status == PAIL_OK)
        status = has_extension(fns, physical, alloc,
                               VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME,
                               &caps->cache_control, err);
    if (status == PAIL_OK)
        status = has_extension(fns, physical, alloc, PAIL_VK_PORTABILITY_SUBSET,
                               &caps->portability_subset, err);
    if (status == PAIL_OK)
        status = has_extension(fns, physical, alloc,
                               VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME,
                               &caps->executable_properties, err);
    if (status != PAIL_OK)
        goto out;
    if (has12) {
        a.properties.pNext = &a.properties11;
        a.properties11.pNext = &a.properties12;
        a.properties12.pNext = version >= VK_API_VERSION_1_3 ? &a.maintenance4 : NULL;
        a.features.pNext = &a.features12;
    }
    if (has12 && caps->cache_control) {
        a.control.pNext = a.features.pNext;
        a.features.pNext = &a.control;
    }
    fns->vkGetPhysicalDeviceProperties2(physical, &a.properties);
    fns->vkGetPhysicalDeviceFeatures2(physical, &a.features);
    a.memory.pNext = caps->memory_budget ? &a.budget : NULL;
    fns->vkGetPhysicalDeviceMemoryProperties2(physical, &a.memory);
    status = pail_vk_families(fns, physical, alloc, &families, &n_families, err);
    if (status != PAIL_OK)
        goto out;

    copy_properties(caps, &a);
    copy_memory(caps, &a);
    caps->timeline_semaphore = a.features12.timelineSemaphore;
    caps->int64 = a.features.features.shaderInt64;
    caps->float64 = a.features.features.shaderFloat64;
    caps->buffer_device_address = a.features12.bufferDeviceAddress;
    caps->try_pointers = true;
    caps->cache_control &= a.control.pipelineCreationCacheControl;
    /* One queue waits for another by a timeline. */
    caps->transfer_queue =
        caps->timeline_semaphore && pail_vk_transfer_family(families, n_families) != UINT32_MAX;
    const uint32_t main_family = pail_vk_main_family(families, n_families);
    if (main_family != UINT32_MAX) {
        const uint32_t others = families[main_family].queueCount - 1;
        caps->timestamp_bits = families[main_family].timestampValidBits;
        if (caps->timeline_semaphore)
            caps->side_queues = others < PAIL_VK_SIDES_MAX ? others : PAIL_VK_SIDES_MAX;
    }
    if (main_family == UINT32_MAX ||
        !(families[main_family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT))
        caps->max_sparse_bytes = 0;

    if (!has12)
        snprintf(caps->unusable, sizeof(caps->unusable),
                 "it offers Vulkan %u.%u and Pail needs 1.2", VK_API_VERSION_MAJOR(version),
                 VK_API_VERSION_MINOR(version));
    else if (main_family == UINT32_MAX)
        snprintf(caps->unusable, sizeof(caps->unusable), "it has no compute queue");
out:
    pail_free(alloc, families);
    if (status != PAIL_OK)
        memset(caps, 0, sizeof(*caps));
    return status;
}
