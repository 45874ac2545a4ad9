/* SPDX-License-Identifier: Apache-2.0 */
#include "staging.h"

#include <string.h>

#include <platform/memory.h>

#include "cmd.h"
#include "staging_priv.h"

#define CHUNK_BYTES_MIN    (UINT64_C(64) << 10)
#define READBACK_BYTES_MIN (UINT64_C(64) << 10)

/* A buffer for downloads; kept, because a download must not allocate each time. */
struct pail_vk_readback {
    struct pail_vk_readback *next;
    struct pail_vk_buffer buffer;
    pail_vk_ticket ticket; /* ticket of the copy into it */
    uint64_t filled;       /* bytes that are in it, or may come; 0 once they are wiped */
};

pail_status pail_vk_staging_create(struct pail_vk_device *dev, uint64_t bytes,
                                   struct pail_error *err)
{
    dev->staging = pail_calloc(&dev->alloc, 1, sizeof(*dev->staging));
    if (!dev->staging)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for the staging ring");
    if (bytes > dev->caps.max_buffer_bytes)
        bytes = dev->caps.max_buffer_bytes;
    /* Chunks are whole atoms, so that flushing one touches no other; atoms are powers of two <=
     * 256. */
    dev->staging->chunk_bytes = bytes / PAIL_VK_CHUNKS / CHUNK_BYTES_MIN * CHUNK_BYTES_MIN;
    if (dev->staging->chunk_bytes < CHUNK_BYTES_MIN)
        dev->staging->chunk_bytes = CHUNK_BYTES_MIN;
    pthread_mutex_init(&dev->staging->lock, NULL);
    pthread_cond_init(&dev->staging->changed, NULL);
    return PAIL_OK;
}

static void readback_destroy(struct pail_vk_device *dev, struct pail_vk_readback *readback)
{
    pail_wipe(readback->buffer.mapped, (size_t)readback->filled);
    pail_vk_buffer_destroy(dev, &readback->buffer);
    pail_free(&dev->alloc, readback);
}

void pail_vk_staging_destroy(struct pail_vk_device *dev)
{
    struct pail_vk_staging *staging = dev->staging;
    if (!staging)
        return;
    while (staging->readbacks) {
        struct pail_vk_readback *readback = staging->readbacks;
        staging->readbacks = readback->next;
        readback_destroy(dev, readback);
    }
    for (uint32_t i = 0; i < PAIL_VK_CHUNKS; i++)
        if (staging->chunks[i].secret) /* the device did not come to it */
            pail_wipe(staging->chunks[i].slice.mapped, (size_t)staging->chunks[i].secret);
    pail_vk_buffer_destroy(dev, &staging->ring);
    pthread_cond_destroy(&staging->changed);
    pthread_mutex_destroy(&staging->lock);
    pail_free(&dev->alloc, staging);
    dev->staging = NULL;
}

pail_status pail_vk_check_range(const struct pail_vk_slice *slice, uint64_t offset, uint64_t bytes,
                                const char *what, struct pail_error *err)
{
    if (offset > slice->size || bytes > slice->size - offset)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s of %llu bytes at %llu of a slice of %llu",
                         what, (unsigned long long)bytes, (unsigned long long)offset,
                         (unsigned long long)slice->size);
    return PAIL_OK;
}

/* Takes the smallest buffer that is large enough and at rest, or makes one. */
static pail_status readback_take(struct pail_vk_device *dev, uint64_t bytes,
                                 struct pail_vk_readback **out, struct pail_error *err)
{
    struct pail_vk_staging *staging = dev->staging;
    pail_status status = PAIL_OK;
    *out = NULL;
    pthread_mutex_lock(&staging->lock);
    struct pail_vk_readback **best = NULL;
    for (struct pail_vk_readback **at = &staging->readbacks; *at && status == PAIL_OK;
         at = &(*at)->next) {
        bool done = false;
        if ((*at)->buffer.size < bytes || (best && (*at)->buffer.size >= (*best)->buffer.size))
            continue;
        status = pail_vk_poll(dev, (*at)->ticket, &done, err);
        if (done)
            best = at;
    }
    if (best && status == PAIL_OK) {
        *out = *best;
        *best = (*best)->next;
    }
    pthread_mutex_unlock(&staging->lock);
    if (status != PAIL_OK || *out)
        return status;

    uint64_t size = READBACK_BYTES_MIN;
    while (size < bytes && size < dev->caps.max_buffer_bytes / 2)
        size *= 2; /* a slightly larger download fits next time */
    struct pail_vk_readback *readback = pail_calloc(&dev->alloc, 1, sizeof(*readback));
    if (!readback)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a readback buffer");
    status = pail_vk_buffer_create(dev, &readback->buffer, PAIL_VK_MEMORY_READBACK,
                                   size < bytes ? bytes : size, "readback", err);
    if (status != PAIL_OK)
        pail_free(&dev->alloc, readback);
    else
        *out = readback;
    return status;
}

static void readback_put(struct pail_vk_staging *staging, struct pail_vk_readback *readback)
{
    pthread_mutex_lock(&staging->lock);
    readback->next = staging->readbacks;
    staging->readbacks = readback;
    pthread_mutex_unlock(&staging->lock);
}

pail_status pail_vk_download(struct pail_vk_device *dev, const struct pail_vk_slice *src,
                             uint64_t offset, void *dst, uint64_t bytes, uint64_t timeout_ns,
                             struct pail_error *err)
{
    pail_status status = pail_vk_device_check(dev, err);
    if (status == PAIL_OK)
        status = pail_vk_check_range(src, offset, bytes, "a download", err);
    if (status != PAIL_OK || bytes == 0)
        return status;
    struct pail_vk_readback *readback;
    status = readback_take(dev, bytes, &readback, err);
    if (status != PAIL_OK)
        return status;
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&readback->buffer, 0, bytes);
    struct pail_vk_cmd *cmd;
    status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "download", &cmd, err);
    if (status != PAIL_OK)
        goto out;
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(cmd, src, offset, &slice, 0, bytes);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
    if (readback->filled < bytes)
        readback->filled = bytes;
    status = pail_vk_cmd_submit(cmd, &readback->ticket, err);
    pail_vk_cmd_release(&cmd);
    if (status == PAIL_OK)
        status = pail_vk_wait(dev, readback->ticket, timeout_ns, err);
    if (status == PAIL_OK)
        status = pail_vk_invalidate(dev, &slice, err);
    if (status == PAIL_OK) {
        memcpy(dst, slice.mapped, bytes);
        pail_wipe(readback->buffer.mapped, (size_t)readback->filled);
        const struct pail_vk_slice wiped =
            pail_vk_buffer_slice(&readback->buffer, 0, readback->filled);
        status = pail_vk_flush(dev, &wiped, err);
        readback->filled = 0;
    }
out:
    readback_put(dev->staging, readback);
    return status;
}
