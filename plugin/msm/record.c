#include "record_run.h"

#include <shared/msm_layout.h>

#include "debug.h"
#include "work.h"

uint32_t pail_msm_runs(const struct pail_msm_plan *plan)
{
    return plan->chunks * plan->batches;
}

uint64_t pail_msm_results_bytes(const struct pail_msm_bundle *b)
{
    if (b->plan.fold_on_device)
        return (uint64_t)b->shape.vectors * b->shape.sets * b->shape.xyzz_bytes;
    return b->plan.region_bytes[PAIL_MSM_WINDOWS];
}

uint64_t pail_msm_buckets_bytes(const struct pail_msm_bundle *b)
{
    return (uint64_t)b->plan.parts * b->plan.rows * b->plan.stride *
           b->sets[0].bases->group.xyzz_bytes;
}

/* The binding with the bases of all vectors for the chunk. */
static struct pail_vk_slice bases_of(const struct run *run, const struct pail_msm_set *set,
                                     uint32_t *base_first)
{
    const struct pail_msm_bundle *b = run->r->bundle;
    const uint64_t count = (uint64_t)(plan_of(run)->copies - 1) * pitch_of(run, set) +
                           (b->n_vectors - 1) * b->handle_stride + run->chunk->n;
    *base_first = 0;
    if (b->shape.streamed)
        return pail_vk_slice_part(region(run, PAIL_MSM_STREAM), 0, count * b->shape.point_bytes);
    return pail_bases_slice(set->bases, run->r->bundle->form, set->first + run->chunk->first, count,
                            base_first);
}

/* Invocations of a thread of a set's kernels that add up points. */
static uint32_t lanes_of(const struct run *run, uint32_t s)
{
    return pail_msm_accumulator_lanes(&plan_of(run)->accumulator,
                                      run->r->bundle->sets[s].bases->group.group);
}

static const struct pail_msm_group *group_of(const struct run *run, uint32_t s)
{
    return &run->r->bundle->sets[s].bases->group;
}

/* base_first: to where the push block has it. */
static void dispatch_accumulate(const struct run *run, uint32_t s, const void *push,
                                uint32_t push_bytes, uint32_t *base_first)
{
    const struct pail_msm_plan *plan = plan_of(run);
    const struct pail_vk_slice bindings[] = {
        bases_of(run, &run->r->bundle->sets[s], base_first),
        *region(run, PAIL_MSM_SORTED),
        *region(run, PAIL_MSM_INDEX),
        *region(run, PAIL_MSM_SHARED),
    };
    const bool by_bucket = plan->shares == 0;
    const uint64_t lanes = lanes_of(run, s);
    /* Digits may be zero, as all are of small scalars. The plan bounds what there is. */
    const struct pail_vk_work work = {
        .kind = PAIL_VK_POINTS,
        .units = (double)entries_of(run) * run->rows * pail_msm_addition(group_of(run, s)),
        .at_most = true,
        .whole = !by_bucket,
        .apart = true,
    };
    pail_vk_cmd_expect(run->cmd, &work);
    pail_vk_cmd_dispatch(
        run->cmd, run->r->pipelines->sets[s].accumulate, bindings, 4, push, push_bytes,
        groups_of(by_bucket ? plan->stride : lanes * plan->threads, plan->accumulator.workgroup),
        by_bucket ? run->rows : 1, 1);
    between_kernels(run->cmd);
}

static void accumulate_runs(const struct run *run, uint32_t s)
{
    const struct pail_msm_plan *plan = plan_of(run);
    const uint64_t entries = (uint64_t)entries_of(run) * run->rows;
    const uint64_t share = (entries + plan->threads - 1) / plan->threads;
    struct msm_runs_push push = {
        .n_entries = (uint32_t)entries,
        .n_buckets = run->rows * plan->stride,
        .most = share > plan->share ? (uint32_t)share : plan->share,
        .counts = plan->cuts,
        .runs = plan->cuts + MSM_ORDER_COUNTS,
        .keys = plan->keys,
        .places_first = places_first_of(plan),
        .places = places_of(plan),
        .threads = plan->threads,
        .adds = plan->adds,
        .buckets = plan->buckets,
        .pieces = plan->pieces,
        .resume = plan->joined && run->chunk->number,
    };
    dispatch_accumulate(run, s, &push, sizeof(push), &push.base_first);
}

static void accumulate(const struct run *run, uint32_t s)
{
    const struct pail_msm_plan *plan = plan_of(run);
    struct msm_accumulate_push push = {
        .n = entries_of(run),
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
        .resume = plan->joined && run->chunk->number,
    };
    dispatch_accumulate(run, s, &push, sizeof(push), &push.base_first);
}

/* A tile's pieces are added up as in a scan. */
#define PIECE_ADDITIONS 8.0

static void combine(const struct run *run, uint32_t s)
{
    const struct pail_msm_plan *plan = plan_of(run);
    const struct pail_vk_slice bindings[] = {*region(run, PAIL_MSM_INDEX),
                                             *region(run, PAIL_MSM_SHARED)};
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
        uint32_t gx, gy;
        grid_of(level->tiles, 1, &gx, &gy); /* a workgroup for each */
        pail_msm_expect_additions(run->cmd, group_of(run, s), PIECE_ADDITIONS * level->pieces);
        pail_vk_cmd_dispatch(run->cmd, run->r->pipelines->sets[s].combine, bindings, 2, &push,
                             sizeof(push), gx, gy, 1);
        between_kernels(run->cmd);
    }
}

/* Number of a set's first point in a region of which each set has an equal part. Sets may be of
 * groups whose points differ in size; those of one curve are multiples of each other. */
static uint32_t part_of_set(const struct pail_msm_bundle *b, uint32_t s, uint64_t part_bytes)
{
    return (uint32_t)(s * part_bytes / b->sets[s].bases->group.xyzz_bytes);
}

static uint64_t window_part(const struct pail_msm_bundle *b)
{
    return b->plan.region_bytes[PAIL_MSM_WINDOWS] / b->n_sets;
}

/* Number of the window sums' first point that a run writes. */
static uint32_t first_window(const struct run *run, uint32_t s)
{
    const struct pail_msm_plan *plan = plan_of(run);
    const uint32_t windows = plan->windows * run->r->bundle->n_vectors;
    return part_of_set(run->r->bundle, s, window_part(run->r->bundle)) +
           ((plan->joined ? 0 : run->chunk->number) * windows + run->first_row) *
               plan->window_parts;
}

/* Rows of equal numbers of buckets: a run's, or a wide window behind the others. */
struct reduced {
    uint32_t rows, log2_stride;
    uint32_t buckets, first_out; /* points */
};

static uint32_t find_reduced(const struct run *run, uint32_t s, struct reduced list[2])
{
    const struct pail_msm_plan *plan = plan_of(run);
    const uint32_t narrow = run->rows - 2 * plan->wide_top, first = first_window(run, s);
    list[0] = (struct reduced){narrow, plan->log2_stride, plan->buckets, first};
    if (!plan->wide_top)
        return 1;
    const uint32_t buckets = plan->buckets + narrow * plan->stride;
    list[1] =
        (struct reduced){1, plan->log2_stride + 1, buckets, first + narrow * plan->window_parts};
    return 2;
}

static void reduce_serial(const struct run *run, uint32_t s, const struct reduced *of)
{
    const struct pail_vk_slice bindings[] = {*region(run, PAIL_MSM_SHARED),
                                             *region(run, PAIL_MSM_WINDOWS)};
    struct msm_reduce_serial_push push = {
        .rows = of->rows,
        .log2_stride = of->log2_stride,
        .log2_segment = MSM_REDUCE_LOG2_SEGMENT(of->log2_stride),
        .buckets = of->buckets,
        .first_out = of->first_out,
    };
    const uint32_t segments = (uint32_t)1 << (push.log2_stride - push.log2_segment);
    for (; push.pass < (segments > 1 ? 2 : 1); push.pass++) {
        uint32_t gx, gy;
        grid_of((uint64_t)of->rows * (push.pass ? 1 : segments), MSM_REDUCE_SERIAL_WORKGROUP, &gx,
                &gy);
        const double each = push.pass ? segments : (double)((uint64_t)1 << of->log2_stride);
        pail_msm_expect_additions(run->cmd, group_of(run, s), 2 * each * of->rows);
        pail_vk_cmd_dispatch(run->cmd, run->r->pipelines->sets[s].reduce, bindings, 2, &push,
                             sizeof(push), gx, gy, 1);
        between_kernels(run->cmd);
    }
}

/* A step of a pass with a thread for each addition. */
static void reduce_step(const struct run *run, uint32_t s, const struct msm_reduce_push *push,
                        uint64_t jobs)
{
    uint32_t gx, gy;
    grid_of(lanes_of(run, s) * MSM_REDUCE_STEP_ADDITIONS(push->step) * jobs,
            MSM_REDUCE_WIDE_WORKGROUP, &gx, &gy);
    pail_msm_expect_additions(run->cmd, group_of(run, s),
                              (double)jobs * MSM_REDUCE_STEP_ADDITIONS(push->step));
    pail_vk_cmd_dispatch(run->cmd, run->r->pipelines->sets[s].reduce_wide,
                         region(run, PAIL_MSM_SHARED), 1, push, sizeof(*push), gx, gy, 1);
}

/* A pass with chains of additions: two of eight for each job. */
#define PASS_ADDITIONS 16

static void reduce_pass(const struct run *run, uint32_t s, struct msm_reduce_push *push,
                        uint64_t jobs)
{
    const struct pail_vk_slice bindings[] = {*region(run, PAIL_MSM_SHARED),
                                             *region(run, PAIL_MSM_WINDOWS)};
    const bool team = push->pass <= push->levels + 1 && jobs <= plan_of(run)->team_jobs;
    push->team = team ? MSM_REDUCE_TEAM : 1;
    uint32_t gx, gy;
    grid_of(lanes_of(run, s) * MSM_QUAD * push->team * jobs, MSM_REDUCE_WORKGROUP, &gx, &gy);
    pail_msm_expect_additions(run->cmd, group_of(run, s), (double)jobs * PASS_ADDITIONS);
    pail_vk_cmd_dispatch(run->cmd, run->r->pipelines->sets[s].reduce, bindings, 2, push,
                         sizeof(*push), gx, gy, 1);
}

/* All that is reduced goes through the same passes, side by side. */
static void reduce(const struct run *run, uint32_t s, const struct reduced list[], uint32_t n)
{
    const struct pail_msm_plan *plan = plan_of(run);
    const uint32_t levels = MSM_REDUCE_LEVELS(plan->log2_stride);
    const uint32_t last = levels + (plan->window_parts > 1 ? 1 : 2);
    for (uint32_t pass = 0; pass <= last; pass++) {
        const bool wide = pass < plan->wide_passes;
        if (MSM_REDUCE_QUADS(plan->log2_stride, levels, pass) == 0)
            continue;
        for (uint32_t step = 0; step < (wide ? MSM_REDUCE_STEPS : 1); step++) {
            for (uint32_t i = 0; i < n; i++) {
                const uint32_t log2_stride = list[i].log2_stride;
                struct msm_reduce_push push = {
                    .rows = list[i].rows,
                    .log2_stride = log2_stride,
                    .levels = levels,
                    .pass = pass,
                    .quads = MSM_REDUCE_QUADS(log2_stride, levels, pass),
                    .buckets = list[i].buckets,
                    .first_out = list[i].first_out,
                    .parts = plan->window_parts,
                    .step = step,
                };
                const uint64_t jobs = (uint64_t)push.quads * push.rows;
                if (wide)
                    reduce_step(run, s, &push, jobs);
                else
                    reduce_pass(run, s, &push, jobs);
            }
            between_kernels(run->cmd);
        }
    }
}

/* A bucket that nobody writes is infinity: all bytes zero. They lie where entries were sorted. The
 * first set's is the time to clear the counter of additions. */
static void clear_buckets(const struct run *run, uint32_t s)
{
    const struct pail_msm_plan *plan = plan_of(run);
    const uint64_t bytes =
        (uint64_t)run->rows * plan->stride * run->r->bundle->sets[s].bases->group.xyzz_bytes;
    pail_vk_cmd_barrier(run->cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    if (s == 0)
        pail_vk_cmd_fill(run->cmd, region(run, PAIL_MSM_INDEX), 4 * (uint64_t)plan->adds, 4, 0);
    if (!plan->joined || run->chunk->number == 0)
        pail_vk_cmd_fill(run->cmd, region(run, PAIL_MSM_SHARED), 0, bytes, 0);
    pail_vk_cmd_barrier(run->cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE);
}

/* Reducing writes over them. */
static void copy_buckets(const struct run *run)
{
    const struct pail_msm_plan *plan = plan_of(run);
    const struct pail_vk_slice *to = &run->r->buffers->buckets_out;
    const uint64_t point = run->r->bundle->sets[0].bases->group.xyzz_bytes;
    const uint64_t row = plan->stride * point, part = plan->joined ? 0 : run->chunk->number;
    if (!to->buffer)
        return;
    pail_vk_cmd_barrier(run->cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(run->cmd, region(run, PAIL_MSM_SHARED), plan->buckets * point, to,
                     (part * plan->rows + run->first_row) * row, run->rows * row);
    pail_vk_cmd_barrier(run->cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE | PAIL_VK_HOST);
}

static struct run run_of(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r,
                         const struct pail_msm_chunk *chunk, uint32_t first_row)
{
    const struct pail_msm_plan *plan = &r->bundle->plan;
    return (struct run){
        .r = r,
        .chunk = chunk,
        .cmd = cmd,
        .first_row = first_row,
        .rows =
            plan->rows - first_row < plan->batch_rows ? plan->rows - first_row : plan->batch_rows,
    };
}

void pail_msm_record_entries(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r,
                             const struct pail_msm_chunk *chunk, uint32_t first_row)
{
    const struct run run = run_of(cmd, r, chunk, first_row);
    pail_vk_cmd_stamp(cmd, "decompose");
    pail_msm_record_decompose(&run);
    pail_vk_cmd_stamp(cmd, "sort");
    pail_msm_record_sort(&run);
    pail_vk_cmd_stamp(cmd, "plan");
    pail_msm_record_shares(&run);
}

void pail_msm_record_sums(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r,
                          const struct pail_msm_chunk *chunk, uint32_t first_row)
{
    const struct pail_msm_plan *plan = &r->bundle->plan;
    const struct run run = run_of(cmd, r, chunk, first_row);
    const struct pail_vk_slice *index = region(&run, PAIL_MSM_INDEX);
    const uint32_t number = chunk->number * plan->batches + first_row / plan->batch_rows;

    for (uint32_t s = 0; s < r->bundle->n_sets; s++) {
        pail_vk_cmd_stamp(cmd, "accumulate");
        clear_buckets(&run, s);
        if (plan->accumulator.runs)
            accumulate_runs(&run, s);
        else
            accumulate(&run, s);
        pail_vk_cmd_stamp(cmd, "combine");
        combine(&run, s);
        if (plan->joined && chunk->number + 1 < plan->chunks)
            continue;
        copy_buckets(&run);
        pail_vk_cmd_stamp(cmd, "reduce");
        struct reduced list[2];
        const uint32_t n = find_reduced(&run, s, list);
        if (!plan->accumulator.serial)
            reduce(&run, s, list, n);
        for (uint32_t i = 0; i < n && plan->accumulator.serial; i++)
            reduce_serial(&run, s, &list[i]);
    }
    pail_vk_cmd_stamp(cmd, NULL);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(cmd, index, 4 * (uint64_t)plan->adds, &r->buffers->report_out,
                     4 * (uint64_t)(PAIL_MSM_REPORT_WORDS + number), 4);
    /* The next run clears and overwrites what this one read. */
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER,
                        PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
}

/* A kernel that reads what no kernel of this bundle wrote then goes wrong every time. The scalars
 * are there already. */
static void poison(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r)
{
    for (uint32_t i = 0; i < PAIL_MSM_REGIONS; i++)
        if (i != PAIL_MSM_SCALARS && i != PAIL_MSM_STREAM)
            pail_vk_cmd_fill(cmd, &r->buffers->region[i], 0,
                             r->bundle->plan.region_bytes[i] & ~UINT64_C(3), 0xAAAAAAAAu);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_TRANSFER | PAIL_VK_COMPUTE);
}

void pail_msm_record_begin(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r)
{
    if (pail_vk_device_debug(r->dev) & PAIL_DEBUG_POISON)
        poison(cmd, r);
    pail_vk_cmd_fill(cmd, &r->buffers->region[PAIL_MSM_INDEX], 4 * (uint64_t)r->bundle->plan.status,
                     4, UINT32_MAX);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE);
}

/* The binding with the original numbers of kept points; some binding where none are left out. */
static struct pail_vk_slice map_of(const struct pail_msm_recording *r,
                                   const struct pail_msm_set *set, uint64_t first, uint32_t n,
                                   uint32_t *map_first)
{
    if (!pail_bases_mapped(set->bases)) {
        *map_first = MSM_KEY_NONE;
        return r->buffers->region[PAIL_MSM_INDEX];
    }
    if (!r->bundle->shape.streamed)
        return pail_bases_map_slice(set->bases, first, n, map_first);
    *map_first = 0; /* sent with the chunk, to where sorting is going to begin */
    return pail_vk_slice_part(&r->buffers->region[PAIL_MSM_SHARED], 0, 4 * (uint64_t)n);
}

void pail_msm_record_fetch(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r,
                           const struct pail_msm_chunk *chunk)
{
    const struct pail_msm_bundle *b = r->bundle;
    const struct pail_vk_slice *scalars = &r->buffers->region[PAIL_MSM_SCALARS];
    uint64_t first, stride;
    scalar_layout(b, chunk, &first, &stride);
    const uint32_t n_vectors = pail_msm_bundle_fetches(b) ? b->n_vectors : 0;
    for (uint32_t v = 0; v < n_vectors; v++) {
        const struct pail_msm_vector *vector = &b->vectors[v];
        if (vector->scalars)
            continue;
        const struct pail_msm_set *set = &b->sets[0];
        const uint64_t kept = set->first + v * b->handle_stride + chunk->first;
        const uint64_t align = pail_vk_device_caps(r->dev)->storage_align;
        const uint64_t at = first + v * stride, start = at - at % align;
        struct msm_fetch_push push = {
            .n = chunk->n,
            .address_low = (uint32_t)vector->address,
            .address_high = (uint32_t)(vector->address >> 32),
            .first = (uint32_t)chunk->first,
            .map_base = (uint32_t)vector->offset,
            .target = (uint32_t)(at - start),
            .bits = b->promised_bits,
            .status = b->plan.status,
        };
        const struct pail_vk_slice bindings[] = {
            pail_vk_slice_part(scalars, 32 * start, 32 * (at - start + chunk->n)),
            map_of(r, set, kept, chunk->n, &push.map_first),
            r->buffers->region[PAIL_MSM_INDEX],
        };
        uint32_t gx, gy;
        grid_of((8 * (uint64_t)chunk->n + MSM_FETCH_WORDS - 1) / MSM_FETCH_WORDS,
                MSM_FETCH_WORKGROUP, &gx, &gy);
        expect_words(cmd, 16.0 * chunk->n, false);
        pail_vk_cmd_stamp(cmd, "fetch");
        pail_vk_cmd_dispatch(cmd, r->pipelines->fetch, bindings, 3, &push, sizeof(push), gx, gy, 1);
    }
    /* A run begins with filling a word of what was bound. */
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
}

static void fold(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r, uint32_t s,
                 const uint64_t addresses[])
{
    const struct pail_msm_bundle *b = r->bundle;
    const struct pail_msm_plan *plan = &b->plan;
    const struct pail_msm_group *group = &b->sets[s].bases->group;
    const struct pail_vk_slice *folded = &r->buffers->region[PAIL_MSM_FOLDED];
    const uint64_t affine = (uint64_t)b->n_sets * b->n_vectors * b->shape.xyzz_bytes +
                            (uint64_t)s * b->n_vectors * b->shape.point_bytes;
    const struct msm_fold_push push = {
        .vectors = b->n_vectors,
        .windows = plan->windows,
        .window_bits = plan->row_bits,
        .chunks = plan->parts,
        .sums = part_of_set(b, s, window_part(b)),
        .points = part_of_set(b, s, (uint64_t)b->n_vectors * b->shape.xyzz_bytes),
        .affine = b->shape.device_results ? (uint32_t)(affine / 16) : MSM_KEY_NONE,
    };
    const struct pail_vk_slice bindings[] = {r->buffers->region[PAIL_MSM_WINDOWS], *folded};
    pail_vk_cmd_dispatch(cmd, r->pipelines->sets[s].fold, bindings, 2, &push, sizeof(push),
                         groups_of((uint64_t)MSM_QUAD * b->n_vectors, MSM_FOLD_WORKGROUP), 1, 1);
    between_kernels(cmd);
    for (uint32_t v = 0; addresses && v < b->n_vectors; v++) {
        const uint64_t address = addresses[s * b->n_vectors + v];
        const struct msm_deliver_push deliver = {
            .n = group->point_bytes / 4,
            .address_low = (uint32_t)address,
            .address_high = (uint32_t)(address >> 32),
            .first = (uint32_t)((affine + (uint64_t)v * group->point_bytes) / 4),
        };
        if (address)
            pail_vk_cmd_dispatch(cmd, r->pipelines->deliver, folded, 1, &deliver, sizeof(deliver),
                                 groups_of(deliver.n, MSM_DELIVER_WORKGROUP), 1, 1);
    }
}

void pail_msm_record_end(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r,
                         const uint64_t addresses[])
{
    const struct pail_msm_bundle *b = r->bundle;
    const struct pail_msm_buffers *buffers = r->buffers;
    enum pail_msm_region results = PAIL_MSM_WINDOWS;
    if (b->plan.fold_on_device) {
        pail_vk_cmd_stamp(cmd, "fold");
        for (uint32_t s = 0; s < b->n_sets; s++)
            fold(cmd, r, s, addresses);
        results = PAIL_MSM_FOLDED;
    }
    pail_vk_cmd_stamp(cmd, NULL);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(cmd, &buffers->region[results], 0, &buffers->results_out, 0,
                     pail_msm_results_bytes(b));
    pail_vk_cmd_copy(cmd, &buffers->region[PAIL_MSM_INDEX], 4 * (uint64_t)b->plan.status,
                     &buffers->report_out, 4 * PAIL_MSM_REPORT_BROKEN, 4);
    /* The host reads; a bundle that follows overwrites. */
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST | PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
}
