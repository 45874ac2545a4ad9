/* Window combination on the device, and its results to device addresses. */
#include "block.h"

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
