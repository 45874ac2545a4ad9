#include "record.h"

#include <fnv.h>
#include <shared/msm_layout.h>

#include "../debug.h"

/* Everything about one run: n points from `first` on, windows from `first_window` on. */
struct run {
    struct pail_vk_cmd *cmd;
    const struct pail_msm_plan *plan;
    const struct pail_msm_pipelines *pipelines;
    const struct pail_msm_buffers *buffers;
    const struct pail_bases *bases;
    enum pail_field_form form;
    uint64_t first_base; /* number of the run's first base in the set */
    uint64_t first;      /* number of its first scalar in the job */
    uint64_t align;      /* of a binding */
    uint32_t n;
    uint32_t chunk;
    uint32_t first_window, windows;
    uint32_t sorted; /* which of the entry regions holds the sorted entries */
};

pail_status pail_msm_pipelines_get(struct pail_vk_device *dev, struct pail_msm_pipelines *out,
                                   const struct pail_msm_group *group, enum pail_field_form form,
                                   const struct pail_msm_plan *plan, struct pail_error *err)
{
    const struct pail_variant variant = {group->curve, group->group, form};
    const struct {
        enum pail_kernel_id kernel;
        const struct pail_vk_pipeline **pipeline;
        const uint32_t *workgroup; /* NULL: the kernel has no choice of it */
    } wanted[] = {
        {PAIL_KERNEL_MSM_DECOMPOSE, &out->decompose, NULL},
        {PAIL_KERNEL_MSM_SORT_COUNT, &out->sort_count, NULL},
        {PAIL_KERNEL_MSM_SORT_SCAN, &out->sort_scan, NULL},
        {PAIL_KERNEL_MSM_SORT_TOTALS, &out->sort_totals, NULL},
        {PAIL_KERNEL_MSM_SORT_SCATTER, &out->sort_scatter, &plan->sort_workgroup},
        {PAIL_KERNEL_MSM_BOUNDS, &out->bounds, NULL},
        {PAIL_KERNEL_MSM_CUTS, &out->cuts, NULL},
        {PAIL_KERNEL_MSM_ACCUMULATE, &out->accumulate, &plan->workgroup},
        {PAIL_KERNEL_MSM_COMBINE, &out->combine, NULL},
        {PAIL_KERNEL_MSM_REDUCE, &out->reduce, NULL},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const pail_status status =
            pail_vk_pipeline_get(dev, wanted[i].kernel, variant, wanted[i].workgroup,
                                 wanted[i].workgroup ? 1 : 0, wanted[i].pipeline, err);
        if (status != PAIL_OK)
            return status;
    }
    return PAIL_OK;
}

uint64_t pail_msm_pipelines_hash(const struct pail_msm_pipelines *p)
{
    const struct pail_vk_pipeline *all[] = {
        p->decompose, p->sort_count, p->sort_scan,  p->sort_totals, p->sort_scatter,
        p->bounds,    p->cuts,       p->accumulate, p->combine,     p->reduce,
    };
    uint64_t hash = pail_fnv1a64(NULL, 0);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const uint64_t one = pail_vk_pipeline_hash(all[i]);
        hash = pail_fnv1a64_more(hash, &one, sizeof(one));
    }
    return hash;
}

uint32_t pail_msm_runs(const struct pail_msm_plan *plan)
{
    return plan->chunks * plan->batches;
}

static uint32_t groups_of(uint64_t threads, uint32_t workgroup)
{
    return (uint32_t)((threads + workgroup - 1) / workgroup);
}

static void between_kernels(const struct run *r)
{
    pail_vk_cmd_barrier(r->cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE);
}

static void decompose(const struct run *r)
{
    /* A chunk may begin anywhere, a binding only at an alignment; that is a power of two of at
     * least four bytes, so `align` scalars are whole alignments. */
    const uint64_t start = r->first - r->first % r->align;
    const struct msm_decompose_push push = {
        .n = r->n,
        .window_bits = r->plan->window_bits,
        .first_window = r->first_window,
        .windows = r->windows,
        .scalar_first = (uint32_t)(r->first - start),
        .reduce = 1, /* BN254 G1 has the cofactor 1: all its points have order r */
    };
    /* Two dimensions, because one ends at 65535 workgroups; the kernel numbers threads over both.
     */
    const uint32_t groups = groups_of(r->n, MSM_DECOMPOSE_WORKGROUP);
    const uint32_t gy = (groups + 32767) / 32768;
    const uint32_t gx = (groups + gy - 1) / gy;
    const struct pail_vk_slice bindings[] = {
        pail_vk_slice_part(&r->buffers->scalars, 32 * start, 32 * (r->first - start + r->n)),
        r->buffers->region[PAIL_MSM_ENTRIES_A],
    };
    pail_vk_cmd_dispatch(r->cmd, r->pipelines->decompose, bindings, 2, &push, sizeof(push), gx, gy,
                         1);
    between_kernels(r);
}

static void sort(struct run *r)
{
    const struct pail_msm_pipelines *p = r->pipelines;
    const struct pail_vk_slice counts = r->buffers->region[PAIL_MSM_COUNTS];
    uint32_t from = PAIL_MSM_ENTRIES_A, to = PAIL_MSM_ENTRIES_B;
    struct msm_sort_push push = {
        .n = r->n,
        .bits = r->plan->sort_bits,
        .tiles = pail_msm_tiles(r->n),
        .totals = r->plan->totals,
    };
    push.blocks = pail_msm_blocks(push.tiles, push.bits);
    for (uint32_t pass = 0; pass < r->plan->sort_passes; pass++) {
        const struct pail_vk_slice count[] = {r->buffers->region[from], counts};
        const struct pail_vk_slice scatter[] = {count[0], counts, r->buffers->region[to]};
        push.shift = pass * push.bits;
        pail_vk_cmd_dispatch(r->cmd, p->sort_count, count, 2, &push, sizeof(push), push.tiles,
                             r->windows, 1);
        between_kernels(r);
        pail_vk_cmd_dispatch(r->cmd, p->sort_scan, &counts, 1, &push, sizeof(push), push.blocks,
                             r->windows, 1);
        between_kernels(r);
        pail_vk_cmd_dispatch(r->cmd, p->sort_totals, &counts, 1, &push, sizeof(push), r->windows, 1,
                             1);
        between_kernels(r);
        pail_vk_cmd_dispatch(r->cmd, p->sort_scatter, scatter, 3, &push, sizeof(push), push.tiles,
                             r->windows, 1);
        between_kernels(r);
        const uint32_t swap = from;
        from = to;
        to = swap;
    }
    r->sorted = from;
}

static void plan_shares(const struct run *r)
{
    const struct pail_msm_plan *plan = r->plan;
    const struct pail_vk_slice index = r->buffers->region[PAIL_MSM_INDEX];
    const struct pail_vk_slice bindings[] = {r->buffers->region[r->sorted], index};
    const struct msm_bounds_push bounds = {
        .n = r->n,
        .stride = plan->stride,
        .starts = plan->starts,
    };
    pail_vk_cmd_dispatch(r->cmd, r->pipelines->bounds, bindings, 2, &bounds, sizeof(bounds),
                         groups_of((uint64_t)plan->stride + 1, MSM_BOUNDS_WORKGROUP), r->windows,
                         1);
    between_kernels(r);
    const struct msm_cuts_push cuts = {
        .windows = r->windows,
        .stride = plan->stride,
        .starts = plan->starts,
        .cuts = plan->cuts,
        .threads = plan->threads,
        .share = plan->share,
        .snap = plan->snap,
    };
    pail_vk_cmd_dispatch(r->cmd, r->pipelines->cuts, &index, 1, &cuts, sizeof(cuts),
                         groups_of((uint64_t)plan->threads + 1, MSM_CUTS_WORKGROUP), 1, 1);
    between_kernels(r);
}

static void accumulate(const struct run *r)
{
    const struct pail_msm_plan *plan = r->plan;
    struct msm_accumulate_push push = {
        .n = r->n,
        .windows = r->windows,
        .stride = plan->stride,
        .starts = plan->starts,
        .cuts = plan->cuts,
        .keys = plan->keys,
        .adds = plan->adds,
        .threads = plan->threads,
        .buckets = plan->buckets,
        .pieces = plan->pieces,
    };
    const struct pail_vk_slice bindings[] = {
        pail_bases_slice(r->bases, r->form, r->first_base, r->n, &push.base_first),
        r->buffers->region[r->sorted],
        r->buffers->region[PAIL_MSM_INDEX],
        r->buffers->region[PAIL_MSM_POINTS],
    };
    pail_vk_cmd_dispatch(r->cmd, r->pipelines->accumulate, bindings, 4, &push, sizeof(push),
                         groups_of(plan->threads, plan->workgroup), 1, 1);
    between_kernels(r);
}

static void combine(const struct run *r)
{
    const struct pail_vk_slice bindings[] = {r->buffers->region[PAIL_MSM_INDEX],
                                             r->buffers->region[PAIL_MSM_POINTS]};
    for (uint32_t i = 0; i < r->plan->n_combine; i++) {
        const struct pail_msm_combine_level *level = &r->plan->combine[i];
        const struct msm_combine_push push = {
            .n = level->pieces,
            .threads = level->threads,
            .keys_in = level->keys_in,
            .keys_out = level->keys_out,
            .pieces_in = level->points_in,
            .pieces_out = level->points_out,
            .adds = r->plan->adds,
            .buckets = r->plan->buckets,
        };
        pail_vk_cmd_dispatch(r->cmd, r->pipelines->combine, bindings, 2, &push, sizeof(push),
                             groups_of(level->threads, MSM_COMBINE_WORKGROUP), 1, 1);
        between_kernels(r);
    }
}

static void reduce(const struct run *r)
{
    const struct pail_vk_slice bindings[] = {r->buffers->region[PAIL_MSM_POINTS],
                                             r->buffers->windows};
    for (uint32_t i = 0; i < r->plan->n_reduce; i++) {
        const struct pail_msm_reduce_level *level = &r->plan->reduce[i];
        const struct msm_reduce_push push = {
            .n = level->n,
            .n_out = level->n_out,
            .log2_group = level->log2_group,
            .doublings = level->doublings,
            .sums_in = level->sums_in,
            .rests_in = level->rests_in,
            .sums_out = level->sums_out,
            .rests_out = level->rests_out,
            .last = i + 1 == r->plan->n_reduce,
            .first_window = r->chunk * r->plan->windows + r->first_window,
            .windows = r->windows,
        };
        pail_vk_cmd_dispatch(r->cmd, r->pipelines->reduce, bindings, 2, &push, sizeof(push),
                             groups_of(level->n_out, MSM_REDUCE_WORKGROUP), r->windows, 1);
        between_kernels(r);
    }
}

static void record_run(struct run *r)
{
    const struct pail_msm_plan *plan = r->plan;
    const struct pail_vk_slice *index = &r->buffers->region[PAIL_MSM_INDEX];
    const struct pail_vk_slice *points = &r->buffers->region[PAIL_MSM_POINTS];
    const uint64_t bucket_bytes = (uint64_t)r->windows * plan->stride * r->bases->group.xyzz_bytes;

    pail_vk_cmd_stamp(r->cmd, "decompose");
    /* A bucket that nobody writes is infinity: all bytes zero. */
    pail_vk_cmd_fill(r->cmd, points, 0, bucket_bytes, 0);
    pail_vk_cmd_fill(r->cmd, index, 4 * (uint64_t)plan->adds, 4, 0);
    pail_vk_cmd_barrier(r->cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE);
    decompose(r);
    pail_vk_cmd_stamp(r->cmd, "sort");
    sort(r);
    pail_vk_cmd_stamp(r->cmd, "plan");
    plan_shares(r);
    pail_vk_cmd_stamp(r->cmd, "accumulate");
    accumulate(r);
    pail_vk_cmd_stamp(r->cmd, "combine");
    combine(r);
    pail_vk_cmd_stamp(r->cmd, "reduce");
    reduce(r);
    pail_vk_cmd_stamp(r->cmd, NULL);
}

/* A kernel that reads what no kernel of this MSM wrote then goes wrong every time. */
static void poison(struct pail_vk_cmd *cmd, const struct pail_msm_plan *plan,
                   const struct pail_msm_buffers *buffers)
{
    for (uint32_t i = 0; i < PAIL_MSM_REGIONS; i++)
        pail_vk_cmd_fill(cmd, &buffers->region[i], 0, plan->region_bytes[i], 0xAAAAAAAAu);
    pail_vk_cmd_fill(cmd, &buffers->windows, 0, plan->windows_bytes, 0xAAAAAAAAu);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_TRANSFER | PAIL_VK_COMPUTE);
}

void pail_msm_record(struct pail_vk_cmd *cmd, const struct pail_msm_plan *plan,
                     const struct pail_msm_shape *shape, const struct pail_bases *bases,
                     enum pail_field_form form, const struct pail_msm_pipelines *pipelines,
                     const struct pail_msm_buffers *buffers)
{
    struct run r = {
        .cmd = cmd,
        .plan = plan,
        .pipelines = pipelines,
        .buffers = buffers,
        .bases = bases,
        .form = form,
        .align = pail_vk_device_caps(bases->ctx->dev)->storage_align,
    };
    uint32_t number = 0;
    if (pail_vk_device_debug(bases->ctx->dev) & PAIL_DEBUG_POISON)
        poison(cmd, plan, buffers);
    for (; r.first < shape->n; r.first += r.n, r.chunk++) {
        r.n = (uint32_t)pail_msm_chunk_at(plan, shape, r.first);
        r.first_base = shape->base_offset + r.first;
        for (r.first_window = 0; r.first_window < plan->windows; r.first_window += r.windows) {
            r.windows = plan->windows - r.first_window < plan->batch_windows
                            ? plan->windows - r.first_window
                            : plan->batch_windows;
            record_run(&r);
            pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
            pail_vk_cmd_copy(cmd, &buffers->region[PAIL_MSM_INDEX], 4 * (uint64_t)plan->adds,
                             &buffers->adds_out, 4 * (uint64_t)number++, 4);
            /* The next run clears and overwrites what this one read. */
            pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER,
                                PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
        }
    }
    pail_vk_cmd_copy(cmd, &buffers->windows, 0, &buffers->windows_out, 0, plan->windows_bytes);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
}
