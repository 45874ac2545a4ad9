/* SPDX-License-Identifier: Apache-2.0 */
#include "point.h"

/* Words of a coordinate from little-endian bytes. */
static void words_of(uint32_t *words, const uint8_t *bytes, size_t n)
{
    for (size_t w = 0; w < n; w++)
        words[w] = (uint32_t)bytes[4 * w] | (uint32_t)bytes[4 * w + 1] << 8 |
                   (uint32_t)bytes[4 * w + 2] << 16 | (uint32_t)bytes[4 * w + 3] << 24;
}

void pail_twin_compact(const struct msm_compact_push *push, const struct pail_twin_variant *variant,
                       const uint32_t *bases, uint32_t *compact)
{
    const struct pail_curve_ops *const ops = variant->ops;
    const size_t words = pail_twin_affine_words(variant), n = words / 2;
    for (uint32_t i = 0; i < push->n; i++) {
        uint32_t *const to = compact + n * (push->to + i);
        uint8_t bytes[sizeof(pail_affine)];
        pail_affine point;
        (void)ops->affine_from_words(&point, bases + words * (push->from + i), variant->form);
        ops->encode(bytes, &point, false);
        words_of(to, bytes, n);
        if (ops->affine_is_infinity(&point))
            to[n - 1] = MSM_COMPACT_INFINITY;
        else if (bytes[4 * n] & 1)
            to[n - 1] |= MSM_COMPACT_ODD;
    }
}
