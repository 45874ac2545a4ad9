/* Memory for what a job names by a device address. */
#include <string.h>

#include <core/structs.h>

#include "api.h"
#include "memories.h"
#include "vk/staging.h"

/* Bytes that are read back at a time: each download has a buffer of its own size. */
#define READ_BYTES (UINT64_C(16) << 20)

pail_status pail_api_memory_create(pail_context *context, pail_memory **memory,
                                   pail_memory_info *info, uint32_t kind, uint64_t bytes)
{
    struct pail_error err = {0};
    pail_status status = PAIL_OK;
    if (memory)
        *memory = NULL;
    if (info)
        status = pail_struct_out(info, PAIL_MEMORY_INFO_SIZE_1_0, "info", &err);
    if (status == PAIL_OK)
        status = pail_front_object(context, "context", &err);
    if (status == PAIL_OK)
        status = pail_front_need(memory, "memory", &err);
    if (status == PAIL_OK)
        status = pail_memory_create(&context->memories, memory, kind, bytes, &err);
    if (status != PAIL_OK)
        return pail_api_end(context, status, &err);
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
    (void)context; /* the memory knows its own */
    if (pail_process_is_first())
        pail_memory_destroy(m);
}

/* The range as a slice. */
static pail_status range_of(struct pail_vk_slice *slice, const pail_memory *memory,
                            const void *bytes, uint64_t offset, uint64_t n_bytes,
                            struct pail_error *err)
{
    if (!memory)
        return pail_front_need(memory, "memory", err);
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
        status = pail_front_process(&err);
    if (status == PAIL_OK && n_bytes && memory->kind == PAIL_MEMORY_HOST)
        memcpy(slice.mapped, bytes, (size_t)n_bytes);
    else if (status == PAIL_OK && n_bytes)
        status = pail_vk_upload_secret(memory->memories->dev, &slice, 0, bytes, n_bytes, &err);
    return pail_front_end(memory ? &memory->memories->log : NULL, status, &err);
}

pail_status pail_api_memory_read(const pail_memory *memory, void *bytes, uint64_t offset,
                                 uint64_t n_bytes)
{
    struct pail_error err = {0};
    struct pail_vk_slice slice;
    pail_status status = range_of(&slice, memory, bytes, offset, n_bytes, &err);
    /* A wrong range may come with a wrong size of `bytes`: nothing is zeroed then. */
    const bool right = status == PAIL_OK;
    if (right)
        status = pail_front_process(&err);
    if (status == PAIL_OK && n_bytes && memory->kind == PAIL_MEMORY_HOST)
        memcpy(bytes, slice.mapped, (size_t)n_bytes);
    for (uint64_t done = 0; status == PAIL_OK && memory->kind == PAIL_MEMORY_DEVICE;) {
        const uint64_t left = n_bytes - done, n = left < READ_BYTES ? left : READ_BYTES;
        if (n == 0)
            break;
        status = pail_vk_download(memory->memories->dev, &slice, done, (uint8_t *)bytes + done, n,
                                  PAIL_VK_FOREVER, &err);
        done += n;
    }
    if (status != PAIL_OK && right && bytes)
        memset(bytes, 0, (size_t)n_bytes);
    return pail_front_end(memory ? &memory->memories->log : NULL, status, &err);
}
