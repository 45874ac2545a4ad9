/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of columns.h, which compilers make vectors of. Included once by each file that compiles
 * them for a kind of processor; COLUMNS(name) is the name there. */
#ifndef PAIL_ADSTACK_COLUMNS_TEMPLATE_H
#define PAIL_ADSTACK_COLUMNS_TEMPLATE_H

#include "columns_operations.h"

/* ---- Divisions ------------------------------------------------------------------------------- */
/* The power of two that all values are; -1: there is none. */
static int same_power(const int64_t b[], uint32_t n)
{
    const uint64_t first = (uint64_t)b[0];
    uint64_t differ = 0;
    if (b[0] <= 0 || (first & (first - 1)))
        return -1;
    ALL differ |= (uint64_t)b[i] ^ first;
    return differ ? -1 : __builtin_ctzll(first);
}

/* True if no value needs more than 32 bits, or a sign. */
static bool fit_unsigned_32(const int64_t a[], uint32_t n)
{
    uint64_t any = 0;
    ALL any |= (uint64_t)a[i];
    return !(any >> 32);
}

static bool no_zero(const int64_t a[], uint32_t n)
{
    uint64_t zeros = 0;
    ALL zeros |= a[i] == 0;
    return !zeros;
}

/* FLOOR_DIV and MOD. Long divisions are slow: what needs none, and what needs but a short one, goes
 * without. */
static bool divide(uint32_t op, int64_t *restrict to, const int64_t a[], const int64_t b[],
                   uint32_t n)
{
    uint32_t wrong = 0;
    const int power = same_power(b, n);
    if (power >= 0 && op == PAIL_AD_FLOOR_DIV) {
        ALL to[i] = a[i] >> power;
    } else if (power >= 0) {
        const int64_t mask = (INT64_C(1) << power) - 1;
        ALL to[i] = a[i] & mask;
    } else if (!(fit_unsigned_32(a, n) && fit_unsigned_32(b, n) && no_zero(b, n))) {
        ALL wrong |= pail_ad_arith(op, a[i], b[i], &to[i]);
    } else if (op == PAIL_AD_FLOOR_DIV) {
        ALL to[i] = (int64_t)((uint32_t)a[i] / (uint32_t)b[i]);
    } else {
        ALL to[i] = (int64_t)((uint32_t)a[i] % (uint32_t)b[i]);
    }
    return !wrong;
}

/* ---- Elements -------------------------------------------------------------------------------- */
#define EACH_TYPE(DO)                                                                              \
    EACH_SHORT_TYPE(DO)                                                                            \
    DO(int64_t, i64)
#define EACH_SHORT_TYPE(DO)                                                                        \
    DO(int8_t, i8)                                                                                 \
    DO(int16_t, i16)                                                                               \
    DO(int32_t, i32)                                                                               \
    DO(uint8_t, u8)                                                                                \
    DO(uint16_t, u16)                                                                              \
    DO(uint32_t, u32)

#define EACH_COLUMN(DO)                                                                            \
    DO(int8_t, int32_t, i8)                                                                        \
    DO(int16_t, int32_t, i16)                                                                      \
    DO(int32_t, int32_t, i32)                                                                      \
    DO(int64_t, int64_t, i64)                                                                      \
    DO(uint8_t, int32_t, u8)                                                                       \
    DO(uint16_t, int32_t, u16)                                                                     \
    DO(uint32_t, int64_t, u32)

/* 64 bits are themselves, whichever the sign. */
#define CHOOSE(dtype, what, function, ...)                                                         \
    switch (dtype) {                                                                               \
    case PAIL_DTYPE_I8:                                                                            \
        what function##_i8(__VA_ARGS__);                                                           \
        break;                                                                                     \
    case PAIL_DTYPE_I16:                                                                           \
        what function##_i16(__VA_ARGS__);                                                          \
        break;                                                                                     \
    case PAIL_DTYPE_I32:                                                                           \
        what function##_i32(__VA_ARGS__);                                                          \
        break;                                                                                     \
    case PAIL_DTYPE_U8:                                                                            \
        what function##_u8(__VA_ARGS__);                                                           \
        break;                                                                                     \
    case PAIL_DTYPE_U16:                                                                           \
        what function##_u16(__VA_ARGS__);                                                          \
        break;                                                                                     \
    case PAIL_DTYPE_U32:                                                                           \
        what function##_u32(__VA_ARGS__);                                                          \
        break;                                                                                     \
    default:                                                                                       \
        what function##_i64(__VA_ARGS__);                                                          \
        break;                                                                                     \
    }

#define PUT(type, at, from)                                                                        \
    const type put = (type)(from);                                                                 \
    memcpy((at), &put, sizeof put)

#define LOADS(type, column, name)                                                                  \
    static void load_##name(uint8_t *restrict to, const uint8_t *p, int64_t step, uint32_t n)      \
    {                                                                                              \
        if (step == sizeof(type))                                                                  \
            ALL                                                                                    \
            {                                                                                      \
                ELEMENT(type, v, p + i * sizeof(type));                                            \
                PUT(column, to + i * sizeof(column), v);                                           \
            }                                                                                      \
        else                                                                                       \
            ALL                                                                                    \
            {                                                                                      \
                ELEMENT(type, v, p + (int64_t)i * step);                                           \
                PUT(column, to + i * sizeof(column), v);                                           \
            }                                                                                      \
    }                                                                                              \
    static void gather_##name(uint8_t *restrict to, const uint8_t *p,                              \
                              const int64_t *restrict offset, uint32_t n)                          \
    {                                                                                              \
        ALL                                                                                        \
        {                                                                                          \
            ELEMENT(type, v, p + offset[i]);                                                       \
            PUT(column, to + i * sizeof(column), v);                                               \
        }                                                                                          \
    }

/* Rows are copied in pieces, as long as what is behind a row is overwritten by the next one. */
enum { CHUNK = 32 };

/* Number of the last rows that are not to be copied in pieces of `whole` bytes: those would end
 * behind the rows. */
static uint32_t exact_rows(size_t whole, size_t row_bytes, int64_t row_step, uint32_t rows)
{
    uint32_t n = 0;
    while (n < rows && (n + 1) * row_bytes < whole)
        n++;
    while (row_step && n < rows && (uint64_t)n * (uint64_t)row_step + row_bytes < whole)
        n++;
    return n;
}

#define LOAD_ROWS(type, column, name)                                                              \
    static void load_rows_##name(uint8_t *restrict to, const uint8_t *p, int64_t step,             \
                                 int64_t row_step, uint32_t row, uint32_t rows)                    \
    {                                                                                              \
        const size_t bytes = row * sizeof(column), whole = (bytes + CHUNK - 1) / CHUNK * CHUNK;    \
        const bool same = step == 0;                                                               \
        const bool copied = step == sizeof(type) && sizeof(type) == sizeof(column);                \
        uint32_t exact = rows;                                                                     \
        if (same || (copied && row_step > 0))                                                      \
            exact = exact_rows(whole, bytes, same ? 0 : row_step, rows);                           \
        for (; rows > exact; rows--, p += row_step, to += bytes) {                                 \
            column spread[CHUNK / sizeof(column)];                                                 \
            ELEMENT(type, v, p);                                                                   \
            for (size_t i = 0; same && i < CHUNK / sizeof(column); i++)                            \
                spread[i] = (column)v;                                                             \
            for (size_t i = 0; i < whole; i += CHUNK)                                              \
                memcpy(to + i, same ? (const uint8_t *)spread : p + i, CHUNK);                     \
        }                                                                                          \
        for (; rows; rows--, p += row_step, to += bytes)                                           \
            load_##name(to, p, step, row);                                                         \
    }

/* Four vectors of maxima that do not wait for one another. They are arrays of their own, because
 * compilers keep one large array in memory. */
#define VECTOR(type) (32 / sizeof(type))
#define RAISE(best, type, at)                                                                      \
    do {                                                                                           \
        ELEMENT(type, raised_by, (at));                                                            \
        (best) = raised_by > (best) ? raised_by : (best);                                          \
    } while (0)

#define LARGEST(type, name)                                                                        \
    static int64_t largest_##name(const uint8_t *p, int64_t step, uint64_t n)                      \
    {                                                                                              \
        const size_t bytes = VECTOR(type) * sizeof(type);                                          \
        type w[VECTOR(type)], x[VECTOR(type)], y[VECTOR(type)], z[VECTOR(type)];                   \
        uint64_t i = 0;                                                                            \
        ELEMENT(type, best, p);                                                                    \
        for (size_t lane = 0; lane < VECTOR(type); lane++)                                         \
            w[lane] = x[lane] = y[lane] = z[lane] = best;                                          \
        if (step == sizeof(type))                                                                  \
            for (; n - i >= 4 * VECTOR(type); i += 4 * VECTOR(type), p += 4 * bytes)               \
                for (size_t lane = 0; lane < VECTOR(type); lane++) {                               \
                    RAISE(w[lane], type, p + lane * sizeof(type));                                 \
                    RAISE(x[lane], type, p + lane * sizeof(type) + bytes);                         \
                    RAISE(y[lane], type, p + lane * sizeof(type) + 2 * bytes);                     \
                    RAISE(z[lane], type, p + lane * sizeof(type) + 3 * bytes);                     \
                }                                                                                  \
        for (; i < n; i++, p += step)                                                              \
            RAISE(best, type, p);                                                                  \
        for (size_t lane = 0; lane < VECTOR(type); lane++) {                                       \
            RAISE(best, type, &w[lane]);                                                           \
            RAISE(best, type, &x[lane]);                                                           \
            RAISE(best, type, &y[lane]);                                                           \
            RAISE(best, type, &z[lane]);                                                           \
        }                                                                                          \
        return (int64_t)best;                                                                      \
    }

/* Sums are made in pieces that fit 64 bits; 64-bit elements are added in halves. */
#define PIECE ((uint64_t)1 << 31)
#define HALF  UINT64_C(0xffffffff)
#define SIGN  (UINT64_C(1) << 63)

#define SUM(type, name)                                                                            \
    static pail_ad_wide sum_##name(const uint8_t *p, int64_t step, uint64_t n)                     \
    {                                                                                              \
        pail_ad_wide total = 0;                                                                    \
        while (n) {                                                                                \
            const uint64_t part = n < PIECE ? n : PIECE;                                           \
            int64_t high = 0, low = 0;                                                             \
            if (sizeof(type) == 8)                                                                 \
                for (uint64_t i = 0; i < part; i++) {                                              \
                    ELEMENT(type, v, p + (int64_t)i * step);                                       \
                    low += (int64_t)((uint64_t)v & HALF);                                          \
                    high += (int64_t)(((uint64_t)v ^ SIGN) >> 32);                                 \
                }                                                                                  \
            else if (step == sizeof(type))                                                         \
                for (uint64_t i = 0; i < part; i++) {                                              \
                    ELEMENT(type, v, p + i * sizeof(type));                                        \
                    low += (int64_t)v;                                                             \
                }                                                                                  \
            else                                                                                   \
                for (uint64_t i = 0; i < part; i++) {                                              \
                    ELEMENT(type, v, p + (int64_t)i * step);                                       \
                    low += (int64_t)v;                                                             \
                }                                                                                  \
            total += (pail_ad_wide)high * (INT64_C(1) << 32) + low;                                \
            if (sizeof(type) == 8) /* 2^63 was added to each */                                    \
                total -= (pail_ad_wide)part * ((pail_ad_wide)1 << 63);                             \
            n -= part;                                                                             \
            p += (int64_t)part * step;                                                             \
        }                                                                                          \
        return total;                                                                              \
    }

#define REDUCE_ROW(name, type, take)                                                               \
    static bool name(int64_t *restrict to, const uint8_t *p, int64_t step,                         \
                     const int64_t *restrict offset, const int64_t *restrict turns, uint32_t n)    \
    {                                                                                              \
        uint64_t wrong = 0;                                                                        \
        ALL                                                                                        \
        {                                                                                          \
            const uint8_t *first = p + offset[i];                                                  \
            int64_t all = 0;                                                                       \
            for (int64_t k = 0; k < turns[i]; k++) {                                               \
                ELEMENT(type, v, first + k * step);                                                \
                take;                                                                              \
            }                                                                                      \
            to[i] = all;                                                                           \
        }                                                                                          \
        return !(wrong >> 63);                                                                     \
    }
#define ADD_CHECKED(all, v)                                                                        \
    do {                                                                                           \
        const uint64_t added = (uint64_t)(all) + (uint64_t)(v);                                    \
        if (sizeof(v) == 8)                                                                        \
            wrong |= ((uint64_t)(all) ^ added) & ((uint64_t)(v) ^ added);                          \
        (all) = (int64_t)added;                                                                    \
    } while (0)
#define REDUCE_ROWS(type, name)                                                                    \
    REDUCE_ROW(largest_rows_##name, type, all = v > all ? v : all)                                 \
    REDUCE_ROW(sum_rows_##name, type, ADD_CHECKED(all, v))

EACH_COLUMN(LOADS)
EACH_COLUMN(LOAD_ROWS)
EACH_TYPE(REDUCE_ROWS)
EACH_TYPE(LARGEST)
EACH_TYPE(SUM)

static void load(int64_t *restrict to, uint32_t dtype, const uint8_t *p, int64_t step, uint32_t n)
{
    CHOOSE(dtype, (void), load, (uint8_t *)to, p, step, n)
}

static void load_rows(int64_t *restrict to, uint32_t dtype, const uint8_t *p, int64_t step,
                      int64_t row_step, uint32_t row, uint32_t rows)
{
    CHOOSE(dtype, (void), load_rows, (uint8_t *)to, p, step, row_step, row, rows)
}

static bool reduce_rows(bool sum, uint32_t dtype, int64_t *restrict to, const uint8_t *p,
                        int64_t step, const int64_t *restrict offset, const int64_t *restrict turns,
                        uint32_t n)
{
    bool right;
    if (sum)
        CHOOSE(dtype, right =, sum_rows, to, p, step, offset, turns, n)
    else
        CHOOSE(dtype, right =, largest_rows, to, p, step, offset, turns, n)
    return right;
}

static void gather(int64_t *restrict to, uint32_t dtype, const uint8_t *p,
                   const int64_t *restrict offset, uint32_t n)
{
    CHOOSE(dtype, (void), gather, (uint8_t *)to, p, offset, n)
}

static void widen(int64_t *restrict to, bool narrow, const uint8_t *p, uint32_t n)
{
    if (!narrow) {
        memcpy(to, p, n * sizeof to[0]);
        return;
    }
    ALL
    {
        ELEMENT(int32_t, v, p + i * sizeof(int32_t));
        to[i] = v;
    }
}

static int64_t largest_element(uint32_t dtype, const uint8_t *p, int64_t step, uint64_t n)
{
    int64_t all;
    CHOOSE(dtype, all =, largest, p, step, n)
    return all;
}

static pail_ad_wide sum_elements(uint32_t dtype, const uint8_t *p, int64_t step, uint64_t n)
{
    pail_ad_wide all;
    CHOOSE(dtype, all =, sum, p, step, n)
    return all;
}

static bool add_axis(int64_t *restrict offset, const int64_t *restrict index, int64_t length,
                     int64_t stride, uint32_t n)
{
    uint64_t wrong = 0;
    ALL
    {
        wrong |= (uint64_t)index[i] >= (uint64_t)length;
        offset[i] = (int64_t)((uint64_t)offset[i] + (uint64_t)index[i] * (uint64_t)stride);
    }
    return !wrong;
}

static void count(int64_t to[], int64_t begin, uint32_t n)
{
    ALL to[i] = (int64_t)((uint64_t)begin + i);
}

const struct pail_ad_columns COLUMNS(pail_ad_columns) = {
    .keep = keep,
    .largest = largest_of,
    .sum = sum_of,
    .divide = divide,
    .load = load,
    .load_rows = load_rows,
    .reduce_rows = reduce_rows,
    .gather = gather,
    .widen = widen,
    .add_axis = add_axis,
    .count = count,
    .largest_element = largest_element,
    .sum_elements = sum_elements,
};

#endif /* PAIL_ADSTACK_COLUMNS_TEMPLATE_H */
