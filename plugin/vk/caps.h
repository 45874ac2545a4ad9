/* SPDX-License-Identifier: Apache-2.0 */
/* Abilities of a device, as the rest of the plugin may rely on them. */
#ifndef PAIL_VK_CAPS_H
#define PAIL_VK_CAPS_H

#include <stdbool.h>
#include <stdint.h>

#include <core/error.h>

#include "vulkan.h"

struct pail_vk_heap {
    uint64_t size;   /* bytes */
    uint64_t budget; /* bytes this process may use, by the driver's estimate; `size` without it */
    uint64_t usage;  /* bytes this process holds, by the driver's estimate; 0 without it */
    bool device_local;
};

/* Name of an extension; Vulkan's own constant is in a header of beta extensions that nothing else
 * here needs. */
#define PAIL_VK_PORTABILITY_SUBSET "VK_KHR_portability_subset"

/* Queues beside the main one: a proof has five multiplications. */
#define PAIL_VK_SIDES_MAX 5u

struct pail_vk_caps {
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    char driver_name[VK_MAX_DRIVER_NAME_SIZE];
    char driver_info[VK_MAX_DRIVER_INFO_SIZE];
    uint32_t vendor_id, device_id;
    uint32_t api_version, driver_version;
    VkPhysicalDeviceType type;
    VkDriverId driver_id;
    uint8_t device_uuid[VK_UUID_SIZE];
    uint8_t driver_uuid[VK_UUID_SIZE];
    uint8_t pipeline_cache_uuid[VK_UUID_SIZE];

    /* Why Pail cannot use the device, as a clause ("it has no compute queue"); empty if it
     * can. */
    char unusable[128];

    uint64_t max_storage_range;    /* bytes one storage binding can reach */
    uint64_t max_allocation_bytes; /* limit of one VkDeviceMemory */
    uint64_t max_buffer_bytes;     /* limit of one VkBuffer; at most max_allocation_bytes */
    uint32_t max_allocations;      /* VkDeviceMemory objects at a time */
    uint64_t max_sparse_bytes;     /* a VkBuffer with several of them behind one address; 0: none */
    uint64_t max_tried_bytes;      /* a VkBuffer with one that may be refused; 0: none is tried */
    uint32_t max_push_bytes;
    uint32_t max_storage_buffers; /* for each stage */
    uint32_t max_workgroup_bytes; /* shared memory of one workgroup */
    uint32_t max_workgroup_invocations;
    uint32_t max_workgroup_size[3];
    uint32_t max_workgroup_count[3];
    uint64_t storage_align;       /* alignment of a storage binding's offset; a power of two */
    uint64_t non_coherent_align;  /* alignment of a flushed range; a power of two */
    uint32_t max_loop_iterations; /* all loops of an invocation together; 0: no limit known */
    uint32_t subgroup_size;       /* 0: not to be relied on */
    uint32_t subgroup_operations; /* VkSubgroupFeatureFlags that kernels may rely on */
    uint32_t timestamp_bits;      /* bits on the main queue; 0: no timestamps */
    double timestamp_ns;          /* nanoseconds for each tick */

    bool timeline_semaphore; /* timelineSemaphore; without, there is one queue */
    bool int64;              /* shaderInt64 */
    bool float64;            /* shaderFloat64 */
    /* Measured by pail_vk_device_found_doubles, not said by the driver: multiply-adds of doubles
     * are fused; and they are fast enough to be taken for field arithmetic. */
    bool fused_doubles, fast_doubles;
    bool buffer_device_address; /* bufferDeviceAddress */
    /* Device addresses are pointers of this process, which the host can read: by
     * pail_vk_find_pointers, where limits let it try; false until then. */
    bool pointers, try_pointers;
    bool memory_budget;         /* VK_EXT_memory_budget: heap budgets are estimates, not sizes */
    bool unified_memory;        /* every heap is device-local */
    bool transfer_queue;        /* a queue family that can copy and nothing else */
    uint32_t side_queues;       /* queues of the main family beside the main one: at most
                                   PAIL_VK_SIDES_MAX */
    bool creation_feedback;     /* VK_EXT_pipeline_creation_feedback: whether a cache was of use */
    bool portability_subset;    /* PAIL_VK_PORTABILITY_SUBSET: less than all of Vulkan */
    bool cache_control;         /* VK_EXT_pipeline_creation_cache_control, with its feature */
    bool executable_properties; /* VK_KHR_pipeline_executable_properties: what code became */

    /* Assumptions about its speed (pace.h). watched: a watchdog is assumed although the type has
     * none; slow: it counts as slow, whatever is measured. */
    bool watched, slow;

    uint32_t n_heaps;
    struct pail_vk_heap heaps[VK_MAX_MEMORY_HEAPS];
};

/* Operations of a kernel that exchanges values within a subgroup. */
#define PAIL_VK_SUBGROUP_EXCHANGE                                                                  \
    (VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |                               \
     VK_SUBGROUP_FEATURE_SHUFFLE_BIT)

static inline bool pail_vk_caps_exchange(const struct pail_vk_caps *caps)
{
    return (caps->subgroup_operations & PAIL_VK_SUBGROUP_EXCHANGE) == PAIL_VK_SUBGROUP_EXCHANGE;
}

/* Why nothing waits for a semaphore of the host, and what a host does instead. */
#define PAIL_VK_NO_TIMELINE                                                                        \
    "the device was made without timelineSemaphore: wait in the host before the call"

/* Limits forced down, so that a test on a large device sees a small one. 0 or false: as it is.
 * A value above the device's own limit changes nothing. */
struct pail_vk_limits_override {
    uint64_t max_storage_range;
    uint64_t max_allocation_bytes;
    uint32_t max_allocations;
    uint32_t max_storage_buffers;
    uint32_t max_workgroup_bytes;
    uint32_t max_workgroup_invocations;
    uint32_t max_subgroup_size; /* any value but 0 also takes the operations away */
    bool no_timeline;
    bool no_int64;
    bool no_float64;
    bool no_buffer_device_address;
    bool no_pointers;
    bool no_timestamps;
    bool no_memory_budget;
    bool no_transfer_queue; /* nor any beside the main one */
    bool no_creation_feedback;
    bool no_cache_control;
    bool no_sparse;
    bool watched; /* same as caps.watched */
    bool slow;
};

/* Parses a comma-separated list of limits, or the environment's PAIL_LIMITS when words is NULL;
 * docs/debugging.md lists the words. Of two words for one limit the lower counts.
 * In:  words  optional.
 * Out: limits  all zero on failure.
 * Errors: PAIL_ERR_ARGUMENT for a word that is not in the list or has a value that it cannot have
 *         (the sentence names it). */
pail_status pail_vk_limits_parse(struct pail_vk_limits_override *limits, const char *words,
                                 struct pail_error *err);

void pail_vk_caps_limit(struct pail_vk_caps *caps, const struct pail_vk_limits_override *override);

/* Usage flags of every buffer. */
VkBufferUsageFlags pail_vk_buffer_usage(const struct pail_vk_caps *caps);

#endif /* PAIL_VK_CAPS_H */
