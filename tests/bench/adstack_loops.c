/* SPDX-License-Identifier: Apache-2.0 */
/* The loops that bodies are compared with. */
#include "adstack_loops.h"

#define CHECKED(operation)                                                                         \
    static inline int64_t operation(int64_t x, int64_t y, int *overflow)                           \
    {                                                                                              \
        int64_t v;                                                                                 \
        *overflow |= __builtin_##operation##_overflow(x, y, &v);                                   \
        return v;                                                                                  \
    }
CHECKED(add)
CHECKED(sub)
CHECKED(mul)

#define ADD(x, y) add(x, y, overflow)
#define MUL(x, y) mul(x, y, overflow)
#define SUB(x, y) ((x) > (y) ? sub(x, y, overflow) : 0)
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define MIN(x, y) ((x) < (y) ? (x) : (y))

#define LOOP(types, name, a_type, b_type, body, take)                                              \
    static int64_t name##_##types(const void *x, const void *y, size_t n, int *overflow)           \
    {                                                                                              \
        const a_type *a = x;                                                                       \
        const b_type *b = y;                                                                       \
        int64_t total = 0;                                                                         \
        (void)b, (void)overflow;                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            const int64_t cell = (body);                                                           \
            take;                                                                                  \
        }                                                                                          \
        return total;                                                                              \
    }
#define LARGEST total = cell > total ? cell : total
#define SUM     *overflow |= __builtin_add_overflow(total, cell, &total)

#define LOOPS(types, t, u, r)                                                                      \
    LOOP(types, count, t, u, a[i] > 3, SUM)                                                        \
    LOOP(types, count_real, r, u, a[i] > (r)-0.5, SUM)                                             \
    LOOP(types, max_read, t, u, a[i], LARGEST)                                                     \
    LOOP(types, sum_read, t, u, a[i], SUM)                                                         \
    LOOP(types, max_add_1, t, u, ADD(a[i], 1), LARGEST)                                            \
    LOOP(types, sum_add, t, u, ADD(a[i], b[i]), SUM)                                               \
    LOOP(types, sum_sub, t, u, SUB(a[i], b[i]), SUM)                                               \
    LOOP(types, sum_min, t, u, MIN(a[i], b[i]), SUM)                                               \
    LOOP(types, max_max, t, u, MAX(a[i], b[i]), LARGEST)                                           \
    LOOP(types, max_select, t, u, a[i] > 0 ? b[i] : 7, LARGEST)                                    \
    LOOP(types, max_mul, t, u, MUL(a[i], b[i]), LARGEST)                                           \
    LOOP(types, sum_mul, t, u, MUL(a[i], b[i]), SUM)                                               \
    LOOP(types, max_mul_3, t, u, MUL(a[i], 3), LARGEST)                                            \
    LOOP(types, max_mul_mul, t, u, MUL(MUL(a[i], b[i]), b[i]), LARGEST)

LOOPS(i32, int32_t, int32_t, float)
LOOPS(i64, int64_t, int64_t, double)
LOOPS(mixed, int32_t, int64_t, float)

#define ALL(types)                                                                                 \
    {                                                                                              \
        count_##types, count_real_##types, max_read_##types, sum_read_##types, max_add_1_##types,  \
            sum_add_##types, sum_sub_##types, sum_min_##types, max_max_##types,                    \
            max_select_##types, max_mul_##types, sum_mul_##types, max_mul_3_##types,               \
            max_mul_mul_##types                                                                    \
    }

bench_loop *const bench_loops[BENCH_TYPES][BENCH_BODIES] = {ALL(i32), ALL(i64), ALL(mixed)};

/* ---- Rows ------------------------------------------------------------------------------------ */
#define ROWS(name, columns, body, take)                                                            \
    static int64_t name(const void *x, const void *y, size_t n, int *overflow)                     \
    {                                                                                              \
        const int32_t *a = x, *b = y;                                                              \
        int64_t total = 0;                                                                         \
        (void)b, (void)overflow;                                                                   \
        for (size_t i = 0; i < n / BENCH_ROW; i++)                                                 \
            for (size_t j = 0; j < (columns); j++) {                                               \
                const int64_t cell = (body);                                                       \
                take;                                                                              \
            }                                                                                      \
        return total;                                                                              \
    }
#define AT(array) array[i * BENCH_ROW + j]
ROWS(rows_max, BENCH_ROW, AT(a), LARGEST)
ROWS(rows_part, BENCH_ROW * 3 / 4, AT(a), LARGEST)
ROWS(rows_sum_add, BENCH_ROW, ADD(AT(a), AT(b)), SUM)
ROWS(rows_max_mul, BENCH_ROW, MUL(AT(a), b[i]), LARGEST)

#define RAGGED(name, take)                                                                         \
    static int64_t name(const void *x, const void *y, size_t n, int *overflow)                     \
    {                                                                                              \
        const int32_t *a = x, *b = y;                                                              \
        int64_t total = 0;                                                                         \
        for (size_t i = 0; i < n / BENCH_ROW; i++) {                                               \
            int64_t cell = 0;                                                                      \
            for (int32_t j = b[i]; j < b[i + 1]; j++)                                              \
                *overflow |= __builtin_add_overflow(cell, a[j], &cell);                            \
            take;                                                                                  \
        }                                                                                          \
        return total;                                                                              \
    }
RAGGED(ragged_sum, SUM)
RAGGED(ragged_max, LARGEST)

bench_loop *const bench_row_loops[BENCH_ROWS] = {rows_max,     rows_part,  rows_sum_add,
                                                 rows_max_mul, ragged_sum, ragged_max};
