/* SPDX-License-Identifier: Apache-2.0 */
#include "point.h"

void pail_twin_check(const struct msm_check_push *push, const struct pail_twin_variant *variant,
                     const uint32_t *bases, uint32_t *status)
{
    uint32_t *lowest = &status[MSM_STATUS_NOT_IN_SUBGROUP];
    for (uint32_t i = 0; i < push->n; i++) {
        const uint32_t number = push->first + i;
        pail_affine point;
        (void)variant->ops->affine_from_words(&point, bases + pail_twin_affine_words(variant) * i,
                                              variant->form);
        if (!variant->ops->in_subgroup(&point) && number < *lowest)
            *lowest = number;
    }
}
