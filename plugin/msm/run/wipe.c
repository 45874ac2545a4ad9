/* SPDX-License-Identifier: Apache-2.0 */
#include "pending.h"

#include <platform/memory.h>
#include <platform/thread.h>

#include "vk/wipe.h"

pail_status pail_msm_wipe_begin(struct pail_pending *p, struct pail_error *err)
{
    struct pail_vk_device *dev = p->msm->dev;
    const uint64_t bytes = p->ws ? pail_vk_arena_soiled(&p->ws->device) : 0;
    if (!p->secret || bytes == 0)
        return PAIL_OK;
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
    pail_status status = wait(p, &err);
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
