/* What the host takes for simple bodies, against the same loop written in C. */
#ifndef PAIL_BENCH_ADSTACK_BODIES_H
#define PAIL_BENCH_ADSTACK_BODIES_H

#include <pail/backend.h>

/* Prints a row for each body and type: nanoseconds of a cell, median of rounds in turns with the
 * loop. Every result is compared with the loop's; what differs ends the program. */
void bench_bodies(const pail_backend *api, pail_context *context, unsigned log2_cells);

/* The loops, with checked arithmetic of 64 bits; compiled with all that the compiler knows for any
 * x86-64 (adstack_loops.c). Elements are of i32, or of i64. */
enum bench_body {
    BENCH_MAX_READ,  /* max of a[i] */
    BENCH_MAX_ADD_1, /* max of a[i] + 1 */
    BENCH_SUM_ADD,   /* sum of a[i] + b[i] */
    BENCH_MAX_MUL,
    BENCH_MAX_MUL_3,  /* max of a[i] * b[i] */
    BENCH_SUM_SUB,    /* sum of max(a[i] - b[i], 0) */
    BENCH_SUM_MIN,    /* sum of min(a[i], b[i]) */
    BENCH_MAX_SELECT, /* max of a[i] > 0 ? b[i] : 7 */
    BENCH_BODIES
};
typedef int64_t bench_loop(const void *a, const void *b, size_t n, int *overflow);
extern bench_loop *const bench_loops[2][BENCH_BODIES];

#endif /* PAIL_BENCH_ADSTACK_BODIES_H */
