/* SPDX-License-Identifier: Apache-2.0 */
#include "pending.h"

#include <platform/memory.h>
#include <platform/thread.h>

#include "vk/wipe.h"

/* Each lane's regions, behind its work. */
static pail_status wipe_lane(struct pail_pending *p, size_t i, struct pail_error *err)
{
    struct pail_msm_part *part = &p->parts[i];
    const uint32_t users = PAIL_VK_COMPUTE | PAIL_VK_TRANSFER;
    pail_status status =
        pail_vk_cmd_begin(p->msm->dev, pail_msm_lane_queue(p, i), "wipe", &part->wipe, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_barrier(part->wipe, users, PAIL_VK_TRANSFER);
    for (uint32_t r = 0; r < PAIL_MSM_REGIONS; r++)
        pail_vk_cmd_fill(part->wipe, &part->slices[r], 0, part->slices[r].size & ~UINT64_C(3), 0);
    pail_vk_cmd_barrier(part->wipe, PAIL_VK_TRANSFER, users);
    status = pail_vk_cmd_submit(part->wipe, &part->wiped, err);
    if (status != PAIL_OK)
        pail_vk_cmd_release(&part->wipe);
    return status;
}

static pail_status wipe_lanes(struct pail_pending *p, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < p->n_bundles && status == PAIL_OK; i++)
        status = wipe_lane(p, i, err);
    if (status == PAIL_OK)
        p->bytes_wiped += pail_vk_arena_soiled(&p->ws->device);
    return status;
}

/* Lanes whose wipes were not all submitted stay soiled. */
static pail_status wait_for_lanes(struct pail_pending *p, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    bool all = p->lanes;
    for (size_t i = 0; i < p->n_bundles && p->lanes; i++) {
        struct pail_msm_part *part = &p->parts[i];
        all &= part->wipe != NULL;
        if (part->wipe && status == PAIL_OK)
            status = pail_vk_wait(p->msm->dev, part->wiped, PAIL_VK_FOREVER, err);
        pail_vk_cmd_release(&part->wipe);
    }
    if (status == PAIL_OK && all)
        pail_vk_arena_wiped(&p->ws->device);
    return status;
}

pail_status pail_msm_wipe_begin(struct pail_pending *p, struct pail_error *err)
{
    struct pail_vk_device *dev = p->msm->dev;
    const uint64_t bytes = p->ws ? pail_vk_arena_soiled(&p->ws->device) : 0;
    if (!p->secret || bytes == 0)
        return PAIL_OK;
    if (p->lanes)
        return wipe_lanes(p, err);
    pail_status status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "wipe", &p->wipe, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_stamp(p->wipe, "wipe");
    pail_vk_arena_record_wipe(&p->ws->device, p->wipe);
    pail_vk_cmd_stamp(p->wipe, NULL);
    status = pail_vk_cmd_submit(p->wipe, &p->wiped, err);
    if (status == PAIL_OK)
        p->bytes_wiped += bytes;
    else
        pail_vk_cmd_release(&p->wipe);
    return status;
}

void pail_msm_wipe_sent(struct pail_pending *p, uint64_t timeout_ns)
{
    if (!p->secret || p->has_driver || !p->sent || p->sent == p->ticket)
        return;
    if (pail_vk_wait(p->msm->dev, p->sent, timeout_ns, NULL) != PAIL_OK)
        return;
    p->sent = 0;
    p->bytes_wiped += pail_vk_wipe_ring(p->msm->dev);
}

/* Waits for what was submitted. */
static pail_status wait(struct pail_pending *p, struct pail_error *err)
{
    struct pail_vk_device *dev = p->msm->dev;
    if (!p->wipe)
        return PAIL_OK;
    struct pail_vk_phase phases[PAIL_PHASES_MAX];
    uint32_t n = 0;
    pail_status status = pail_vk_wait(dev, p->wiped, PAIL_VK_FOREVER, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_phases(p->wipe, phases, PAIL_PHASES_MAX, &n, err);
    if (status == PAIL_OK) {
        pail_msm_add_phases(p, phases, n);
        pail_vk_arena_wiped(&p->ws->device);
    }
    pail_vk_cmd_release(&p->wipe);
    return status;
}

void pail_msm_wipe_end(struct pail_pending *p)
{
    struct pail_error err;
    pail_msm_wipe_copy(p);
    if (!p->secret)
        return;
    p->bytes_wiped += pail_vk_wipe_ring(p->msm->dev);
    pail_status status = p->lanes && p->ws ? wait_for_lanes(p, &err) : wait(p, &err);
    p->lanes = false;
    /* After failed work there is nothing submitted. */
    if (status == PAIL_OK)
        status = pail_msm_wipe_begin(p, &err);
    if (status == PAIL_OK)
        status = wait(p, &err);
    if (status != PAIL_OK)
        pail_log(&p->msm->log, PAIL_LOG_WARNING, "what was made of scalars is not wiped yet: %s",
                 err.text);
}

void pail_msm_wipe_copy(struct pail_pending *p)
{
    if (p->secret && p->scalars_copy) {
        pail_team_wipe(p->scalars_copy, p->copy_bytes, p->msm->threads);
        p->bytes_wiped += p->copy_bytes;
    }
    pail_free(&p->msm->alloc, p->scalars_copy);
    p->scalars_copy = NULL;
}
