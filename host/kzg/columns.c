/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of FK20: for each of n_cells columns the sum of cell_elements fixed points times
 * scalars, by a table of the points' multiples. Digits of all windows of a column are added up in
 * pairs, as trees, and the windows' sums of all columns are put together with common doublings. */
#include "points.h"

#include <stdlib.h>
#include <string.h>

#include <cpu/digit.h>
#include <platform/memory.h>

enum { LISTS = 64 }; /* sums that are made together: enough for full batches */

/* ---- The table ------------------------------------------------------------------------------- */
struct making {
    struct pail_kzg *kzg;
    const unsigned char *fixed;
    atomic_bool failed;
};

/* The index of the first multiple of a point. */
static size_t entry(const struct pail_kzg *kzg, size_t column, size_t k)
{
    return (column * kzg->cell_elements + k) << (kzg->table_bits - 1);
}

/* Multiples of a column's points: 1, then twice as many each time. */
static void make_column(void *user, size_t column, struct pail_kzg_worker *worker)
{
    struct making *const making = user;
    struct pail_kzg *const kzg = making->kzg;
    const size_t bytes = pail_kzg_point_bytes(kzg), rows = kzg->cell_elements;
    const size_t multiples = (size_t)1 << (kzg->table_bits - 1);
    void *block;
    unsigned char *const doubles = pail_kzg_points_alloc(kzg, &block, rows);
    if (!doubles) {
        atomic_store(&making->failed, true);
        return;
    }
    struct pail_kzg_sums sums = {kzg, worker, kzg->columns, kzg->columns, kzg->columns};
    for (size_t k = 0; k < rows; k++)
        memcpy(kzg->columns + entry(kzg, column, k) * bytes,
               making->fixed + (k * kzg->n_cells + column) * bytes, bytes);
    /* From 1 to m there are all: m + 1 to 2 m are m P more. */
    for (size_t m = 1; m < multiples; m *= 2) {
        for (size_t k = 0; k < rows; k++)
            memcpy(doubles + k * bytes, kzg->columns + (entry(kzg, column, k) + m - 1) * bytes,
                   bytes);
        pail_kzg_double(kzg, worker, doubles, NULL, rows);
        for (size_t k = 0; k < rows; k++)
            memcpy(kzg->columns + (entry(kzg, column, k) + 2 * m - 1) * bytes, doubles + k * bytes,
                   bytes);
        for (size_t k = 0; k < rows; k++) {
            const size_t first = entry(kzg, column, k); /* of 1 P */
            for (size_t d = 1; d < m; d++)
                pail_kzg_push(&sums, first + m + d - 1, 2 * (first + m - 1), 2 * (first + d - 1));
        }
        pail_kzg_flush(&sums);
    }
    free(block);
}

pail_status pail_kzg_columns_make(struct pail_kzg_work *work, const unsigned char *fixed)
{
    struct making making = {work->kzg, fixed, false};
    pail_kzg_each(work, work->kzg->n_cells, make_column, &making);
    return making.failed ? PAIL_ERR_HOST_MEMORY : PAIL_OK;
}

pail_status pail_kzg_columns_points(struct pail_kzg_work *work, unsigned char *fixed,
                                    const unsigned char *powers)
{
    struct pail_kzg *const kzg = work->kzg;
    const size_t rows = kzg->cell_elements, cells = kzg->n_cells, half = cells / 2;
    const size_t bytes = pail_kzg_point_bytes(kzg), affine = kzg->g1->affine_bytes;
    for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < half; c++)
            kzg->adder->import(fixed + (k * cells + c) * bytes, powers + (k + rows * c) * affine,
                               1);
    const pail_status status = pail_kzg_points_forward(work, fixed, rows);
    /* The sum over c of root^(-c e) S_c, and this is that of root^(c e): value e is at -e. */
    unsigned char *const row = status == PAIL_OK ? malloc(cells * bytes) : NULL;
    if (!row)
        return status == PAIL_OK ? PAIL_ERR_HOST_MEMORY : status;
    for (size_t k = 0; k < rows; k++) {
        memcpy(row, fixed + k * cells * bytes, cells * bytes);
        for (size_t place = 0; place < cells; place++) {
            const size_t e = pail_reverse_bits(place, kzg->log_cells);
            const size_t from = pail_reverse_bits((cells - e) % cells, kzg->log_cells);
            memcpy(fixed + (k * cells + place) * bytes, row + from * bytes, bytes);
        }
    }
    free(row);
    return PAIL_OK;
}

/* ---- Sums ------------------------------------------------------------------------------------ */
struct run {
    struct pail_kzg *kzg;
    const pail_u256 *scalars;
    unsigned char *windows; /* [table_windows][n blobs][n_cells] */
    unsigned char *sums;    /* [n blobs][n_cells] */
    size_t n, columns, part;
    atomic_bool failed;
};

/* Sums that are made together: each has a list of operands, then of partial sums. */
struct lists {
    uint32_t *operands;     /* [LISTS][stride] */
    size_t counts[LISTS];   /* of operands, then of partial sums */
    unsigned char *partial; /* [LISTS][stride / 2], rounded up */
    size_t stride, half;
};

/* Operands of list i: multiples of the points of a column by the digits of a window. */
static void gather(struct lists *lists, size_t i, const struct run *run, size_t blob, size_t column,
                   uint32_t window)
{
    const struct pail_kzg *const kzg = run->kzg;
    const pail_u256 *const scalars = run->scalars + blob * 2 * kzg->n + column;
    uint32_t *const operands = lists->operands + i * lists->stride;
    size_t count = 0;
    for (size_t k = 0; k < kzg->cell_elements; k++) {
        const int32_t digit = pail_cpu_digit(&scalars[k * kzg->n_cells], window, kzg->table_bits);
        const uint32_t size = (uint32_t)(digit < 0 ? -digit : digit);
        operands[count] = (uint32_t)(2 * (entry(kzg, column, k) + size - 1)) + (digit < 0);
        count += digit != 0;
    }
    lists->counts[i] = count;
}

/* Adds up the lists: pairs from the table, then halves. Sum i is at partial[i][0]. */
static void add_lists(struct lists *lists, size_t n, struct pail_kzg *kzg,
                      struct pail_kzg_worker *worker)
{
    const size_t bytes = pail_kzg_point_bytes(kzg);
    struct pail_kzg_sums sums = {kzg, worker, lists->partial, kzg->columns, kzg->columns};
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t *const operands = lists->operands + i * lists->stride;
        const size_t count = lists->counts[i], to = i * lists->half;
        for (size_t k = 0; k + 1 < count; k += 2)
            pail_kzg_push(&sums, to + k / 2, operands[k], operands[k + 1]);
        if (count % 2 == 1) {
            unsigned char *const last = lists->partial + (to + count / 2) * bytes;
            memcpy(last, kzg->columns + operands[count - 1] / 2 * bytes, bytes);
            if (operands[count - 1] % 2 == 1)
                kzg->adder->negate(last);
        }
        if (count == 0)
            memset(lists->partial + to * bytes, 0, bytes);
        lists->counts[i] = (count + 1) / 2;
        most = lists->counts[i] > most ? lists->counts[i] : most;
    }
    pail_kzg_flush(&sums);
    sums.p = sums.q = lists->partial;
    for (; most > 1; most = (most + 1) / 2) {
        for (size_t i = 0; i < n; i++) {
            const size_t half = lists->counts[i] / 2, left = lists->counts[i] - half;
            const size_t first = i * lists->half;
            for (size_t k = 0; k < half; k++)
                pail_kzg_push(&sums, first + k, 2 * (first + k), 2 * (first + left + k));
            lists->counts[i] = lists->counts[i] > 1 ? left : lists->counts[i];
        }
        pail_kzg_flush(&sums);
    }
}

/* The windows' sums of some columns, of all blobs. */
static void add_columns(void *user, size_t item, struct pail_kzg_worker *worker)
{
    struct run *const run = user;
    struct pail_kzg *const kzg = run->kzg;
    const size_t bytes = pail_kzg_point_bytes(kzg), first = item * run->columns;
    const size_t left = kzg->n_cells - first, columns = left < run->columns ? left : run->columns;
    const size_t total = columns * run->n * kzg->table_windows;
    struct lists lists = {.stride = kzg->cell_elements, .half = (kzg->cell_elements + 1) / 2};
    size_t to[LISTS];
    void *block;
    lists.partial = pail_kzg_points_alloc(kzg, &block, LISTS * lists.half);
    lists.operands = malloc(LISTS * lists.stride * sizeof(*lists.operands));
    if (!lists.partial || !lists.operands) {
        atomic_store(&run->failed, true);
    } else {
        for (size_t begin = 0; begin < total; begin += LISTS) {
            const size_t n = total - begin < LISTS ? total - begin : LISTS;
            for (size_t i = 0; i < n; i++) {
                const size_t list = begin + i, window = list % kzg->table_windows;
                const size_t blob = list / kzg->table_windows % run->n;
                const size_t column = first + list / kzg->table_windows / run->n;
                gather(&lists, i, run, blob, column, (uint32_t)window);
                to[i] = (window * run->n + blob) * kzg->n_cells + column;
            }
            add_lists(&lists, n, kzg, worker);
            for (size_t i = 0; i < n; i++)
                memcpy(run->windows + to[i] * bytes, lists.partial + i * lists.half * bytes, bytes);
        }
    }
    pail_wipe_and_free(lists.operands); /* digits of blobs */
    free(block);
}

/* Puts the windows of some sums together, from the top one down. */
static void join_windows(void *user, size_t item, struct pail_kzg_worker *worker)
{
    struct run *const run = user;
    struct pail_kzg *const kzg = run->kzg;
    const size_t bytes = pail_kzg_point_bytes(kzg), all = run->n * kzg->n_cells;
    const size_t first = item * run->part, left = all - first;
    const size_t n = left < run->part ? left : run->part;
    unsigned char *const sums = run->sums + first * bytes;
    memcpy(sums, run->windows + ((kzg->table_windows - 1) * all + first) * bytes, n * bytes);
    for (uint32_t w = kzg->table_windows - 1; w-- > 0;) {
        struct pail_kzg_sums pairs = {kzg, worker, sums, sums,
                                      run->windows + (w * all + first) * bytes};
        for (uint32_t i = 0; i < kzg->table_bits; i++)
            pail_kzg_double(kzg, worker, sums, NULL, n);
        for (size_t i = 0; i < n; i++)
            pail_kzg_push(&pairs, i, 2 * i, 2 * i);
        pail_kzg_flush(&pairs);
    }
}

pail_status pail_kzg_columns_run(struct pail_kzg_work *work, unsigned char *sums,
                                 const pail_u256 *scalars, size_t n)
{
    struct pail_kzg *const kzg = work->kzg;
    const size_t all = n * kzg->n_cells;
    struct run run = {.kzg = kzg, .scalars = scalars, .sums = sums, .n = n};
    void *block;
    run.windows = pail_kzg_points_alloc(kzg, &block, all * kzg->table_windows);
    if (!run.windows)
        return PAIL_ERR_HOST_MEMORY;
    /* As many columns at a time as fill the lists. */
    run.columns = (LISTS + n * kzg->table_windows - 1) / (n * kzg->table_windows);
    pail_kzg_each(work, (kzg->n_cells + run.columns - 1) / run.columns, add_columns, &run);
    const size_t batch = kzg->adder->batch;
    size_t parts = (all + batch - 1) / batch;
    parts = parts < work->n_workers ? work->n_workers : parts;
    run.part = (all + parts - 1) / parts;
    if (!run.failed)
        pail_kzg_each(work, (all + run.part - 1) / run.part, join_windows, &run);
    free(block);
    return run.failed ? PAIL_ERR_HOST_MEMORY : PAIL_OK;
}

uint64_t pail_kzg_columns_bytes(const struct pail_kzg *kzg, uint64_t n)
{
    const uint64_t bytes = pail_kzg_point_bytes(kzg), half = (kzg->cell_elements + 1) / 2;
    const uint64_t lists = LISTS * (half * bytes + kzg->cell_elements * sizeof(uint32_t));
    return n * kzg->n_cells * kzg->table_windows * bytes + PAIL_CPU_ALIGNMENT +
           kzg->threads * (lists + PAIL_CPU_ALIGNMENT);
}
