/* SPDX-License-Identifier: Apache-2.0 */
/* The layer's account of what a steady state has no need of: $PAIL_LAYER_MEMORY names a file that
 * gets one line for each call, "allocate", "free" or, of waits for a whole queue or device, "idle".
 */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer.h"

static void note(const char *line)
{
    const char *const path = getenv("PAIL_LAYER_MEMORY");
    const int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return;
    /* An account that lacks a line would let a test pass that must not. */
    if (write(fd, line, strlen(line)) != (ssize_t)strlen(line))
        abort();
    (void)close(fd);
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice handle, const VkMemoryAllocateInfo *info,
                                               const VkAllocationCallbacks *allocator,
                                               VkDeviceMemory *out)
{
    note("allocate\n");
    return layer_find_device(handle)->allocate(handle, info, allocator, out);
}

static VKAPI_ATTR void VKAPI_CALL release(VkDevice handle, VkDeviceMemory memory,
                                          const VkAllocationCallbacks *allocator)
{
    note("free\n");
    layer_find_device(handle)->release(handle, memory, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL device_idle(VkDevice handle)
{
    note("idle\n");
    return layer_find_device(handle)->device_idle(handle);
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_idle(VkQueue handle)
{
    note("idle\n");
    return layer_find_device(handle)->queue_idle(handle);
}

PFN_vkVoidFunction layer_memory_function(const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } all[] = {{"vkAllocateMemory", (PFN_vkVoidFunction)allocate},
               {"vkFreeMemory", (PFN_vkVoidFunction)release},
               {"vkDeviceWaitIdle", (PFN_vkVoidFunction)device_idle},
               {"vkQueueWaitIdle", (PFN_vkVoidFunction)queue_idle}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(name, all[i].name) == 0)
            return all[i].function;
    return NULL;
}
