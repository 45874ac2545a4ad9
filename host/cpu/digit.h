/* SPDX-License-Identifier: Apache-2.0 */
/* Signed digits of a 256-bit integer. */
#ifndef PAIL_CPU_DIGIT_H
#define PAIL_CPU_DIGIT_H

#include <stdint.h>

#include <curves/curve_ops.h>

/* Digit of window w, c bits wide, 1 <= c <= 31: in [-2^(c-1), 2^(c-1)], and the sum of
 * digit(w) 2^(c w) is the integer if the windows reach beyond its top bit. Booth's recoding: the
 * window's bits with the top one counted negatively, plus the top bit of the window below, so that
 * no digit waits for a carry. */
static inline int32_t pail_cpu_digit(const pail_u256 *k, uint32_t w, uint32_t c)
{
    uint64_t bits; /* c + 1 of them, the lowest from the window below */
    if (w == 0) {
        bits = k->l[0] << 1;
    } else {
        const uint32_t at = c * w - 1, limb = at / 64, shift = at % 64;
        if (limb > 3)
            return 0;
        bits = k->l[limb] >> shift;
        if (shift > 0 && limb < 3)
            bits |= k->l[limb + 1] << (64 - shift);
    }
    bits &= (UINT64_C(2) << c) - 1;
    return (int32_t)((bits >> 1) + (bits & 1)) - (int32_t)((bits >> c) << c);
}

#endif /* PAIL_CPU_DIGIT_H */
