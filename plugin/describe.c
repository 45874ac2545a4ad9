/* SPDX-License-Identifier: Apache-2.0 */
/* A device in the words of the boundary, and how devices compare. */
#include <stdio.h>
#include <string.h>

#include "context.h"

static uint32_t type_of(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return PAIL_DEVICE_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return PAIL_DEVICE_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return PAIL_DEVICE_VIRTUAL;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return PAIL_DEVICE_CPU;
    case VK_PHYSICAL_DEVICE_TYPE_OTHER:
    case VK_PHYSICAL_DEVICE_TYPE_MAX_ENUM:
    default:
        return PAIL_DEVICE_OTHER;
    }
}

/* A software driver takes longer than the CPU backend (10) and compiles shaders first, so it is
 * used by those who ask for it. Anything that is a GPU is above both. */
uint32_t pail_device_score(const struct pail_vk_caps *caps)
{
    static const uint32_t by_type[] = {
        [PAIL_DEVICE_OTHER] = 100,   [PAIL_DEVICE_INTEGRATED] = 500, [PAIL_DEVICE_DISCRETE] = 1000,
        [PAIL_DEVICE_VIRTUAL] = 600, [PAIL_DEVICE_CPU] = 1,
    };
    return caps->unusable[0] ? 0 : by_type[type_of(caps->type)];
}

pail_status pail_best_device(const struct pail_vk_instance *instance, uint32_t *index,
                             struct pail_error *err)
{
    uint32_t best = 0;
    char reasons[256] = "";
    const uint32_t n = pail_vk_instance_n_devices(instance);
    for (uint32_t i = 0; i < n; i++) {
        const struct pail_vk_caps *caps = pail_vk_instance_caps(instance, i);
        const uint32_t score = pail_device_score(caps);
        if (score > best) {
            best = score;
            *index = i;
        }
        const size_t used = strlen(reasons);
        if (!score)
            snprintf(reasons + used, sizeof(reasons) - used, "%s%.60s: %s", used ? "; " : "",
                     caps->name, caps->unusable);
    }
    if (best)
        return PAIL_OK;
    return pail_fail(err, PAIL_ERR_UNSUPPORTED, "no usable Vulkan device among %u%s%s", n,
                     reasons[0] ? ": " : "", reasons);
}

static uint32_t features_of(const struct pail_vk_caps *caps)
{
    return (uint32_t)((caps->int64 ? PAIL_FEATURE_INT64 : 0) |
                      (caps->float64 ? PAIL_FEATURE_FLOAT64 : 0) |
                      (caps->buffer_device_address ? PAIL_FEATURE_DEVICE_ADDRESS : 0) |
                      (caps->timestamp_bits ? PAIL_FEATURE_TIMESTAMPS : 0) |
                      (caps->memory_budget ? PAIL_FEATURE_MEMORY_BUDGET : 0) |
                      (caps->unified_memory ? PAIL_FEATURE_UNIFIED_MEMORY : 0) |
                      (caps->transfer_queue ? PAIL_FEATURE_TRANSFER_QUEUE : 0) |
                      (pail_vk_caps_exchange(caps) ? PAIL_FEATURE_SUBGROUP_EXCHANGE : 0));
}

void pail_describe_device(pail_device_info *info, const struct pail_vk_caps *caps)
{
    snprintf(info->name, sizeof(info->name), "%s", caps->name);
    snprintf(info->driver, sizeof(info->driver), "%.120s %.120s", caps->driver_name,
             caps->driver_info);
    info->type = type_of(caps->type);
    info->vendor_id = caps->vendor_id;
    info->device_id = caps->device_id;
    info->driver_version = caps->driver_version;
    info->api_version = caps->api_version;
    info->features = features_of(caps);
    info->usable = caps->unusable[0] == '\0';
    info->score = pail_device_score(caps);
    memcpy(info->uuid, caps->device_uuid, sizeof(info->uuid));
    memcpy(info->pipeline_cache_uuid, caps->pipeline_cache_uuid, sizeof(info->pipeline_cache_uuid));
    for (uint32_t i = 0; i < caps->n_heaps; i++) {
        const struct pail_vk_heap *heap = &caps->heaps[i];
        if (!heap->device_local || heap->size <= info->heap_bytes)
            continue;
        info->heap_bytes = heap->size;
        if (caps->memory_budget)
            info->budget_bytes = heap->budget > heap->usage ? heap->budget - heap->usage : 0;
    }
    info->max_binding_bytes = caps->max_storage_range;
    info->max_allocation_bytes = caps->max_allocation_bytes;
    info->subgroup_size = caps->subgroup_size;
    info->max_workgroup_invocations = caps->max_workgroup_invocations;
    info->max_workgroup_bytes = caps->max_workgroup_bytes;
    info->max_storage_buffers = caps->max_storage_buffers;
    info->max_push_bytes = caps->max_push_bytes;
    info->storage_alignment = (uint32_t)caps->storage_align;
    memcpy(info->max_workgroups, caps->max_workgroup_count, sizeof(info->max_workgroups));
    snprintf(info->reason, sizeof(info->reason), "%s", caps->unusable);
}
