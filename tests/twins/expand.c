/* SPDX-License-Identifier: Apache-2.0 */
#include "point.h"

void pail_twin_expand(const struct msm_expand_push *push, const struct pail_twin_variant *variant,
                      const uint32_t *compact, uint32_t *bases)
{
    const struct pail_curve_ops *const ops = variant->ops;
    const size_t words = pail_twin_affine_words(variant), n = words / 2;
    if (push->step + push->steps < MSM_EXPAND_STEPS(8 * (uint32_t)ops->coordinate_bytes - 2))
        return;
    for (uint32_t i = 0; i < push->n; i++) {
        const uint32_t *const from = compact + n * (push->first + i);
        const uint32_t flags = from[n - 1] & (MSM_COMPACT_ODD | MSM_COMPACT_INFINITY);
        pail_affine point = {{0}};
        uint8_t bytes[sizeof(pail_affine)];
        for (size_t b = 0; b < 4 * n; b++)
            bytes[b] = (uint8_t)((from[b / 4] ^ (b / 4 + 1 == n ? flags : 0)) >> (8 * (b % 4)));
        if (!(flags & MSM_COMPACT_INFINITY)) {
            (void)ops->lift_x(&point, bytes, false);
            ops->encode(bytes, &point, false);
            if ((bytes[4 * n] & 1u) != flags >> 31)
                ops->affine_neg(&point, &point);
        }
        ops->affine_to_words(bases + words * i, &point,
                             push->doubles ? PAIL_FORM_D51 : variant->form);
    }
}

static void call_expand(const struct pail_twin_call *c)
{
    pail_twin_expand(c->push, &c->variant, c->bound[0], c->bound[1]);
}

PAIL_TWIN(MSM_EXPAND, call_expand)
