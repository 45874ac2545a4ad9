/* The layer's account of memory: $PAIL_LAYER_MEMORY names a file that gets one line for each call,
 * "allocate" or "free". */
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

PFN_vkVoidFunction layer_memory_function(const char *name)
{
    if (strcmp(name, "vkAllocateMemory") == 0)
        return (PFN_vkVoidFunction)allocate;
    return strcmp(name, "vkFreeMemory") == 0 ? (PFN_vkVoidFunction)release : NULL;
}
