/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles side by side: the device works on the steps of all of them at a time, each in memory of
 * its own. Where there are few points, a multiplication is a chain of short steps that does not
 * fill a device, and several of them take hardly longer than one. */
#include "pending.h"

#include <string.h>

/* The steps of one bundle, as stretches of one phase. */
struct lane {
    struct pail_msm_part *part;
    uint32_t next, end; /* step; where its stretch ends */
};

enum { LANES_MAX = 5 * 16 }; /* the bundles of 16 proofs */

bool pail_msm_has_lanes(const struct pail_pending *p)
{
    /* Semaphores and addresses of the host order the work of the main queue. */
    bool any = p->n_waits == 0 && pail_vk_device_caps(p->msm->dev)->side_queues != 0;
    for (size_t i = 0; i < p->n_bundles; i++)
        any &= !p->bundles[i].shape.device_results;
    return any;
}

bool pail_msm_is_concurrent(const struct pail_pending *p)
{
    uint64_t points = 0, bytes = 0;
    if (p->n_bundles < 2 || p->n_bundles > LANES_MAX)
        return false;
    for (size_t i = 0; i < p->n_bundles; i++) {
        const struct pail_msm_bundle *b = &p->bundles[i];
        if (!b->vectors[0].elements || b->shape.n == 0 || b->plan.stepped ||
            pail_msm_blocks(&b->plan) != 1)
            return false;
        points += b->shape.n;
        bytes += b->plan.scratch_bytes;
    }
    return points <= (pail_msm_has_lanes(p) ? PAIL_MSM_LANES_POINTS : PAIL_MSM_CONCURRENT_POINTS) &&
           bytes <= pail_msm_room(p->msm) + p->ws_bytes &&
           (!p->memory_budget || bytes <= p->memory_budget);
}

static bool same_phase(const struct pail_vk_step *a, const struct pail_vk_step *b)
{
    return a->phase == b->phase || (a->phase && b->phase && strcmp(a->phase, b->phase) == 0);
}

/* Goes to the next stretch; false: there is none. */
static bool next_stretch(struct lane *lane)
{
    const struct pail_vk_steps *list = &lane->part->steps;
    lane->next = lane->end;
    while (lane->end < list->n && same_phase(&list->steps[lane->next], &list->steps[lane->end]))
        lane->end++;
    return lane->next < lane->end;
}

/* The next step of each lane, behind one barrier. Returns whether there was any. */
static bool record_row(struct lane lanes[], uint32_t n, struct pail_vk_cmd *cmd)
{
    struct pail_vk_needed_barrier all = {0, 0};
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        if (lanes[i].next == lanes[i].end)
            continue;
        struct pail_msm_part *part = lanes[i].part;
        const struct pail_vk_needed_barrier one =
            pail_vk_hazards_next(&part->hazards, &part->steps.steps[lanes[i].next]);
        if (one.from) {
            all.from |= one.from;
            all.to |= one.to;
        }
        any = true;
    }
    if (all.from)
        pail_vk_cmd_barrier(cmd, all.from, all.to);
    for (uint32_t i = 0; i < n; i++) {
        const struct pail_msm_part *part = lanes[i].part;
        if (lanes[i].next < lanes[i].end)
            pail_vk_cmd_step(cmd, &part->steps, lanes[i].next++, part->pipelines, part->n_pipelines,
                             part->slices, PAIL_MSM_SLICES);
    }
    return any;
}

void pail_msm_record_concurrent(struct pail_pending *p, struct pail_vk_cmd *cmd)
{
    struct lane lanes[LANES_MAX];
    const uint32_t n = (uint32_t)p->n_bundles;
    for (uint32_t i = 0; i < n; i++) {
        lanes[i] = (struct lane){.part = &p->parts[i]};
        p->parts[i].hazards = (struct pail_vk_hazards){.unknown = true};
    }
    for (;;) {
        const struct lane *first = NULL;
        for (uint32_t i = 0; i < n; i++)
            if (next_stretch(&lanes[i]) && !first)
                first = &lanes[i];
        if (!first)
            return;
        pail_vk_cmd_stamp(cmd, first->part->steps.steps[first->next].phase);
        while (record_row(lanes, n, cmd))
            ;
    }
}
