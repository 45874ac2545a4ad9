/* SPDX-License-Identifier: Apache-2.0 */
#include "pointers.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include <core/log.h>
#include <platform/memory.h>

#include "cmd.h"
#include "device_priv.h"

/* Two buffers in one piece of memory: at its beginning, and behind the first. */
enum { BUFFERS = 2 };
#define BYTES (UINT64_C(1) << 16)

#define VISIBLE (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)

struct sample {
    VkDeviceMemory memory;
    struct {
        VkBuffer handle;
        uint64_t offset; /* offset in the memory */
        uint64_t address;
    } buffers[BUFFERS];
    uint64_t allocated;
};

struct trial {
    struct pail_vk_device *dev;
    struct sample samples[2]; /* mapped for a while; never mapped */
    struct pail_probe probe;
    uint32_t first_word;
    const char *reason; /* why addresses are no pointers; NULL: nothing speaks against it */
};

/* Words that memory does not have by chance, nor from a trial before: one for each end of each
 * buffer. */
static uint32_t word_of(const struct trial *t, uint32_t number, bool end)
{
    return 0x9e3779b9u * (t->first_word + 2 * number + end);
}

/* ---- Memory ---------------------------------------------------------------------------------- */
static pail_status make_buffers(struct trial *t, struct sample *s, VkMemoryRequirements *needs,
                                struct pail_error *err)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = BYTES,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
    };
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const VkResult result =
            t->dev->vk.vkCreateBuffer(t->dev->handle, &info, NULL, &s->buffers[i].handle);
        if (result != VK_SUCCESS)
            return pail_vk_device_result(t->dev, result, "vkCreateBuffer", err);
        t->dev->vk.vkGetBufferMemoryRequirements(t->dev->handle, s->buffers[i].handle, needs);
        s->buffers[i].offset =
            (s->allocated + needs->alignment - 1) / needs->alignment * needs->alignment;
        s->allocated = s->buffers[i].offset + needs->size;
    }
    return PAIL_OK;
}

static pail_status make_memory(struct trial *t, struct sample *s, uint32_t type,
                               struct pail_error *err)
{
    struct pail_vk_device *dev = t->dev;
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &flags,
        .allocationSize = s->allocated,
        .memoryTypeIndex = type,
    };
    VkResult result = dev->vk.vkAllocateMemory(dev->handle, &info, NULL, &s->memory);
    if (result != VK_SUCCESS)
        return pail_vk_device_result(dev, result, "vkAllocateMemory", err);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const VkBufferDeviceAddressInfo address = {
            .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
            .buffer = s->buffers[i].handle,
        };
        result = dev->vk.vkBindBufferMemory(dev->handle, s->buffers[i].handle, s->memory,
                                            s->buffers[i].offset);
        if (result != VK_SUCCESS)
            return pail_vk_device_result(dev, result, "vkBindBufferMemory", err);
        s->buffers[i].address = dev->vk.vkGetBufferDeviceAddress(dev->handle, &address);
    }
    return PAIL_OK;
}

static void free_sample(struct trial *t, struct sample *s)
{
    pail_vk_device_settle(t->dev);
    for (uint32_t i = 0; i < BUFFERS; i++)
        t->dev->vk.vkDestroyBuffer(t->dev->handle, s->buffers[i].handle, NULL);
    t->dev->vk.vkFreeMemory(t->dev->handle, s->memory, NULL);
    *s = (struct sample){0};
}

/* ---- What is tried --------------------------------------------------------------------------- */
/* The device writes words to both ends of all buffers. */
static pail_status write_words(struct trial *t, struct pail_error *err)
{
    struct pail_vk_cmd *cmd = NULL;
    pail_vk_ticket ticket;
    pail_status status = pail_vk_cmd_begin(t->dev, PAIL_VK_QUEUE_MAIN, "pointers", &cmd, err);
    if (status != PAIL_OK)
        return status;
    for (uint32_t i = 0; i < 2 * BUFFERS; i++) {
        const struct pail_vk_buffer buffer = {
            .handle = t->samples[i / BUFFERS].buffers[i % BUFFERS].handle, .size = BYTES};
        const struct pail_vk_slice all = pail_vk_buffer_slice(&buffer, 0, BYTES);
        pail_vk_cmd_fill(cmd, &all, 0, 4, word_of(t, i, false));
        pail_vk_cmd_fill(cmd, &all, BYTES - 4, 4, word_of(t, i, true));
    }
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    if (status == PAIL_OK)
        status = pail_vk_wait(t->dev, ticket, PAIL_VK_FOREVER, err);
    else /* it may run all the same, and the buffers are about to be freed */
        (void)pail_vk_wait(t->dev, pail_vk_last_ticket(t->dev, PAIL_VK_QUEUE_MAIN), PAIL_VK_FOREVER,
                           NULL);
    pail_vk_cmd_release(&cmd);
    return status;
}

static pail_status compare_with_mapping(struct trial *t, const struct sample *s,
                                        struct pail_error *err)
{
    void *mapped;
    const VkResult result =
        t->dev->vk.vkMapMemory(t->dev->handle, s->memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (result != VK_SUCCESS)
        return pail_vk_device_result(t->dev, result, "vkMapMemory", err);
    t->dev->vk.vkUnmapMemory(t->dev->handle, s->memory);
    for (uint32_t i = 0; i < BUFFERS; i++)
        if ((uint64_t)(uintptr_t)mapped + s->buffers[i].offset != s->buffers[i].address)
            t->reason = "they are not where memory is mapped";
    return PAIL_OK;
}

static void read_words(struct trial *t)
{
    for (uint32_t i = 0; i < 2 * BUFFERS && !t->reason; i++) {
        const uint64_t address = t->samples[i / BUFFERS].buffers[i % BUFFERS].address;
        if (!pail_probe_holds(&t->probe, address, word_of(t, i, false)) ||
            !pail_probe_holds(&t->probe, address + BYTES - 4, word_of(t, i, true)))
            t->reason = "what the device wrote is not read there";
    }
}

/* Memory of one type. skipped: buffers cannot have it. */
static pail_status try_type(struct trial *t, uint32_t type, bool *skipped, struct pail_error *err)
{
    static atomic_uint n_words;
    const VkMemoryPropertyFlags flags = t->dev->memory_types.memoryTypes[type].propertyFlags;
    VkMemoryRequirements needs = {0};
    pail_status status = PAIL_OK;
    t->first_word = 1 + atomic_fetch_add(&n_words, 4 * BUFFERS);
    for (uint32_t i = 0; i < 2 && status == PAIL_OK; i++)
        status = make_buffers(t, &t->samples[i], &needs, err);
    *skipped = status == PAIL_OK && !(needs.memoryTypeBits >> type & 1);
    if (status == PAIL_OK && !*skipped && (flags & VISIBLE) != VISIBLE)
        t->reason = "there is memory that the host does not see";
    const bool go_on = !*skipped && !t->reason;
    for (uint32_t i = 0; i < 2 && status == PAIL_OK && go_on; i++)
        status = make_memory(t, &t->samples[i], type, err);
    if (status == PAIL_OK && go_on)
        status = write_words(t, err);
    if (status == PAIL_OK && go_on)
        status = compare_with_mapping(t, &t->samples[0], err);
    if (status == PAIL_OK && go_on && !t->reason)
        read_words(t);
    for (uint32_t i = 0; i < 2; i++)
        free_sample(t, &t->samples[i]);
    return status;
}

pail_status pail_vk_find_pointers(struct pail_vk_device *dev, struct pail_error *err)
{
    struct trial t = {.dev = dev};
    uint32_t tried = 0;
    pail_status status = pail_vk_device_check(dev, err);
    dev->caps.pointers = false;
    if (status != PAIL_OK || !dev->caps.try_pointers || !dev->caps.buffer_device_address ||
        dev->caps.type != VK_PHYSICAL_DEVICE_TYPE_CPU)
        return status;
    if (!pail_probe_open(&t.probe)) {
        pail_log(&dev->log, PAIL_LOG_WARNING,
                 "pointers: a pipe cannot be made (%s), so that nobody knows whether addresses of "
                 "device \"%s\" are pointers",
                 strerror(errno), dev->caps.name);
        return PAIL_OK;
    }
    for (uint32_t i = 0; i < dev->memory_types.memoryTypeCount && status == PAIL_OK && !t.reason;
         i++) {
        bool skipped;
        status = try_type(&t, i, &skipped, err);
        tried += !skipped;
    }
    pail_probe_close(&t.probe);
    if (status != PAIL_OK)
        return status;
    dev->caps.pointers = tried > 0 && !t.reason;
    if (dev->debug & PAIL_DEBUG_TRACE)
        pail_log(&dev->log, PAIL_LOG_DEBUG, "pointers: addresses of device \"%s\" are %s%s%s",
                 dev->caps.name, dev->caps.pointers ? "pointers of this process" : "no pointers",
                 t.reason ? ": " : "", t.reason ? t.reason : "");
    return PAIL_OK;
}
