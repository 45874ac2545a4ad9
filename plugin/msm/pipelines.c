#include <string.h>

#include <fnv.h>

#include "record.h"

/* Results are wanted at a device address, or scalars come from one. */
static bool reads_addresses(const struct pail_msm_bundle *b)
{
    for (uint32_t v = 0; v < b->n_vectors; v++)
        if (!b->vectors[v].scalars)
            return b->shape.n != 0;
    return false;
}

struct wanted {
    enum pail_kernel_id kernel;
    const struct pail_vk_pipeline **pipeline;
    const uint32_t *specs; /* NULL: the defaults */
    uint32_t n_specs;
};

static pail_status get(struct pail_vk_device *dev, struct pail_variant variant,
                       const struct wanted wanted[], size_t n, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n && status == PAIL_OK; i++)
        status = pail_vk_pipeline_get(dev, wanted[i].kernel, variant, wanted[i].specs,
                                      wanted[i].n_specs, wanted[i].pipeline, err);
    return status;
}

pail_status pail_msm_pipelines_get(struct pail_vk_device *dev, struct pail_msm_pipelines *out,
                                   const struct pail_msm_bundle *bundle, enum pail_field_form form,
                                   struct pail_error *err)
{
    const struct pail_msm_plan *plan = &bundle->plan;
    memset(out, 0, sizeof(*out));
    const struct wanted common[] = {
        {PAIL_KERNEL_MSM_DECOMPOSE, &out->decompose, NULL, 0},
        {PAIL_KERNEL_MSM_SORT_COUNT, &out->sort_count, NULL, 0},
        {PAIL_KERNEL_MSM_SORT_SCAN, &out->sort_scan, NULL, 0},
        {PAIL_KERNEL_MSM_SORT_TOTALS, &out->sort_totals, NULL, 0},
        {PAIL_KERNEL_MSM_SORT_SCATTER, &out->sort_scatter, &plan->sort_workgroup, 1},
        {PAIL_KERNEL_MSM_BOUNDS, &out->bounds, NULL, 0},
        {PAIL_KERNEL_MSM_ROWS, &out->rows, NULL, 0},
        {PAIL_KERNEL_MSM_CUTS, &out->cuts, NULL, 0},
    };
    const struct pail_msm_group *first = &bundle->sets[0].bases->group;
    const struct pail_variant variant = {first->curve, first->group, form};
    pail_status status = get(dev, variant, common, sizeof(common) / sizeof(common[0]), err);
    if (status == PAIL_OK && reads_addresses(bundle))
        status = get(dev, variant, &(struct wanted){PAIL_KERNEL_MSM_FETCH, &out->fetch, NULL, 0}, 1,
                     err);
    if (status == PAIL_OK && bundle->shape.device_results)
        status = get(dev, variant,
                     &(struct wanted){PAIL_KERNEL_MSM_DELIVER, &out->deliver, NULL, 0}, 1, err);
    for (uint32_t s = 0; s < bundle->n_sets && status == PAIL_OK; s++) {
        const struct pail_msm_group *group = &bundle->sets[s].bases->group;
        struct pail_msm_set_pipelines *set = &out->sets[s];
        const struct wanted mine[] = {
            {plan->accumulator.kernel, &set->accumulate, plan->accumulator.specs,
             plan->accumulator.n_specs},
            {PAIL_KERNEL_MSM_COMBINE, &set->combine, NULL, 0},
            {PAIL_KERNEL_MSM_REDUCE, &set->reduce, NULL, 0},
            {PAIL_KERNEL_MSM_FOLD, &set->fold, NULL, 0},
        };
        status = get(dev, (struct pail_variant){group->curve, group->group, form}, mine,
                     plan->fold_on_device ? 4 : 3, err);
    }
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
        p->fetch,        p->decompose, p->sort_count, p->sort_scan, p->sort_totals,
        p->sort_scatter, p->bounds,    p->rows,       p->cuts,      p->deliver,
    };
    uint64_t hash = pail_fnv1a64(NULL, 0);
    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
        hash = add_hash(hash, common[i]);
    for (uint32_t s = 0; s < PAIL_MSM_SETS_MAX; s++) {
        hash = add_hash(hash, p->sets[s].accumulate);
        hash = add_hash(hash, p->sets[s].combine);
        hash = add_hash(hash, p->sets[s].reduce);
        hash = add_hash(hash, p->sets[s].fold);
    }
    return hash;
}
