/* Memory for what a job names by a device address. */
#include <string.h>

#include "api.h"
#include "memory.h"
#include "structs.h"
#include "vk/staging.h"
#include "vk/wipe.h"

/* Bytes that are read back at a time: each download has a buffer of its own size. */
#define READ_BYTES (UINT64_C(16) << 20)

struct pail_memory {
    struct pail_memory *next; /* in the context's list; guarded by its lock */
    struct pail_context *ctx;
    struct pail_vk_buffer buffer;
    uint32_t kind; /* pail_memory_kind */
};

static pail_status create(struct pail_context *ctx, struct pail_memory **out, uint32_t kind,
                          uint64_t bytes, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(ctx->dev);
    if (kind != PAIL_MEMORY_DEVICE && kind != PAIL_MEMORY_HOST)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "kind: %u is not a pail_memory_kind", kind);
    if (!caps->buffer_device_address)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "memory at an address needs device addresses, which %s lacks", caps->name);
    struct pail_memory *memory = pail_calloc(&ctx->alloc, 1, sizeof(*memory));
    if (!memory)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to keep an allocation");
    memory->ctx = ctx;
    memory->kind = kind;
    const pail_status status = pail_vk_buffer_create(
        ctx->dev, &memory->buffer,
        kind == PAIL_MEMORY_DEVICE ? PAIL_VK_MEMORY_DEVICE : PAIL_VK_MEMORY_PINNED, bytes,
        "memory of the host", err);
    if (status != PAIL_OK) {
        pail_free(&ctx->alloc, memory);
        return status;
    }
    if (kind == PAIL_MEMORY_HOST) {
        pthread_mutex_lock(&ctx->lock);
        memory->next = ctx->memories;
        ctx->memories = memory;
        pthread_mutex_unlock(&ctx->lock);
    }
    *out = memory;
    return PAIL_OK;
}

static void forget(struct pail_memory *memory)
{
    struct pail_context *ctx = memory->ctx;
    pthread_mutex_lock(&ctx->lock);
    struct pail_memory **at = &ctx->memories;
    while (*at && *at != memory)
        at = &(*at)->next;
    if (*at)
        *at = memory->next;
    pthread_mutex_unlock(&ctx->lock);
}

bool pail_memory_find(struct pail_context *ctx, uint64_t address, uint64_t bytes,
                      struct pail_vk_slice *out)
{
    bool found = false;
    pthread_mutex_lock(&ctx->lock);
    for (const struct pail_memory *m = ctx->memories; m && !found; m = m->next) {
        const uint64_t offset = address - m->buffer.address;
        found = address >= m->buffer.address && offset <= m->buffer.size &&
                bytes <= m->buffer.size - offset;
        if (found)
            *out = pail_vk_buffer_slice(&m->buffer, offset, bytes);
    }
    pthread_mutex_unlock(&ctx->lock);
    return found;
}

pail_status pail_api_memory_create(pail_context *context, pail_memory **memory,
                                   pail_memory_info *info, uint32_t kind, uint64_t bytes)
{
    struct pail_error err = {0};
    pail_status status = PAIL_OK;
    if (memory)
        *memory = NULL;
    if (info)
        status = pail_struct_out(info, PAIL_MEMORY_INFO_SIZE_1_0, "pail_memory_info", &err);
    if (status == PAIL_OK)
        status = pail_api_need_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_api_need(memory, "memory", &err);
    if (status == PAIL_OK)
        status = create(context, memory, kind, bytes, &err);
    if (status != PAIL_OK)
        return pail_api_failed(context ? &context->log : NULL, &err);
    const struct pail_vk_buffer *buffer = &(*memory)->buffer;
    const pail_memory_info filled = {
        .struct_size = sizeof(filled),
        .kind = kind,
        .bytes = bytes,
        .address = buffer->address,
        .mapped = kind == PAIL_MEMORY_HOST ? buffer->mapped : NULL,
    };
    if (info)
        pail_struct_deliver(info, &filled, sizeof(filled));
    return PAIL_OK;
}

void pail_api_memory_destroy(pail_context *context, pail_memory **memory)
{
    if (!memory || !*memory)
        return;
    struct pail_memory *m = *memory;
    *memory = NULL;
    (void)context;
    if (!pail_api_usable())
        return;
    forget(m);
    /* It is for scalars. */
    struct pail_error err;
    const struct pail_vk_slice all = pail_vk_buffer_slice(&m->buffer, 0, m->buffer.size);
    if (pail_vk_wipe(m->ctx->dev, &all, &err) != PAIL_OK)
        pail_log(&m->ctx->log, PAIL_LOG_WARNING, "memory of the host is freed unwiped: %s",
                 err.text);
    pail_vk_buffer_destroy(m->ctx->dev, &m->buffer);
    pail_free(&m->ctx->alloc, m);
}

/* The range as a slice. */
static pail_status range_of(struct pail_vk_slice *slice, const pail_memory *memory,
                            const void *bytes, uint64_t offset, uint64_t n_bytes,
                            struct pail_error *err)
{
    if (!memory)
        return pail_api_need(memory, "memory", err);
    if (!bytes && n_bytes)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "bytes: NULL with n_bytes = %llu",
                         (unsigned long long)n_bytes);
    if (offset > memory->buffer.size || n_bytes > memory->buffer.size - offset)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "n_bytes: %llu at %llu of memory of %llu bytes",
                         (unsigned long long)n_bytes, (unsigned long long)offset,
                         (unsigned long long)memory->buffer.size);
    *slice = pail_vk_buffer_slice(&memory->buffer, offset, n_bytes);
    return PAIL_OK;
}

pail_status pail_api_memory_write(pail_memory *memory, uint64_t offset, const void *bytes,
                                  uint64_t n_bytes)
{
    struct pail_error err = {0};
    struct pail_vk_slice slice;
    pail_status status = range_of(&slice, memory, bytes, offset, n_bytes, &err);
    if (status == PAIL_OK)
        status = pail_api_need_process(&err);
    if (status == PAIL_OK && n_bytes && memory->kind == PAIL_MEMORY_HOST)
        memcpy(slice.mapped, bytes, (size_t)n_bytes);
    else if (status == PAIL_OK && n_bytes)
        status = pail_vk_upload_secret(memory->ctx->dev, &slice, 0, bytes, n_bytes, &err);
    return status == PAIL_OK ? PAIL_OK : pail_api_failed(memory ? &memory->ctx->log : NULL, &err);
}

pail_status pail_api_memory_read(const pail_memory *memory, void *bytes, uint64_t offset,
                                 uint64_t n_bytes)
{
    struct pail_error err = {0};
    struct pail_vk_slice slice;
    pail_status status = range_of(&slice, memory, bytes, offset, n_bytes, &err);
    /* Where the range is wrong so may the room be: nothing is zeroed there. */
    const bool right = status == PAIL_OK;
    if (right)
        status = pail_api_need_process(&err);
    if (status == PAIL_OK && n_bytes && memory->kind == PAIL_MEMORY_HOST)
        memcpy(bytes, slice.mapped, (size_t)n_bytes);
    for (uint64_t done = 0; status == PAIL_OK && memory->kind == PAIL_MEMORY_DEVICE;) {
        const uint64_t left = n_bytes - done, n = left < READ_BYTES ? left : READ_BYTES;
        if (n == 0)
            break;
        status = pail_vk_download(memory->ctx->dev, &slice, done, (uint8_t *)bytes + done, n,
                                  PAIL_VK_FOREVER, &err);
        done += n;
    }
    if (status != PAIL_OK && right && bytes)
        memset(bytes, 0, (size_t)n_bytes);
    return status == PAIL_OK ? PAIL_OK : pail_api_failed(memory ? &memory->ctx->log : NULL, &err);
}
