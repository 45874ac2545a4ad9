/* SPDX-License-Identifier: Apache-2.0 */
/* Bucket reduction: the sum of k times bucket k of each window, for window sums. */
#include "block.h"

/* Windows of equal numbers of buckets: a block's, or the wide one behind the others. */
struct reduced {
    uint32_t windows, log2_buckets;
    uint32_t buckets, first_out; /* points */
};

/* Number of the window sums' first point that a block writes. */
static uint32_t first_window(const struct block *block, uint32_t s)
{
    const struct pail_msm_plan *plan = block->plan;
    const uint32_t windows = plan->windows * block->bundle->n_vectors;
    return pail_msm_part_of_set(block->bundle, s, pail_msm_window_part(block->bundle)) +
           ((plan->joined ? 0 : block->chunk.number) * windows + block->first_window) *
               plan->window_parts;
}

static uint32_t find_reduced(const struct block *block, uint32_t s, struct reduced list[2])
{
    const struct pail_msm_plan *plan = block->plan;
    const bool top = block->first_window + block->windows == plan->total_windows;
    const uint32_t rows = plan->wide_top && top ? PAIL_MSM_WIDE_ROWS(plan->wide_top) : 0;
    const uint32_t narrow = block->windows - rows, first = first_window(block, s);
    list[0] = (struct reduced){narrow, plan->log2_buckets, plan->buckets, first};
    if (rows == 0)
        return 1;
    const uint32_t buckets = plan->buckets + narrow * plan->window_buckets;
    list[1] = (struct reduced){1, plan->log2_buckets + plan->wide_top, buckets,
                               first + narrow * plan->window_parts};
    return 2;
}

/* Adds what it touches: the buckets and the window sums of some windows. */
static void dispatch(const struct block *block, uint32_t s, const struct reduced *of,
                     struct pail_vk_dispatch *d)
{
    const uint64_t point = block->bundle->sets[s].bases->group.xyzz_bytes;
    const uint64_t buckets = (uint64_t)of->windows << of->log2_buckets;
    const uint64_t sums = (uint64_t)of->windows * block->plan->window_parts;
    d->bindings[0] = pail_msm_region_range(block->plan, PAIL_MSM_SHARED);
    d->bindings[1] = pail_msm_region_range(block->plan, PAIL_MSM_WINDOWS);
    d->uses[d->n_uses++] = (struct pail_vk_use){
        pail_msm_range(PAIL_MSM_SHARED, of->buckets * point, buckets * point), PAIL_READ_WRITE};
    if (pail_kernels[d->request->kernel].n_bindings > 1)
        d->uses[d->n_uses++] = (struct pail_vk_use){
            pail_msm_range(PAIL_MSM_WINDOWS, of->first_out * point, sums * point), PAIL_WRITE};
    pail_vk_steps_dispatch(block->list, d);
}

static void reduce_serial(const struct block *block, uint32_t s, const struct reduced *of)
{
    struct msm_reduce_serial_push push = {
        .windows = of->windows,
        .log2_buckets = of->log2_buckets,
        .log2_segment = MSM_REDUCE_LOG2_SEGMENT(of->log2_buckets),
        .buckets = of->buckets,
        .first_out = of->first_out,
    };
    const struct pail_vk_pipeline_request request =
        pail_msm_request(block->bundle, s, PAIL_KERNEL_MSM_REDUCE_SERIAL);
    const uint32_t segments = (uint32_t)1 << (push.log2_buckets - push.log2_segment);
    for (; push.pass < (segments > 1 ? 2 : 1); push.pass++) {
        const double each = push.pass ? segments : (double)((uint64_t)1 << of->log2_buckets);
        struct pail_vk_dispatch reduce = {
            .request = &request,
            .push = &push,
            .work = pail_msm_additions(block, s, 2 * each * of->windows),
        };
        pail_vk_grid((uint64_t)of->windows * (push.pass ? 1 : segments),
                     MSM_REDUCE_SERIAL_WORKGROUP, reduce.grid);
        dispatch(block, s, of, &reduce);
    }
}

/* A step of a pass with a thread for each addition. */
static void reduce_step(const struct block *block, uint32_t s, const struct reduced *of,
                        const struct msm_reduce_push *push)
{
    const uint64_t additions =
        (uint64_t)push->quads * push->windows * MSM_REDUCE_STEP_ADDITIONS(push->step);
    const struct pail_vk_pipeline_request request =
        pail_msm_request(block->bundle, s, PAIL_KERNEL_MSM_REDUCE_WIDE);
    struct pail_vk_dispatch reduce = {
        .request = &request,
        .push = push,
        .work = pail_msm_additions(block, s, (double)additions),
    };
    pail_vk_grid(pail_msm_block_lanes(block, s) * additions, MSM_REDUCE_WIDE_WORKGROUP,
                 reduce.grid);
    dispatch(block, s, of, &reduce);
}

/* A pass with chains of additions: two of eight for each job. */
#define PASS_ADDITIONS 16

static void reduce_pass(const struct block *block, uint32_t s, const struct reduced *of,
                        struct msm_reduce_push *push)
{
    const uint64_t jobs = (uint64_t)push->quads * push->windows;
    const bool team = push->pass <= push->levels + 1 && jobs <= block->plan->team_jobs;
    push->team = team ? MSM_REDUCE_TEAM : 1;
    const struct pail_vk_pipeline_request request =
        pail_msm_request(block->bundle, s, PAIL_KERNEL_MSM_REDUCE);
    struct pail_vk_dispatch reduce = {
        .request = &request,
        .push = push,
        .work = pail_msm_additions(block, s, (double)jobs * PASS_ADDITIONS),
    };
    pail_vk_grid(pail_msm_block_lanes(block, s) * MSM_QUAD * push->team * jobs,
                 MSM_REDUCE_WORKGROUP, reduce.grid);
    dispatch(block, s, of, &reduce);
}

/* All that is reduced goes through the same passes, side by side; what has more buckets may have a
 * level more than the others. */
static void reduce(const struct block *block, uint32_t s, const struct reduced list[], uint32_t n)
{
    const struct pail_msm_plan *plan = block->plan;
    const uint32_t most = MSM_REDUCE_LEVELS(list[n - 1].log2_buckets);
    const uint32_t last = plan->window_parts > 1 ? 1 : 2; /* passes behind the levels' */
    const uint64_t point = block->bundle->sets[s].bases->group.xyzz_bytes;
    if (plan->window_parts > MSM_REDUCE_LEVELS(list[0].log2_buckets) + 1)
        pail_vk_steps_fill(block->list, /* the part of that level is infinity for the others */
                           pail_msm_range(PAIL_MSM_WINDOWS, list[0].first_out * point,
                                          list[0].windows * plan->window_parts * point),
                           0);
    for (uint32_t pass = 0; pass <= most + last; pass++) {
        const bool wide = pass < plan->wide_passes;
        for (uint32_t step = 0; step < (wide ? MSM_REDUCE_STEPS : 1); step++) {
            for (uint32_t i = 0; i < n; i++) {
                const uint32_t levels = MSM_REDUCE_LEVELS(list[i].log2_buckets);
                if (pass > levels + last || list[i].windows == 0 ||
                    MSM_REDUCE_QUADS(list[i].log2_buckets, levels, pass) == 0)
                    continue;
                struct msm_reduce_push push = {
                    .windows = list[i].windows,
                    .log2_buckets = list[i].log2_buckets,
                    .levels = levels,
                    .pass = pass,
                    .quads = MSM_REDUCE_QUADS(list[i].log2_buckets, levels, pass),
                    .buckets = list[i].buckets,
                    .first_out = list[i].first_out,
                    .parts = plan->window_parts,
                    .step = step,
                };
                if (wide)
                    reduce_step(block, s, &list[i], &push);
                else
                    reduce_pass(block, s, &list[i], &push);
            }
        }
    }
}

void pail_msm_steps_reduce(const struct block *block, uint32_t s)
{
    struct reduced list[2];
    const uint32_t n = find_reduced(block, s, list);
    if (!block->plan->accumulator.serial)
        reduce(block, s, list, n);
    for (uint32_t i = 0; i < n && block->plan->accumulator.serial; i++)
        reduce_serial(block, s, &list[i]);
}

/* Window combination on the device, and its results to device addresses. */

/* Bytes of the folded region where a set's affine points begin. */
static uint64_t affine_of(const struct pail_msm_bundle *b, uint32_t s)
{
    return (uint64_t)b->n_sets * b->n_vectors * b->shape.xyzz_bytes +
           (uint64_t)s * b->n_vectors * b->shape.point_bytes;
}

static void deliver(struct pail_vk_steps *list, const struct pail_msm_bundle *b, uint32_t s,
                    uint32_t v, uint64_t address)
{
    const struct pail_msm_group *group = &b->sets[s].bases->group;
    const struct msm_deliver_push push = {
        .n = group->point_bytes / 4,
        .address_low = (uint32_t)address,
        .address_high = (uint32_t)(address >> 32),
        .first = (uint32_t)((affine_of(b, s) + (uint64_t)v * group->point_bytes) / 4),
    };
    const struct pail_vk_pipeline_request request = pail_msm_request(b, 0, PAIL_KERNEL_MSM_DELIVER);
    pail_vk_steps_dispatch(list, &(const struct pail_vk_dispatch){
                                     .request = &request,
                                     .push = &push,
                                     .bindings = {pail_msm_region_range(&b->plan, PAIL_MSM_FOLDED)},
                                     .grid = {pail_msm_groups(push.n, MSM_DELIVER_WORKGROUP), 1, 1},
                                 });
}

void pail_msm_steps_fold(struct pail_vk_steps *list, const struct pail_msm_recording *r, uint32_t s)
{
    const struct pail_msm_bundle *b = r->bundle;
    const struct pail_msm_plan *plan = &b->plan;
    const struct msm_fold_push push = {
        .vectors = b->n_vectors,
        .windows = plan->windows,
        .window_bits = plan->window_step,
        .chunks = plan->parts,
        .sums = pail_msm_part_of_set(b, s, pail_msm_window_part(b)),
        .points = pail_msm_part_of_set(b, s, (uint64_t)b->n_vectors * b->shape.xyzz_bytes),
        .affine = b->shape.device_results ? (uint32_t)(affine_of(b, s) / 16) : MSM_KEY_NONE,
    };
    const struct pail_vk_pipeline_request request = pail_msm_request(b, s, PAIL_KERNEL_MSM_FOLD);
    pail_vk_steps_dispatch(
        list,
        &(const struct pail_vk_dispatch){
            .request = &request,
            .push = &push,
            .bindings = {pail_msm_region_range(plan, PAIL_MSM_WINDOWS),
                         pail_msm_region_range(plan, PAIL_MSM_FOLDED)},
            .grid = {pail_msm_groups((uint64_t)MSM_QUAD * b->n_vectors, MSM_FOLD_WORKGROUP), 1, 1},
        });
    for (uint32_t v = 0; r->addresses && v < b->n_vectors; v++)
        if (r->addresses[s * b->n_vectors + v])
            deliver(list, b, s, v, r->addresses[s * b->n_vectors + v]);
}
