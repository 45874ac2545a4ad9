/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of the parts of the layer. */
#ifndef PAIL_TESTS_LAYER_H
#define PAIL_TESTS_LAYER_H

#include <pthread.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

/* Objects that the layer keeps: a list of structs that begin with a node, by the handles or what
 * stands for them. */
struct layer_node {
    struct layer_node *next;
    uint64_t key;
};

struct layer_list {
    pthread_mutex_t lock;
    struct layer_node *first;
};

#define LAYER_LIST                                                                                 \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, NULL                                                            \
    }
#define LAYER_KEY(handle) ((uint64_t)(uintptr_t)(handle))

void layer_list_add(struct layer_list *list, struct layer_node *node, uint64_t key);
/* NULL where there is none. A node that is taken is no longer in the list. */
void *layer_list_find(struct layer_list *list, uint64_t key);
void *layer_list_take(struct layer_list *list, uint64_t key);

/* Functions of the driver below that the layer needs, for one device. */
struct layer_device {
    struct layer_node node; /* by what all handles of one device have in their first word */
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

/* Finds the device of any of its handles. */
struct layer_device *layer_find_device(const void *handle);

/* The functions of a device that the layer stands in for; NULL for all others. */
PFN_vkVoidFunction layer_pipeline_function(const char *name);
PFN_vkVoidFunction layer_memory_function(const char *name);

/* FNV-1a-64. */
uint64_t layer_hash(uint64_t hash, const void *bytes, size_t n);
#define LAYER_HASH_START UINT64_C(0xcbf29ce484222325)

#endif /* PAIL_TESTS_LAYER_H */
