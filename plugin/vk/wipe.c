/* SPDX-License-Identifier: Apache-2.0 */
#include "wipe.h"

#include <stdatomic.h>

#include <platform/memory.h>

#include "cmd.h"
#include "staging.h"
#include "staging_priv.h"

/* Fills by the device; a fill is of whole words, and the bytes behind them are sent. */
static pail_status fill(struct pail_vk_device *dev, const struct pail_vk_slice *slice,
                        struct pail_error *err)
{
    static const uint8_t zeros[4];
    const uint64_t words = slice->size & ~UINT64_C(3);
    struct pail_vk_cmd *cmd = NULL;
    pail_vk_ticket ticket = 0;
    pail_status status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "wipe", &cmd, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_barrier(cmd, PAIL_VK_ANYTHING, PAIL_VK_TRANSFER);
    pail_vk_cmd_fill(cmd, slice, 0, words, 0);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_ANYTHING);
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    pail_vk_cmd_release(&cmd);
    if (status == PAIL_OK && words < slice->size)
        status = pail_vk_upload(dev, slice, words, zeros, slice->size - words, &ticket, err);
    return status == PAIL_OK ? pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, err) : status;
}

pail_status pail_vk_wipe(struct pail_vk_device *dev, const struct pail_vk_slice *slice,
                         struct pail_error *err)
{
    if (slice->size == 0)
        return PAIL_OK;
    if (!slice->mapped)
        return fill(dev, slice, err);
    pail_wipe(slice->mapped, (size_t)slice->size);
    return pail_vk_flush(dev, slice, err);
}

/* ---- The ring -------------------------------------------------------------------------------- */
/* Block that one thread fills at a time. */
#define BLOCK_BYTES (UINT64_C(256) << 10)
/* Below this, waking helpers takes as long as filling. */
#define HELP_BYTES (UINT64_C(512) << 10)

struct sweep {
    struct pail_vk_chunk *chunks[PAIL_VK_CHUNKS];
    uint32_t n, blocks; /* blocks of a chunk */
    atomic_uint next;   /* block that nobody has taken */
};

static void sweep_blocks(void *user)
{
    struct sweep *s = user;
    uint32_t block;
    while ((block = atomic_fetch_add(&s->next, 1)) < s->n * s->blocks) {
        const struct pail_vk_chunk *chunk = s->chunks[block / s->blocks];
        const uint64_t at = (block % s->blocks) * BLOCK_BYTES;
        if (at >= chunk->secret)
            continue;
        const uint64_t left = chunk->secret - at;
        pail_wipe((char *)chunk->slice.mapped + at,
                  (size_t)(left < BLOCK_BYTES ? left : BLOCK_BYTES));
    }
}

void pail_vk_chunk_wipe(struct pail_vk_device *dev, struct pail_vk_chunk *chunk, uint64_t from)
{
    if (chunk->secret <= from)
        return;
    const struct pail_vk_slice part = pail_vk_slice_part(&chunk->slice, from, chunk->secret - from);
    pail_wipe(part.mapped, (size_t)part.size);
    (void)pail_vk_flush(dev, &part, NULL); /* fails without memory: then caches hold zeros */
    chunk->secret = from;
}

/* Called with the lock held. Takes the chunks that are to be wiped; returns their bytes. */
static uint64_t take_chunks(struct pail_vk_device *dev, struct sweep *s)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < PAIL_VK_CHUNKS; i++) {
        struct pail_vk_chunk *chunk = &dev->staging->chunks[i];
        bool done = false;
        if (chunk->held || !chunk->secret ||
            pail_vk_poll(dev, chunk->ticket, &done, NULL) != PAIL_OK || !done)
            continue;
        chunk->held = true;
        s->chunks[s->n++] = chunk;
        bytes += chunk->secret;
    }
    return bytes;
}

uint64_t pail_vk_wipe_ring(struct pail_vk_device *dev)
{
    struct pail_vk_staging *staging = dev->staging;
    struct sweep s = {
        .blocks = (uint32_t)((staging->chunk_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES),
    };
    pthread_mutex_lock(&staging->lock);
    const uint64_t bytes = take_chunks(dev, &s);
    pthread_mutex_unlock(&staging->lock);
    if (s.n == 0)
        return 0;
    atomic_init(&s.next, 0);
    const bool helped = bytes >= HELP_BYTES && pail_helpers_begin(&dev->helpers, sweep_blocks, &s);
    sweep_blocks(&s);
    if (helped)
        pail_helpers_end(&dev->helpers);
    for (uint32_t i = 0; i < s.n; i++) {
        const struct pail_vk_slice part =
            pail_vk_slice_part(&s.chunks[i]->slice, 0, s.chunks[i]->secret);
        (void)pail_vk_flush(dev, &part, NULL); /* ignored for the same reason */
    }
    pthread_mutex_lock(&staging->lock);
    for (uint32_t i = 0; i < s.n; i++) {
        s.chunks[i]->secret = 0;
        s.chunks[i]->held = false;
    }
    pthread_cond_broadcast(&staging->changed);
    pthread_mutex_unlock(&staging->lock);
    return bytes;
}
