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

bool pail_twiddles_make(uint32_t *words, const struct pail_curve_ops *ops, uint32_t log_n,
                        bool inverse, const pail_u256 *root, const pail_u256 *shift)
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
