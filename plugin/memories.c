/* SPDX-License-Identifier: Apache-2.0 */
#include "memories.h"

#include "vk/wipe.h"

pail_status pail_memories_init(struct pail_memories *memories, const struct pail_alloc *alloc,
                               const struct pail_log *log, struct pail_vk_device *dev,
                               struct pail_error *err)
{
    *memories = (struct pail_memories){.alloc = *alloc, .log = *log};
    const pail_status status = pail_ranges_init(&memories->ranges, alloc, err);
    if (status == PAIL_OK)
        memories->dev = dev;
    return status;
}

void pail_memories_fini(struct pail_memories *memories)
{
    if (memories->dev)
        pail_ranges_fini(&memories->ranges);
    memories->dev = NULL;
}

pail_status pail_memory_create(struct pail_memories *memories, struct pail_memory **out,
                               uint32_t kind, uint64_t bytes, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(memories->dev);
    if (!caps->buffer_device_address)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "memory at an address needs device addresses, which %s lacks", caps->name);
    struct pail_memory *memory = pail_calloc(&memories->alloc, 1, sizeof(*memory));
    if (!memory)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to keep an allocation");
    memory->memories = memories;
    memory->kind = kind;
    pail_status status = pail_vk_buffer_create_large(
        memories->dev, &memory->buffer,
        kind == PAIL_MEMORY_DEVICE ? PAIL_VK_MEMORY_DEVICE : PAIL_VK_MEMORY_PINNED, bytes,
        "memory of the host", err);
    const struct pail_range range = {memory->buffer.address, bytes, memory};
    if (status == PAIL_OK)
        status = pail_ranges_add(&memories->ranges, &range, err);
    if (status != PAIL_OK) {
        pail_vk_buffer_destroy(memories->dev, &memory->buffer);
        pail_free(&memories->alloc, memory);
        return status;
    }
    *out = memory;
    return PAIL_OK;
}

void pail_memory_destroy(struct pail_memory *memory)
{
    struct pail_memories *memories = memory->memories;
    struct pail_error err;
    pail_ranges_remove(&memories->ranges, memory->buffer.address);
    (void)atomic_fetch_add(&memories->destroyed, 1);
    const struct pail_vk_slice all = pail_vk_buffer_slice(&memory->buffer, 0, memory->buffer.size);
    if (pail_vk_wipe(memories->dev, &all, &err) != PAIL_OK)
        pail_log(&memories->log, PAIL_LOG_WARNING, "memory of the host is freed unwiped: %s",
                 err.text);
    if (memories->wipe_idle)
        memories->wipe_idle(memories->user);
    pail_vk_buffer_destroy(memories->dev, &memory->buffer);
    pail_free(&memories->alloc, memory);
}

bool pail_memories_find(struct pail_memories *memories, uint64_t address, uint64_t bytes,
                        bool of_host, struct pail_vk_slice *out)
{
    struct pail_range range;
    if (!pail_ranges_find(&memories->ranges, address, &range))
        return false;
    const struct pail_memory *const memory = range.object;
    const uint64_t offset = address - range.begin;
    if (bytes > range.bytes - offset || (of_host && memory->kind != PAIL_MEMORY_HOST))
        return false;
    *out = pail_vk_buffer_slice(&memory->buffer, offset, bytes);
    return true;
}
