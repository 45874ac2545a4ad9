/* SPDX-License-Identifier: Apache-2.0 */
#include "block.h"

struct pail_vk_range pail_msm_range(uint32_t region, uint64_t offset, uint64_t bytes)
{
    return (struct pail_vk_range){region, offset, bytes};
}

struct pail_vk_range pail_msm_region_range(const struct pail_msm_plan *plan,
                                           enum pail_msm_region region)
{
    const uint64_t bytes = plan->region_bytes[region];
    return pail_msm_range(region, 0, bytes ? bytes : 4); /* a binding cannot be empty */
}

struct pail_vk_range pail_msm_index_words(uint64_t first, uint64_t n)
{
    return pail_msm_range(PAIL_MSM_INDEX, 4 * first, 4 * n);
}

struct pail_vk_pipeline_request pail_msm_request(const struct pail_msm_bundle *bundle, uint32_t s,
                                                 enum pail_kernel_id kernel)
{
    const struct pail_msm_group *group = &bundle->sets[s].bases->group;
    return (struct pail_vk_pipeline_request){
        .kernel = kernel,
        .variant = {group->curve, group->group, bundle->form, bundle->plan.accumulator.lanes}};
}

uint32_t pail_msm_groups(uint64_t threads, uint32_t workgroup)
{
    return (uint32_t)((threads + workgroup - 1) / workgroup);
}

struct pail_vk_work pail_msm_words(double words, bool apart)
{
    return (struct pail_vk_work){.kind = PAIL_VK_WORDS, .units = words, .apart = apart};
}

struct pail_vk_work pail_msm_additions(const struct block *block, uint32_t s, double additions)
{
    return pail_msm_work(&block->bundle->sets[s].bases->group, additions);
}

void pail_msm_scalar_layout(const struct pail_msm_bundle *b, const struct pail_msm_chunk *chunk,
                            uint64_t *first, uint64_t *stride)
{
    *first = b->plan.stepped ? 0 : chunk->first;
    *stride = b->plan.stepped ? chunk->n : b->shape.n;
}

uint32_t pail_msm_block_entries(const struct block *block)
{
    return (uint32_t)pail_msm_window_entries(block->plan, block->chunk.n);
}

uint32_t pail_msm_block_pitch(const struct block *block, const struct pail_msm_set *set)
{
    if (block->plan->copies == 1)
        return 0;
    return (uint32_t)pail_bases_pitch(set->bases, set->first + block->chunk.first);
}

uint32_t pail_msm_block_lanes(const struct block *block, uint32_t s)
{
    return pail_msm_accumulator_lanes(&block->plan->accumulator,
                                      block->bundle->sets[s].bases->group.group);
}

uint32_t pail_msm_part_of_set(const struct pail_msm_bundle *b, uint32_t s, uint64_t part_bytes)
{
    return (uint32_t)(s * part_bytes / b->sets[s].bases->group.xyzz_bytes);
}

uint64_t pail_msm_window_part(const struct pail_msm_bundle *b)
{
    return b->plan.region_bytes[PAIL_MSM_WINDOWS] / b->n_sets;
}

uint32_t pail_msm_places_first(const struct pail_msm_plan *plan)
{
    return plan->accumulator.tasks ? 2 * plan->threads : 0;
}

uint32_t pail_msm_places(const struct pail_msm_plan *plan)
{
    return plan->accumulator.tasks ? MSM_TASK_PLACES : 1;
}
