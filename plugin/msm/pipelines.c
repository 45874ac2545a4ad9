#include <assert.h>
#include <stddef.h>
#include <string.h>

#include <curves/fnv.h>
#include <shared/msm_layout.h>

#include "record.h"

/* When a kernel is part of the work. */
enum use {
    ALWAYS = 0,
    FETCHES = PAIL_MSM_FETCHES,
    DELIVERS = PAIL_MSM_DELIVERS,
    FOLDS = PAIL_MSM_FOLDS,
    WIDENS = PAIL_MSM_WIDENS,
    ORDERS = 1 << 16, /* as the accumulator asks */
    CUTS = 1 << 17,
};

struct row {
    enum pail_kernel_id kernel; /* PAIL_KERNEL_COUNT: the accumulator's; MSM_SORT_: the sorter's */
    size_t at;                  /* of the pointer in its struct */
    enum use use;
};

/* Of a bundle, in struct pail_msm_pipelines. */
static const struct row of_bundle[] = {
#define ROW(kernel, member, use)                                                                   \
    {                                                                                              \
        PAIL_KERNEL_MSM_##kernel, offsetof(struct pail_msm_pipelines, member), use                 \
    }
    ROW(DECOMPOSE, decompose, ALWAYS),
    ROW(SORT_COUNT, sort_count, ALWAYS),
    ROW(SORT_SCAN, sort_scan, ALWAYS),
    ROW(SORT_TILES, sort_tiles, ALWAYS),
    ROW(SORT_SCATTER, sort_scatter, ALWAYS),
    ROW(SORT_FINISH, sort_finish, ALWAYS),
    ROW(ROWS, rows, ALWAYS),
    ROW(CUTS, cuts, CUTS),
    ROW(ORDER_COUNT, order_count, ORDERS),
    ROW(ORDER_SCAN, order_scan, ORDERS),
    ROW(ORDER_PLACE, order_place, ORDERS),
    ROW(FETCH, fetch, FETCHES),
    ROW(DELIVER, deliver, DELIVERS),
#undef ROW
};

/* Of each of its sets, in struct pail_msm_set_pipelines. */
static const struct row of_set[] = {
    {PAIL_KERNEL_COUNT, offsetof(struct pail_msm_set_pipelines, accumulate), ALWAYS},
    {PAIL_KERNEL_MSM_COMBINE, offsetof(struct pail_msm_set_pipelines, combine), ALWAYS},
    {PAIL_KERNEL_MSM_REDUCE_WIDE, offsetof(struct pail_msm_set_pipelines, reduce_wide), WIDENS},
    {PAIL_KERNEL_MSM_REDUCE, offsetof(struct pail_msm_set_pipelines, reduce), ALWAYS},
    {PAIL_KERNEL_MSM_FOLD, offsetof(struct pail_msm_set_pipelines, fold), FOLDS},
};

#define N_OF_BUNDLE (sizeof(of_bundle) / sizeof(of_bundle[0]))
#define N_OF_SET    (sizeof(of_set) / sizeof(of_set[0]))
static_assert(N_OF_BUNDLE + N_OF_SET <= PAIL_MSM_KERNELS_MAX,
              "a list of requests has room for all");

static bool is_used(const struct row *row, const struct pail_msm_accumulator *accumulator,
                    uint32_t uses)
{
    uses |= accumulator->runs ? ORDERS : CUTS;
    return (row->use & uses) == (uint32_t)row->use;
}

static struct pail_vk_pipeline_request request_of(const struct row *row,
                                                  struct pail_variant variant,
                                                  const struct pail_msm_accumulator *accumulator,
                                                  const struct pail_msm_sorter *sorter,
                                                  uint32_t uses)
{
    struct pail_vk_pipeline_request request = {.kernel = row->kernel, .variant = variant};
    if (row->kernel == PAIL_KERNEL_MSM_DECOMPOSE) {
        if (uses & PAIL_MSM_DIRECT)
            request.kernel = PAIL_KERNEL_MSM_DECOMPOSE_AT;
        request.n_specs = 1;
        request.specs[MSM_SPEC_SPLIT] = uses & PAIL_MSM_SPLITS ? 1 : 0;
        return request;
    }
    if (row->kernel == PAIL_KERNEL_COUNT) {
        request.kernel = pail_msm_accumulator_kernel(accumulator, variant.group);
        request.n_specs = accumulator->n_specs;
        memcpy(request.specs, accumulator->specs, sizeof(accumulator->specs));
        return request;
    }
    request.kernel = pail_msm_accumulator_paired(accumulator, variant.group, row->kernel);
    if (row->kernel == PAIL_KERNEL_MSM_REDUCE && accumulator->serial)
        request.kernel = PAIL_KERNEL_MSM_REDUCE_SERIAL;
    if (row->kernel == PAIL_KERNEL_MSM_SORT_COUNT)
        request.kernel = sorter->count;
    else if (row->kernel == PAIL_KERNEL_MSM_SORT_SCAN)
        request.kernel = sorter->scan;
    else if (row->kernel == PAIL_KERNEL_MSM_SORT_SCATTER)
        request.kernel = sorter->scatter;
    else if (row->kernel == PAIL_KERNEL_MSM_SORT_FINISH)
        request.kernel = sorter->finish;
    else if (row->kernel != PAIL_KERNEL_MSM_SORT_TILES)
        return request;
    request.n_specs = pail_msm_sorter_specs(sorter, request.kernel, request.specs);
    return request;
}

size_t pail_msm_requests(struct pail_vk_pipeline_request out[PAIL_MSM_KERNELS_MAX],
                         struct pail_variant variant,
                         const struct pail_msm_accumulator *accumulator,
                         const struct pail_msm_sorter *sorter, uint32_t uses)
{
    size_t n = 0;
    for (size_t i = 0; i < N_OF_BUNDLE + N_OF_SET; i++) {
        const struct row *row = i < N_OF_BUNDLE ? &of_bundle[i] : &of_set[i - N_OF_BUNDLE];
        if (is_used(row, accumulator, uses))
            out[n++] = request_of(row, variant, accumulator, sorter, uses);
    }
    return n;
}

/* Requests, and where their pipelines belong. */
struct list {
    uint32_t n;
    struct pail_vk_pipeline_request requests[PAIL_VK_PIPELINES_MAX];
    const struct pail_vk_pipeline **at[PAIL_VK_PIPELINES_MAX];
};
static_assert(N_OF_BUNDLE + N_OF_SET * PAIL_MSM_SETS_MAX <= PAIL_VK_PIPELINES_MAX,
              "a list has room for a bundle");

static void add(struct list *list, void *out, const struct row rows[], size_t n,
                struct pail_variant variant, const struct pail_msm_plan *plan, uint32_t uses)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_used(&rows[i], &plan->accumulator, uses))
            continue;
        list->requests[list->n] =
            request_of(&rows[i], variant, &plan->accumulator, &plan->sorter, uses);
        list->at[list->n++] = (const struct pail_vk_pipeline **)(void *)((char *)out + rows[i].at);
    }
}

pail_status pail_msm_pipelines_get(struct pail_context *ctx, struct pail_msm_pipelines *out,
                                   const struct pail_msm_bundle *bundle,
                                   struct pail_vk_pipeline_stats *stats, struct pail_error *err)
{
    const struct pail_msm_plan *plan = &bundle->plan;
    const enum pail_field_form form = bundle->form;
    memset(out, 0, sizeof(*out));
    const uint32_t uses = (pail_msm_bundle_direct(bundle) ? PAIL_MSM_DIRECT : 0) |
                          (pail_msm_bundle_fetches(bundle) ? PAIL_MSM_FETCHES : 0) |
                          (bundle->shape.device_results ? PAIL_MSM_DELIVERS : 0) |
                          (plan->fold_on_device ? PAIL_MSM_FOLDS : 0) |
                          (plan->wide_passes ? PAIL_MSM_WIDENS : 0) |
                          (plan->split ? PAIL_MSM_SPLITS : 0);
    const struct pail_msm_group *first = &bundle->sets[0].bases->group;
    struct list list = {.n = 0};
    add(&list, out, of_bundle, N_OF_BUNDLE, (struct pail_variant){first->curve, first->group, form},
        plan, uses);
    for (uint32_t s = 0; s < bundle->n_sets; s++) {
        const struct pail_msm_group *group = &bundle->sets[s].bases->group;
        add(&list, &out->sets[s], of_set, N_OF_SET,
            (struct pail_variant){group->curve, group->group, form}, plan, uses);
    }
    const struct pail_vk_pipeline *pipelines[PAIL_VK_PIPELINES_MAX];
    const pail_status status = pail_vk_pipelines_find(ctx->dev, list.requests, list.n, ctx->threads,
                                                      pipelines, stats, err);
    for (uint32_t i = 0; i < list.n && status == PAIL_OK; i++)
        *list.at[i] = pipelines[i];
    return status;
}

static uint64_t add_hash(uint64_t hash, const struct pail_vk_pipeline *pipeline)
{
    if (!pipeline)
        return hash;
    const uint64_t one = pail_vk_pipeline_hash(pipeline);
    return pail_fnv1a64_more(hash, &one, sizeof(one));
}

uint64_t pail_msm_pipelines_hash(const struct pail_msm_pipelines *p)
{
    const struct pail_vk_pipeline *common[] = {
        p->fetch,       p->decompose,   p->sort_count, p->sort_scan, p->sort_scatter,
        p->sort_finish, p->sort_tiles,  p->rows,       p->cuts,      p->order_count,
        p->order_scan,  p->order_place, p->deliver,
    };
    uint64_t hash = pail_fnv1a64(NULL, 0);
    for (size_t i = 0; i < sizeof(of_bundle) / sizeof(of_bundle[0]); i++)
        hash = add_hash(hash, common[i]);
    for (uint32_t s = 0; s < PAIL_MSM_SETS_MAX; s++) {
        hash = add_hash(hash, p->sets[s].accumulate);
        hash = add_hash(hash, p->sets[s].combine);
        hash = add_hash(hash, p->sets[s].reduce_wide);
        hash = add_hash(hash, p->sets[s].reduce);
        hash = add_hash(hash, p->sets[s].fold);
    }
    return hash;
}
