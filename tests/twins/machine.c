#include "machine.h"

#include <stdlib.h>
#include <string.h>

#include "twins.h"

#include "support/cmocka_all.h"

#define POISON 0xAAAAAAAAu

/* What a twin is called with. */
struct call {
    const void *push;
    const uint32_t *grid, *specs;
    struct pail_twin_variant variant;
    uint32_t *bound[PAIL_MAX_BINDINGS];
};

static void decompose(const struct call *c)
{
    pail_recode(c->push, c->variant.ops, c->specs[MSM_SPEC_SPLIT] != 0, c->bound[0], c->bound[1]);
}

static void sort_count(const struct call *c)
{
    pail_twin_sort_count(c->push, c->grid[1], c->bound[0], c->bound[1]);
}

static void sort_scan(const struct call *c)
{
    pail_twin_sort_scan(c->push, c->grid[1], c->bound[0]);
}

static void sort_tiles(const struct call *c)
{
    pail_twin_sort_tiles(c->push, c->grid[0], c->bound[0]);
}

static void sort_scatter(const struct call *c)
{
    pail_twin_sort_scatter(c->push, c->grid[1], c->bound[0], c->bound[1], c->bound[2]);
}

static void sort_finish(const struct call *c)
{
    pail_twin_sort_finish(c->push, c->grid[1], c->bound[0], c->bound[1], c->bound[2], c->bound[3]);
}

static void windows(const struct call *c)
{
    pail_twin_order_windows(c->push, c->bound[0]);
}

static void cuts(const struct call *c)
{
    pail_twin_cuts(c->push, c->bound[0]);
}

static void order_count(const struct call *c)
{
    pail_twin_order_count(c->push, c->bound[0]);
}

static void order_scan(const struct call *c)
{
    pail_twin_order_scan(c->push, c->bound[0]);
}

static void order_place(const struct call *c)
{
    pail_twin_order_place(c->push, c->bound[0]);
}

static void accumulate(const struct call *c)
{
    pail_twin_accumulate(c->push, &c->variant, c->bound[0], c->bound[1], c->bound[2], c->bound[3]);
}

static void accumulate_runs(const struct call *c)
{
    pail_twin_accumulate_runs(c->push, &c->variant, c->bound[0], c->bound[1], c->bound[2],
                              c->bound[3]);
}

static void accumulate_serial(const struct call *c)
{
    pail_twin_accumulate_serial(c->push, &c->variant, c->bound[0], c->bound[1], c->bound[2],
                                c->bound[3]);
}

static void walk(const struct call *c)
{
    pail_twin_walk(c->push, c->specs[MSM_SPEC_SLOTS], &c->variant, c->bound[0], c->bound[1],
                   c->bound[2], c->bound[3]);
}

static void debug(const struct call *c)
{
    pail_twin_debug(c->push, &c->variant, c->bound[0], c->bound[1], c->bound[2], c->bound[3]);
}

static void combine(const struct call *c)
{
    pail_twin_combine(c->push, &c->variant, c->bound[0], c->bound[1]);
}

static void reduce(const struct call *c)
{
    pail_twin_reduce(c->push, &c->variant, c->bound[0], c->bound[1]);
}

static void reduce_wide(const struct call *c)
{
    pail_twin_reduce_wide(c->push, &c->variant, c->bound[0]);
}

static void reduce_serial(const struct call *c)
{
    pail_twin_reduce_serial(c->push, &c->variant, c->bound[0], c->bound[1]);
}

static void fold(const struct call *c)
{
    pail_twin_fold(c->push, &c->variant, c->bound[0], c->bound[1]);
}

/* Kernels that differ in how they do the same have one twin. */
typedef void twin_fn(const struct call *c);
static twin_fn *const twins[PAIL_KERNEL_COUNT] = {
    [PAIL_KERNEL_MSM_DECOMPOSE] = decompose,
    [PAIL_KERNEL_MSM_SORT_COUNT] = sort_count,
    [PAIL_KERNEL_MSM_SORT_COUNT_SERIAL] = sort_count,
    [PAIL_KERNEL_MSM_SORT_SCAN] = sort_scan,
    [PAIL_KERNEL_MSM_SORT_SCAN_SERIAL] = sort_scan,
    [PAIL_KERNEL_MSM_SORT_TILES] = sort_tiles,
    [PAIL_KERNEL_MSM_SORT_SCATTER] = sort_scatter,
    [PAIL_KERNEL_MSM_SORT_SCATTER_SERIAL] = sort_scatter,
    [PAIL_KERNEL_MSM_SORT_FINISH] = sort_finish,
    [PAIL_KERNEL_MSM_SORT_FINISH_SERIAL] = sort_finish,
    [PAIL_KERNEL_MSM_ORDER_WINDOWS] = windows,
    [PAIL_KERNEL_MSM_CUTS] = cuts,
    [PAIL_KERNEL_MSM_ORDER_COUNT] = order_count,
    [PAIL_KERNEL_MSM_ORDER_SCAN] = order_scan,
    [PAIL_KERNEL_MSM_ORDER_PLACE] = order_place,
    [PAIL_KERNEL_MSM_ACCUMULATE] = accumulate,
    [PAIL_KERNEL_MSM_ACCUMULATE_RUNS] = accumulate_runs,
    [PAIL_KERNEL_MSM_ACCUMULATE_SERIAL] = accumulate_serial,
    [PAIL_KERNEL_MSM_WALKER] = walk,
    [PAIL_KERNEL_MSM_COOP] = walk,
    [PAIL_KERNEL_MSM_COOP_SUBGROUP] = walk,
    [PAIL_KERNEL_MSM_DEBUG] = debug,
    [PAIL_KERNEL_MSM_COMBINE] = combine,
    [PAIL_KERNEL_MSM_REDUCE] = reduce,
    [PAIL_KERNEL_MSM_REDUCE_WIDE] = reduce_wide,
    [PAIL_KERNEL_MSM_REDUCE_SERIAL] = reduce_serial,
    [PAIL_KERNEL_MSM_FOLD] = fold,
};

void machine_region(struct machine *m, uint32_t region, uint64_t bytes)
{
    assert_in_range(region, 0, MACHINE_REGIONS_MAX - 1);
    m->regions[region] = malloc((size_t)bytes + 4);
    assert_non_null(m->regions[region]);
    memset(m->regions[region], 0xAA, (size_t)bytes + 4);
    m->bytes[region] = bytes;
}

void machine_end(struct machine *m)
{
    for (uint32_t i = 0; i < MACHINE_REGIONS_MAX; i++) {
        if (!m->regions[i])
            continue;
        assert_int_equal(m->regions[i][m->bytes[i] / 4], POISON);
        free(m->regions[i]);
        m->regions[i] = NULL;
    }
}

static uint32_t *words_of(const struct machine *m, const struct pail_vk_range *range)
{
    assert_in_range(range->region, 0, MACHINE_REGIONS_MAX - 1);
    assert_non_null(m->regions[range->region]);
    if (range->offset > m->bytes[range->region] ||
        range->bytes > m->bytes[range->region] - range->offset)
        fail_msg("region %u has %llu bytes, a step wants %llu at %llu", range->region,
                 (unsigned long long)m->bytes[range->region], (unsigned long long)range->bytes,
                 (unsigned long long)range->offset);
    return m->regions[range->region] + range->offset / 4;
}

static void dispatch(struct machine *m, const struct pail_vk_steps *list,
                     const struct pail_vk_step *step)
{
    const struct pail_vk_pipeline_request *request = &list->requests[step->request];
    const struct pail_kernel *kernel = &pail_kernels[request->kernel];
    uint32_t defaults[PAIL_MAX_SPECS] = {0};
    if (!twins[request->kernel])
        fail_msg("%s has no twin", kernel->name);
    for (uint32_t i = 0; i < kernel->n_specs; i++)
        defaults[i] = kernel->specs[i].value;
    struct call call = {
        .push = step->push,
        .grid = step->grid,
        .specs = request->n_specs ? request->specs : defaults,
        .variant = {pail_curve_ops(request->variant.curve,
                                   request->variant.group ? request->variant.group : 1),
                    (enum pail_field_form)request->variant.field},
    };
    for (uint32_t i = 0; i < step->n_ranges; i++)
        call.bound[i] = words_of(m, &step->ranges[i]);
    twins[request->kernel](&call);
}

static void execute(struct machine *m, const struct pail_vk_steps *list,
                    const struct pail_vk_step *step)
{
    const struct pail_vk_range *ranges = step->ranges;
    uint32_t *to;
    switch (step->kind) {
    case PAIL_VK_STEP_DISPATCH:
        dispatch(m, list, step);
        break;
    case PAIL_VK_STEP_FILL:
        to = words_of(m, &ranges[0]);
        for (uint64_t i = 0; i < ranges[0].bytes / 4; i++)
            to[i] = step->word;
        break;
    case PAIL_VK_STEP_COPY:
        assert_int_equal(ranges[0].bytes, ranges[1].bytes);
        memcpy(words_of(m, &ranges[1]), words_of(m, &ranges[0]), (size_t)ranges[0].bytes);
        break;
    }
}

static bool may_write(const struct pail_vk_step *step, uint32_t region, uint64_t byte)
{
    for (uint32_t i = 0; i < step->n_uses; i++) {
        const struct pail_vk_use *use = &step->uses[i];
        if ((use->access & PAIL_WRITE) && use->range.region == region &&
            byte >= use->range.offset && byte < use->range.offset + use->range.bytes)
            return true;
    }
    return false;
}

static void compare(const struct machine *m, uint32_t *const before[],
                    const struct pail_vk_steps *list, const struct pail_vk_step *step)
{
    for (uint32_t r = 0; r < MACHINE_REGIONS_MAX; r++)
        for (uint64_t w = 0; m->regions[r] && w < m->bytes[r] / 4; w++)
            if (m->regions[r][w] != before[r][w] && !may_write(step, r, 4 * w))
                fail_msg("step %u (%s) writes word %llu of region %u, and does not say so",
                         (unsigned)(step - list->steps),
                         step->kind == PAIL_VK_STEP_DISPATCH
                             ? pail_kernels[list->requests[step->request].kernel].name
                             : "a transfer",
                         (unsigned long long)w, r);
}

static void execute_strictly(struct machine *m, const struct pail_vk_steps *list,
                             const struct pail_vk_step *step)
{
    uint32_t *before[MACHINE_REGIONS_MAX] = {NULL};
    for (uint32_t r = 0; r < MACHINE_REGIONS_MAX; r++)
        if (m->regions[r]) {
            before[r] = malloc((size_t)m->bytes[r] + 1);
            assert_non_null(before[r]);
            memcpy(before[r], m->regions[r], (size_t)m->bytes[r]);
        }
    execute(m, list, step);
    compare(m, before, list, step);
    for (uint32_t r = 0; r < MACHINE_REGIONS_MAX; r++)
        free(before[r]);
}

void machine_execute(struct machine *m, const struct pail_vk_steps *list)
{
    if (list->failed != PAIL_OK)
        fail_msg("%s", list->error.text);
    for (uint32_t i = 0; i < list->n; i++)
        if (m->strict)
            execute_strictly(m, list, &list->steps[i]);
        else
            execute(m, list, &list->steps[i]);
}
