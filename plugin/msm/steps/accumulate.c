/* SPDX-License-Identifier: Apache-2.0 */
/* Bucket accumulation: adds the entries of each bucket, by default with equal shares for all
 * threads, and combines the partial sums of buckets that were split. */
#include <string.h>

#include "block.h"

/* A tile's pieces are added up as in a scan. */
#define PIECE_ADDITIONS 8.0

/* The binding with the bases of all vectors for the chunk. */
static struct pail_vk_range bases_of(const struct block *block, uint32_t s, uint32_t *base_first)
{
    const struct pail_msm_bundle *b = block->bundle;
    const struct pail_msm_set *set = &b->sets[s];
    const uint64_t bytes = set->bases->group.point_bytes, align = block->plan->align;
    const uint64_t count = (uint64_t)(block->plan->copies - 1) * pail_msm_block_pitch(block, set) +
                           (b->n_vectors - 1) * b->handle_stride + block->chunk.n;
    *base_first = 0;
    if (pail_msm_shape_passes(&b->shape))
        return pail_msm_range(PAIL_MSM_STREAM, 0, count * b->shape.point_bytes);
    /* Bindings begin at an alignment, a power of two: `align` points are whole ones. */
    const uint64_t at = (set->first + block->chunk.first) % set->bases->segment;
    *base_first = (uint32_t)(at % align);
    return pail_msm_range(PAIL_MSM_BASES + s, (at - at % align) * bytes,
                          (at % align + count) * bytes);
}

/* base_first: where the push block has it. */
static void dispatch(const struct block *block, uint32_t s, const void *push, uint32_t *base_first)
{
    const struct pail_msm_plan *plan = block->plan;
    const struct pail_msm_accumulator *a = &plan->accumulator;
    const bool by_bucket = plan->shares == 0;
    const uint64_t lanes = pail_msm_block_lanes(block, s);
    struct pail_vk_pipeline_request request = pail_msm_request(block->bundle, s, a->kernel);
    request.n_specs = a->n_specs;
    memcpy(request.specs, a->specs, sizeof(a->specs));
    struct pail_vk_dispatch accumulate = {
        .request = &request,
        .push = push,
        .work =
            pail_msm_additions(block, s, (double)pail_msm_block_entries(block) * block->windows),
        .bindings = {bases_of(block, s, base_first), pail_msm_region_range(plan, PAIL_MSM_SORTED),
                     pail_msm_region_range(plan, PAIL_MSM_INDEX),
                     pail_msm_region_range(plan, PAIL_MSM_SHARED)},
        .grid = {pail_msm_groups(by_bucket ? plan->window_buckets : lanes * plan->threads,
                                 a->workgroup),
                 by_bucket ? block->windows : 1, 1},
    };
    /* Digits may be zero, as all are of small scalars. The plan bounds what there is. */
    accumulate.work.at_most = true;
    accumulate.work.whole = !by_bucket;
    accumulate.work.apart = true;
    pail_vk_steps_dispatch(block->list, &accumulate);
}

static void accumulate_runs(const struct block *block, uint32_t s)
{
    const struct pail_msm_plan *plan = block->plan;
    const uint64_t entries = (uint64_t)pail_msm_block_entries(block) * block->windows;
    const uint64_t share = (entries + plan->threads - 1) / plan->threads;
    struct msm_runs_push push = {
        .n_entries = (uint32_t)entries,
        .n_buckets = block->windows * plan->window_buckets,
        .most = share > plan->share ? (uint32_t)share : plan->share,
        .counts = plan->cuts,
        .runs = plan->cuts + MSM_ORDER_COUNTS,
        .keys = plan->keys,
        .places_first = pail_msm_places_first(plan),
        .places = pail_msm_places(plan),
        .threads = plan->threads,
        .adds = plan->adds,
        .buckets = plan->buckets,
        .pieces = plan->pieces,
        .resume = plan->joined && block->chunk.number,
    };
    dispatch(block, s, &push, &push.base_first);
}

static void accumulate_shares(const struct block *block, uint32_t s)
{
    const struct pail_msm_plan *plan = block->plan;
    struct msm_accumulate_push push = {
        .n = pail_msm_block_entries(block),
        .windows = block->windows,
        .window_buckets = plan->window_buckets,
        .starts = plan->starts,
        .cuts = plan->cuts,
        .keys = plan->keys,
        .adds = plan->adds,
        .threads = plan->threads,
        .buckets = plan->buckets,
        .pieces = plan->pieces,
        .scratch = plan->scratch,
        .resume = plan->joined && block->chunk.number,
    };
    dispatch(block, s, &push, &push.base_first);
}

/* A bucket that nobody writes is infinity: all bytes zero. They lie where entries were sorted. The
 * first set's is the time to clear the counter of additions. */
static void clear_buckets(const struct block *block, uint32_t s)
{
    const struct pail_msm_plan *plan = block->plan;
    const uint64_t bytes = (uint64_t)block->windows * plan->window_buckets *
                           block->bundle->sets[s].bases->group.xyzz_bytes;
    if (s == 0)
        pail_vk_steps_fill(block->list, pail_msm_index_words(plan->adds, 1), 0);
    if (!plan->joined || block->chunk.number == 0)
        pail_vk_steps_fill(block->list, pail_msm_range(PAIL_MSM_SHARED, 0, bytes), 0);
}

void pail_msm_steps_accumulate(const struct block *block, uint32_t s)
{
    clear_buckets(block, s);
    if (block->plan->accumulator.runs)
        accumulate_runs(block, s);
    else
        accumulate_shares(block, s);
}

void pail_msm_steps_combine(const struct block *block, uint32_t s)
{
    const struct pail_msm_plan *plan = block->plan;
    const struct pail_vk_pipeline_request request =
        pail_msm_request(block->bundle, s, PAIL_KERNEL_MSM_COMBINE);
    struct pail_vk_range points = pail_msm_region_range(plan, PAIL_MSM_SHARED);
    struct pail_vk_range index = pail_msm_region_range(plan, PAIL_MSM_INDEX);
    if (plan->joined) { /* the next chunk is being sorted before and behind them */
        points.bytes = plan->temp;
        index.offset = 4 * (uint64_t)plan->keys;
        index.bytes -= index.offset;
    }
    const uint32_t first = (uint32_t)(index.offset / 4);
    for (uint32_t i = 0; i < plan->n_combine; i++) {
        const struct pail_msm_combine_level *level = &plan->combine[i];
        const struct msm_combine_push push = {
            .n = level->pieces,
            .tiles = level->tiles,
            .keys_in = level->keys_in - first,
            .keys_out = level->keys_out - first,
            .pieces_in = level->points_in,
            .pieces_out = level->points_out,
            .adds = plan->adds - first,
            .buckets = plan->buckets,
        };
        struct pail_vk_dispatch combine = {
            .request = &request,
            .push = &push,
            .work = pail_msm_additions(block, s, PIECE_ADDITIONS * level->pieces),
            .bindings = {index, points},
            .n_uses = 4,
            .uses = {{pail_msm_index_words(level->keys_in, level->pieces), PAIL_READ},
                     {pail_msm_index_words(level->keys_out, 2 * (uint64_t)level->tiles),
                      PAIL_WRITE},
                     {pail_msm_index_words(plan->adds, 1), PAIL_READ_WRITE},
                     {points, PAIL_READ_WRITE}},
        };
        pail_vk_grid(level->tiles, 1, combine.grid); /* a workgroup for each */
        pail_vk_steps_dispatch(block->list, &combine);
    }
}
