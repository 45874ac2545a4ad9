/* SPDX-License-Identifier: Apache-2.0 */
/* Simple bodies, and each as a loop written in C. */
#ifndef PAIL_BENCH_ADSTACK_LOOPS_H
#define PAIL_BENCH_ADSTACK_LOOPS_H

#include <stddef.h>
#include <stdint.h>

enum bench_body {
    BENCH_COUNT,       /* the number of a[i] > 3 */
    BENCH_COUNT_REAL,  /* the number of a[i] > -0.5, of floats or doubles with the bits of a */
    BENCH_MAX_READ,    /* max of a[i] */
    BENCH_SUM_READ,    /* sum of a[i] */
    BENCH_MAX_ADD_1,   /* max of a[i] + 1 */
    BENCH_SUM_ADD,     /* sum of a[i] + b[i] */
    BENCH_SUM_SUB,     /* sum of max(a[i] - b[i], 0) */
    BENCH_SUM_MIN,     /* sum of min(a[i], b[i]) */
    BENCH_MAX_MAX,     /* max of max(a[i], b[i]) */
    BENCH_MAX_SELECT,  /* max of a[i] > 0 ? b[i] : 7 */
    BENCH_MAX_MUL,     /* max of a[i] * b[i] */
    BENCH_SUM_MUL,     /* sum of a[i] * b[i] */
    BENCH_MAX_MUL_3,   /* max of a[i] * 3 */
    BENCH_MAX_MUL_MUL, /* max of a[i] * b[i] * b[i] */
    BENCH_BODIES
};
enum { BENCH_PRODUCTS = BENCH_MAX_MUL };

/* Bodies of rows, of BENCH_ROW cells. The last two have rows of as many on average: row i is
 * a[b[i]] to a[b[i + 1] - 1]. */
enum bench_rows {
    BENCH_ROWS_MAX,     /* max of a[i][j] */
    BENCH_ROWS_PART,    /* max of a[i][j], j being less than 3/4 of a row */
    BENCH_ROWS_SUM_ADD, /* sum of a[i][j] + b[i][j] */
    BENCH_ROWS_MAX_MUL, /* max of a[i][j] * b[i] */
    BENCH_RAGGED_SUM,   /* sum of the rows' sums */
    BENCH_RAGGED_MAX,   /* max of the rows' sums */
    BENCH_ROWS
};
enum { BENCH_ROW = 8 };

/* Types of a and b. */
enum bench_types { BENCH_I32, BENCH_I64, BENCH_MIXED /* i32 and i64 */, BENCH_TYPES };

/* With arithmetic of 64 bits in which every overflow is found, as sizes have it: *overflow is not 0
 * if there was one. */
typedef int64_t bench_loop(const void *a, const void *b, size_t n, int *overflow);

/* Compiled for the processors that the columns of the same program are compiled for, and with the
 * same -O3. */
extern bench_loop *const bench_loops[BENCH_TYPES][BENCH_BODIES];
extern bench_loop *const bench_row_loops[BENCH_ROWS]; /* BENCH_I32; n is that of all cells */

#endif /* PAIL_BENCH_ADSTACK_LOOPS_H */
