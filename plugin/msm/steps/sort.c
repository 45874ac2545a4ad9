/* SPDX-License-Identifier: Apache-2.0 */
/* Entries by bucket: counting sort, pass by pass. */
#include "block.h"

struct pail_vk_range pail_msm_sort_temp(const struct pail_msm_plan *plan)
{
    return pail_msm_range(PAIL_MSM_SHARED, plan->temp,
                          plan->region_bytes[PAIL_MSM_SHARED] - plan->temp);
}

/* Starts of the buckets: all that a sort leaves in the index. */
static struct pail_vk_range starts_of(const struct pail_msm_plan *plan)
{
    return pail_msm_index_words(0, plan->window_offsets);
}

/* One pass of the sort. */
struct pass {
    const struct block *block;
    struct msm_sort_push push;
    struct pail_vk_range from, to;
    bool last;
};

static void dispatch(const struct pass *pass, enum pail_kernel_id kernel,
                     struct pail_vk_dispatch dispatch)
{
    const struct block *block = pass->block;
    struct pail_vk_pipeline_request request = pail_msm_request(block->bundle, 0, kernel);
    request.n_specs =
        pail_msm_sort_kernels_specs(&block->plan->sort_kernels, kernel, request.specs);
    dispatch.request = &request;
    dispatch.push = &pass->push;
    pail_vk_steps_dispatch(block->list, &dispatch);
}

/* True if serial kernels need one dispatch: every window is a tile, and the pass the only one. */
static bool is_single(const struct pass *pass)
{
    return pass->block->plan->sort_kernels.serial && pass->push.first_pass && pass->last &&
           pass->push.tiles == 1;
}

static void add_single(const struct pass *pass)
{
    const struct block *block = pass->block;
    const double entries = (double)pail_msm_block_entries(block) * block->windows;
    const double bins = (double)((uint64_t)block->windows << pass->push.bits);
    dispatch(pass, PAIL_KERNEL_MSM_SORT_SINGLE_SERIAL,
             (struct pail_vk_dispatch){
                 .work = pail_msm_words(4 * entries + 4 * bins, true),
                 .bindings = {pass->from, pail_msm_region_range(block->plan, PAIL_MSM_COUNTS),
                              pass->to, starts_of(block->plan)},
                 .grid = {1, block->windows, 1}});
}

static void add_pass(const struct pass *pass)
{
    const struct block *block = pass->block;
    const struct pail_msm_sort_kernels *sort_kernels = &block->plan->sort_kernels;
    const struct pail_vk_range counts = pail_msm_region_range(block->plan, PAIL_MSM_COUNTS);
    const double entries = (double)pail_msm_block_entries(block) * block->windows;
    const uint64_t counts_each = (uint64_t)pass->push.tiles << pass->push.bits;
    const uint32_t groups = sort_kernels->serial
                                ? pail_msm_groups(pass->push.tiles, MSM_SORT_SERIAL)
                                : pass->push.tiles;
    if (!pass->push.first_pass)
        dispatch(pass, PAIL_KERNEL_MSM_SORT_TILES,
                 (struct pail_vk_dispatch){.bindings = {counts}, .grid = {block->windows, 1, 1}});
    dispatch(pass, sort_kernels->count,
             (struct pail_vk_dispatch){.work = pail_msm_words(entries, true),
                                       .bindings = {pass->from, counts},
                                       .grid = {groups, block->windows, 1}});
    dispatch(pass, sort_kernels->scan,
             (struct pail_vk_dispatch){
                 .work = pail_msm_words(2.0 * (double)counts_each * block->windows, true),
                 .bindings = {counts},
                 .grid = {pail_msm_groups((uint64_t)1 << pass->push.bits, pass->push.columns),
                          block->windows, pass->push.groups}});
    dispatch(pass, pass->last ? sort_kernels->finish : sort_kernels->scatter,
             (struct pail_vk_dispatch){
                 .work = pail_msm_words(3 * entries, true),
                 .bindings = {pass->from, counts, pass->to, starts_of(block->plan)},
                 .grid = {groups, block->windows, 1}});
}

void pail_msm_steps_sort(const struct block *block)
{
    const struct pail_msm_plan *plan = block->plan;
    const struct pail_vk_range sorted = pail_msm_region_range(plan, PAIL_MSM_SORTED);
    const struct pail_vk_range temp = pail_msm_sort_temp(plan);
    bool in_place = plan->sort_plan.passes % 2 == 0;
    struct pass pass = {
        .block = block,
        .push =
            {
                .first_window = block->first_window,
                .vector_windows = plan->vector_windows,
                .handle_stride = (uint32_t)block->bundle->handle_stride,
                .copy = block->chunk.n,
                .skip = plan->copies > 1
                            ? pail_msm_block_pitch(block, &block->bundle->sets[0]) - block->chunk.n
                            : 0,
                .keyless = plan->keyless,
            },
    };
    for (uint32_t i = 0; i < plan->sort_plan.passes; i++, in_place = !in_place) {
        pail_msm_sort_plan_push(&plan->sort_plan, i, pail_msm_block_entries(block), plan->starts,
                                &pass.push);
        pass.from = in_place ? sorted : temp;
        pass.to = in_place ? temp : sorted;
        pass.last = i + 1 == plan->sort_plan.passes;
        if (is_single(&pass))
            add_single(&pass);
        else
            add_pass(&pass);
    }
}
