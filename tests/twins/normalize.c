/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "point.h"

void pail_twin_normalize(const struct msm_normalize_push *push,
                         const struct pail_twin_variant *variant, const uint32_t *raw,
                         uint32_t *bases, uint32_t *status)
{
    const struct pail_curve_ops *const ops = variant->ops;
    const size_t words = pail_twin_affine_words(variant), raw_words = words / 2 * 3;
    for (uint32_t i = 0; i < push->n; i++) {
        const uint32_t number = push->first + i;
        uint8_t bytes[3 * sizeof(pail_affine)];
        const uint8_t *const point = bytes;
        pail_affine affine = {{0}};
        uint32_t *lowest = NULL;
        bool infinite = true;
        for (size_t b = 0; b < 4 * raw_words; b++) {
            bytes[b] = (uint8_t)(raw[i * raw_words + b / 4] >> (8 * (b % 4)));
            infinite = infinite && (b < 4 * words || bytes[b] == 0);
        }
        if (!infinite && ops->decode_jacobian(&affine, &point, 1) == 0)
            lowest = &status[MSM_STATUS_RANGE];
        else if (!infinite && push->validation &&
                 (ops->affine_is_infinity(&affine) || !ops->on_curve(&affine)))
            lowest = &status[MSM_STATUS_OFF_CURVE];
        if (lowest == &status[MSM_STATUS_RANGE])
            memset(&affine, 0, sizeof affine);
        if (lowest && number < *lowest)
            *lowest = number;
        ops->affine_to_words(bases + words * i, &affine, variant->form);
    }
}
