/* The loops that bench_bodies compares with. */
#include "adstack_bodies.h"

#define ADD(x, y) (*overflow |= __builtin_add_overflow((int64_t)(x), (int64_t)(y), &v), v)
#define MUL(x, y) (*overflow |= __builtin_mul_overflow((int64_t)(x), (int64_t)(y), &v), v)
#define SUB(x, y)                                                                                  \
    ((x) > (y) ? (*overflow |= __builtin_sub_overflow((int64_t)(x), (int64_t)(y), &v), v) : 0)

#define MAX_LOOP(type, name, body)                                                                 \
    static int64_t max_##name##_##type(const void *x, const void *y, size_t n, int *overflow)      \
    {                                                                                              \
        const type *a = x, *b = y;                                                                 \
        int64_t total = 0, v;                                                                      \
        (void)b, (void)v, (void)overflow;                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            const int64_t cell = (body);                                                           \
            total = cell > total ? cell : total;                                                   \
        }                                                                                          \
        return total;                                                                              \
    }
#define SUM_LOOP(type, name, body)                                                                 \
    static int64_t sum_##name##_##type(const void *x, const void *y, size_t n, int *overflow)      \
    {                                                                                              \
        const type *a = x, *b = y;                                                                 \
        int64_t total = 0, v;                                                                      \
        for (size_t i = 0; i < n; i++) {                                                           \
            const int64_t cell = (body);                                                           \
            *overflow |= __builtin_add_overflow(total, cell, &total);                              \
        }                                                                                          \
        (void)v;                                                                                   \
        return total;                                                                              \
    }

#define LOOPS(type)                                                                                \
    MAX_LOOP(type, read, a[i])                                                                     \
    MAX_LOOP(type, add_1, ADD(a[i], 1))                                                            \
    SUM_LOOP(type, add, ADD(a[i], b[i]))                                                           \
    MAX_LOOP(type, mul, MUL(a[i], b[i]))                                                           \
    MAX_LOOP(type, mul_3, MUL(a[i], 3))                                                            \
    SUM_LOOP(type, sub, SUB(a[i], b[i]))                                                           \
    SUM_LOOP(type, min, a[i] < b[i] ? a[i] : b[i])                                                 \
    MAX_LOOP(type, select, a[i] > 0 ? b[i] : 7)

LOOPS(int32_t)
LOOPS(int64_t)

#define ALL(type)                                                                                  \
    {                                                                                              \
        max_read_##type, max_add_1_##type, sum_add_##type, max_mul_##type, max_mul_3_##type,       \
            sum_sub_##type, sum_min_##type, max_select_##type                                      \
    }

bench_loop *const bench_loops[2][BENCH_BODIES] = {ALL(int32_t), ALL(int64_t)};
