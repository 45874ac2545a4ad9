/* SPDX-License-Identifier: Apache-2.0 */
/* Fences of one queue, in the place of a timeline semaphore: for a device that was made without
 * timelineSemaphore. Each submission has one, and a number; numbers of a queue are reached in their
 * order. What was reached is used again.
 *
 * Thread-safety: safe, except init and fini; several threads may wait for one number. */
#ifndef PAIL_VK_FENCES_H
#define PAIL_VK_FENCES_H

#include <pthread.h>

#include "device.h"

struct pail_vk_fence {
    struct pail_vk_fence *next;
    VkFence handle;
    uint64_t value;   /* number of the submission it was given to */
    uint32_t waiters; /* threads that wait for it: it cannot be reset meanwhile */
    bool reached;     /* signalled, and in no list until the last waiter has left */
    bool used;        /* must be reset before its next submission */
};

struct pail_vk_fences {
    pthread_mutex_t lock;                   /* guards what follows; never held for a wait */
    struct pail_vk_fence *oldest, **newest; /* submitted, and not seen signalled */
    struct pail_vk_fence *spare;
    uint64_t reached; /* the largest number that is known to be reached */
};

void pail_vk_fences_init(struct pail_vk_fences *fences);
/* Nothing may run or wait any more. */
void pail_vk_fences_fini(struct pail_vk_device *dev, struct pail_vk_fences *fences);

/* A fence for the next submission, not signalled. It goes back by pail_vk_fences_give.
 * Errors: memory, PAIL_ERR_DEVICE_LOST. */
pail_status pail_vk_fences_take(struct pail_vk_device *dev, struct pail_vk_fences *fences,
                                struct pail_vk_fence **out, struct pail_error *err);

/* result: of the submission. After VK_ERROR_DEVICE_LOST the queue may have the fence all the same,
 * and another thread may submit before it hears of that: the fence is not lent again. value: the
 * number of the submission, larger than all before. */
void pail_vk_fences_give(struct pail_vk_fences *fences, struct pail_vk_fence *fence,
                         VkResult result, uint64_t value);

/* Asks how far the queue is. Never blocks. Out: value, also on failure what is known. */
VkResult pail_vk_fences_reached(struct pail_vk_device *dev, struct pail_vk_fences *fences,
                                uint64_t *value);

/* Waits until a number that was given is reached. Returns as vkWaitForFences does. */
VkResult pail_vk_fences_wait(struct pail_vk_device *dev, struct pail_vk_fences *fences,
                             uint64_t value, uint64_t timeout_ns);

#endif /* PAIL_VK_FENCES_H */
