/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on columns, for columns_template.h. Each is three loops: one that keeps the results,
 * one that keeps the largest alone, and one that adds them up. With the last two the end of a body
 * is the loop that one would write for it. Operands have 32 bits, or all 64. */
#ifndef PAIL_ADSTACK_COLUMNS_OPERATIONS_H
#define PAIL_ADSTACK_COLUMNS_OPERATIONS_H

#include <string.h>

#include "columns.h"

#define ALL for (uint32_t i = 0; i < n; i++)

#define ELEMENT(type, name, at)                                                                    \
    type name;                                                                                     \
    memcpy(&name, (at), sizeof name)

/* ---- One cell -------------------------------------------------------------------------------- */
/* The highest bit of *wrong becomes 1 where a result does not fit 64 bits. Nothing branches on what
 * is in a cell: which of two elements is larger is anybody's guess. */
static inline int64_t add_narrow(int32_t a, int32_t b, int32_t c, int32_t d, uint64_t *wrong)
{
    (void)c, (void)d, (void)wrong;
    return (int64_t)a + b;
}

static inline int64_t subtract_narrow(int32_t a, int32_t b, int32_t c, int32_t d, uint64_t *wrong)
{
    const int64_t difference = (int64_t)a - b;
    (void)c, (void)d, (void)wrong;
    return difference & ~(difference >> 63);
}

static inline int64_t multiply_narrow(int32_t a, int32_t b, int32_t c, int32_t d, uint64_t *wrong)
{
    (void)c, (void)d, (void)wrong;
    return (int64_t)a * b;
}

static inline int64_t add_wide(int64_t a, int64_t b, int64_t c, int64_t d, uint64_t *wrong)
{
    const uint64_t sum = (uint64_t)a + (uint64_t)b;
    (void)c, (void)d;
    *wrong |= ((uint64_t)a ^ sum) & ((uint64_t)b ^ sum);
    return (int64_t)sum;
}

/* A difference upwards that does not fit has the highest bit. */
static inline int64_t subtract_wide(int64_t a, int64_t b, int64_t c, int64_t d, uint64_t *wrong)
{
    const uint64_t kept = ((uint64_t)a - (uint64_t)b) & -(uint64_t)(a > b);
    (void)c, (void)d;
    *wrong |= kept;
    return (int64_t)kept;
}

static inline int64_t multiply_wide(int64_t a, int64_t b, int64_t c, int64_t d, uint64_t *wrong)
{
    int64_t product;
    (void)c, (void)d;
    *wrong |= (uint64_t)__builtin_mul_overflow(a, b, &product) << 63;
    return product;
}

/* Modulo 2^64. Results of narrow operands fit. */
static inline int64_t add_wrapped(int64_t a, int64_t b, int64_t c, int64_t d, uint64_t *wrong)
{
    (void)c, (void)d, (void)wrong;
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t subtract_wrapped(int64_t a, int64_t b, int64_t c, int64_t d, uint64_t *wrong)
{
    const int64_t difference = (int64_t)((uint64_t)a - (uint64_t)b);
    (void)c, (void)d, (void)wrong;
    return difference & ~(difference >> 63);
}

static inline int64_t multiply_wrapped(int64_t a, int64_t b, int64_t c, int64_t d, uint64_t *wrong)
{
    (void)c, (void)d, (void)wrong;
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

#define CHOICES(type, width)                                                                       \
    static inline type greater_##width(type a, type b, type c, type d, uint64_t *wrong)            \
    {                                                                                              \
        (void)c, (void)d, (void)wrong;                                                             \
        return a > b ? a : b;                                                                      \
    }                                                                                              \
    static inline type lesser_##width(type a, type b, type c, type d, uint64_t *wrong)             \
    {                                                                                              \
        (void)c, (void)d, (void)wrong;                                                             \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    static inline type select_##width(type a, type b, type c, type d, uint64_t *wrong)             \
    {                                                                                              \
        const type mask = (type) - (a > 0);                                                        \
        (void)d, (void)wrong;                                                                      \
        return (b & mask) | (c & ~mask);                                                           \
    }
CHOICES(int32_t, narrow)
CHOICES(int64_t, wide)

static inline int32_t compare_narrow(int32_t a, int32_t b, int32_t c, int32_t d, uint64_t *wrong)
{
    const int32_t mask = -(int32_t)(a > b);
    (void)wrong;
    return (c & mask) | (d & ~mask);
}

static inline int64_t compare_wide(int64_t a, int64_t b, int64_t c, int64_t d, uint64_t *wrong)
{
    const int64_t mask = -(int64_t)(a > b);
    *wrong |= ((uint64_t)a - (uint64_t)b) & (uint64_t)mask; /* as subtract_wide has it */
    return (c & mask) | (d & ~mask);
}

/* ---- All cells of a column ------------------------------------------------------------------- */
#define OPERANDS(type, i)                                                                          \
    ELEMENT(type, x, a + (i) * sizeof(type));                                                      \
    ELEMENT(type, y, b + (i) * sizeof(type));                                                      \
    ELEMENT(type, z, c + (i) * sizeof(type));                                                      \
    ELEMENT(type, u, d + (i) * sizeof(type))

/* Sums of a column: PLAIN of results of at most 33 bits; HALVES of others, as vectors have no sum
 * that finds an overflow. Halves of so few cells fit, the upper ones 2^31 too large. */
#define PLAIN_SUM(low, high, v) (low) += (v)
#define HALVES_SUM(low, high, v)                                                                   \
    (low) += (int64_t)((uint64_t)(v)&UINT64_C(0xffffffff)),                                        \
        (high) += (int64_t)(((uint64_t)(v) ^ UINT64_C(1) << 63) >> 32)

#define PLAIN_TOTAL(total, low, high, n)  (*(total) = (low), (void)(high), true)
#define HALVES_TOTAL(total, low, high, n) join_halves((total), (low), (high), (n))

static inline bool join_halves(int64_t *total, int64_t low, int64_t high, uint32_t n)
{
    const pail_ad_wide sum = (pail_ad_wide)(high - ((int64_t)n << 31)) * ((int64_t)1 << 32) + low;
    *total = (int64_t)sum;
    return sum == *total;
}

#define RAISE_TO(best, operation, type, result, cell)                                              \
    do {                                                                                           \
        OPERANDS(type, cell);                                                                      \
        const result v = operation(x, y, z, u, &wrong);                                            \
        (best) = v > (best) ? v : (best);                                                          \
    } while (0)

#define LOOPS(operation, type, result, KIND)                                                       \
    static bool keep_##operation(uint8_t *restrict to, const uint8_t *a, const uint8_t *b,         \
                                 const uint8_t *c, const uint8_t *d, uint32_t n)                   \
    {                                                                                              \
        uint64_t wrong = 0;                                                                        \
        ALL                                                                                        \
        {                                                                                          \
            OPERANDS(type, i);                                                                     \
            const result v = operation(x, y, z, u, &wrong);                                        \
            memcpy(to + i * sizeof v, &v, sizeof v);                                               \
        }                                                                                          \
        return !(wrong >> 63);                                                                     \
    }                                                                                              \
    static bool largest_##operation(int64_t *max, const uint8_t *a, const uint8_t *b,              \
                                    const uint8_t *c, const uint8_t *d, uint32_t n)                \
    {                                                                                              \
        uint64_t wrong = 0;                                                                        \
        result best = 0, other = 0;                                                                \
        const uint32_t half = n / 2;                                                               \
        for (uint32_t i = 0; i < half; i++) {                                                      \
            RAISE_TO(best, operation, type, result, i);                                            \
            RAISE_TO(other, operation, type, result, half + i);                                    \
        }                                                                                          \
        if (n % 2)                                                                                 \
            RAISE_TO(best, operation, type, result, n - 1);                                        \
        *max = best > other ? best : other;                                                        \
        return !(wrong >> 63);                                                                     \
    }                                                                                              \
    static bool sum_##operation(int64_t *sum, const uint8_t *a, const uint8_t *b,                  \
                                const uint8_t *c, const uint8_t *d, uint32_t n)                    \
    {                                                                                              \
        uint64_t wrong = 0;                                                                        \
        int64_t low = 0, high = 0;                                                                 \
        ALL                                                                                        \
        {                                                                                          \
            OPERANDS(type, i);                                                                     \
            const result v = operation(x, y, z, u, &wrong);                                        \
            KIND##_SUM(low, high, v);                                                              \
        }                                                                                          \
        return KIND##_TOTAL(sum, low, high, n) && !(wrong >> 63);                                  \
    }

LOOPS(add_narrow, int32_t, int64_t, PLAIN)
LOOPS(subtract_narrow, int32_t, int64_t, PLAIN)
LOOPS(multiply_narrow, int32_t, int64_t, HALVES)
LOOPS(greater_narrow, int32_t, int32_t, PLAIN)
LOOPS(lesser_narrow, int32_t, int32_t, PLAIN)
LOOPS(select_narrow, int32_t, int32_t, PLAIN)
LOOPS(compare_narrow, int32_t, int32_t, PLAIN)
LOOPS(add_wide, int64_t, int64_t, HALVES)
LOOPS(subtract_wide, int64_t, int64_t, HALVES)
LOOPS(multiply_wide, int64_t, int64_t, HALVES)
LOOPS(greater_wide, int64_t, int64_t, HALVES)
LOOPS(lesser_wide, int64_t, int64_t, HALVES)
LOOPS(select_wide, int64_t, int64_t, HALVES)
LOOPS(compare_wide, int64_t, int64_t, HALVES)
LOOPS(add_wrapped, int64_t, int64_t, HALVES)
LOOPS(subtract_wrapped, int64_t, int64_t, HALVES)
LOOPS(multiply_wrapped, int64_t, int64_t, HALVES)

/* ---- By number ------------------------------------------------------------------------------- */
typedef bool keep_loop(uint8_t *restrict to, const uint8_t *a, const uint8_t *b, const uint8_t *c,
                       const uint8_t *d, uint32_t n);
typedef bool reduce_loop(int64_t *to, const uint8_t *a, const uint8_t *b, const uint8_t *c,
                         const uint8_t *d, uint32_t n);

struct loops {
    keep_loop *keep;
    reduce_loop *largest, *sum;
};

#define THREE(operation)                                                                           \
    {                                                                                              \
        keep_##operation, largest_##operation, sum_##operation                                     \
    }

/* [operands have 32 bits][operation - ADD] */
static const struct loops loops[2][PAIL_AD_GREATER - PAIL_AD_ADD + 1] = {
    {
        [PAIL_AD_ADD - PAIL_AD_ADD] = THREE(add_wide),
        [PAIL_AD_SUB - PAIL_AD_ADD] = THREE(subtract_wide),
        [PAIL_AD_MUL - PAIL_AD_ADD] = THREE(multiply_wide),
        [PAIL_AD_MAX - PAIL_AD_ADD] = THREE(greater_wide),
        [PAIL_AD_MIN - PAIL_AD_ADD] = THREE(lesser_wide),
        [PAIL_AD_SELECT - PAIL_AD_ADD] = THREE(select_wide),
        [PAIL_AD_GREATER - PAIL_AD_ADD] = THREE(compare_wide),
        [PAIL_AD_WRAP_ADD - PAIL_AD_ADD] = THREE(add_wrapped),
        [PAIL_AD_WRAP_SUB - PAIL_AD_ADD] = THREE(subtract_wrapped),
        [PAIL_AD_WRAP_MUL - PAIL_AD_ADD] = THREE(multiply_wrapped),
    },
    {
        [PAIL_AD_ADD - PAIL_AD_ADD] = THREE(add_narrow),
        [PAIL_AD_SUB - PAIL_AD_ADD] = THREE(subtract_narrow),
        [PAIL_AD_MUL - PAIL_AD_ADD] = THREE(multiply_narrow),
        [PAIL_AD_MAX - PAIL_AD_ADD] = THREE(greater_narrow),
        [PAIL_AD_MIN - PAIL_AD_ADD] = THREE(lesser_narrow),
        [PAIL_AD_SELECT - PAIL_AD_ADD] = THREE(select_narrow),
        [PAIL_AD_GREATER - PAIL_AD_ADD] = THREE(compare_narrow),
        [PAIL_AD_WRAP_ADD - PAIL_AD_ADD] = THREE(add_narrow),
        [PAIL_AD_WRAP_SUB - PAIL_AD_ADD] = THREE(subtract_narrow),
        [PAIL_AD_WRAP_MUL - PAIL_AD_ADD] = THREE(multiply_narrow),
    },
};

static bool keep(uint32_t op, bool narrow, int64_t to[], const uint8_t *const operands[],
                 uint32_t n)
{
    return loops[narrow][op - PAIL_AD_ADD].keep((uint8_t *)to, operands[0], operands[1],
                                                operands[2], operands[3], n);
}

static bool largest_of(uint32_t op, bool narrow, int64_t *max, const uint8_t *const operands[],
                       uint32_t n)
{
    return loops[narrow][op - PAIL_AD_ADD].largest(max, operands[0], operands[1], operands[2],
                                                   operands[3], n);
}

static bool sum_of(uint32_t op, bool narrow, int64_t *sum, const uint8_t *const operands[],
                   uint32_t n)
{
    return loops[narrow][op - PAIL_AD_ADD].sum(sum, operands[0], operands[1], operands[2],
                                               operands[3], n);
}

#endif /* PAIL_ADSTACK_COLUMNS_OPERATIONS_H */
