/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <adstack/watch.h>
#include <shared/adstack_layout.h>

#include "gpu_priv.h"

/* Most bytes fetched at a time, and where a caller may want an end. */
#define FETCH_BYTES   (UINT64_C(16) << 20)
#define WATCHED_BYTES (UINT64_C(2) << 20)

static pail_status fetch_words(struct pail_ad_gpu *gpu, const struct pail_vk_slice *back,
                               uint64_t address, uint32_t n, uint64_t wait_semaphore,
                               uint64_t wait_value, struct pail_error *err)
{
    const struct pail_vk_pipeline *pipeline;
    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    const uint64_t to = back->buffer->address + back->offset;
    const struct ad_fetch_push push = {
        .from_low = (uint32_t)(address & UINT32_MAX),
        .from_high = (uint32_t)(address >> 32),
        .to_low = (uint32_t)(to & UINT32_MAX),
        .to_high = (uint32_t)(to >> 32),
        .n = n,
    };
    pail_status status = pail_vk_pipeline_get(gpu->dev, PAIL_KERNEL_ADSTACK_FETCH,
                                              (struct pail_variant){0}, NULL, 0, &pipeline, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_begin(gpu->dev, PAIL_VK_QUEUE_MAIN, "adstack fetch", &cmd, err);
    if (status != PAIL_OK)
        return status;
    if (wait_semaphore)
        pail_vk_cmd_wait_semaphore(cmd, wait_semaphore, wait_value);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER, PAIL_VK_COMPUTE);
    const uint32_t groups = (n + AD_WORKGROUP - 1) / AD_WORKGROUP;
    const uint32_t rows = (groups + 32767) / 32768;
    pail_vk_cmd_dispatch(cmd, pipeline, NULL, 0, &push, sizeof(push), (groups + rows - 1) / rows,
                         rows, 1);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_HOST);
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    if (status == PAIL_OK)
        status = pail_vk_wait(gpu->dev, ticket, PAIL_VK_FOREVER, err);
    else
        (void)pail_vk_wait(gpu->dev, pail_vk_last_ticket(gpu->dev, PAIL_VK_QUEUE_MAIN),
                           PAIL_VK_FOREVER, NULL);
    pail_vk_cmd_release(&cmd);
    return status == PAIL_OK ? pail_vk_invalidate(gpu->dev, back, err) : status;
}

pail_status pail_ad_gpu_fetch(void *user, void *to, uint64_t address, uint64_t bytes,
                              uint64_t wait_semaphore, uint64_t wait_value,
                              struct pail_ad_watch *watch, struct pail_error *err)
{
    struct pail_ad_gpu *gpu = user;
    struct pail_ad_space *space;
    struct pail_vk_slice back;
    if (bytes == 0)
        return PAIL_OK;
    pail_status status = pail_ad_space_take(gpu, &space, err);
    if (status != PAIL_OK)
        return status;
    const bool watched = pail_ad_watch_patience(watch) != UINT64_MAX;
    const uint64_t step = watched ? WATCHED_BYTES : FETCH_BYTES;
    const uint64_t most = bytes < step ? bytes : step;
    status = pail_vk_arena_take(&space->readback, (most + 7) / 4 * 4, &back, err);
    for (uint64_t done = 0; done < bytes && status == PAIL_OK;) {
        /* Whole words that have a byte of it, as in adstack/read.glsl. */
        const uint64_t from = (address + done) & ~UINT64_C(3), skip = address + done - from;
        const uint64_t n = bytes - done < step ? bytes - done : step;
        status = fetch_words(gpu, &back, from, (uint32_t)((skip + n + 3) / 4), wait_semaphore,
                             wait_value, err);
        if (status == PAIL_OK)
            memcpy((uint8_t *)to + done, (const uint8_t *)back.mapped + skip, n);
        done += n;
        if (status == PAIL_OK && done < bytes && !pail_ad_watch_look(watch))
            status = pail_fail(err, PAIL_ERR_STOPPED, "a copy was stopped");
    }
    pail_ad_space_give(gpu, space);
    return status;
}

pail_status pail_ad_gpu_meet(void *user, uint64_t wait_semaphore, uint64_t wait_value,
                             struct pail_error *err)
{
    struct pail_ad_gpu *gpu = user;
    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    pail_status status = pail_vk_cmd_begin(gpu->dev, PAIL_VK_QUEUE_MAIN, "adstack meet", &cmd, err);
    if (status != PAIL_OK)
        return status;
    if (wait_semaphore)
        pail_vk_cmd_wait_semaphore(cmd, wait_semaphore, wait_value);
    pail_vk_cmd_barrier(cmd, PAIL_VK_ANYTHING, PAIL_VK_HOST);
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    if (status == PAIL_OK)
        status = pail_vk_wait(gpu->dev, ticket, PAIL_VK_FOREVER, err);
    pail_vk_cmd_release(&cmd);
    return status;
}
