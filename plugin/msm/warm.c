#include "warm.h"

#include <shared/msm_layout.h>

#include "images.h"
#include "limits.h"
#include "record.h"
#include "tuning.h"

/* The sort's kernels for keys of so many bits, where those for most do not have them. */
static pail_status add_sorter(struct pail_warm_list *list, struct pail_variant variant,
                              const struct pail_msm_sorter *sorter, uint32_t key_bits,
                              struct pail_context *ctx, struct pail_error *err)
{
    const struct pail_msm_sorter wide = pail_msm_sorter_for(sorter, key_bits);
    const enum pail_kernel_id kernels[] = {wide.count, wide.scan, PAIL_KERNEL_MSM_SORT_TILES,
                                           wide.scatter, wide.finish};
    pail_status status = PAIL_OK;
    if (wide.bits_max == sorter->bits_max)
        return PAIL_OK;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]) && status == PAIL_OK; i++) {
        struct pail_vk_pipeline_request request = {.kernel = kernels[i], .variant = variant};
        request.n_specs = pail_msm_sorter_specs(&wide, kernels[i], request.specs);
        status = pail_warm_list_add(list, request, &ctx->alloc, err);
    }
    return status;
}

static pail_status add_kernels(struct pail_warm_list *list, struct pail_variant variant,
                               const struct pail_vk_caps *caps,
                               const struct pail_msm_accumulator *accumulator,
                               struct pail_context *ctx, struct pail_error *err)
{
    const struct pail_msm_limits limits = pail_msm_limits_of(caps, accumulator, 0);
    const uint32_t addresses =
        caps->buffer_device_address ? PAIL_MSM_FETCHES | PAIL_MSM_DELIVERS : 0;
    /* Digits of whole scalars and of halves, in a buffer and at an address. */
    const bool images = pail_images_least(caps, pail_vk_device_debug(ctx->dev)) != UINT64_MAX;
    const struct pail_vk_pipeline_request decompositions[] = {
        {.kernel = PAIL_KERNEL_MSM_DECOMPOSE, .n_specs = 1, .specs = {[MSM_SPEC_SPLIT] = 1}},
        {.kernel = PAIL_KERNEL_MSM_DECOMPOSE_AT, .n_specs = 1, .specs = {[MSM_SPEC_SPLIT] = 0}},
        {.kernel = PAIL_KERNEL_MSM_DECOMPOSE_AT, .n_specs = 1, .specs = {[MSM_SPEC_SPLIT] = 1}},
    };
    struct pail_vk_pipeline_request requests[PAIL_MSM_KERNELS_MAX + 7] = {
        {.kernel = PAIL_KERNEL_MSM_CONVERT, .variant = variant},
        {.kernel = PAIL_KERNEL_MSM_CHECK, .variant = variant},
        {.kernel = PAIL_KERNEL_MSM_TABLE, .variant = variant},
        {.kernel = PAIL_KERNEL_MSM_IMAGE, .variant = variant},
    };
    size_t n = images ? 4 : 3;
    for (size_t i = 0; i < 3; i++) {
        const struct pail_vk_pipeline_request *one = &decompositions[i];
        if ((one->specs[MSM_SPEC_SPLIT] && !images) ||
            (one->kernel == PAIL_KERNEL_MSM_DECOMPOSE_AT && !caps->buffer_device_address))
            continue;
        requests[n] = *one;
        requests[n++].variant = variant;
    }
    n += pail_msm_requests(requests + n, variant, accumulator, &limits.sorter,
                           PAIL_MSM_FOLDS | PAIL_MSM_WIDENS | addresses);
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n && status == PAIL_OK; i++)
        status = pail_warm_list_add(list, requests[i], &ctx->alloc, err);
    for (uint32_t bits = 1; bits < PAIL_MSM_WINDOW_MAX && status == PAIL_OK; bits++)
        status = add_sorter(list, variant, &limits.sorter, bits, ctx, err);
    return status;
}

pail_status pail_msm_warm_add(struct pail_context *ctx, struct pail_warm_list *list,
                              const pail_warm_item *item, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(ctx->dev);
    pail_msm_config config = {
        .struct_size = sizeof(config), .accumulator = item->accumulator, .field = item->field};
    pail_tuning_apply(ctx, &config, item->curve, item->group, item->n);
    struct pail_msm_group group;
    enum pail_field_form form = PAIL_FORM_NONE;
    pail_status status = pail_msm_group(&group, item->curve, item->group, err);
    if (status == PAIL_OK)
        status = pail_msm_choose_form(&form, caps, group.point_bytes / 2, config.field, err);
    /* The accumulators of few points, of many, and of so many that they come as runs: jobs of few
     * may come together. */
    const uint64_t points[] = {0, pail_msm_runs_points(group.point_bytes / 2) - 1, UINT64_MAX};
    for (uint32_t i = 0; i < 3 && status == PAIL_OK; i++) {
        struct pail_msm_accumulator accumulator;
        status = pail_msm_accumulator_choose(&accumulator, &config, caps, group.point_bytes / 2,
                                             group.group, points[i], err);
        if (status == PAIL_OK)
            status = add_kernels(list, (struct pail_variant){group.curve, group.group, form}, caps,
                                 &accumulator, ctx, err);
    }
    return status;
}

pail_status pail_msm_warm_add_all(struct pail_context *ctx, struct pail_warm_list *list,
                                  struct pail_error *err)
{
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++)
            for (uint32_t accumulator = PAIL_ACCUMULATOR_AUTO;
                 accumulator <= PAIL_ACCUMULATOR_DEBUG; accumulator++)
                for (uint32_t field = 0; field < PAIL_FORM_COUNT; field++) {
                    const pail_warm_item item = {.struct_size = sizeof(item),
                                                 .curve = curve,
                                                 .group = group,
                                                 .accumulator = accumulator,
                                                 .field = field};
                    const pail_status status = pail_msm_warm_add(ctx, list, &item, err);
                    if (status != PAIL_OK && status != PAIL_ERR_UNSUPPORTED)
                        return status;
                }
    return PAIL_OK;
}
