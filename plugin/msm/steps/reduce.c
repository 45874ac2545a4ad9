/* Bucket reduction: the sum of k times bucket k of each row, for window sums. */
#include "run.h"

/* Rows of equal numbers of buckets: a run's, or a wide window behind the others. */
struct reduced {
    uint32_t rows, log2_stride;
    uint32_t buckets, first_out; /* points */
};

/* Number of the window sums' first point that a run writes. */
static uint32_t first_window(const struct run *run, uint32_t s)
{
    const struct pail_msm_plan *plan = run->plan;
    const uint32_t windows = plan->windows * run->bundle->n_vectors;
    return pail_msm_part_of_set(run->bundle, s, pail_msm_window_part(run->bundle)) +
           ((plan->joined ? 0 : run->chunk.number) * windows + run->first_row) * plan->window_parts;
}

static uint32_t find_reduced(const struct run *run, uint32_t s, struct reduced list[2])
{
    const struct pail_msm_plan *plan = run->plan;
    const uint32_t narrow = run->rows - 2 * plan->wide_top, first = first_window(run, s);
    list[0] = (struct reduced){narrow, plan->log2_stride, plan->buckets, first};
    if (!plan->wide_top)
        return 1;
    const uint32_t buckets = plan->buckets + narrow * plan->stride;
    list[1] =
        (struct reduced){1, plan->log2_stride + 1, buckets, first + narrow * plan->window_parts};
    return 2;
}

/* Adds what it touches: the buckets and the window sums of some rows. */
static void dispatch(const struct run *run, uint32_t s, const struct reduced *of,
                     struct pail_vk_dispatch *d)
{
    const uint64_t point = run->bundle->sets[s].bases->group.xyzz_bytes;
    const uint64_t buckets = (uint64_t)of->rows << of->log2_stride;
    const uint64_t sums = (uint64_t)of->rows * run->plan->window_parts;
    d->bindings[0] = pail_msm_region_range(run->plan, PAIL_MSM_SHARED);
    d->bindings[1] = pail_msm_region_range(run->plan, PAIL_MSM_WINDOWS);
    d->uses[d->n_uses++] = (struct pail_vk_use){
        pail_msm_range(PAIL_MSM_SHARED, of->buckets * point, buckets * point), PAIL_READ_WRITE};
    if (pail_kernels[d->request->kernel].n_bindings > 1)
        d->uses[d->n_uses++] = (struct pail_vk_use){
            pail_msm_range(PAIL_MSM_WINDOWS, of->first_out * point, sums * point), PAIL_WRITE};
    pail_vk_steps_dispatch(run->list, d);
}

static void reduce_serial(const struct run *run, uint32_t s, const struct reduced *of)
{
    struct msm_reduce_serial_push push = {
        .rows = of->rows,
        .log2_stride = of->log2_stride,
        .log2_segment = MSM_REDUCE_LOG2_SEGMENT(of->log2_stride),
        .buckets = of->buckets,
        .first_out = of->first_out,
    };
    const struct pail_vk_pipeline_request request =
        pail_msm_request(run->bundle, s, PAIL_KERNEL_MSM_REDUCE_SERIAL);
    const uint32_t segments = (uint32_t)1 << (push.log2_stride - push.log2_segment);
    for (; push.pass < (segments > 1 ? 2 : 1); push.pass++) {
        const double each = push.pass ? segments : (double)((uint64_t)1 << of->log2_stride);
        struct pail_vk_dispatch reduce = {
            .request = &request,
            .push = &push,
            .work = pail_msm_additions(run, s, 2 * each * of->rows),
        };
        pail_msm_grid((uint64_t)of->rows * (push.pass ? 1 : segments), MSM_REDUCE_SERIAL_WORKGROUP,
                      reduce.grid);
        dispatch(run, s, of, &reduce);
    }
}

/* A step of a pass with a thread for each addition. */
static void reduce_step(const struct run *run, uint32_t s, const struct reduced *of,
                        const struct msm_reduce_push *push)
{
    const uint64_t additions =
        (uint64_t)push->quads * push->rows * MSM_REDUCE_STEP_ADDITIONS(push->step);
    const struct pail_vk_pipeline_request request =
        pail_msm_sums_request(run, s, PAIL_KERNEL_MSM_REDUCE_WIDE);
    struct pail_vk_dispatch reduce = {
        .request = &request,
        .push = push,
        .work = pail_msm_additions(run, s, (double)additions),
    };
    pail_msm_grid(pail_msm_run_lanes(run, s) * additions, MSM_REDUCE_WIDE_WORKGROUP, reduce.grid);
    dispatch(run, s, of, &reduce);
}

/* A pass with chains of additions: two of eight for each job. */
#define PASS_ADDITIONS 16

static void reduce_pass(const struct run *run, uint32_t s, const struct reduced *of,
                        struct msm_reduce_push *push)
{
    const uint64_t jobs = (uint64_t)push->quads * push->rows;
    const bool team = push->pass <= push->levels + 1 && jobs <= run->plan->team_jobs;
    push->team = team ? MSM_REDUCE_TEAM : 1;
    const struct pail_vk_pipeline_request request =
        pail_msm_sums_request(run, s, PAIL_KERNEL_MSM_REDUCE);
    struct pail_vk_dispatch reduce = {
        .request = &request,
        .push = push,
        .work = pail_msm_additions(run, s, (double)jobs * PASS_ADDITIONS),
    };
    pail_msm_grid(pail_msm_run_lanes(run, s) * MSM_QUAD * push->team * jobs, MSM_REDUCE_WORKGROUP,
                  reduce.grid);
    dispatch(run, s, of, &reduce);
}

/* All that is reduced goes through the same passes, side by side. */
static void reduce(const struct run *run, uint32_t s, const struct reduced list[], uint32_t n)
{
    const struct pail_msm_plan *plan = run->plan;
    const uint32_t levels = MSM_REDUCE_LEVELS(plan->log2_stride);
    const uint32_t last = levels + (plan->window_parts > 1 ? 1 : 2);
    for (uint32_t pass = 0; pass <= last; pass++) {
        const bool wide = pass < plan->wide_passes;
        if (MSM_REDUCE_QUADS(plan->log2_stride, levels, pass) == 0)
            continue;
        for (uint32_t step = 0; step < (wide ? MSM_REDUCE_STEPS : 1); step++) {
            for (uint32_t i = 0; i < n; i++) {
                struct msm_reduce_push push = {
                    .rows = list[i].rows,
                    .log2_stride = list[i].log2_stride,
                    .levels = levels,
                    .pass = pass,
                    .quads = MSM_REDUCE_QUADS(list[i].log2_stride, levels, pass),
                    .buckets = list[i].buckets,
                    .first_out = list[i].first_out,
                    .parts = plan->window_parts,
                    .step = step,
                };
                if (wide)
                    reduce_step(run, s, &list[i], &push);
                else
                    reduce_pass(run, s, &list[i], &push);
            }
        }
    }
}

void pail_msm_steps_reduce(const struct run *run, uint32_t s)
{
    struct reduced list[2];
    const uint32_t n = find_reduced(run, s, list);
    if (!run->plan->accumulator.serial)
        reduce(run, s, list, n);
    for (uint32_t i = 0; i < n && run->plan->accumulator.serial; i++)
        reduce_serial(run, s, &list[i]);
}
