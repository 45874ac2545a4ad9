#include "record_run.h"

#include <shared/msm_layout.h>

#define SCALAR_WORDS 32.0

/* Where sorting puts what it does not leave behind. */
static struct pail_vk_slice temp_of(const struct run *run)
{
    const struct pail_vk_slice *shared = region(run, PAIL_MSM_SHARED);
    const uint64_t temp = plan_of(run)->temp;
    return pail_vk_slice_part(shared, temp, plan_of(run)->region_bytes[PAIL_MSM_SHARED] - temp);
}

void pail_msm_record_decompose(const struct run *run)
{
    const struct pail_msm_bundle *b = run->r->bundle;
    const struct pail_msm_plan *plan = &b->plan;
    uint64_t first, stride;
    scalar_layout(b, run->chunk, &first, &stride);
    /* A chunk may begin anywhere, a binding only at an alignment; that is a power of two of at
     * least four bytes, so `align` scalars are whole alignments. */
    const uint64_t align = pail_vk_device_caps(run->r->dev)->storage_align;
    const uint64_t start = first - first % align;
    const uint64_t end = first + (b->n_vectors - 1) * stride + run->chunk->n;
    struct msm_decompose_push push = {
        .n = run->chunk->n,
        .window_bits = plan->window_bits,
        .vector_rows = plan->vector_rows,
        .wide_top = plan->wide_top,
        .first_row = run->first_row,
        .rows = run->rows,
        .scalar_first = (uint32_t)(first - start),
        .scalar_stride = (uint32_t)stride,
        .handle_stride = (uint32_t)b->handle_stride,
        .reduce = b->reduce && !plan->split, /* halves are of any scalar */
        .further = plan->copies - 1,
    };
    const bool direct = pail_msm_bundle_direct(b);
    if (direct) {
        push.scalar_first = (uint32_t)run->chunk->first;
        push.address_low = (uint32_t)b->vectors[0].address;
        push.address_high = (uint32_t)(b->vectors[0].address >> 32);
    }
    const uint32_t first_vector = run->first_row / plan->vector_rows;
    const uint32_t last_vector = (run->first_row + run->rows - 1) / plan->vector_rows;
    const struct pail_vk_slice bindings[] = {
        pail_vk_slice_part(region(run, PAIL_MSM_SCALARS), 32 * start, 32 * (end - start)),
        /* Sorting goes back and forth and has to end in its place. */
        plan->sorting.passes % 2 ? temp_of(run) : *region(run, PAIL_MSM_SORTED),
    };
    uint32_t gx, gy;
    grid_of(run->chunk->n, MSM_DECOMPOSE_WORKGROUP, &gx, &gy);
    const uint32_t n_vectors = last_vector - first_vector + 1;
    /* Reading a scalar and cutting it up takes as long as some words more. */
    expect_words(run->cmd,
                 (SCALAR_WORDS * n_vectors + 2.0 * run->rows * plan->copies) * run->chunk->n,
                 false);
    pail_vk_cmd_dispatch(run->cmd, run->r->pipelines->decompose, bindings + direct, 2 - direct,
                         &push, sizeof(push), gx, gy, n_vectors);
    between_kernels(run->cmd);
}

void pail_msm_record_sort(const struct run *run)
{
    const struct pail_msm_pipelines *p = run->r->pipelines;
    const struct pail_msm_plan *plan = plan_of(run);
    const struct pail_vk_slice counts = *region(run, PAIL_MSM_COUNTS);
    const struct pail_vk_slice index = *region(run, PAIL_MSM_INDEX);
    const uint32_t scan_columns = pail_msm_sorter_scan_columns(&plan->sorter);
    const double entries = (double)entries_of(run) * run->rows;
    bool in_place = plan->sorting.passes % 2 == 0;
    struct msm_sort_push push = {
        .first_row = run->first_row,
        .vector_rows = plan->vector_rows,
        .handle_stride = (uint32_t)run->r->bundle->handle_stride,
        .copy = run->chunk->n,
        .skip = plan->copies > 1 ? pitch_of(run, &run->r->bundle->sets[0]) - run->chunk->n : 0,
        .keyless = plan->keyless,
    };
    for (uint32_t pass = 0; pass < plan->sorting.passes; pass++, in_place = !in_place) {
        const struct pail_vk_slice sorted = *region(run, PAIL_MSM_SORTED), temp = temp_of(run);
        const struct pail_vk_slice from = in_place ? sorted : temp, to = in_place ? temp : sorted;
        const struct pail_vk_slice count[] = {from, counts};
        pail_msm_sorting_push(&plan->sorting, pass, entries_of(run), plan->starts, &push);
        const struct pail_vk_slice scatter[] = {from, counts, to, index};
        const uint32_t groups =
            plan->sorter.serial ? groups_of(push.tiles, MSM_SORT_SERIAL) : push.tiles;
        if (pass) {
            pail_vk_cmd_dispatch(run->cmd, p->sort_tiles, &counts, 1, &push, sizeof(push),
                                 run->rows, 1, 1);
            between_kernels(run->cmd);
        }
        expect_words(run->cmd, entries, true);
        pail_vk_cmd_dispatch(run->cmd, p->sort_count, count, 2, &push, sizeof(push), groups,
                             run->rows, 1);
        between_kernels(run->cmd);
        const uint64_t counts_each = (uint64_t)push.tiles << push.bits;
        expect_words(run->cmd, 2.0 * (double)counts_each * run->rows, true);
        pail_vk_cmd_dispatch(run->cmd, p->sort_scan, &counts, 1, &push, sizeof(push),
                             groups_of((uint64_t)1 << push.bits, scan_columns), run->rows,
                             push.groups);
        between_kernels(run->cmd);
        const bool last = pass + 1 == plan->sorting.passes;
        expect_words(run->cmd, 3 * entries, true);
        pail_vk_cmd_dispatch(run->cmd, last ? p->sort_finish : p->sort_scatter, scatter,
                             last ? 4 : 3, &push, sizeof(push), groups, run->rows, 1);
        between_kernels(run->cmd);
    }
}

/* Entries that count in the rows before each, and in all. */
static void add_up_rows(const struct run *run)
{
    const struct pail_msm_plan *plan = plan_of(run);
    const struct msm_rows_push rows = {
        .rows = run->rows,
        .stride = plan->stride,
        .starts = plan->starts,
        .row_first = plan->row_first,
    };
    pail_vk_cmd_dispatch(run->cmd, run->r->pipelines->rows, region(run, PAIL_MSM_INDEX), 1, &rows,
                         sizeof(rows), 1, 1, 1);
    between_kernels(run->cmd);
}

static void order_runs(const struct run *run)
{
    const struct pail_msm_plan *plan = plan_of(run);
    const struct pail_msm_pipelines *p = run->r->pipelines;
    const struct pail_vk_slice *index = region(run, PAIL_MSM_INDEX);
    const struct msm_order_push push = {
        .n = entries_of(run),
        .rows = run->rows,
        .stride = plan->stride,
        .starts = plan->starts,
        .row_first = plan->row_first,
        .counts = plan->cuts,
        .runs = plan->cuts + MSM_ORDER_COUNTS,
        .keys = plan->keys,
        .threads = plan->threads,
        .share = plan->share,
        .places_first = places_first_of(plan),
        .places = places_of(plan),
    };
    pail_vk_cmd_barrier(run->cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    pail_vk_cmd_fill(run->cmd, index, 4 * (uint64_t)push.counts, 4 * MSM_ORDER_COUNTS, 0);
    pail_vk_cmd_fill(run->cmd, index, 4 * (uint64_t)push.keys, 4 * (uint64_t)plan->n_pieces,
                     MSM_KEY_NONE);
    pail_vk_cmd_barrier(run->cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE);
    uint32_t gx, gy;
    grid_of((uint64_t)run->rows * plan->stride, MSM_ORDER_WORKGROUP * MSM_ORDER_BUCKETS, &gx, &gy);
    const double buckets = (double)run->rows * plan->stride;
    expect_words(run->cmd, 4 * buckets, false);
    pail_vk_cmd_dispatch(run->cmd, p->order_count, index, 1, &push, sizeof(push), gx, gy, 1);
    between_kernels(run->cmd);
    pail_vk_cmd_dispatch(run->cmd, p->order_scan, index, 1, &push, sizeof(push), 1, 1, 1);
    between_kernels(run->cmd);
    expect_words(run->cmd, 8 * buckets, false);
    pail_vk_cmd_dispatch(run->cmd, p->order_place, index, 1, &push, sizeof(push), gx, gy, 1);
    between_kernels(run->cmd);
}

static void cut_shares(const struct run *run)
{
    const struct pail_msm_plan *plan = plan_of(run);
    const struct pail_vk_slice index = *region(run, PAIL_MSM_INDEX);
    const struct msm_cuts_push cuts = {
        .rows = run->rows,
        .stride = plan->stride,
        .starts = plan->starts,
        .row_first = plan->row_first,
        .cuts = plan->cuts,
        .threads = plan->shares,
        .share = plan->share,
    };
    pail_vk_cmd_dispatch(run->cmd, run->r->pipelines->cuts, &index, 1, &cuts, sizeof(cuts),
                         groups_of((uint64_t)plan->shares + 1, MSM_CUTS_WORKGROUP), 1, 1);
    between_kernels(run->cmd);
}

void pail_msm_record_shares(const struct run *run)
{
    const bool runs = plan_of(run)->accumulator.runs;
    if (plan_of(run)->shares == 0)
        return;
    if (runs || run->rows >= MSM_CUTS_WORKGROUP)
        add_up_rows(run);
    if (runs)
        order_runs(run);
    else
        cut_shares(run);
}
