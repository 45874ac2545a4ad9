/* SPDX-License-Identifier: Apache-2.0 */
#include "send.h"

#include <string.h>

#include "staging.h"
#include "staging_priv.h"
#include "wipe.h"

/* Block that one thread writes at a time. A chunk is several of these, so that the first one is
 * full, and its copy begins, before a single thread would have filled it. Where all threads have
 * few of them, they are smaller. */
#define BLOCK_BYTES     (UINT64_C(256) << 10)
#define BLOCK_BYTES_MIN (UINT64_C(64) << 10)
#define SMALLER_BYTES   (UINT64_C(16) << 20)
/* Below this, waking helpers takes as long as copying. */
#define HELP_BYTES (UINT64_C(512) << 10)

/* The part of the parcel that one chunk holds. */
struct load {
    struct pail_vk_chunk *chunk;
    uint64_t bytes;
    uint32_t left; /* blocks that are not written yet */
};

struct pail_vk_sending {
    struct pail_vk_device *dev;
    struct pail_vk_parcel parcel;
    struct pail_vk_slice dst, src;
    uint64_t copied; /* bytes of src whose copies are submitted */
    uint64_t block_bytes;
    uint32_t blocks_of_load;
    uint64_t n_loads, n_blocks;
    bool helped;

    /* Guarded by the lock of the staging. */
    struct load loads[PAIL_VK_CHUNKS]; /* [number % PAIL_VK_CHUNKS] of those opened and not sent */
    uint64_t opened, sent;             /* loads that have had a chunk; that were submitted */
    uint64_t next;                     /* block that nobody has taken */
    bool submitting;                   /* a thread submits: loads go in their order */
    bool waiting;                      /* a thread waits for the device */
    bool over;                         /* no block is taken any more */
    pail_vk_ticket ticket;             /* the last copy of src */
    pail_status status;
    struct pail_error err;
    pail_vk_ticket tickets[]; /* [n_loads] of those that were sent */
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct load *load_of(struct pail_vk_sending *s, uint64_t number)
{
    return &s->loads[number % PAIL_VK_CHUNKS];
}

/* ---- The ring ------------------------------------------------------------------------------- */
/* Called with the lock held. */
static pail_status ring_create(struct pail_vk_device *dev, struct pail_error *err)
{
    struct pail_vk_staging *staging = dev->staging;
    if (staging->ring.handle)
        return PAIL_OK;
    const pail_status status =
        pail_vk_buffer_create(dev, &staging->ring, PAIL_VK_MEMORY_UPLOAD,
                              staging->chunk_bytes * PAIL_VK_CHUNKS, "staging ring", err);
    for (uint32_t i = 0; status == PAIL_OK && i < PAIL_VK_CHUNKS; i++)
        staging->chunks[i].slice =
            pail_vk_buffer_slice(&staging->ring, i * staging->chunk_bytes, staging->chunk_bytes);
    return status;
}

/* Called with the lock held. The chunk that was submitted longest ago, of those nobody holds. */
static struct pail_vk_chunk *oldest_chunk(struct pail_vk_staging *staging)
{
    for (uint32_t i = 0; i < PAIL_VK_CHUNKS; i++) {
        struct pail_vk_chunk *chunk = &staging->chunks[(staging->next + i) % PAIL_VK_CHUNKS];
        if (!chunk->held)
            return chunk;
    }
    return NULL;
}

/* Called with the lock held. Gives the next loads chunks as long as there are any at rest. */
static void open_loads(struct pail_vk_sending *s)
{
    struct pail_vk_staging *staging = s->dev->staging;
    while (s->status == PAIL_OK && s->opened < s->n_loads && s->opened - s->sent < PAIL_VK_CHUNKS) {
        struct pail_vk_chunk *chunk = oldest_chunk(staging);
        bool done = false;
        if (chunk)
            s->status = pail_vk_poll(s->dev, chunk->ticket, &done, &s->err);
        if (s->status != PAIL_OK || !done)
            return;
        chunk->held = true;
        staging->next = ((uint32_t)(chunk - staging->chunks) + 1) % PAIL_VK_CHUNKS;
        const uint64_t first = s->opened * s->blocks_of_load;
        const uint64_t bytes =
            min_u64(s->parcel.bytes - first * s->block_bytes, s->blocks_of_load * s->block_bytes);
        /* A chunk of another parcel is wiped now: that parcel's end does not wait for this
         * one's. */
        if (chunk->owner != s && chunk->secret > bytes)
            pail_vk_chunk_wipe(s->dev, chunk, (bytes + 3) & ~UINT64_C(3));
        chunk->owner = s;
        if (s->parcel.secret && chunk->secret < bytes)
            chunk->secret = (bytes + 3) & ~UINT64_C(3);
        *load_of(s, s->opened++) = (struct load){
            .chunk = chunk,
            .bytes = bytes,
            .left = (uint32_t)((bytes + s->block_bytes - 1) / s->block_bytes),
        };
    }
}

static void chunk_put(struct pail_vk_staging *staging, struct pail_vk_chunk *chunk,
                      pail_vk_ticket ticket)
{
    if (ticket)
        chunk->ticket = ticket;
    chunk->held = false;
    pthread_cond_broadcast(&staging->changed);
}

/* ---- Filling and submitting ------------------------------------------------------------------ */
/* Records a copy to the parcel's bytes from `offset` on, with the barriers it needs. */
static void record_copy(struct pail_vk_sending *s, struct pail_vk_cmd *cmd,
                        const struct pail_vk_slice *from, uint64_t offset)
{
    const uint32_t users = PAIL_VK_COMPUTE | PAIL_VK_TRANSFER;
    const bool last = offset + from->size == s->parcel.bytes;
    /* A semaphore does between queues what barriers do within one. */
    const bool same_queue =
        pail_vk_queue_get(s->dev, s->parcel.queue) == pail_vk_queue_get(s->dev, PAIL_VK_QUEUE_MAIN);
    if (same_queue && offset == 0) /* earlier work may still use dst */
        pail_vk_cmd_barrier(cmd, users, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(cmd, from, 0, &s->dst, s->parcel.offset + offset, from->size);
    /* The last one covers the copies of all loads: they precede it. */
    if (same_queue && (last || s->parcel.queue == PAIL_VK_QUEUE_TRANSFER))
        pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, users);
}

static void record_load(struct pail_vk_sending *s, struct pail_vk_cmd *cmd, uint64_t number)
{
    const struct load *load = load_of(s, number);
    const struct pail_vk_slice filled = pail_vk_slice_part(&load->chunk->slice, 0, load->bytes);
    record_copy(s, cmd, &filled, number * s->blocks_of_load * s->block_bytes);
}

static pail_status submit_load(struct pail_vk_sending *s, uint64_t number, pail_vk_ticket *ticket,
                               struct pail_error *err)
{
    const struct load *load = load_of(s, number);
    const struct pail_vk_slice filled = pail_vk_slice_part(&load->chunk->slice, 0, load->bytes);
    struct pail_vk_cmd *cmd = NULL;
    *ticket = 0;
    pail_status status = pail_vk_flush(s->dev, &filled, err);
    if (status == PAIL_OK && !s->parcel.cmd)
        status = pail_vk_cmd_begin(s->dev, s->parcel.queue, "upload", &cmd, err);
    if (status != PAIL_OK || s->parcel.cmd)
        return status;
    record_load(s, cmd, number);
    status = pail_vk_cmd_submit(cmd, ticket, err);
    pail_vk_cmd_release(&cmd);
    return status;
}

/* Called with the lock held. The first failure stays. */
static void fail(struct pail_vk_sending *s, pail_status status, const struct pail_error *err)
{
    if (status == PAIL_OK || s->status != PAIL_OK)
        return;
    s->status = status;
    s->err = *err;
}

/* Called with the lock held. The next load, which is full, goes to the device. */
static void send_load(struct pail_vk_sending *s)
{
    struct pail_vk_staging *staging = s->dev->staging;
    const uint64_t number = s->sent;
    struct load *load = load_of(s, number);
    struct pail_error err;
    pail_vk_ticket ticket;
    pthread_mutex_unlock(&staging->lock);
    const pail_status status = submit_load(s, number, &ticket, &err);
    pthread_mutex_lock(&staging->lock);
    fail(s, status, &err);
    if (!s->parcel.cmd) { /* with a recorder, its ticket is to come */
        chunk_put(staging, load->chunk, ticket);
        load->chunk = NULL;
    }
    s->tickets[number] = ticket;
    s->sent += status == PAIL_OK;
    pthread_cond_broadcast(&staging->changed);
}

/* Called with the lock held. All loads that are full and next, unless another thread is at it; that
 * one sees them as well. */
static void send_loads(struct pail_vk_sending *s)
{
    if (s->submitting)
        return;
    s->submitting = true;
    while (s->status == PAIL_OK && s->sent < s->opened && load_of(s, s->sent)->left == 0)
        send_load(s);
    s->submitting = false;
}

/* Called with the lock held. Writes a block, if there is one; returns whether there was. */
static bool write_block(struct pail_vk_sending *s)
{
    struct pail_vk_staging *staging = s->dev->staging;
    if (s->next == min_u64(s->n_blocks, s->opened * s->blocks_of_load))
        return false;
    const uint64_t block = s->next++, number = block / s->blocks_of_load;
    struct load *load = load_of(s, number);
    const uint64_t at = block % s->blocks_of_load * s->block_bytes;
    unsigned char *const to = (unsigned char *)load->chunk->slice.mapped + at;
    const uint64_t bytes = min_u64(load->bytes - at, s->block_bytes);
    struct pail_error err;
    pthread_mutex_unlock(&staging->lock);
    const pail_status status =
        s->parcel.fill(s->parcel.user, to, block * s->block_bytes, bytes, &err);
    pthread_mutex_lock(&staging->lock);
    fail(s, status, &err);
    if (status != PAIL_OK)
        pthread_cond_broadcast(&staging->changed); /* the load will not become full */
    else if (--load->left == 0)
        send_loads(s);
    return true;
}

/* Called with the lock held, when there is no block to write: until something has changed. */
static void wait_for_change(struct pail_vk_sending *s)
{
    struct pail_vk_staging *staging = s->dev->staging;
    const bool wants_chunk =
        s->opened < s->n_loads && s->opened - s->sent < PAIL_VK_CHUNKS && !s->waiting;
    const struct pail_vk_chunk *chunk = wants_chunk ? oldest_chunk(staging) : NULL;
    if (!chunk) { /* holders of chunks give them back, writers will be through */
        pthread_cond_wait(&staging->changed, &staging->lock);
        return;
    }
    struct pail_error err;
    const pail_vk_ticket ticket = chunk->ticket;
    s->waiting = true;
    pthread_mutex_unlock(&staging->lock);
    const pail_status status = pail_vk_wait(s->dev, ticket, PAIL_VK_FOREVER, &err);
    pthread_mutex_lock(&staging->lock);
    s->waiting = false;
    fail(s, status, &err);
    pthread_cond_broadcast(&staging->changed);
}

/* Called with the lock held. Takes part until the first `loads` loads are sent; a helper leaves as
 * soon as there is no block to come. */
static void take_part(struct pail_vk_sending *s, uint64_t loads, bool helper)
{
    while (s->status == PAIL_OK && !s->over && s->sent < loads) {
        open_loads(s);
        if (s->status != PAIL_OK || write_block(s))
            continue;
        if (helper && s->next == s->n_blocks)
            return;
        wait_for_change(s);
    }
}

static void help(void *user)
{
    struct pail_vk_sending *s = user;
    pthread_mutex_lock(&s->dev->staging->lock);
    take_part(s, s->n_loads, true);
    pthread_mutex_unlock(&s->dev->staging->lock);
}

/* ---- Without the ring ------------------------------------------------------------------------ */
/* Submits the copies of what is not copied yet of the first `bytes` bytes of src. */
static pail_status copy_until(struct pail_vk_sending *s, uint64_t bytes, struct pail_error *err)
{
    struct pail_vk_cmd *cmd = NULL;
    if (s->copied >= bytes)
        return PAIL_OK;
    const struct pail_vk_slice from = pail_vk_slice_part(&s->src, s->copied, bytes - s->copied);
    pail_status status = pail_vk_flush(s->dev, &from, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_begin(s->dev, s->parcel.queue, "upload", &cmd, err);
    if (status != PAIL_OK)
        return status;
    record_copy(s, cmd, &from, s->copied);
    status = pail_vk_cmd_submit(cmd, &s->ticket, err);
    pail_vk_cmd_release(&cmd);
    s->copied = bytes;
    return status;
}

/* ---- The parts of a sending ------------------------------------------------------------------ */
/* Takes a chunk for the only load, and records the copy out of it. */
static pail_status record_only_load(struct pail_vk_sending *s)
{
    struct pail_vk_staging *staging = s->dev->staging;
    pthread_mutex_lock(&staging->lock);
    while (s->opened == 0 && s->status == PAIL_OK) {
        open_loads(s);
        if (s->opened == 0 && s->status == PAIL_OK)
            wait_for_change(s);
    }
    pthread_mutex_unlock(&staging->lock);
    if (s->status == PAIL_OK)
        record_load(s, s->parcel.cmd, 0);
    return s->status;
}

pail_status pail_vk_send_begin(struct pail_vk_device *dev, struct pail_vk_sending **out,
                               const struct pail_vk_parcel *parcel, struct pail_error *err)
{
    struct pail_vk_staging *staging = dev->staging;
    *out = NULL;
    pail_status status = pail_vk_device_check(dev, err);
    if (status == PAIL_OK)
        status = pail_vk_check_range(parcel->dst, parcel->offset, parcel->bytes, "an upload", err);
    if (status != PAIL_OK)
        return status;
    if (status == PAIL_OK && parcel->src && parcel->src->size != parcel->bytes)
        status =
            pail_fail(err, PAIL_ERR_ARGUMENT, "an upload: %llu bytes from a slice of %llu",
                      (unsigned long long)parcel->bytes, (unsigned long long)parcel->src->size);
    if (status != PAIL_OK)
        return status;
    if (parcel->bytes && !parcel->src) {
        pthread_mutex_lock(&staging->lock);
        status = ring_create(dev, err);
        pthread_mutex_unlock(&staging->lock);
    }
    const uint64_t block_bytes = min_u64(
        parcel->bytes < SMALLER_BYTES ? BLOCK_BYTES_MIN : BLOCK_BYTES, staging->chunk_bytes);
    const uint64_t load_bytes = staging->chunk_bytes / block_bytes * block_bytes;
    const uint64_t n_loads = parcel->src ? 0 : (parcel->bytes + load_bytes - 1) / load_bytes;
    struct pail_vk_sending *s = NULL;
    if (status == PAIL_OK &&
        !(s = pail_calloc(&dev->alloc, 1, sizeof(*s) + (size_t)n_loads * sizeof(*s->tickets))))
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for an upload");
    if (status != PAIL_OK)
        return status;
    s->dev = dev;
    s->parcel = *parcel;
    s->dst = *parcel->dst;
    if (parcel->src) {
        s->src = *parcel->src;
        status = copy_until(s, min_u64(parcel->at_once, parcel->bytes), err);
        if (status != PAIL_OK)
            pail_vk_send_end(&s, 0);
        *out = s;
        return status;
    }
    s->block_bytes = block_bytes;
    s->blocks_of_load = (uint32_t)(load_bytes / block_bytes);
    s->n_loads = n_loads;
    s->n_blocks = (parcel->bytes + s->block_bytes - 1) / s->block_bytes;
    if (s->n_loads != 1)
        s->parcel.cmd = NULL;
    if (s->parcel.cmd && (status = record_only_load(s)) != PAIL_OK) {
        if (err)
            *err = s->err;
        pail_vk_send_end(&s, 0);
        return status;
    }
    if (parcel->bytes >= HELP_BYTES)
        s->helped = pail_helpers_begin(&dev->helpers, help, s);
    *out = s;
    return PAIL_OK;
}

pail_status pail_vk_send_until(struct pail_vk_sending *s, uint64_t bytes, pail_vk_ticket *ticket,
                               struct pail_error *err)
{
    struct pail_vk_staging *staging = s->dev->staging;
    if (s->src.buffer) {
        const pail_status status = copy_until(s, min_u64(bytes, s->parcel.bytes), err);
        if (ticket)
            *ticket = status == PAIL_OK ? s->ticket : 0;
        return status;
    }
    const uint64_t load_bytes = s->block_bytes * s->blocks_of_load;
    const uint64_t loads = (min_u64(bytes, s->parcel.bytes) + load_bytes - 1) / load_bytes;
    pthread_mutex_lock(&staging->lock);
    take_part(s, loads, false);
    const pail_status status = s->status;
    if (status != PAIL_OK && err)
        *err = s->err;
    /* The ticket of the load, not of a later one: waiting for that takes longer than the bytes
     * do. */
    if (ticket)
        *ticket = status == PAIL_OK && loads ? s->tickets[loads - 1] : 0;
    pthread_mutex_unlock(&staging->lock);
    return status;
}

void pail_vk_send_end(struct pail_vk_sending **sending, pail_vk_ticket ticket)
{
    struct pail_vk_sending *s = *sending;
    *sending = NULL;
    if (!s)
        return;
    struct pail_vk_staging *staging = s->dev->staging;
    pthread_mutex_lock(&staging->lock);
    s->over = true;
    pthread_cond_broadcast(&staging->changed);
    pthread_mutex_unlock(&staging->lock);
    if (s->helped)
        pail_helpers_end(&s->dev->helpers);
    pthread_mutex_lock(&staging->lock);
    for (uint64_t i = 0; i < PAIL_VK_CHUNKS; i++)
        if (s->loads[i].chunk)
            chunk_put(staging, s->loads[i].chunk, ticket);
    pthread_mutex_unlock(&staging->lock);
    pail_free(&s->dev->alloc, s);
}

pail_status pail_vk_send_all(struct pail_vk_device *dev, const struct pail_vk_parcel *parcel,
                             pail_vk_ticket *ticket, struct pail_error *err)
{
    struct pail_vk_sending *sending;
    if (ticket)
        *ticket = 0;
    pail_status status = pail_vk_send_begin(dev, &sending, parcel, err);
    if (status == PAIL_OK)
        status = pail_vk_send_until(sending, parcel->bytes, ticket, err);
    pail_vk_send_end(&sending, 0);
    return status;
}

/* ---- Uploads --------------------------------------------------------------------------------- */
static pail_status copy(void *user, void *to, uint64_t offset, uint64_t bytes,
                        struct pail_error *err)
{
    (void)err;
    memcpy(to, (const unsigned char *)user + offset, (size_t)bytes);
    return PAIL_OK;
}

pail_status pail_vk_upload(struct pail_vk_device *dev, const struct pail_vk_slice *dst,
                           uint64_t offset, const void *src, uint64_t bytes, pail_vk_ticket *ticket,
                           struct pail_error *err)
{
    const struct pail_vk_parcel parcel = {
        .dst = dst,
        .offset = offset,
        .bytes = bytes,
        .fill = copy,
        .user = (void *)(uintptr_t)src,
    };
    return pail_vk_send_all(dev, &parcel, ticket, err);
}

pail_status pail_vk_upload_secret(struct pail_vk_device *dev, const struct pail_vk_slice *dst,
                                  uint64_t offset, const void *src, uint64_t bytes,
                                  struct pail_error *err)
{
    const struct pail_vk_parcel parcel = {
        .dst = dst,
        .offset = offset,
        .bytes = bytes,
        .fill = copy,
        .user = (void *)(uintptr_t)src,
        .secret = true,
    };
    pail_vk_ticket copied;
    pail_status status = pail_vk_send_all(dev, &parcel, &copied, err);
    if (status != PAIL_OK) /* nothing keeps running on behalf of a call that failed */
        (void)pail_vk_wait(dev, pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN), PAIL_VK_FOREVER,
                           NULL);
    else
        status = pail_vk_wait(dev, copied, PAIL_VK_FOREVER, err);
    (void)pail_vk_wipe_ring(dev);
    return status;
}
