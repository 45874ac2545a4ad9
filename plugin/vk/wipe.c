#include "vk/wipe.h"

#include <platform/wipe.h>

#include "vk/cmd.h"
#include "vk/staging.h"
#include "vk/staging_priv.h"

/* Of secrets in the ring: memory that the device copies from may be slow to write, and a submission
 * takes some 10 us. */
#define HOST_BYTES (UINT64_C(64) << 10)

/* By the device; a fill is of whole words, and the bytes behind them are sent. */
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
/* Called with the lock held. */
static bool few_bytes(const struct pail_vk_staging *staging)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < PAIL_VK_CHUNKS; i++)
        bytes += staging->chunks[i].secret;
    return bytes <= HOST_BYTES;
}

/* Called with the lock held. By the host, those whose copies are complete. */
static void wipe_here(struct pail_vk_device *dev, uint64_t *bytes)
{
    for (uint32_t i = 0; i < PAIL_VK_CHUNKS; i++) {
        struct pail_vk_chunk *chunk = &dev->staging->chunks[i];
        bool done = false;
        if (!chunk->held && chunk->secret &&
            pail_vk_poll(dev, chunk->ticket, &done, NULL) == PAIL_OK && done) {
            *bytes += chunk->secret;
            pail_vk_chunk_wipe(dev, chunk, 0);
        }
    }
}

/* Called with the lock held. Takes the chunks that are to be wiped. */
static uint32_t take_chunks(struct pail_vk_staging *staging, struct pail_vk_chunk *taken[])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < PAIL_VK_CHUNKS; i++) {
        struct pail_vk_chunk *chunk = &staging->chunks[i];
        if (chunk->held || !chunk->secret)
            continue;
        chunk->held = true;
        taken[n++] = chunk;
    }
    return n;
}

static pail_status submit(struct pail_vk_device *dev, struct pail_vk_chunk *const taken[],
                          uint32_t n, pail_vk_ticket *ticket, struct pail_error *err)
{
    struct pail_vk_cmd *cmd = NULL;
    /* Beside the work, where there is a queue for that. */
    pail_status status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_TRANSFER, "wipe", &cmd, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_TRANSFER);
    for (uint32_t i = 0; i < n; i++) {
        pail_vk_cmd_wait(cmd, taken[i]->ticket);
        pail_vk_cmd_fill(cmd, &taken[i]->slice, 0, taken[i]->secret, 0);
    }
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
    status = pail_vk_cmd_submit(cmd, ticket, err);
    pail_vk_cmd_release(&cmd);
    return status;
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

pail_status pail_vk_wipe_ring(struct pail_vk_device *dev, bool rest, pail_vk_ticket *ticket,
                              uint64_t *bytes, struct pail_error *err)
{
    struct pail_vk_staging *staging = dev->staging;
    struct pail_vk_chunk *taken[PAIL_VK_CHUNKS];
    pail_vk_ticket wiped = 0;
    pail_status status = PAIL_OK;
    pthread_mutex_lock(&staging->lock);
    const bool few = few_bytes(staging);
    if (few && rest)
        wipe_here(dev, bytes);
    const uint32_t n = few && !rest ? 0 : take_chunks(staging, taken);
    pthread_mutex_unlock(&staging->lock);
    if (n)
        status = submit(dev, taken, n, &wiped, err);
    pthread_mutex_lock(&staging->lock);
    for (uint32_t i = 0; i < n; i++) {
        if (status == PAIL_OK) {
            *bytes += taken[i]->secret;
            taken[i]->secret = 0;
            taken[i]->ticket = wiped;
        }
        taken[i]->held = false;
    }
    /* Another thread may have submitted a later one meanwhile; its ticket is greater. */
    if (wiped > staging->wiped)
        staging->wiped = wiped;
    *ticket = staging->wiped;
    if (n)
        pthread_cond_broadcast(&staging->changed);
    pthread_mutex_unlock(&staging->lock);
    return status;
}
