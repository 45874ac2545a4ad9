#include "vk/staging.h"

#include <string.h>

#include "vk/cmd.h"
#include "vk/device_priv.h"

/* The ring is filled in this many pieces: while one is copied out of, the others are written to. */
#define CHUNKS             4u
#define CHUNK_BYTES_MIN    (UINT64_C(64) << 10)
#define READBACK_BYTES_MIN (UINT64_C(64) << 10)

struct chunk {
    struct pail_vk_slice slice;
    bool held;             /* a thread is writing to it */
    pail_vk_ticket ticket; /* of the copy out of it */
};

/* A buffer for downloads; kept, because a download must not allocate each time. */
struct readback {
    struct readback *next;
    struct pail_vk_buffer buffer;
    pail_vk_ticket ticket; /* of the copy into it */
};

struct pail_vk_staging {
    uint64_t chunk_bytes;
    pthread_mutex_t lock; /* not held for a wait on the device nor while bytes are copied */
    pthread_cond_t changed;
    struct pail_vk_buffer ring; /* all zero until the first upload */
    struct chunk chunks[CHUNKS];
    uint32_t next;
    struct readback *readbacks; /* those nobody holds */
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
    dev->staging->chunk_bytes = bytes / CHUNKS / CHUNK_BYTES_MIN * CHUNK_BYTES_MIN;
    if (dev->staging->chunk_bytes < CHUNK_BYTES_MIN)
        dev->staging->chunk_bytes = CHUNK_BYTES_MIN;
    pthread_mutex_init(&dev->staging->lock, NULL);
    pthread_cond_init(&dev->staging->changed, NULL);
    return PAIL_OK;
}

static void readback_destroy(struct pail_vk_device *dev, struct readback *readback)
{
    pail_vk_buffer_destroy(dev, &readback->buffer);
    pail_free(&dev->alloc, readback);
}

void pail_vk_staging_destroy(struct pail_vk_device *dev)
{
    struct pail_vk_staging *staging = dev->staging;
    if (!staging)
        return;
    while (staging->readbacks) {
        struct readback *readback = staging->readbacks;
        staging->readbacks = readback->next;
        readback_destroy(dev, readback);
    }
    pail_vk_buffer_destroy(dev, &staging->ring);
    pthread_cond_destroy(&staging->changed);
    pthread_mutex_destroy(&staging->lock);
    pail_free(&dev->alloc, staging);
    dev->staging = NULL;
}

/* Called with the lock held. */
static pail_status ring_create(struct pail_vk_device *dev, struct pail_error *err)
{
    struct pail_vk_staging *staging = dev->staging;
    if (staging->ring.handle)
        return PAIL_OK;
    const pail_status status =
        pail_vk_buffer_create(dev, &staging->ring, PAIL_VK_MEMORY_UPLOAD,
                              staging->chunk_bytes * CHUNKS, "staging ring", err);
    for (uint32_t i = 0; status == PAIL_OK && i < CHUNKS; i++)
        staging->chunks[i].slice =
            pail_vk_buffer_slice(&staging->ring, i * staging->chunk_bytes, staging->chunk_bytes);
    return status;
}

static void chunk_put(struct pail_vk_staging *staging, struct chunk *chunk)
{
    pthread_mutex_lock(&staging->lock);
    chunk->held = false;
    pthread_cond_signal(&staging->changed);
    pthread_mutex_unlock(&staging->lock);
}

/* Takes the chunk that was submitted longest ago and waits until the device is done with it. */
static pail_status chunk_take(struct pail_vk_device *dev, struct chunk **out,
                              struct pail_error *err)
{
    struct pail_vk_staging *staging = dev->staging;
    *out = NULL;
    pthread_mutex_lock(&staging->lock);
    pail_status status = ring_create(dev, err);
    struct chunk *chunk = NULL;
    while (status == PAIL_OK && !chunk) {
        for (uint32_t i = 0; i < CHUNKS && !chunk; i++) {
            struct chunk *c = &staging->chunks[(staging->next + i) % CHUNKS];
            if (!c->held)
                chunk = c;
        }
        if (!chunk)
            pthread_cond_wait(&staging->changed, &staging->lock);
    }
    if (chunk) {
        chunk->held = true;
        staging->next = ((uint32_t)(chunk - staging->chunks) + 1) % CHUNKS;
    }
    pthread_mutex_unlock(&staging->lock);
    if (!chunk)
        return status;
    status = pail_vk_wait(dev, chunk->ticket, PAIL_VK_FOREVER, err);
    if (status != PAIL_OK)
        chunk_put(staging, chunk);
    else
        *out = chunk;
    return status;
}

/* Records and submits the copy of a filled chunk. */
static pail_status chunk_submit(struct pail_vk_device *dev, struct chunk *chunk,
                                const struct pail_vk_slice *dst, uint64_t offset, uint64_t bytes,
                                bool first, bool last, pail_vk_ticket *ticket,
                                struct pail_error *err)
{
    const struct pail_vk_slice filled = pail_vk_slice_part(&chunk->slice, 0, bytes);
    struct pail_vk_cmd *cmd = NULL;
    pail_status status = pail_vk_flush(dev, &filled, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "upload", &cmd, err);
    if (status != PAIL_OK)
        return status;
    const uint32_t users = PAIL_VK_COMPUTE | PAIL_VK_TRANSFER;
    if (first) /* earlier work may still read or write dst */
        pail_vk_cmd_barrier(cmd, users, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(cmd, &filled, 0, dst, offset, bytes);
    if (last) /* covers the copies of all chunks: they precede it on the queue */
        pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, users);
    status = pail_vk_cmd_submit(cmd, ticket, err);
    if (status == PAIL_OK)
        chunk->ticket = *ticket;
    pail_vk_cmd_release(&cmd);
    return status;
}

static pail_status check_range(const struct pail_vk_slice *slice, uint64_t offset, uint64_t bytes,
                               const char *what, struct pail_error *err)
{
    if (offset > slice->size || bytes > slice->size - offset)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s of %llu bytes at %llu of a slice of %llu",
                         what, (unsigned long long)bytes, (unsigned long long)offset,
                         (unsigned long long)slice->size);
    return PAIL_OK;
}

pail_status pail_vk_upload(struct pail_vk_device *dev, const struct pail_vk_slice *dst,
                           uint64_t offset, const void *src, uint64_t bytes, pail_vk_ticket *ticket,
                           struct pail_error *err)
{
    pail_vk_ticket last_ticket = 0;
    if (ticket)
        *ticket = 0;
    pail_status status = pail_vk_device_check(dev, err);
    if (status == PAIL_OK)
        status = check_range(dst, offset, bytes, "an upload", err);
    const uint64_t chunk_bytes = dev->staging->chunk_bytes;
    for (uint64_t done = 0; status == PAIL_OK && done < bytes;) {
        const uint64_t n = bytes - done < chunk_bytes ? bytes - done : chunk_bytes;
        struct chunk *chunk;
        status = chunk_take(dev, &chunk, err);
        if (status != PAIL_OK)
            break;
        memcpy(chunk->slice.mapped, (const unsigned char *)src + done, n);
        status = chunk_submit(dev, chunk, dst, offset + done, n, done == 0, done + n == bytes,
                              &last_ticket, err);
        chunk_put(dev->staging, chunk);
        done += n;
    }
    if (status == PAIL_OK && ticket)
        *ticket = last_ticket;
    return status;
}

/* Takes the smallest buffer that is large enough and at rest, or makes one. */
static pail_status readback_take(struct pail_vk_device *dev, uint64_t bytes, struct readback **out,
                                 struct pail_error *err)
{
    struct pail_vk_staging *staging = dev->staging;
    pail_status status = PAIL_OK;
    *out = NULL;
    pthread_mutex_lock(&staging->lock);
    struct readback **best = NULL;
    for (struct readback **at = &staging->readbacks; *at && status == PAIL_OK; at = &(*at)->next) {
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
        size *= 2; /* so that a slightly larger download fits next time */
    struct readback *readback = pail_calloc(&dev->alloc, 1, sizeof(*readback));
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

static void readback_put(struct pail_vk_staging *staging, struct readback *readback)
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
        status = check_range(src, offset, bytes, "a download", err);
    if (status != PAIL_OK || bytes == 0)
        return status;
    struct readback *readback;
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
    status = pail_vk_cmd_submit(cmd, &readback->ticket, err);
    pail_vk_cmd_release(&cmd);
    if (status == PAIL_OK)
        status = pail_vk_wait(dev, readback->ticket, timeout_ns, err);
    if (status == PAIL_OK)
        status = pail_vk_invalidate(dev, &slice, err);
    if (status == PAIL_OK)
        memcpy(dst, slice.mapped, bytes);
out:
    readback_put(dev->staging, readback);
    return status;
}
