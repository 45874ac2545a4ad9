/* SPDX-License-Identifier: Apache-2.0 */
/* A device, our own or the host's, with everything that hangs on it: queues, recorders, staging,
 * pipelines.
 *
 * Thread-safety: every function that takes a struct pail_vk_device may be called from several
 * threads at a time, except pail_vk_device_destroy.
 *
 * Device loss is sticky: once Vulkan reports it, every later call fails at once with
 * PAIL_ERR_DEVICE_LOST, and only destroying things remains useful. */
#ifndef PAIL_VK_DEVICE_H
#define PAIL_VK_DEVICE_H

#include "instance.h"

struct pail_vk_device;

/* Place of the cache of pipelines; see pail_cache_params for the defaults. */
struct pail_vk_cache_params {
    const char *dir; /* optional */
    /* A host's own store in place of files; both or neither. */
    size_t (*get)(void *user, void *value, size_t capacity, uint64_t key);
    void (*put)(void *user, uint64_t key, const void *value, size_t size);
    void *user;
};

struct pail_vk_device_params {
    const struct pail_vk_limits_override *limits; /* optional; copied */
    uint64_t staging_bytes;                       /* size of the upload ring; 0: 16 MiB */
    uint32_t threads;     /* threads that copy at a time; 0: as many as there are processors */
    uint32_t side_queues; /* at most so many, of those that the device has */
    const struct pail_vk_cache_params *cache; /* optional */
};

/* A device that belongs to the host. Nothing in it is ever destroyed here, and only that
 * queue is submitted to. The host's objects must outlive the struct pail_vk_device. */
struct pail_vk_import {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t queue_family, queue_index;               /* index of a family with compute */
    PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* optional: the loader's otherwise */

    /* Optional, both or none: called around each submission, for a queue the host submits to too.
     */
    void (*lock_queue)(void *user, uint32_t queue_family, uint32_t queue_index);
    void (*unlock_queue)(void *user, uint32_t queue_family, uint32_t queue_index);
    void *user;

    /* Features that the host enabled when it made the device. */
    bool timeline_semaphore, int64, float64, buffer_device_address;
};

/* params: optional. index counts as in pail_vk_instance_caps. The instance must outlive the device.
 * Errors: PAIL_ERR_ARGUMENT     no such index
 *         PAIL_ERR_UNSUPPORTED  the device lacks what Pail needs (the sentence says what)
 *         PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_LOST */
pail_status pail_vk_device_create(struct pail_vk_device **out, struct pail_vk_instance *instance,
                                  uint32_t index, const struct pail_vk_device_params *params,
                                  struct pail_error *err);

/* params: optional. Errors: as above; PAIL_ERR_ARGUMENT for a missing handle or callback. */
pail_status pail_vk_device_import(struct pail_vk_device **out, const struct pail_vk_env *env,
                                  const struct pail_vk_import *import,
                                  const struct pail_vk_device_params *params,
                                  struct pail_error *err);

/* Waits for the work that was submitted, then frees everything. Buffers, arenas and recorders of
 * the device must be gone or released. Accepts a pointer to NULL, and leaves NULL behind. */
void pail_vk_device_destroy(struct pail_vk_device **dev);

/* The limits in force: the device's own, less what params.limits takes away. */
const struct pail_vk_caps *pail_vk_device_caps(const struct pail_vk_device *dev);
/* Same, with the memory that is free in each heap now. */
void pail_vk_device_caps_now(const struct pail_vk_device *dev, struct pail_vk_caps *caps);

/* Notes what was measured of doubles. Called before anyone else knows the device. */
void pail_vk_device_found_doubles(struct pail_vk_device *dev, bool fused, bool fast);

const struct pail_alloc *pail_vk_device_alloc(const struct pail_vk_device *dev);
const struct pail_log *pail_vk_device_log(const struct pail_vk_device *dev);

/* enum pail_debug, or-ed (debug.h). */
uint32_t pail_vk_device_debug(const struct pail_vk_device *dev);

bool pail_vk_device_lost(const struct pail_vk_device *dev);

#endif /* PAIL_VK_DEVICE_H */
