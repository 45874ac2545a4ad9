/* SPDX-License-Identifier: Apache-2.0 */
#include "sums.h"

#include <string.h>

#include "scalar.h"
#include "words.h"

void pail_sum_bias(uint32_t bias[POINTS_NUMBER_WORDS], uint32_t bits, uint32_t windows)
{
    memset(bias, 0, POINTS_NUMBER_WORDS * sizeof *bias);
    for (uint32_t w = 0; w < windows; w++) {
        const uint32_t bit = w * bits + bits - 1;
        bias[bit / 32] |= UINT32_C(1) << (bit % 32);
    }
}

/* A half with its bias, and the place of its entries. */
static bool encode(uint32_t *to, const pail_u256 *half, uint32_t place)
{
    const uint32_t bits = POINTS_CONSTANT_BITS * POINTS_CONSTANT_WINDOWS;
    uint32_t bias[POINTS_NUMBER_WORDS];
    uint64_t carry = 0, beyond = 0;
    pail_sum_bias(bias, POINTS_CONSTANT_BITS, POINTS_CONSTANT_WINDOWS);
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t word = (uint64_t)bias[2 * i + 1] << 32 | bias[2 * i];
        const uint64_t sum = pail_add_carry(half->l[i], word, &carry);
        to[2 * i] = (uint32_t)sum;
        to[2 * i + 1] = (uint32_t)(sum >> 32);
        if (64 * i + 64 > bits)
            beyond |= 64 * i < bits ? sum >> (bits - 64 * i) : sum;
    }
    to[POINTS_NUMBER_WORDS - 1] = place;
    return beyond == 0;
}

/* A constant, and the value that it multiplies on the way to a result. */
struct term {
    pail_u256 constant;
    uint32_t point;
};

/* Both halves of a constant; all columns of a term come before the next one. */
static bool put(uint32_t *words, const struct pail_curve_ops *ops, uint32_t log_n, uint32_t number,
                uint32_t column, const struct term *term)
{
    pail_u256 halves[2];
    bool fits = true;
    ops->scalar_split(halves, &term->constant);
    for (uint32_t h = 0; h < 2; h++)
        fits &= encode(words + ((((size_t)2 * number + h) << log_n) + column) * POINTS_NUMBER_WORDS,
                       &halves[h], (2 * term->point + h) * POINTS_CONSTANT_MULTIPLES);
    return fits;
}

bool pail_truncation_make(uint32_t *words, const struct pail_curve_ops *ops, uint32_t log_n,
                          const pail_u256 *root)
{
    const uint32_t half = 1u << (log_n - 1);
    const pail_u256 n = pail_scalar_of((uint64_t)2 * half), four = pail_scalar_of(4),
                    one = pail_scalar_of(1);
    pail_u256 factor = pail_scalar_inverse(ops, &n), square, power = *root;
    struct term term;
    bool fits = true;
    ops->scalar_add(&factor, &factor, &factor);
    ops->scalar_mul(&square, root, root);
    term.constant = pail_scalar_inverse(ops, &four);
    for (term.point = 0; term.point < 2 * half; term.point++)
        fits &= put(words, ops, log_n, 0, term.point, &term);
    for (uint32_t j = 1; j < half; j += 2) { /* power = root^j */
        pail_u256 a, b;
        ops->scalar_mul(&a, &power, &power);
        ops->scalar_neg(&a, &a);
        ops->scalar_add(&a, &one, &a);
        a = pail_scalar_inverse(ops, &a);
        ops->scalar_mul(&a, &a, &factor);
        ops->scalar_mul(&b, &a, &power);
        for (uint32_t e = 0; e < half; e++) {
            const bool wraps = e < j;
            term.point = wraps ? e + half - j : e - j;
            term.constant = a;
            fits &= put(words, ops, log_n, (j + 1) / 2, e, &term);
            term.point += half;
            term.constant = b;
            if (wraps)
                ops->scalar_neg(&term.constant, &b);
            fits &= put(words, ops, log_n, (j + 1) / 2, e + half, &term);
        }
        ops->scalar_mul(&power, &power, &square);
    }
    return fits;
}
