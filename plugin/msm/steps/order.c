/* What an accumulation takes sorted entries by: runs in order of their length, or equal shares. */
#include "run.h"

/* Entries that count in the rows before each, and in all. */
static void count_rows(const struct run *run)
{
    const struct pail_msm_plan *plan = run->plan;
    const struct msm_rows_push push = {
        .rows = run->rows,
        .stride = plan->stride,
        .starts = plan->starts,
        .row_first = plan->row_first,
    };
    const struct pail_vk_pipeline_request request =
        pail_msm_request(run->bundle, 0, PAIL_KERNEL_MSM_ROWS);
    pail_vk_steps_dispatch(run->list, &(const struct pail_vk_dispatch){
                                          .request = &request,
                                          .push = &push,
                                          .bindings = {pail_msm_region_range(plan, PAIL_MSM_INDEX)},
                                          .grid = {1, 1, 1},
                                      });
}

static void order_runs(const struct run *run)
{
    const struct pail_msm_plan *plan = run->plan;
    const struct msm_order_push push = {
        .n = pail_msm_run_entries(run),
        .rows = run->rows,
        .stride = plan->stride,
        .starts = plan->starts,
        .row_first = plan->row_first,
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
    const double words[] = {4, 0, 8}; /* for each bucket */
    pail_vk_steps_fill(run->list, pail_msm_index_words(push.counts, MSM_ORDER_COUNTS), 0);
    pail_vk_steps_fill(run->list, pail_msm_index_words(push.keys, plan->n_pieces), MSM_KEY_NONE);
    const uint64_t buckets = (uint64_t)run->rows * plan->stride;
    for (uint32_t i = 0; i < 3; i++) {
        const struct pail_vk_pipeline_request request =
            pail_msm_request(run->bundle, 0, kernels[i]);
        struct pail_vk_dispatch order = {
            .request = &request,
            .push = &push,
            .work = pail_msm_words(words[i] * (double)buckets, false),
            .bindings = {pail_msm_region_range(plan, PAIL_MSM_INDEX)},
            .grid = {1, 1, 1},
        };
        if (kernels[i] != PAIL_KERNEL_MSM_ORDER_SCAN)
            pail_msm_grid(buckets, MSM_ORDER_WORKGROUP * MSM_ORDER_BUCKETS, order.grid);
        pail_vk_steps_dispatch(run->list, &order);
    }
}

static void cut_shares(const struct run *run)
{
    const struct pail_msm_plan *plan = run->plan;
    const struct msm_cuts_push push = {
        .rows = run->rows,
        .stride = plan->stride,
        .starts = plan->starts,
        .row_first = plan->row_first,
        .cuts = plan->cuts,
        .threads = plan->shares,
        .share = plan->share,
    };
    const struct pail_vk_pipeline_request request =
        pail_msm_request(run->bundle, 0, PAIL_KERNEL_MSM_CUTS);
    pail_vk_steps_dispatch(
        run->list,
        &(const struct pail_vk_dispatch){
            .request = &request,
            .push = &push,
            .bindings = {pail_msm_region_range(plan, PAIL_MSM_INDEX)},
            .grid = {pail_msm_groups((uint64_t)plan->shares + 1, MSM_CUTS_WORKGROUP), 1, 1},
        });
}

void pail_msm_steps_share(const struct run *run)
{
    const bool runs = run->plan->accumulator.runs;
    if (run->plan->shares == 0)
        return;
    if (runs || run->rows >= MSM_CUTS_WORKGROUP)
        count_rows(run);
    if (runs)
        order_runs(run);
    else
        cut_shares(run);
}
