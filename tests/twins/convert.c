/* SPDX-License-Identifier: Apache-2.0 */
#include "point.h"

static bool decode(const struct pail_twin_variant *variant, uint32_t encoding, pail_affine *point,
                   const uint32_t *raw)
{
    if (encoding == MSM_ENCODING_CANONICAL) {
        uint8_t bytes[sizeof *point];
        for (size_t i = 0; i < 4 * pail_twin_affine_words(variant); i++)
            bytes[i] = (uint8_t)(raw[i / 4] >> (8 * (i % 4)));
        return variant->ops->decode(point, bytes, false);
    }
    /* Form x32 keeps coordinates as the boundary's Montgomery encoding has them. */
    enum pail_field_form form = PAIL_FORM_X32;
    if (encoding > MSM_ENCODING_FORM)
        form = (enum pail_field_form)(encoding - MSM_ENCODING_FORM);
    return variant->ops->affine_from_words(point, raw, form);
}

void pail_twin_convert(const struct msm_convert_push *push, const struct pail_twin_variant *variant,
                       const uint32_t *raw, uint32_t *bases, uint32_t *status)
{
    for (uint32_t i = 0; i < push->n; i++) {
        const size_t at = pail_twin_affine_words(variant) * i;
        const uint32_t number = push->first + i;
        pail_affine point;
        uint32_t *lowest = NULL;
        if (!decode(variant, push->encoding, &point, raw + at))
            lowest = &status[MSM_STATUS_RANGE];
        else if (push->validation && !variant->ops->on_curve(&point))
            lowest = &status[MSM_STATUS_OFF_CURVE];
        if (lowest && number < *lowest)
            *lowest = number;
        variant->ops->affine_to_words(bases + at, &point, variant->form);
    }
}
