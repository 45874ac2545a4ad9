/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include <platform/clock.h>
#include <platform/thread.h>

#include "device_priv.h"

/* Time of a multiplication of 2^24 points on a large card. */
#define LOOK_NS UINT64_C(50000000)

/* A ticket holds the number of its queue in the top byte and the semaphore's value below. */
#define QUEUE_SHIFT 56
#define VALUE_MASK  ((UINT64_C(1) << QUEUE_SHIFT) - 1)

static pail_vk_ticket make_ticket(const struct pail_vk_device *dev,
                                  const struct pail_vk_queue *queue, uint64_t value)
{
    return value ? (uint64_t)(queue - dev->queues) << QUEUE_SHIFT | value : 0;
}

pail_vk_ticket pail_vk_last_ticket(struct pail_vk_device *dev, enum pail_vk_queue_kind kind)
{
    const struct pail_vk_queue *queue = pail_vk_queue_get(dev, kind);
    return make_ticket(dev, queue, atomic_load(&queue->submitted));
}

uint32_t pail_vk_ticket_queue(pail_vk_ticket ticket)
{
    return (uint32_t)(ticket >> QUEUE_SHIFT);
}

pail_status pail_vk_queue_init(struct pail_vk_device *dev, struct pail_vk_queue *queue,
                               uint32_t family, uint32_t index, uint32_t timestamp_bits,
                               struct pail_error *err)
{
    queue->family = family;
    queue->index = index;
    queue->timestamp_bits = timestamp_bits;
    atomic_init(&queue->submitted, 0);
    atomic_init(&queue->completed, 0);
    dev->vk.vkGetDeviceQueue(dev->handle, family, index, &queue->handle);
    if (!queue->handle)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "the device has no queue %u of family %u", index,
                         family);
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = &type,
    };
    if (dev->caps.timeline_semaphore) {
        const VkResult result =
            dev->vk.vkCreateSemaphore(dev->handle, &info, NULL, &queue->timeline);
        if (result != VK_SUCCESS)
            return pail_vk_device_result(dev, result, "vkCreateSemaphore", err);
        pail_vk_device_name(dev, VK_OBJECT_TYPE_SEMAPHORE, PAIL_VK_HANDLE(queue->timeline),
                            "pail timeline");
    }
    pail_vk_fences_init(&queue->fences);
    pthread_mutex_init(&queue->submit, NULL);
    pail_vk_busy_init(&queue->busy);
    queue->open = true;
    return PAIL_OK;
}

void pail_vk_queue_fini(struct pail_vk_device *dev, struct pail_vk_queue *queue)
{
    if (!queue->open)
        return;
    queue->open = false;
    if (queue->timeline)
        dev->vk.vkDestroySemaphore(dev->handle, queue->timeline, NULL);
    queue->timeline = VK_NULL_HANDLE;
    pail_vk_fences_fini(dev, &queue->fences);
    pthread_mutex_destroy(&queue->submit);
    pail_vk_busy_fini(&queue->busy);
}

struct pail_vk_queue *pail_vk_queue_get(struct pail_vk_device *dev, enum pail_vk_queue_kind kind)
{
    const bool is_there = (uint32_t)kind < dev->n_queues && dev->queues[kind].open;
    return &dev->queues[is_there ? kind : PAIL_VK_QUEUE_MAIN];
}

void pail_vk_queue_lock(struct pail_vk_device *dev)
{
    if (dev->queues_are_one)
        pthread_mutex_lock(&dev->queue_lock);
}

void pail_vk_queue_unlock(struct pail_vk_device *dev)
{
    if (dev->queues_are_one)
        pthread_mutex_unlock(&dev->queue_lock);
}

pail_status pail_vk_queue_submit(struct pail_vk_device *dev, struct pail_vk_queue *queue,
                                 VkCommandBuffer commands, const struct pail_vk_waits *waits,
                                 pail_vk_ticket *ticket, struct pail_error *err)
{
    *ticket = 0;
    enum { MOST = PAIL_VK_QUEUE_KINDS + PAIL_VK_WAITS_MAX };
    VkSemaphore wait_semaphores[MOST];
    uint64_t wait_values[MOST];
    VkPipelineStageFlags wait_stages[MOST];
    uint32_t n_waits = 0;
    pthread_mutex_lock(&queue->submit);
    for (uint32_t i = 0; i < dev->n_queues; i++) {
        /* A wait that is over takes a device 0.06 ms all the same. */
        if (waits->tickets[i] <= queue->waited[i] || &dev->queues[i] == queue)
            continue;
        wait_semaphores[n_waits] = dev->queues[i].timeline;
        wait_values[n_waits] = waits->tickets[i] & VALUE_MASK;
        wait_stages[n_waits++] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    }
    for (uint32_t i = 0; i < waits->n; i++) {
        wait_semaphores[n_waits] = waits->semaphores[i];
        wait_values[n_waits] = waits->values[i];
        wait_stages[n_waits++] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    }

    struct pail_vk_fence *fence = NULL;
    pail_status status = pail_vk_device_check(dev, err); /* nothing follows a drain */
    if (status == PAIL_OK && !queue->timeline)
        status = pail_vk_fences_take(dev, &queue->fences, &fence, err);
    if (status != PAIL_OK) {
        pthread_mutex_unlock(&queue->submit);
        return status;
    }
    const uint64_t value = atomic_load(&queue->submitted) + 1;
    const VkTimelineSemaphoreSubmitInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = n_waits,
        .pWaitSemaphoreValues = wait_values,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &value,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = fence ? NULL : &timeline,
        .waitSemaphoreCount = n_waits,
        .pWaitSemaphores = wait_semaphores,
        .pWaitDstStageMask = wait_stages,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
        .signalSemaphoreCount = fence ? 0 : 1,
        .pSignalSemaphores = &queue->timeline,
    };
    if (dev->import.lock_queue)
        dev->import.lock_queue(dev->import.user, queue->family, queue->index);
    pail_vk_queue_lock(dev);
    const VkResult result =
        dev->vk.vkQueueSubmit(queue->handle, 1, &info, fence ? fence->handle : VK_NULL_HANDLE);
    pail_vk_queue_unlock(dev);
    if (dev->import.unlock_queue)
        dev->import.unlock_queue(dev->import.user, queue->family, queue->index);
    if (fence)
        pail_vk_fences_give(&queue->fences, fence, result, value);
    /* A value that was not submitted will never be signalled: the next submission takes it. */
    if (result == VK_SUCCESS)
        atomic_store(&queue->submitted, value);
    for (uint32_t i = 0; i < dev->n_queues && result == VK_SUCCESS; i++)
        if (queue->waited[i] < waits->tickets[i])
            queue->waited[i] = waits->tickets[i];
    pthread_mutex_unlock(&queue->submit);

    if (result != VK_SUCCESS)
        return pail_vk_device_result(dev, result, "vkQueueSubmit", err);
    *ticket = make_ticket(dev, queue, value);
    return PAIL_OK;
}

bool pail_vk_queue_timeless(const struct pail_vk_device *dev, const struct pail_vk_queue *queue)
{
    return dev->pace.learns && queue->timestamp_bits == 0;
}

bool pail_vk_queue_idle(const struct pail_vk_queue *queue)
{
    return atomic_load(&queue->completed) >= atomic_load(&queue->submitted);
}

static void note_completed(struct pail_vk_queue *queue, uint64_t value)
{
    uint_fast64_t seen = atomic_load(&queue->completed);
    while (seen < value && !atomic_compare_exchange_weak(&queue->completed, &seen, value))
        ;
}

/* Asks how far the queue is. *what: the function that was called. */
static VkResult progress(struct pail_vk_device *dev, struct pail_vk_queue *queue, uint64_t *reached,
                         const char **what)
{
    VkResult result;
    *reached = 0;
    if (queue->timeline) {
        *what = "vkGetSemaphoreCounterValue";
        result = dev->vk.vkGetSemaphoreCounterValue(dev->handle, queue->timeline, reached);
        /* Some drivers report a loss as the largest value. */
        if (result == VK_SUCCESS && *reached == UINT64_MAX)
            result = VK_ERROR_DEVICE_LOST;
    } else {
        *what = "vkGetFenceStatus";
        result = pail_vk_fences_reached(dev, &queue->fences, reached);
    }
    if (result == VK_SUCCESS)
        note_completed(queue, *reached);
    return result;
}

/* Sleeps until the value is reached. Nobody is kept from submitting meanwhile. */
static VkResult sleep_until(struct pail_vk_device *dev, struct pail_vk_queue *queue, uint64_t value,
                            uint64_t timeout_ns, const char **what)
{
    if (!queue->timeline) {
        *what = "vkWaitForFences";
        return pail_vk_fences_wait(dev, &queue->fences, value, timeout_ns);
    }
    *what = "vkWaitSemaphores";
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &queue->timeline,
        .pValues = &value,
    };
    return dev->vk.vkWaitSemaphores(dev->handle, &info, timeout_ns);
}

bool pail_vk_queue_drain(struct pail_vk_device *dev, struct pail_vk_queue *queue)
{
    const uint64_t value = atomic_load(&queue->submitted);
    const char *what;
    return !value || sleep_until(dev, queue, value, UINT64_MAX, &what) == VK_SUCCESS;
}

/* Finds the queue and value of a ticket. */
static pail_status ticket_find(struct pail_vk_device *dev, pail_vk_ticket ticket,
                               struct pail_vk_queue **queue, uint64_t *value,
                               struct pail_error *err)
{
    const uint64_t number = ticket >> QUEUE_SHIFT;
    *value = ticket & VALUE_MASK;
    *queue = number < dev->n_queues ? &dev->queues[number] : NULL;
    if (!*queue || *value > atomic_load(&(*queue)->submitted))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "ticket 0x%llx was never given out",
                         (unsigned long long)ticket);
    return PAIL_OK;
}

pail_status pail_vk_poll(struct pail_vk_device *dev, pail_vk_ticket ticket, bool *done,
                         struct pail_error *err)
{
    *done = false;
    struct pail_vk_queue *queue;
    uint64_t value;
    pail_status status = pail_vk_device_check(dev, err);
    if (status != PAIL_OK || (status = ticket_find(dev, ticket, &queue, &value, err)) != PAIL_OK)
        return status;
    if (value > atomic_load(&queue->completed)) {
        uint64_t reached;
        const char *what;
        const VkResult result = progress(dev, queue, &reached, &what);
        if (result != VK_SUCCESS)
            return pail_vk_device_result(dev, result, what, err);
        *done = value <= reached;
        return PAIL_OK;
    }
    *done = true;
    return PAIL_OK;
}

/* Looks again and again for a while, before anybody sleeps: waking up takes 0.15 to 0.3 ms, more
 * than small work does. In between, the processor is offered to other threads. Nobody looks where
 * the device is the processors. Returns whether the value is reached; what looking took is taken
 * off the timeout. */
static bool look(struct pail_vk_device *dev, struct pail_vk_queue *queue, uint64_t value,
                 uint64_t *timeout_ns)
{
    if (dev->caps.type == VK_PHYSICAL_DEVICE_TYPE_CPU || *timeout_ns == 0)
        return false;
    const uint64_t most = *timeout_ns < LOOK_NS ? *timeout_ns : LOOK_NS;
    const double until = pail_now_ms() + (double)most / 1e6;
    do {
        uint64_t reached;
        const char *what;
        /* Failures are reported by who waits in earnest. */
        if (progress(dev, queue, &reached, &what) != VK_SUCCESS)
            return false;
        if (reached >= value)
            return true;
        pail_thread_yield();
    } while (pail_now_ms() < until);
    if (*timeout_ns != PAIL_VK_FOREVER)
        *timeout_ns -= most;
    return false;
}

/* Waits until the value is reached, looking first. */
static pail_status wait_for(struct pail_vk_device *dev, struct pail_vk_queue *queue, uint64_t value,
                            uint64_t timeout_ns, struct pail_error *err)
{
    if (look(dev, queue, value, &timeout_ns))
        return PAIL_OK;
    const char *what;
    const VkResult result = sleep_until(dev, queue, value, timeout_ns, &what);
    if (result == VK_TIMEOUT)
        return PAIL_NOT_READY;
    if (result != VK_SUCCESS) {
        /* Without memory for waiting the work goes on, and a caller that waits for ever frees
         * buffers in use next. Where waiting fails again, only stopping the device helps. */
        if (result != VK_ERROR_DEVICE_LOST && timeout_ns == PAIL_VK_FOREVER &&
            sleep_until(dev, queue, value, UINT64_MAX, &what) != VK_SUCCESS)
            atomic_store(&dev->lost, true);
        return pail_vk_device_result(dev, result, what, err);
    }
    note_completed(queue, value);
    return PAIL_OK;
}

pail_status pail_vk_wait(struct pail_vk_device *dev, pail_vk_ticket ticket, uint64_t timeout_ns,
                         struct pail_error *err)
{
    struct pail_vk_queue *queue;
    uint64_t value;
    pail_status status = pail_vk_device_check(dev, err);
    if (status != PAIL_OK || (status = ticket_find(dev, ticket, &queue, &value, err)) != PAIL_OK)
        return status;
    if (value <= atomic_load(&queue->completed))
        return PAIL_OK;
    const double since = pail_now_ms();
    status = wait_for(dev, queue, value, timeout_ns, err);
    if (status == PAIL_OK && pail_vk_queue_timeless(dev, queue))
        pail_vk_busy_end(&queue->busy, ticket, since, pail_now_ms());
    return status;
}
