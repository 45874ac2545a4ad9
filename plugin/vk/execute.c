/* SPDX-License-Identifier: Apache-2.0 */
#include "execute.h"

#include "cmd.h"
#include "cmd_priv.h"

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

static bool check(struct pail_vk_cmd *cmd, const struct pail_vk_step *step, uint32_t n_pipelines,
                  const struct pail_vk_slice regions[], uint32_t n_regions)
{
    struct pail_error error;
    if (step->kind == PAIL_VK_STEP_DISPATCH && step->request >= n_pipelines)
        return pail_vk_cmd_note(cmd,
                                pail_fail(&error, PAIL_ERR_INTERNAL,
                                          "\"%s\": a step has pipeline %u of %u", cmd->label,
                                          step->request, n_pipelines),
                                &error);
    for (uint32_t i = 0; i < step->n_ranges; i++) {
        const struct pail_vk_range *range = &step->ranges[i];
        if (range->region >= n_regions || !regions[range->region].buffer ||
            !pail_vk_slice_has(&regions[range->region], range->offset, range->bytes))
            return pail_vk_cmd_note(
                cmd,
                pail_fail(&error, PAIL_ERR_INTERNAL,
                          "\"%s\": a step has %llu bytes at %llu of region %u, which has %llu",
                          cmd->label, (unsigned long long)range->bytes,
                          (unsigned long long)range->offset, range->region,
                          (unsigned long long)(range->region < n_regions
                                                   ? regions[range->region].size
                                                   : 0)),
                &error);
    }
    return true;
}

static void dispatch(struct pail_vk_cmd *cmd, const struct pail_vk_step *step,
                     const struct pail_vk_pipeline *pipeline, const struct pail_vk_slice regions[])
{
    struct pail_vk_slice bindings[PAIL_MAX_BINDINGS];
    for (uint32_t i = 0; i < step->n_ranges; i++)
        bindings[i] = pail_vk_slice_part(&regions[step->ranges[i].region], step->ranges[i].offset,
                                         step->ranges[i].bytes);
    if (step->work.units > 0)
        pail_vk_cmd_expect(cmd, &step->work);
    pail_vk_cmd_dispatch(cmd, pipeline, bindings, step->n_ranges, step->push, step->push_bytes,
                         step->grid[0], step->grid[1], step->grid[2]);
}

void pail_vk_cmd_step(struct pail_vk_cmd *cmd, const struct pail_vk_steps *list, uint32_t i,
                      const struct pail_vk_pipeline *const pipelines[], uint32_t n_pipelines,
                      const struct pail_vk_slice regions[], uint32_t n_regions)
{
    if (!pail_vk_cmd_note(cmd, list->failed, &list->error))
        return;
    const struct pail_vk_step *step = &list->steps[i];
    if (!check(cmd, step, n_pipelines, regions, n_regions))
        return;
    const struct pail_vk_range *ranges = step->ranges;
    switch (step->kind) {
    case PAIL_VK_STEP_DISPATCH:
        dispatch(cmd, step, pipelines[step->request], regions);
        break;
    case PAIL_VK_STEP_FILL:
        pail_vk_cmd_fill(cmd, &regions[ranges[0].region], ranges[0].offset, ranges[0].bytes,
                         step->word);
        break;
    case PAIL_VK_STEP_COPY:
        pail_vk_cmd_copy(cmd, &regions[ranges[0].region], ranges[0].offset,
                         &regions[ranges[1].region], ranges[1].offset, ranges[0].bytes);
        break;
    }
}

void pail_vk_cmd_steps(struct pail_vk_cmd *cmd, const struct pail_vk_steps *list, uint32_t first,
                       uint32_t n, const struct pail_vk_pipeline *const pipelines[],
                       uint32_t n_pipelines, const struct pail_vk_slice regions[],
                       uint32_t n_regions, struct pail_vk_hazards *hazards)
{
    const char *phase = NULL;
    if (!pail_vk_cmd_note(cmd, list->failed, &list->error))
        return;
    for (uint32_t i = 0; i < n; i++) {
        const struct pail_vk_step *step = &list->steps[first + i];
        if (i == 0 || step->phase != phase)
            pail_vk_cmd_stamp(cmd, step->phase);
        phase = step->phase;
        const struct pail_vk_needed_barrier barrier = pail_vk_hazards_next(hazards, step);
        if (barrier.from)
            pail_vk_cmd_barrier(cmd, barrier.from, barrier.to);
        pail_vk_cmd_step(cmd, list, first + i, pipelines, n_pipelines, regions, n_regions);
    }
}
