/* What the parts of the layer know of each other. */
#ifndef PAIL_TESTS_LAYER_H
#define PAIL_TESTS_LAYER_H

#include <vulkan/vulkan.h>

/* What the layer needs of the driver below it, for one device. */
struct layer_device {
    struct layer_device *next;
    const void *key; /* what all handles of one device have in their first word */
    PFN_vkGetDeviceProcAddr get;
    PFN_vkDestroyDevice destroy;
    PFN_vkCreateShaderModule create_module;
    PFN_vkDestroyShaderModule destroy_module;
    PFN_vkCreatePipelineCache create_cache;
    PFN_vkDestroyPipelineCache destroy_cache;
    PFN_vkCreateComputePipelines create_pipelines;
    PFN_vkAllocateMemory allocate;
    PFN_vkFreeMemory release;
    PFN_vkDeviceWaitIdle device_idle;
    PFN_vkQueueWaitIdle queue_idle;
    uint32_t vendor, device;
    uint8_t uuid[VK_UUID_SIZE];
};

/* Of any handle of a device. */
struct layer_device *layer_find_device(const void *handle);

/* The functions of a device that the layer stands in for; NULL for all others. */
PFN_vkVoidFunction layer_pipeline_function(const char *name);
PFN_vkVoidFunction layer_memory_function(const char *name);

/* FNV-1a-64. */
uint64_t layer_hash(uint64_t hash, const void *bytes, size_t n);
#define LAYER_HASH_START UINT64_C(0xcbf29ce484222325)

#endif /* PAIL_TESTS_LAYER_H */
