#include <stdbool.h>

#include "devices_faults.h"

#include <stdatomic.h>
#include <string.h>

#include <context.h>
#include <vk/testing.h>

static struct VolkDeviceTable real;
static struct {
    VkResult result; /* of what fails next */
} fault;
static struct VolkDeviceTable *table;
static atomic_long calls, failures, nth;
static atomic_bool every;

/* Members have threads: the result is the same for all functions that the specification lets fail
 * so. What cannot be told but by a loss is lost. */
static bool strikes(const char *name)
{
    (void)name;
    const long at = atomic_load(&nth), call = atomic_fetch_add(&calls, 1) + 1;
    const bool now = at > 0 && (atomic_load(&every) ? call % at == 0 : call == at);
    atomic_fetch_add(&failures, now);
    return now;
}

#include "vk_hooks.h"

static VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueSubmit(VkQueue queue, uint32_t n,
                                                         const VkSubmitInfo *infos, VkFence fence)
{
    return strikes("vkQueueSubmit") ? VK_ERROR_DEVICE_LOST
                                    : real.vkQueueSubmit(queue, n, infos, fence);
}

void devices_faults_arm(pail_context *context, long at, bool each)
{
    table = pail_vk_device_table(context->dev);
    real = *table;
    fault.result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
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
