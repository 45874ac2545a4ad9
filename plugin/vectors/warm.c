#include "warm.h"

#include "field.h"

#include "steps.h"
#include "tables.h"

static const enum pail_kernel_id kernels[] = {
    PAIL_KERNEL_VECTOR_ARITH, PAIL_KERNEL_VECTOR_POWERS, PAIL_KERNEL_VECTOR_SPMV,
    PAIL_KERNEL_VECTOR_SUM,   PAIL_KERNEL_VECTOR_ENCODE, PAIL_KERNEL_VECTOR_SCALARS,
};

enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

/* True if transforms can be in that form. */
static bool can(const struct pail_vk_caps *caps, enum pail_field_form form)
{
    if (form == PAIL_FORM_D51)
        return caps->int64 && caps->float64 && caps->fused_doubles;
    return form == PAIL_FORM_X32 || caps->int64;
}

/* Adds transforms with the workgroups of every pass, over few elements and over many. */
static pail_status add_transforms(struct pail_vectors *field, struct pail_warm_list *list,
                                  uint32_t curve, enum pail_field_form form, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(field->dev);
    const struct pail_ntt_kernel widest = pail_ntt_kernel(caps, form);
    pail_status status =
        pail_warm_list_add(list, pail_table_request(curve, form), &field->alloc, err);
    for (uint32_t log_n = 0; log_n <= PAIL_NTT_LOG_MANY; log_n++)
        for (uint32_t log_k = 1; log_k <= widest.log_elements && status == PAIL_OK; log_k++) {
            const struct pail_ntt_kernel kernel =
                pail_ntt_kernel_of_pass(caps, &widest, UINT64_C(1) << log_n, log_k);
            status = pail_warm_list_add(list, pail_ntt_request(&kernel, curve), &field->alloc, err);
        }
    return status;
}

static pail_status add_curve(struct pail_vectors *field, struct pail_warm_list *list,
                             uint32_t curve, bool all_forms, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(field->dev);
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < KERNELS && status == PAIL_OK; i++) {
        const struct pail_vk_pipeline_request request = {.kernel = kernels[i],
                                                         .variant = {.curve = curve}};
        status = pail_warm_list_add(list, request, &field->alloc, err);
    }
    const enum pail_field_form chosen = pail_ntt_form_auto(caps);
    for (uint32_t f = PAIL_FORM_X32; f < PAIL_FORM_COUNT && status == PAIL_OK; f++) {
        const enum pail_field_form form = (enum pail_field_form)f;
        if (form == chosen || (all_forms && can(caps, form)))
            status = add_transforms(field, list, curve, form, err);
    }
    return status;
}

pail_status pail_field_warm_add(struct pail_vectors *field, struct pail_warm_list *list,
                                uint32_t curve, struct pail_error *err)
{
    if (curve)
        return add_curve(field, list, curve, false, err);
    pail_status status = PAIL_OK;
    for (uint32_t c = PAIL_CURVE_BN254; c <= PAIL_CURVE_BLS12_381 && status == PAIL_OK; c++)
        status = add_curve(field, list, c, true, err);
    return status;
}
