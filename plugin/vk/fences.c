/* SPDX-License-Identifier: Apache-2.0 */
#include "fences.h"

#include "device_priv.h"

void pail_vk_fences_init(struct pail_vk_fences *fences)
{
    pthread_mutex_init(&fences->lock, NULL);
    fences->oldest = fences->spare = NULL;
    fences->newest = &fences->oldest;
    fences->reached = 0;
}

static void destroy_all(struct pail_vk_device *dev, struct pail_vk_fence *fence)
{
    while (fence) {
        struct pail_vk_fence *const next = fence->next;
        dev->vk.vkDestroyFence(dev->handle, fence->handle, NULL);
        pail_free(&dev->alloc, fence);
        fence = next;
    }
}

void pail_vk_fences_fini(struct pail_vk_device *dev, struct pail_vk_fences *fences)
{
    destroy_all(dev, fences->oldest);
    destroy_all(dev, fences->spare);
    fences->oldest = fences->spare = NULL;
    pthread_mutex_destroy(&fences->lock);
}

static void put_spare(struct pail_vk_fences *fences, struct pail_vk_fence *fence)
{
    fence->next = fences->spare;
    fences->spare = fence;
}

static pail_status create(struct pail_vk_device *dev, struct pail_vk_fence **out,
                          struct pail_error *err)
{
    struct pail_vk_fence *const fence = pail_calloc(&dev->alloc, 1, sizeof(*fence));
    if (!fence)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a fence");
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkResult result = dev->vk.vkCreateFence(dev->handle, &info, NULL, &fence->handle);
    if (result != VK_SUCCESS) {
        pail_free(&dev->alloc, fence);
        return pail_vk_device_result(dev, result, "vkCreateFence", err);
    }
    pail_vk_device_name(dev, VK_OBJECT_TYPE_FENCE, PAIL_VK_HANDLE(fence->handle), "pail fence");
    *out = fence;
    return PAIL_OK;
}

pail_status pail_vk_fences_take(struct pail_vk_device *dev, struct pail_vk_fences *fences,
                                struct pail_vk_fence **out, struct pail_error *err)
{
    *out = NULL;
    pthread_mutex_lock(&fences->lock);
    struct pail_vk_fence *const fence = fences->spare;
    if (fence)
        fences->spare = fence->next;
    pthread_mutex_unlock(&fences->lock);
    if (!fence)
        return create(dev, out, err);
    if (fence->used) {
        const VkResult result = dev->vk.vkResetFences(dev->handle, 1, &fence->handle);
        if (result != VK_SUCCESS) {
            pail_vk_fences_give(fences, fence, result, 0);
            return pail_vk_device_result(dev, result, "vkResetFences", err);
        }
        fence->used = false;
    }
    *out = fence;
    return PAIL_OK;
}

void pail_vk_fences_give(struct pail_vk_fences *fences, struct pail_vk_fence *fence,
                         VkResult result, uint64_t value)
{
    pthread_mutex_lock(&fences->lock);
    if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST) {
        fence->value = value;
        fence->used = true;
        fence->next = NULL;
        *fences->newest = fence;
        fences->newest = &fence->next;
    } else {
        put_spare(fences, fence);
    }
    pthread_mutex_unlock(&fences->lock);
}

/* Takes signalled fences off the list. */
static VkResult advance(struct pail_vk_device *dev, struct pail_vk_fences *fences)
{
    while (fences->oldest) {
        struct pail_vk_fence *const fence = fences->oldest;
        const VkResult result = dev->vk.vkGetFenceStatus(dev->handle, fence->handle);
        if (result != VK_SUCCESS)
            return result == VK_NOT_READY ? VK_SUCCESS : result;
        fences->reached = fence->value;
        fences->oldest = fence->next;
        if (!fences->oldest)
            fences->newest = &fences->oldest;
        fence->reached = fence->waiters > 0;
        if (!fence->reached)
            put_spare(fences, fence);
    }
    return VK_SUCCESS;
}

VkResult pail_vk_fences_reached(struct pail_vk_device *dev, struct pail_vk_fences *fences,
                                uint64_t *value)
{
    pthread_mutex_lock(&fences->lock);
    const VkResult result = advance(dev, fences);
    *value = fences->reached;
    pthread_mutex_unlock(&fences->lock);
    return result;
}

VkResult pail_vk_fences_wait(struct pail_vk_device *dev, struct pail_vk_fences *fences,
                             uint64_t value, uint64_t timeout_ns)
{
    pthread_mutex_lock(&fences->lock);
    struct pail_vk_fence *fence = fences->oldest;
    while (fence && fence->value < value)
        fence = fence->next;
    if (!fence || fences->reached >= value) {
        pthread_mutex_unlock(&fences->lock);
        return VK_SUCCESS;
    }
    fence->waiters++;
    pthread_mutex_unlock(&fences->lock);

    VkResult result = dev->vk.vkWaitForFences(dev->handle, 1, &fence->handle, VK_TRUE, timeout_ns);

    pthread_mutex_lock(&fences->lock);
    fence->waiters--;
    if (fence->reached && fence->waiters == 0) {
        fence->reached = false;
        put_spare(fences, fence);
    }
    /* A fence that cannot be asked for now stays in the list; the wait is over all the same. */
    if (result == VK_SUCCESS && advance(dev, fences) == VK_ERROR_DEVICE_LOST)
        result = VK_ERROR_DEVICE_LOST;
    pthread_mutex_unlock(&fences->lock);
    return result;
}
