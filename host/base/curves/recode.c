/* SPDX-License-Identifier: Apache-2.0 */
#include "recode.h"

enum { SCALAR_WORDS = 8, SCALAR_BITS = 32 * SCALAR_WORDS };

static int64_t bit(const pail_u256 *s, uint64_t at)
{
    return at < SCALAR_BITS ? (int64_t)(s->l[at / 64] >> (at % 64) & 1) : 0;
}

/* Recodes one vector's windows of the batch: of a scalar, or of its half number `half` of
 * `halves`. */
static void recode_vector(const struct msm_decompose_push *push, uint32_t vector, uint32_t point,
                          const pail_u256 *s, uint32_t half, uint32_t halves, uint32_t *digits)
{
    const uint32_t zero_key = (uint32_t)1 << (push->window_bits - 1);
    const uint32_t copies = 1 + push->further, of_half = copies / halves;
    const uint32_t windows = push->vector_windows + 1 - ((uint32_t)1 << push->wide_top);
    for (uint32_t w = 0; w < windows * of_half; w++) {
        const uint32_t wide = w + 1 == windows ? push->wide_top : 0;
        const uint32_t c = push->window_bits + wide;
        const uint32_t window = vector * push->vector_windows + w / of_half;
        const uint32_t copy = half * of_half + w % of_half;
        if (window < push->first_window || window >= push->first_window + push->windows)
            continue;
        /* The window's bits in two's complement, and the bit below them: Booth. */
        const uint64_t at = (uint64_t)w * push->window_bits;
        const int64_t top = bit(s, at + c - 1);
        int64_t digit = at ? bit(s, at - 1) : 0;
        for (uint32_t i = 0; i + 1 < c; i++)
            digit += bit(s, at + i) * ((int64_t)1 << i);
        digit -= top * ((int64_t)1 << (c - 1));

        const uint32_t magnitude = (uint32_t)(digit < 0 ? -digit : digit);
        size_t place = (size_t)(window - push->first_window) * copies + copy;
        const uint32_t sign = top ? MSM_HANDLE_SIGN : 0;
        for (uint32_t row = 0; row < (uint32_t)1 << wide; row++, place += copies) {
            /* Wraps, and so is no key, for 0 and for digits of lower rows. */
            const uint32_t key = magnitude - 1 - row * zero_key;
            digits[place * push->n + point] = (key < zero_key ? key : zero_key) | sign;
        }
    }
}

void pail_recode(const struct msm_decompose_push *push, const struct pail_curve_ops *ops,
                 bool split, const uint32_t *scalars, uint32_t *digits)
{
    const uint32_t first = push->first_window / push->vector_windows;
    const uint32_t last = (push->first_window + push->windows - 1) / push->vector_windows;
    for (uint32_t vector = first; vector <= last; vector++) {
        for (uint32_t point = 0; point < push->n; point++) {
            const uint32_t at = push->scalar_first + vector * push->scalar_stride + point;
            const uint32_t *words = scalars + (size_t)SCALAR_WORDS * at;
            pail_u256 s;
            for (size_t i = 0; i < 4; i++)
                s.l[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
            pail_u256 halves[2];
            if (push->reduce)
                ops->scalar_reduce(&s, &s);
            if (!split) {
                recode_vector(push, vector, point, &s, 0, 1, digits);
                continue;
            }
            ops->scalar_split(halves, &s);
            recode_vector(push, vector, point, &halves[0], 0, 2, digits);
            recode_vector(push, vector, point, &halves[1], 1, 2, digits);
        }
    }
}
