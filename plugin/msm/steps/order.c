/* SPDX-License-Identifier: Apache-2.0 */
/* Order of sorted entries for the accumulation: runs by their length, or equal shares. */
#include "block.h"

/* Entries that count in the windows before each, and in all. */
static void count_windows(const struct block *block)
{
    const struct pail_msm_plan *plan = block->plan;
    const struct msm_windows_push push = {
        .windows = block->windows,
        .window_buckets = plan->window_buckets,
        .starts = plan->starts,
        .window_offsets = plan->window_offsets,
    };
    const struct pail_vk_pipeline_request request =
        pail_msm_request(block->bundle, 0, PAIL_KERNEL_MSM_ORDER_WINDOWS);
    pail_vk_steps_dispatch(block->list,
                           &(const struct pail_vk_dispatch){
                               .request = &request,
                               .push = &push,
                               .bindings = {pail_msm_region_range(plan, PAIL_MSM_INDEX)},
                               .grid = {1, 1, 1},
                           });
}

static void order_runs(const struct block *block)
{
    const struct pail_msm_plan *plan = block->plan;
    const struct msm_order_push push = {
        .n = pail_msm_block_entries(block),
        .windows = block->windows,
        .window_buckets = plan->window_buckets,
        .starts = plan->starts,
        .window_offsets = plan->window_offsets,
        .counts = plan->cuts,
        .runs = plan->cuts + MSM_ORDER_COUNTS,
        .keys = plan->keys,
        .threads = plan->threads,
        .share = plan->share,
        .places_first = pail_msm_places_first(plan),
        .places = pail_msm_places(plan),
    };
    const enum pail_kernel_id kernels[] = {PAIL_KERNEL_MSM_ORDER_COUNT, PAIL_KERNEL_MSM_ORDER_SCAN,
                                           PAIL_KERNEL_MSM_ORDER_PLACE};
    const double words[] = {4, 0, 8}; /* words of each bucket */
    pail_vk_steps_fill(block->list, pail_msm_index_words(push.counts, MSM_ORDER_COUNTS), 0);
    pail_vk_steps_fill(block->list, pail_msm_index_words(push.keys, plan->n_pieces), MSM_KEY_NONE);
    const uint64_t buckets = (uint64_t)block->windows * plan->window_buckets;
    for (uint32_t i = 0; i < 3; i++) {
        const struct pail_vk_pipeline_request request =
            pail_msm_request(block->bundle, 0, kernels[i]);
        struct pail_vk_dispatch order = {
            .request = &request,
            .push = &push,
            .work = pail_msm_words(words[i] * (double)buckets, false),
            .bindings = {pail_msm_region_range(plan, PAIL_MSM_INDEX)},
            .grid = {1, 1, 1},
        };
        if (kernels[i] != PAIL_KERNEL_MSM_ORDER_SCAN)
            pail_vk_grid(buckets, MSM_ORDER_WORKGROUP * MSM_ORDER_BUCKETS, order.grid);
        pail_vk_steps_dispatch(block->list, &order);
    }
}

static void cut_shares(const struct block *block)
{
    const struct pail_msm_plan *plan = block->plan;
    const struct msm_cuts_push push = {
        .windows = block->windows,
        .window_buckets = plan->window_buckets,
        .starts = plan->starts,
        .window_offsets = plan->window_offsets,
        .cuts = plan->cuts,
        .threads = plan->shares,
        .share = plan->share,
    };
    const struct pail_vk_pipeline_request request =
        pail_msm_request(block->bundle, 0, PAIL_KERNEL_MSM_CUTS);
    pail_vk_steps_dispatch(
        block->list,
        &(const struct pail_vk_dispatch){
            .request = &request,
            .push = &push,
            .bindings = {pail_msm_region_range(plan, PAIL_MSM_INDEX)},
            .grid = {pail_msm_groups((uint64_t)plan->shares + 1, MSM_CUTS_WORKGROUP), 1, 1},
        });
}

void pail_msm_steps_share(const struct block *block)
{
    const bool runs = block->plan->accumulator.runs;
    if (block->plan->shares == 0)
        return;
    if (runs || block->windows >= MSM_CUTS_WORKGROUP)
        count_windows(block);
    if (runs)
        order_runs(block);
    else
        cut_shares(block);
}
