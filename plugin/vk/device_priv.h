/* SPDX-License-Identifier: Apache-2.0 */
/* The device, as the files of this folder know it. */
#ifndef PAIL_VK_DEVICE_PRIV_H
#define PAIL_VK_DEVICE_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include <platform/thread.h>

#include "device.h"
#include "fences.h"
#include "instance_priv.h"
#include "memory.h"
#include "pace.h"
#include "queue.h"

struct pail_vk_queue {
    VkQueue handle;
    uint32_t family, index;
    uint32_t timestamp_bits; /* 0: no timestamps */
    bool open;
    VkSemaphore timeline;         /* VK_NULL_HANDLE: fences take its place */
    struct pail_vk_fences fences; /* empty beside a timeline */
    pthread_mutex_t submit;       /* held for vkQueueSubmit and never for a wait */
    /* By queue: the last ticket that this queue has waited for, and so has all later work on it.
     * Guarded by submit. */
    pail_vk_ticket waited[PAIL_VK_QUEUE_KINDS];
    atomic_uint_fast64_t submitted; /* the last value given out */
    atomic_uint_fast64_t completed; /* a value known to be reached */
    struct pail_vk_busy busy;       /* used where there are no timestamps */
};

struct pail_vk_device {
    struct pail_alloc alloc;
    struct pail_log log;
    uint32_t debug; /* enum pail_debug */
    struct pail_vk_caps caps;

    struct pail_vk_instance_fns fns;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    bool owned;
    struct pail_vk_import import; /* all zero where the device is our own */
    struct VolkDeviceTable vk;
    VkPhysicalDeviceMemoryProperties memory_types;

    atomic_bool lost;
    pthread_mutex_t drain_lock;
    bool drained; /* nothing runs any more; guarded by drain_lock */

    struct pail_vk_queue queues[PAIL_VK_QUEUE_KINDS];
    uint32_t n_queues; /* places of queues; not all need have one */
    /* PAIL_DEBUG=lanes, on a device with one queue: side queues are timelines of that. */
    bool queues_are_one;
    pthread_mutex_t queue_lock; /* held for vkQueueSubmit then */

    pthread_mutex_t stats_lock;
    struct pail_vk_memory_stats stats;
    uint64_t held; /* VkDeviceMemory objects held or about to be; guarded by stats_lock */

    struct pail_vk_staging *staging;
    struct pail_helpers helpers; /* threads that copy and wipe */
    struct pail_vk_cmd_pool *cmds;
    struct pail_vk_pipelines *pipelines;
    struct pail_cache *cache; /* cache of pipelines, for later processes; NULL: none */
    struct pail_vk_pace pace;
};

/* Fails with the result's name; device loss becomes sticky. PAIL_OK for VK_SUCCESS. */
pail_status pail_vk_device_result(struct pail_vk_device *dev, VkResult result, const char *what,
                                  struct pail_error *err);

/* PAIL_OK, or PAIL_ERR_DEVICE_LOST: the first thing every entry point asks. */
pail_status pail_vk_device_check(const struct pail_vk_device *dev, struct pail_error *err);

/* After a loss, makes sure that the device has stopped, so that what it used can be freed. Without
 * a loss it does nothing: the callers have waited for their tickets. */
void pail_vk_device_settle(struct pail_vk_device *dev);

/* Names an object for debuggers. */
void pail_vk_device_name(const struct pail_vk_device *dev, VkObjectType type, uint64_t handle,
                         const char *name);

/* Vulkan's non-dispatchable handles are pointers on some machines and integers on others. */
#define PAIL_VK_HANDLE(handle) ((uint64_t)(handle))

pail_status pail_vk_queue_init(struct pail_vk_device *dev, struct pail_vk_queue *queue,
                               uint32_t family, uint32_t index, uint32_t timestamp_bits,
                               struct pail_error *err);
void pail_vk_queue_fini(struct pail_vk_device *dev, struct pail_vk_queue *queue);

/* The queue of a kind; the main queue where the device has no queue of that kind. */
struct pail_vk_queue *pail_vk_queue_get(struct pail_vk_device *dev, enum pail_vk_queue_kind kind);

/* Around functions of a VkQueue that several queues may have. */
void pail_vk_queue_lock(struct pail_vk_device *dev);
void pail_vk_queue_unlock(struct pail_vk_device *dev);

/* True if the pace learns of a queue by the clock of the host. */
bool pail_vk_queue_timeless(const struct pail_vk_device *dev, const struct pail_vk_queue *queue);

/* True if all submitted work is known to be complete. */
bool pail_vk_queue_idle(const struct pail_vk_queue *queue);

/* Waits until all submitted work is complete. False: there is no knowing that it is. */
bool pail_vk_queue_drain(struct pail_vk_device *dev, struct pail_vk_queue *queue);

/* The number of the queue a ticket belongs to. */
uint32_t pail_vk_ticket_queue(pail_vk_ticket ticket);

/* Objects that a submission waits for: its first command begins when all of them are reached. */
struct pail_vk_waits {
    pail_vk_ticket tickets[PAIL_VK_QUEUE_KINDS]; /* [queue]; 0: none */
    VkSemaphore semaphores[PAIL_VK_WAITS_MAX];   /* timelines that belong to the host */
    uint64_t values[PAIL_VK_WAITS_MAX];
    uint32_t n;
};

/* Submits one command buffer. */
pail_status pail_vk_queue_submit(struct pail_vk_device *dev, struct pail_vk_queue *queue,
                                 VkCommandBuffer commands, const struct pail_vk_waits *waits,
                                 pail_vk_ticket *ticket, struct pail_error *err);

pail_status pail_vk_staging_create(struct pail_vk_device *dev, uint64_t bytes,
                                   struct pail_error *err);
void pail_vk_staging_destroy(struct pail_vk_device *dev);

pail_status pail_vk_cmd_pool_create(struct pail_vk_device *dev, struct pail_error *err);
void pail_vk_cmd_pool_destroy(struct pail_vk_device *dev);

pail_status pail_vk_pipelines_create(struct pail_vk_device *dev, struct pail_error *err);
void pail_vk_pipelines_destroy(struct pail_vk_device *dev);

#endif /* PAIL_VK_DEVICE_PRIV_H */
