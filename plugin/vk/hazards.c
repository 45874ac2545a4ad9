#include "hazards.h"

#include "cmd.h"

#define STAGES (PAIL_VK_COMPUTE | PAIL_VK_TRANSFER) /* stages of steps */

static bool overlap(const struct pail_vk_range *a, const struct pail_vk_range *b)
{
    return a->region == b->region && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

static bool conflict(const struct pail_vk_use *a, const struct pail_vk_use *b)
{
    return ((a->access | b->access) & PAIL_WRITE) != 0 && overlap(&a->range, &b->range);
}

/* A stage that waits for one that has waited waits for the same. A write that every stage has
 * waited for needs no more attention. */
static void wait_for(struct pail_vk_hazards *hazards, uint32_t from, uint32_t to)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < hazards->n; i++) {
        struct pail_vk_pending_use one = hazards->pending[i];
        if ((one.stage | one.waited) & from)
            one.waited |= to;
        if ((one.waited & STAGES) != STAGES)
            hazards->pending[kept++] = one;
    }
    hazards->n = kept;
}

static bool covers(const struct pail_vk_pending_use *old, const struct pail_vk_use *use,
                   uint32_t stage)
{
    return old->stage == stage && old->waited == 0 && old->use.range.region == use->range.region &&
           (old->use.access & use->access) == use->access &&
           old->use.range.offset <= use->range.offset &&
           old->use.range.offset + old->use.range.bytes >= use->range.offset + use->range.bytes;
}

static void remember(struct pail_vk_hazards *hazards, const struct pail_vk_use *use, uint32_t stage)
{
    for (uint32_t i = 0; i < hazards->n; i++)
        if (covers(&hazards->pending[i], use, stage))
            return;
    hazards->pending[hazards->n++] =
        (struct pail_vk_pending_use){.use = *use, .stage = stage, .waited = 0};
}

struct pail_vk_needed_barrier pail_vk_hazards_next(struct pail_vk_hazards *hazards,
                                                   const struct pail_vk_step *step)
{
    const uint32_t stage = step->kind == PAIL_VK_STEP_DISPATCH ? (uint32_t)PAIL_VK_COMPUTE
                                                               : (uint32_t)PAIL_VK_TRANSFER;
    struct pail_vk_needed_barrier barrier = {0, stage};
    for (uint32_t u = 0; u < step->n_uses; u++)
        for (uint32_t i = 0; i < hazards->n; i++) {
            const struct pail_vk_pending_use *before = &hazards->pending[i];
            if ((before->waited & stage) == 0 && conflict(&before->use, &step->uses[u]))
                barrier.from |= before->waited ? before->waited : before->stage;
        }
    if (hazards->unknown || hazards->n + step->n_uses > PAIL_VK_PENDING_MAX)
        barrier = (struct pail_vk_needed_barrier){STAGES, STAGES};
    hazards->unknown = false;
    if (barrier.from)
        wait_for(hazards, barrier.from, barrier.to);
    for (uint32_t u = 0; u < step->n_uses; u++)
        remember(hazards, &step->uses[u], stage);
    return barrier;
}
