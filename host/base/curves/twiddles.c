/* SPDX-License-Identifier: Apache-2.0 */
#include "twiddles.h"

#include <string.h>

#include "scalar.h"
#include "words.h"

static uint32_t *place(uint32_t *words, size_t number)
{
    return words + number * POINTS_TWIDDLE_WORDS;
}

/* Digits are those of the half plus 8 in each place, less 8 each. */
static bool encode(uint32_t *to, const struct pail_curve_ops *ops, const pail_u256 *twiddle)
{
    const uint64_t zeros = (uint64_t)POINTS_ZEROS << 32 | POINTS_ZEROS;
    pail_u256 halves[2];
    uint64_t beyond = 0;
    ops->scalar_split(halves, twiddle);
    for (size_t h = 0; h < 2; h++) {
        uint64_t carry = 0, sum[3];
        for (size_t i = 0; i < 3; i++)
            sum[i] = pail_add_carry(halves[h].l[i], i < 2 ? zeros : 0, &carry);
        beyond |= sum[2];
        for (size_t i = 0; i < POINTS_HALF_WORDS; i++)
            *to++ = (uint32_t)(sum[i / 2] >> (32 * (i % 2)));
    }
    return beyond == 0;
}

/* Writes w^(bits of b, the other way round) for block b of the last stage, as integers. */
static void make_powers(uint32_t *last, const struct pail_curve_ops *ops, uint32_t log_n,
                        const pail_u256 *w)
{
    pail_u256 power = pail_scalar_of(1);
    memcpy(last, &power, sizeof power);
    for (uint32_t k = 0; k + 1 < log_n; k++) {
        const pail_u256 step = pail_scalar_square_times(ops, w, log_n - 2 - k);
        for (size_t i = 0; i < (size_t)1 << k; i++) {
            memcpy(&power, place(last, i), sizeof power);
            ops->scalar_mul(&power, &power, &step);
            memcpy(place(last, ((size_t)1 << k) + i), &power, sizeof power);
        }
    }
}

/* Writes the products of stage `second` with the one before: c d, and -c e. `last`: the powers of
 * all stages, as integers; `factor`: of these two stages. */
static bool make_products(uint32_t *products, const struct pail_curve_ops *ops, uint32_t *last,
                          uint32_t second, const pail_u256 *factor)
{
    bool fits = true;
    for (size_t b = 0; b < (size_t)1 << second; b++) {
        pail_u256 product, other;
        memcpy(&product, place(last, b), sizeof product);
        memcpy(&other, place(last, b / 2), sizeof other);
        ops->scalar_mul(&product, &product, &other);
        ops->scalar_mul(&product, &product, factor);
        if (b % 2)
            ops->scalar_neg(&product, &product);
        fits &= encode(place(products, pail_twiddle_number(second, b)), ops, &product);
    }
    return fits;
}

/* The products of all passes. s: what a block's twiddles have of the coset, in the last stage. */
static bool make_all_products(uint32_t *products, const struct pail_curve_ops *ops, uint32_t *last,
                              uint32_t log_n, const pail_u256 *s, const pail_u256 *scale)
{
    bool fits = true;
    for (uint32_t second = log_n - 1; second >= 1 && second < log_n; second -= 2) {
        const pail_u256 of_second = pail_scalar_square_times(ops, s, log_n - 1 - second);
        pail_u256 factor;
        ops->scalar_mul(&factor, &of_second, &of_second);
        ops->scalar_mul(&factor, &factor, &of_second); /* the first stage has its square */
        if (second == 1)
            ops->scalar_mul(&factor, &factor, scale);
        fits &= make_products(products, ops, last, second, &factor);
        for (size_t b = 0; b < 2 && second == 1; b++) { /* of the second stage, with the scale */
            pail_u256 twiddle;
            memcpy(&twiddle, place(last, b), sizeof twiddle);
            ops->scalar_mul(&twiddle, &twiddle, &of_second);
            ops->scalar_mul(&twiddle, &twiddle, scale);
            fits &= encode(place(products, b), ops, &twiddle);
        }
    }
    return fits;
}

bool pail_twiddles_make(uint32_t *words, uint32_t *products, const struct pail_curve_ops *ops,
                        uint32_t log_n, bool inverse, const pail_u256 *root, const pail_u256 *shift)
{
    const pail_u256 one = pail_scalar_of(1);
    pail_u256 w = *root, s = *shift, scale = one;
    if (inverse) {
        const pail_u256 n = pail_scalar_of((uint64_t)1 << log_n);
        w = pail_scalar_inverse(ops, &w);
        s = pail_scalar_inverse(ops, &s);
        scale = pail_scalar_inverse(ops, &n);
    }
    bool fits = encode(words, ops, &scale);
    if (log_n == 0)
        return fits;
    uint32_t *const last = place(words, (size_t)1 << (log_n - 1));
    const bool shifted = !pail_scalar_equal(&s, &one);
    make_powers(last, ops, log_n, &w);
    if (products)
        fits &= make_all_products(products, ops, last, log_n, &s, &scale);
    for (uint32_t stage = 0; stage < log_n; stage++) { /* the last one ends the powers */
        const pail_u256 factor = pail_scalar_square_times(ops, &s, log_n - 1 - stage);
        for (size_t b = 0; b < (size_t)1 << stage && (shifted || stage + 1 == log_n); b++) {
            pail_u256 twiddle;
            memcpy(&twiddle, place(last, b), sizeof twiddle);
            if (shifted)
                ops->scalar_mul(&twiddle, &twiddle, &factor);
            if (stage == 0)
                ops->scalar_mul(&twiddle, &twiddle, &scale);
            fits &= encode(place(words, pail_twiddle_number(stage, b)), ops, &twiddle);
        }
    }
    if (shifted || log_n == 1)
        return fits;
    /* Without a shift all stages have those of the last. */
    for (uint32_t stage = 1; stage + 1 < log_n; stage++)
        memcpy(place(words, (size_t)1 << stage), last,
               (POINTS_TWIDDLE_WORDS * sizeof *words) << stage);
    return encode(place(words, 1), ops, &scale) && fits;
}
