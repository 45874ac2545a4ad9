/* SPDX-License-Identifier: Apache-2.0 */
/* The word-sized part of a modular inversion by division steps.
 *
 * Daniel J. Bernstein and Bo-Yin Yang, "Fast constant-time gcd computation and modular inversion",
 * 2019. A division step takes (delta, f, g), f odd, to
 *     (1 - delta, g, (g - f) / 2)             if delta > 0 and g is odd,
 *     (1 + delta, f, (g + (g mod 2) f) / 2)   otherwise.
 * 62 of them depend only on the low 62 bits of f and g and multiply (f, g) by a matrix / 2^62. As
 * nothing here is secret, steps on an even g are taken together, and so are the additions of f that
 * clear the low bits of g.
 */
#ifndef PAIL_CURVES_DIVSTEPS_H
#define PAIL_CURVES_DIVSTEPS_H

#include <stdint.h>

#define PAIL_DIVSTEPS 62

/* 2^62 (f', g') = (u f + v g, q f + r g); |u| + |v| and |q| + |r| are at most 2^62. */
struct pail_divsteps_matrix {
    int64_t u, v, q, r;
};

static inline int pail_trailing_zeros(uint64_t x) /* x is not 0 */
{
#if defined(__GNUC__)
    return __builtin_ctzll(x);
#else
    int count = 0;
    for (; (x & 1) == 0; x >>= 1)
        count++;
    return count;
#endif
}

/* Takes 62 steps from the low limbs of f (odd) and g; returns the new delta. */
static inline int64_t pail_divsteps(struct pail_divsteps_matrix *matrix, int64_t delta, uint64_t f,
                                    uint64_t g)
{
    /* Unsigned, since shifts and negations of signed numbers are not defined for all values. */
    uint64_t u = 1, v = 0, q = 0, r = 1;
    int left = PAIL_DIVSTEPS;
    for (;;) {
        /* The bit at `left` stops the count of zeros there, whatever g is. */
        const int zeros = pail_trailing_zeros(g | UINT64_MAX << left);
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        delta += zeros;
        left -= zeros;
        if (left == 0)
            break;
        if (delta > 0) {
            const uint64_t old_f = f, old_u = u, old_v = v;
            delta = -delta;
            f = g, u = q, v = r;
            g = 0 - old_f, q = 0 - old_u, r = 0 - old_v;
        }
        /* The next 1 - delta steps add f and leave it alone, so a multiple of f that clears as many
         * low bits of g stands for them all. f (2 - f^2) = 1/f mod 2^6 bounds the bits by 6. */
        int bits = delta > -5 ? (int)(1 - delta) : 6;
        if (bits > left)
            bits = left;
        const uint64_t multiple = (g * f * (f * f - 2)) & ((UINT64_C(1) << bits) - 1);
        g += f * multiple;
        q += u * multiple;
        r += v * multiple;
    }
    *matrix = (struct pail_divsteps_matrix){(int64_t)u, (int64_t)v, (int64_t)q, (int64_t)r};
    return delta;
}

#endif /* PAIL_CURVES_DIVSTEPS_H */
