/* Bucket accumulation: sums of entries in buckets and pieces of them, and pieces to buckets. */
#include <string.h>

#include "run.h"

/* A tile's pieces are added up as in a scan. */
#define PIECE_ADDITIONS 8.0

/* The binding with the bases of all vectors for the chunk. */
static struct pail_vk_range bases_of(const struct run *run, uint32_t s, uint32_t *base_first)
{
    const struct pail_msm_bundle *b = run->bundle;
    const struct pail_msm_set *set = &b->sets[s];
    const uint64_t bytes = set->bases->group.point_bytes, align = run->plan->align;
    const uint64_t count = (uint64_t)(run->plan->copies - 1) * pail_msm_run_pitch(run, set) +
                           (b->n_vectors - 1) * b->handle_stride + run->chunk.n;
    *base_first = 0;
    if (b->shape.streamed)
        return pail_msm_range(PAIL_MSM_STREAM, 0, count * b->shape.point_bytes);
    /* Bindings begin at an alignment, a power of two: `align` points are whole ones. */
    const uint64_t at = (set->first + run->chunk.first) % set->bases->segment;
    *base_first = (uint32_t)(at % align);
    return pail_msm_range(PAIL_MSM_BASES + s, (at - at % align) * bytes,
                          (at % align + count) * bytes);
}

/* base_first: where the push block has it. */
static void dispatch(const struct run *run, uint32_t s, const void *push, uint32_t *base_first)
{
    const struct pail_msm_plan *plan = run->plan;
    const struct pail_msm_accumulator *a = &plan->accumulator;
    const bool by_bucket = plan->shares == 0;
    const uint64_t lanes = pail_msm_run_lanes(run, s);
    const uint32_t group = run->bundle->sets[s].bases->group.group;
    struct pail_vk_pipeline_request request =
        pail_msm_request(run->bundle, s, pail_msm_accumulator_kernel(a, group));
    request.n_specs = a->n_specs;
    memcpy(request.specs, a->specs, sizeof(a->specs));
    struct pail_vk_dispatch accumulate = {
        .request = &request,
        .push = push,
        .work = pail_msm_additions(run, s, (double)pail_msm_run_entries(run) * run->rows),
        .bindings = {bases_of(run, s, base_first), pail_msm_region_range(plan, PAIL_MSM_SORTED),
                     pail_msm_region_range(plan, PAIL_MSM_INDEX),
                     pail_msm_region_range(plan, PAIL_MSM_SHARED)},
        .grid = {pail_msm_groups(by_bucket ? plan->stride : lanes * plan->threads, a->workgroup),
                 by_bucket ? run->rows : 1, 1},
    };
    /* Digits may be zero, as all are of small scalars. The plan bounds what there is. */
    accumulate.work.at_most = true;
    accumulate.work.whole = !by_bucket;
    accumulate.work.apart = true;
    pail_vk_steps_dispatch(run->list, &accumulate);
}

static void accumulate_runs(const struct run *run, uint32_t s)
{
    const struct pail_msm_plan *plan = run->plan;
    const uint64_t entries = (uint64_t)pail_msm_run_entries(run) * run->rows;
    const uint64_t share = (entries + plan->threads - 1) / plan->threads;
    struct msm_runs_push push = {
        .n_entries = (uint32_t)entries,
        .n_buckets = run->rows * plan->stride,
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
        .resume = plan->joined && run->chunk.number,
    };
    dispatch(run, s, &push, &push.base_first);
}

static void accumulate_shares(const struct run *run, uint32_t s)
{
    const struct pail_msm_plan *plan = run->plan;
    struct msm_accumulate_push push = {
        .n = pail_msm_run_entries(run),
        .rows = run->rows,
        .stride = plan->stride,
        .starts = plan->starts,
        .cuts = plan->cuts,
        .keys = plan->keys,
        .adds = plan->adds,
        .threads = plan->threads,
        .buckets = plan->buckets,
        .pieces = plan->pieces,
        .scratch = plan->scratch,
        .resume = plan->joined && run->chunk.number,
    };
    dispatch(run, s, &push, &push.base_first);
}

/* A bucket that nobody writes is infinity: all bytes zero. They lie where entries were sorted. The
 * first set's is the time to clear the counter of additions. */
static void clear_buckets(const struct run *run, uint32_t s)
{
    const struct pail_msm_plan *plan = run->plan;
    const uint64_t bytes =
        (uint64_t)run->rows * plan->stride * run->bundle->sets[s].bases->group.xyzz_bytes;
    if (s == 0)
        pail_vk_steps_fill(run->list, pail_msm_index_words(plan->adds, 1), 0);
    if (!plan->joined || run->chunk.number == 0)
        pail_vk_steps_fill(run->list, pail_msm_range(PAIL_MSM_SHARED, 0, bytes), 0);
}

void pail_msm_steps_accumulate(const struct run *run, uint32_t s)
{
    clear_buckets(run, s);
    if (run->plan->accumulator.runs)
        accumulate_runs(run, s);
    else
        accumulate_shares(run, s);
}

void pail_msm_steps_combine(const struct run *run, uint32_t s)
{
    const struct pail_msm_plan *plan = run->plan;
    const struct pail_vk_pipeline_request request =
        pail_msm_sums_request(run, s, PAIL_KERNEL_MSM_COMBINE);
    for (uint32_t i = 0; i < plan->n_combine; i++) {
        const struct pail_msm_combine_level *level = &plan->combine[i];
        const struct msm_combine_push push = {
            .n = level->pieces,
            .tiles = level->tiles,
            .keys_in = level->keys_in,
            .keys_out = level->keys_out,
            .pieces_in = level->points_in,
            .pieces_out = level->points_out,
            .adds = plan->adds,
            .buckets = plan->buckets,
        };
        struct pail_vk_dispatch combine = {
            .request = &request,
            .push = &push,
            .work = pail_msm_additions(run, s, PIECE_ADDITIONS * level->pieces),
            .bindings = {pail_msm_region_range(plan, PAIL_MSM_INDEX),
                         pail_msm_region_range(plan, PAIL_MSM_SHARED)},
        };
        pail_msm_grid(level->tiles, 1, combine.grid); /* a workgroup for each */
        pail_vk_steps_dispatch(run->list, &combine);
    }
}
