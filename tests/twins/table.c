/* SPDX-License-Identifier: Apache-2.0 */
#include "point.h"

void pail_twin_table(const struct msm_table_push *push, const struct pail_twin_variant *variant,
                     uint32_t *bases)
{
    const struct pail_curve_ops *ops = variant->ops;
    for (uint32_t i = 0; i < push->n; i++) {
        const size_t words = pail_twin_affine_words(variant);
        pail_affine affine;
        pail_point point;
        (void)ops->affine_from_words(&affine, bases + words * (push->from + i), variant->form);
        ops->from_affine(&point, &affine);
        for (uint32_t bit = 0; bit < push->bits; bit++)
            ops->dbl(&point, &point);
        ops->to_affine(&affine, &point);
        ops->affine_to_words(bases + words * (push->to + i), &affine, variant->form);
    }
}
