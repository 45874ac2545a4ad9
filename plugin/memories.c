#include "memories.h"

#include "vk/wipe.h"

pail_status pail_memories_init(struct pail_memories *memories, const struct pail_alloc *alloc,
                               const struct pail_log *log, struct pail_vk_device *dev,
                               struct pail_error *err)
{
    *memories = (struct pail_memories){.alloc = *alloc, .log = *log};
    if (pthread_mutex_init(&memories->lock, NULL) != 0)
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    memories->dev = dev;
    return PAIL_OK;
}

void pail_memories_fini(struct pail_memories *memories)
{
    if (memories->dev)
        pthread_mutex_destroy(&memories->lock);
    memories->dev = NULL;
}

pail_status pail_memory_create(struct pail_memories *memories, struct pail_memory **out,
                               uint32_t kind, uint64_t bytes, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(memories->dev);
    if (kind != PAIL_MEMORY_DEVICE && kind != PAIL_MEMORY_HOST)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "kind: %u is not a pail_memory_kind", kind);
    if (!caps->buffer_device_address)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "memory at an address needs device addresses, which %s lacks", caps->name);
    struct pail_memory *memory = pail_calloc(&memories->alloc, 1, sizeof(*memory));
    if (!memory)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to keep an allocation");
    memory->memories = memories;
    memory->kind = kind;
    const pail_status status = pail_vk_buffer_create_large(
        memories->dev, &memory->buffer,
        kind == PAIL_MEMORY_DEVICE ? PAIL_VK_MEMORY_DEVICE : PAIL_VK_MEMORY_PINNED, bytes,
        "memory of the host", err);
    if (status != PAIL_OK) {
        pail_free(&memories->alloc, memory);
        return status;
    }
    if (kind == PAIL_MEMORY_HOST) {
        pthread_mutex_lock(&memories->lock);
        memory->next = memories->first;
        memories->first = memory;
        pthread_mutex_unlock(&memories->lock);
    }
    *out = memory;
    return PAIL_OK;
}

static void forget(struct pail_memory *memory)
{
    struct pail_memories *memories = memory->memories;
    pthread_mutex_lock(&memories->lock);
    struct pail_memory **at = &memories->first;
    while (*at && *at != memory)
        at = &(*at)->next;
    if (*at)
        *at = memory->next;
    pthread_mutex_unlock(&memories->lock);
}

void pail_memory_destroy(struct pail_memory *memory)
{
    struct pail_memories *memories = memory->memories;
    struct pail_error err;
    forget(memory);
    const struct pail_vk_slice all = pail_vk_buffer_slice(&memory->buffer, 0, memory->buffer.size);
    if (pail_vk_wipe(memories->dev, &all, &err) != PAIL_OK)
        pail_log(&memories->log, PAIL_LOG_WARNING, "memory of the host is freed unwiped: %s",
                 err.text);
    pail_vk_buffer_destroy(memories->dev, &memory->buffer);
    pail_free(&memories->alloc, memory);
}

bool pail_memories_find(struct pail_memories *memories, uint64_t address, uint64_t bytes,
                        struct pail_vk_slice *out)
{
    bool found = false;
    pthread_mutex_lock(&memories->lock);
    for (const struct pail_memory *m = memories->first; m && !found; m = m->next) {
        const uint64_t offset = address - m->buffer.address;
        found = address >= m->buffer.address && offset <= m->buffer.size &&
                bytes <= m->buffer.size - offset;
        if (found)
            *out = pail_vk_buffer_slice(&m->buffer, offset, bytes);
    }
    pthread_mutex_unlock(&memories->lock);
    return found;
}
