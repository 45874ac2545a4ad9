/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for what a job names by a device address. */
#include <string.h>

#include "api.h"
#include "memories.h"
#include "vk/cmd.h"
#include "vk/staging.h"

/* Bytes that are read back at a time: each download has a buffer of its own size. */
#define READ_BYTES (UINT64_C(16) << 20)

pail_status pail_api_memory_create(pail_context *context, pail_memory **memory,
                                   pail_memory_info *info, uint32_t kind, uint64_t bytes,
                                   struct pail_error *err)
{
    const pail_status status = pail_memory_create(&context->memories, memory, kind, bytes, err);
    if (status != PAIL_OK)
        return status;
    const struct pail_vk_buffer *buffer = &(*memory)->buffer;
    info->address = buffer->address;
    info->mapped = kind == PAIL_MEMORY_HOST ? buffer->mapped : NULL;
    return PAIL_OK;
}

pail_status pail_api_memory_write(pail_memory *memory, uint64_t offset, const void *bytes,
                                  uint64_t n_bytes, struct pail_error *err)
{
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&memory->buffer, offset, n_bytes);
    if (memory->kind != PAIL_MEMORY_HOST)
        return pail_vk_upload_secret(memory->memories->dev, &slice, 0, bytes, n_bytes, err);
    memcpy(slice.mapped, bytes, (size_t)n_bytes);
    return PAIL_OK;
}

pail_status pail_api_memory_read(const pail_memory *memory, void *bytes, uint64_t offset,
                                 uint64_t n_bytes, struct pail_error *err)
{
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&memory->buffer, offset, n_bytes);
    if (memory->kind == PAIL_MEMORY_HOST) {
        memcpy(bytes, slice.mapped, (size_t)n_bytes);
        return PAIL_OK;
    }
    pail_status status = PAIL_OK;
    for (uint64_t done = 0; done < n_bytes && status == PAIL_OK; done += READ_BYTES) {
        const uint64_t left = n_bytes - done, n = left < READ_BYTES ? left : READ_BYTES;
        status = pail_vk_download(memory->memories->dev, &slice, done, (uint8_t *)bytes + done, n,
                                  PAIL_VK_FOREVER, err);
    }
    return status;
}

/* ---- On the device --------------------------------------------------------------------------- */
/* Ends what comes after all earlier work and before all later one, and waits. */
static pail_status end(struct pail_vk_device *dev, struct pail_vk_cmd *cmd, struct pail_error *err)
{
    pail_vk_ticket ticket = 0;
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_ANYTHING | PAIL_VK_HOST);
    pail_status status = pail_vk_cmd_submit(cmd, &ticket, err);
    pail_vk_cmd_release(&cmd);
    if (status == PAIL_OK)
        status = pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, err);
    return status;
}

/* Bytes of a submission: no more than the slowest bus moves before a device is given back. */
#define PIECE (UINT64_C(1) << 28)

pail_status pail_api_memory_copy(pail_memory *to, uint64_t to_offset, const pail_memory *from,
                                 uint64_t from_offset, uint64_t n_bytes, struct pail_error *err)
{
    struct pail_vk_device *const dev = to->memories->dev;
    pail_status status = PAIL_OK;
    for (uint64_t done = 0, n; done < n_bytes && status == PAIL_OK; done += n) {
        n = n_bytes - done < PIECE ? n_bytes - done : PIECE;
        const struct pail_vk_slice src = pail_vk_buffer_slice(&from->buffer, from_offset + done, n),
                                   dst = pail_vk_buffer_slice(&to->buffer, to_offset + done, n);
        struct pail_vk_cmd *cmd = NULL;
        status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "memory copy", &cmd, err);
        if (status != PAIL_OK)
            return status;
        pail_vk_cmd_barrier(cmd, PAIL_VK_ANYTHING, PAIL_VK_TRANSFER);
        pail_vk_cmd_copy(cmd, &src, 0, &dst, 0, n);
        status = end(dev, cmd, err);
    }
    return status;
}

/* Fewer bytes than a word, which the device cannot fill. */
static pail_status fill_few(pail_memory *memory, uint64_t offset, uint64_t n, uint8_t value,
                            struct pail_error *err)
{
    const uint8_t bytes[4] = {value, value, value, value};
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&memory->buffer, offset, n);
    return n ? pail_vk_upload_secret(memory->memories->dev, &slice, 0, bytes, n, err) : PAIL_OK;
}

pail_status pail_api_memory_fill(pail_memory *memory, uint64_t offset, uint64_t n_bytes,
                                 uint8_t value, struct pail_error *err)
{
    struct pail_vk_device *const dev = memory->memories->dev;
    const uint64_t stop = offset + n_bytes, before = (4 - offset % 4) % 4;
    const uint64_t begin = before < n_bytes ? offset + before : stop, tail = (stop - begin) % 4;
    pail_status status = fill_few(memory, offset, begin - offset, value, err);
    if (status == PAIL_OK)
        status = fill_few(memory, stop - tail, tail, value, err);
    for (uint64_t at = begin, n; at < stop - tail && status == PAIL_OK; at += n) {
        n = stop - tail - at < PIECE ? stop - tail - at : PIECE;
        const struct pail_vk_slice words = pail_vk_buffer_slice(&memory->buffer, at, n);
        struct pail_vk_cmd *cmd = NULL;
        status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "memory fill", &cmd, err);
        if (status != PAIL_OK)
            return status;
        pail_vk_cmd_barrier(cmd, PAIL_VK_ANYTHING, PAIL_VK_TRANSFER);
        pail_vk_cmd_fill(cmd, &words, 0, words.size, value * UINT32_C(0x01010101));
        status = end(dev, cmd, err);
    }
    return status;
}
