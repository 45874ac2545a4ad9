/* SPDX-License-Identifier: Apache-2.0 */
/* Columns: one value of a body in many cells side by side, and what is done with all of them. The
 * loops are compiled for what every processor has, and once more for AVX2 where that can be built
 * (columns_template.h); nothing else differs. */
#ifndef PAIL_ADSTACK_COLUMNS_H
#define PAIL_ADSTACK_COLUMNS_H

#include <stdbool.h>

#include "eval_spec.h"

/* Cells of a column: a body of six values stays in the first level of a cache. */
enum { PAIL_AD_LANES = 512 };

/* Elements of a row that is reduced beside others, at most: about a tenth of the work between two
 * looks at the limits. */
enum { PAIL_AD_LONG_ROW = 1 << 12 };

/* An operation of steps alone: SUB(a, b) > 0 ? c : d, which a SELECT of a difference becomes. An
 * error of the difference is its own. */
enum { PAIL_AD_GREATER = PAIL_AD_WRAP_MUL + 1 };

/* Columns are of int32_t where all values have that many bits (narrow), and else of int64_t.
 * Operands need not be aligned, and may be in an array itself. */
struct pail_ad_columns {
    /* One operation, but no division: MAX, MIN, SELECT and GREATER of narrow operands give a narrow
     * column, others a wide one. `to`, [n] of int64_t whichever it is, is no operand. operands:
     * four, of which SELECT alone reads the third, and GREATER all. Returns whether nothing was
     * wrong; otherwise `to` has no meaning. n > 0. */
    bool (*keep)(uint32_t op, bool narrow, int64_t to[], const uint8_t *const operands[],
                 uint32_t n);
    /* Same as `keep`, but only the largest of the results, or 0; or their sum, if it fits 64 bits.
     */
    bool (*largest)(uint32_t op, bool narrow, int64_t *max, const uint8_t *const operands[],
                    uint32_t n);
    bool (*sum)(uint32_t op, bool narrow, int64_t *sum, const uint8_t *const operands[],
                uint32_t n);
    /* FLOOR_DIV and MOD, as `keep`. */
    bool (*divide)(uint32_t op, int64_t *restrict to, const int64_t a[], const int64_t b[],
                   uint32_t n);
    /* Elements `step` bytes apart; p need not be aligned. Narrow if the type is. */
    void (*load)(int64_t *restrict to, uint32_t dtype, const uint8_t *p, int64_t step, uint32_t n);
    /* Rows one behind the other: `row` elements, `step` bytes apart, of each of `rows` rows that
     * are row_step bytes apart. `to` has room for row * rows
     * values of 64 bits. */
    void (*load_rows)(int64_t *restrict to, uint32_t dtype, const uint8_t *p, int64_t step,
                      int64_t row_step, uint32_t row, uint32_t rows);
    /* Reduces rows of turns[i] elements, at most PAIL_AD_LONG_ROW, that are `step` bytes apart from
     * p + offset[i] on: to the largest, or 0, or to the sum. Returns whether no partial sum went
     * beyond 64 bits; otherwise `to` has no meaning. */
    bool (*reduce_rows)(bool sum, uint32_t dtype, int64_t *restrict to, const uint8_t *p,
                        int64_t step, const int64_t *restrict offset, const int64_t *restrict turns,
                        uint32_t n);
    /* Elements at offsets. */
    void (*gather)(int64_t *restrict to, uint32_t dtype, const uint8_t *p,
                   const int64_t *restrict offset, uint32_t n);
    /* A column as a wide one. */
    void (*widen)(int64_t *restrict to, bool narrow, const uint8_t *p, uint32_t n);
    /* Adds what an axis contributes, modulo 2^64; false: an index is outside of it. */
    bool (*add_axis)(int64_t *restrict offset, const int64_t *restrict index, int64_t length,
                     int64_t stride, uint32_t n);
    void (*count)(int64_t to[], int64_t begin, uint32_t n);
    int64_t (*largest_element)(uint32_t dtype, const uint8_t *p, int64_t step, uint64_t n);
    pail_ad_wide (*sum_elements)(uint32_t dtype, const uint8_t *p, int64_t step, uint64_t n);
};

/* True if elements of a type are a narrow column. */
static inline bool pail_ad_is_narrow(uint32_t dtype)
{
    return dtype == PAIL_DTYPE_I8 || dtype == PAIL_DTYPE_I16 || dtype == PAIL_DTYPE_I32 ||
           dtype == PAIL_DTYPE_U8 || dtype == PAIL_DTYPE_U16;
}

/* True if elements of a type, one after the other, are a column as they are. */
static inline bool pail_ad_is_column(uint32_t dtype)
{
    return dtype == PAIL_DTYPE_I32 || dtype == PAIL_DTYPE_I64 || dtype == PAIL_DTYPE_U64;
}

/* True if an operation has a third operand; a READ and a LOOP are none. */
static inline bool pail_ad_has_third(uint32_t op)
{
    return op == PAIL_AD_SELECT || op == PAIL_AD_GREATER;
}

/* True if an operation gives a narrow column. */
static inline bool pail_ad_gives_narrow(uint32_t op, bool narrow)
{
    return narrow && (op == PAIL_AD_MAX || op == PAIL_AD_MIN || op == PAIL_AD_SELECT ||
                      op == PAIL_AD_GREATER);
}

static inline bool pail_ad_is_division(uint32_t op)
{
    return op == PAIL_AD_FLOOR_DIV || op == PAIL_AD_MOD;
}

/* The implementation that runs best on this processor. */
const struct pail_ad_columns *pail_ad_columns(void);

extern const struct pail_ad_columns pail_ad_columns_portable;
extern const struct pail_ad_columns pail_ad_columns_avx2; /* exists where PAIL_AD_HAS_AVX2 is 1 */

#endif /* PAIL_ADSTACK_COLUMNS_H */
