/* SPDX-License-Identifier: Apache-2.0 */
/* Twiddles of transforms over points, as glsl/shared/points_layout.h says: for both backends.
 *
 * Forward, the polynomial modulo x^n - s^n is split stage by stage: stage t has 2^t blocks, and
 * block b, modulo x^(2h) - c^2 with h = n / 2^(t+1), becomes its remainders modulo x^h - c and x^h
 * + c: low + c high and low - c high. So coefficients in order become values in bit-reversed order,
 * on any coset. Backward, stages run the other way: low + high, and (low - high) / c. */
#ifndef PAIL_CURVES_TWIDDLES_H
#define PAIL_CURVES_TWIDDLES_H

#include <shared/points_layout.h>

#include "curve_ops.h"

/* The number of a block's twiddle: c, or 1 / c backward; that of stage 0 is divided by n then, and
 * number 0 is 1 / n, for the low half of that stage. */
static inline size_t pail_twiddle_number(uint32_t stage, size_t block)
{
    return ((size_t)1 << stage) + block;
}

static inline bool pail_twiddle_is_one(const uint32_t *words)
{
    uint32_t other = words[0] ^ POINTS_ONE;
    for (size_t i = 1; i < POINTS_TWIDDLE_WORDS; i++)
        other |= words[i] ^ POINTS_ZEROS;
    return other == 0;
}

static inline int pail_twiddle_digit(const uint32_t *words, size_t half, size_t i)
{
    const uint32_t word = words[half * POINTS_HALF_WORDS + i / 8];
    return (int)(word >> (POINTS_DIGIT_BITS * (i % 8)) & 15) - POINTS_DIGIT_OFFSET;
}

/* words: [2^log_n][POINTS_TWIDDLE_WORDS]; products: as many more, of two stages, or NULL; those
 * that no pass asks for are not written. root: of order 2^log_n; shift: not 0; both below the
 * order. False: a half does not fit the digits, which is so for no curve with tables here. */
bool pail_twiddles_make(uint32_t *words, uint32_t *products, const struct pail_curve_ops *ops,
                        uint32_t log_n, bool inverse, const pail_u256 *root,
                        const pail_u256 *shift);

#endif /* PAIL_CURVES_TWIDDLES_H */
