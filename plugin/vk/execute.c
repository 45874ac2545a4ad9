#include "execute.h"

#include "cmd_priv.h"

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
