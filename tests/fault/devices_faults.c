/* SPDX-License-Identifier: Apache-2.0 */
#include "devices_faults.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <context.h>
#include <vk/testing.h>

static struct VolkDeviceTable real;
static struct {
    VkResult result; /* result of the call that fails */
} fault;
static struct VolkDeviceTable *table;
static atomic_long calls, failures, nth;
static atomic_bool every;
static atomic_int chosen;

/* The queues that were submitted to. A device that is lost computes no more, and whoever was told
 * of a loss frees what it used: here the driver has to have ended before it is told. */
enum { QUEUES = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VkQueue queues[QUEUES];

static void come_to_rest(void)
{
    (void)pthread_mutex_lock(&lock);
    for (size_t i = 0; i < QUEUES && queues[i] != VK_NULL_HANDLE; i++)
        (void)real.vkQueueWaitIdle(queues[i]);
    (void)pthread_mutex_unlock(&lock);
}

static bool waits(const char *name)
{
    return strcmp(name, "vkQueueSubmit") == 0;
}

/* Members have threads: the result is the same for all functions. */
static bool strikes(const char *name)
{
    const int of = atomic_load(&chosen);
    if (of != DEVICES_FAULTS_OF_ALL && waits(name) != (of == DEVICES_FAULTS_OF_SUBMISSIONS))
        return false;
    const long at = atomic_load(&nth), call = atomic_fetch_add(&calls, 1) + 1;
    const bool now = at > 0 && (atomic_load(&every) ? call % at == 0 : call == at);
    atomic_fetch_add(&failures, now);
    if (now && waits(name))
        come_to_rest();
    return now;
}

#include "vk_hooks.h"

static VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueSubmit(VkQueue queue, uint32_t n,
                                                         const VkSubmitInfo *infos, VkFence fence)
{
    if (strikes("vkQueueSubmit"))
        return VK_ERROR_DEVICE_LOST;
    (void)pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < QUEUES - 1 && queues[i] != VK_NULL_HANDLE && queues[i] != queue)
        i++;
    queues[i] = queue;
    const VkResult result = real.vkQueueSubmit(queue, n, infos, fence);
    (void)pthread_mutex_unlock(&lock);
    return result;
}

void devices_faults_choose(enum devices_faults_of of)
{
    atomic_store(&chosen, of);
}

void devices_faults_arm(pail_context *context, long at, bool each)
{
    table = pail_vk_device_table(context->dev);
    real = *table;
    fault.result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    memset(queues, 0, sizeof(queues));
    atomic_store(&calls, 0);
    atomic_store(&failures, 0);
    atomic_store(&nth, at);
    atomic_store(&every, each);
    install_hooks(table);
    table->vkQueueSubmit = hook_vkQueueSubmit;
}

long devices_faults_disarm(long *failed)
{
    *table = real;
    *failed = atomic_load(&failures);
    return atomic_load(&calls);
}
