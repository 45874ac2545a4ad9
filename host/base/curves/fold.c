/* SPDX-License-Identifier: Apache-2.0 */
#include "fold.h"

bool pail_fold(const struct pail_curve_ops *ops, pail_point *result, size_t *bad_index,
               const uint32_t *words, size_t lists, size_t n_windows, uint32_t c, uint32_t parts,
               enum pail_field_form form)
{
    const size_t point_words = 4 * ops->coordinate_bytes / sizeof(uint32_t);
    pail_point sum = {{0}};
    for (size_t i = n_windows * parts; i-- > 0;) {
        const bool top = i % parts == parts - 1;
        ops->dbl_times(&sum, &sum,
                       top ? c - (parts - 1) * PAIL_FOLD_PART_BITS : PAIL_FOLD_PART_BITS);
        for (size_t list = 0; list < lists; list++) {
            const size_t index = list * n_windows * parts + i;
            pail_point part;
            if (!ops->from_words(&part, words + index * point_words, form)) {
                *bad_index = index;
                *result = (pail_point){{0}};
                return false;
            }
            ops->add(&sum, &sum, &part);
        }
    }
    *result = sum;
    return true;
}

void pail_fold_points(const struct pail_curve_ops *ops, pail_point *result, const pail_point *sums,
                      size_t lists, size_t n_windows, uint32_t c)
{
    pail_point sum = {{0}};
    for (size_t w = n_windows; w-- > 0;) {
        ops->dbl_times(&sum, &sum, c);
        for (size_t list = 0; list < lists; list++)
            ops->add(&sum, &sum, &sums[list * n_windows + w]);
    }
    *result = sum;
}

/* Digit `window` of an integer, of DIGIT bits. */
enum { DIGIT = 3, DIGITS = (256 + DIGIT - 1) / DIGIT, DIGIT_VALUES = 1 << DIGIT };

static size_t digit_of(const pail_u256 *integer, size_t window)
{
    const size_t bit = DIGIT * window, word = bit / 64, shift = bit % 64;
    uint64_t value = integer->l[word] >> shift;
    if (shift > 64 - DIGIT && word < 3)
        value |= integer->l[word + 1] << (64 - shift);
    return value % DIGIT_VALUES;
}

void pail_fold_multiples(const struct pail_curve_ops *ops, pail_point *result,
                         const pail_point *points, const pail_u256 *scalars, size_t n)
{
    pail_point multiples[PAIL_FOLD_MULTIPLES][DIGIT_VALUES - 1], sum = {{0}};
    for (size_t i = 0; i < n; i++) {
        multiples[i][0] = points[i];
        for (size_t k = 1; k < DIGIT_VALUES - 1; k++)
            ops->add(&multiples[i][k], &multiples[i][k - 1], &points[i]);
    }
    for (size_t window = DIGITS; window-- > 0;) {
        ops->dbl_times(&sum, &sum, DIGIT);
        for (size_t i = 0; i < n; i++) {
            const size_t digit = digit_of(&scalars[i], window);
            if (digit != 0)
                ops->add(&sum, &sum, &multiples[i][digit - 1]);
        }
    }
    *result = sum;
}
