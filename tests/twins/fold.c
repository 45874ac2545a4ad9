/* SPDX-License-Identifier: Apache-2.0 */
#include "point.h"

static void fold(const struct msm_fold_push *push, const struct pail_twin_variant *variant,
                 const uint32_t *windows, uint32_t *folded)
{
    const struct pail_curve_ops *ops = variant->ops;
    for (uint32_t vector = 0; vector < push->vectors; vector++) {
        pail_point sum = {{0}};
        for (uint32_t w = push->windows; w-- > 0;) {
            for (uint32_t i = 0; i < push->window_bits; i++)
                ops->dbl(&sum, &sum);
            for (uint32_t chunk = 0; chunk < push->chunks; chunk++) {
                const size_t at = ((size_t)chunk * push->vectors + vector) * push->windows + w;
                const pail_point term = pail_twin_load(variant, windows, push->sums + at);
                ops->add(&sum, &sum, &term);
            }
        }
        pail_twin_store(variant, folded, (size_t)push->points + vector, &sum);
        if (push->affine != MSM_KEY_NONE) {
            const size_t words = 2 * ops->coordinate_bytes / 4;
            uint32_t *out = folded + 4 * (size_t)push->affine + vector * words;
            uint8_t bytes[2 * sizeof(pail_affine)];
            pail_affine point;
            ops->to_affine(&point, &sum);
            ops->encode(bytes, &point, false);
            for (size_t i = 0; i < words; i++) {
                out[i] = bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 |
                         (uint32_t)bytes[4 * i + 2] << 16 | (uint32_t)bytes[4 * i + 3] << 24;
            }
        }
    }
}

static void run(const struct pail_twin_call *c)
{
    fold(c->push, &c->variant, c->bound[0], c->bound[1]);
}

PAIL_TWIN(MSM_FOLD, run)
