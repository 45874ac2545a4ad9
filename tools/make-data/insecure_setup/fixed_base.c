/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "fixed_base.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cpu/adders.h>
#include <platform/thread.h>

enum { THREADS_MAX = 64, WINDOW_MIN = 4, WINDOW_MAX = 13 };

struct table {
    const struct pail_curve_ops *ops;
    const struct pail_cpu_adder *adder;
    uint32_t c, windows;
    size_t half;           /* entries of a window: 1 to 2^(c - 1) times its point */
    unsigned char *points; /* [windows * half], in the adder's form */
};

struct work {
    const struct table *table;
    uint8_t *to;
    const pail_u256 *scalars;
    size_t n;
    atomic_size_t next; /* scalar that nobody has taken */
    atomic_bool failed;
};

static void *aligned(size_t bytes)
{
    const size_t whole = (bytes + PAIL_CPU_ALIGNMENT - 1) / PAIL_CPU_ALIGNMENT * PAIL_CPU_ALIGNMENT;
    return aligned_alloc(PAIL_CPU_ALIGNMENT, whole + PAIL_CPU_ALIGNMENT);
}

static const struct pail_cpu_adder *best_adder(const struct pail_curve_ops *ops)
{
    const struct pail_cpu_adder *best = NULL;
    for (int i = PAIL_CPU_PORTABLE; i < PAIL_CPU_ARITHMETIC_COUNT; i++) {
        const enum pail_cpu_arithmetic arithmetic = (enum pail_cpu_arithmetic)i;
        const struct pail_cpu_adder *const adder =
            pail_cpu_adder_find(arithmetic, ops->curve, ops->group);
        if (adder != NULL && pail_cpu_arithmetic_runs(arithmetic))
            best = adder;
    }
    return best;
}

/* Entries s + 1 to 2 s are entry s plus entries 1 to s. */
static bool fill_window(const struct table *table, unsigned char *window, const pail_affine *point)
{
    const struct pail_cpu_adder *const adder = table->adder;
    struct pail_cpu_pair *const pairs = malloc(adder->batch * sizeof(*pairs));
    void *const scratch = aligned(adder->scratch_bytes);
    const bool enough = pairs != NULL && scratch != NULL;
    adder->import(window, point->limbs, 1);
    for (size_t size = 1; enough && size < table->half; size *= 2) {
        for (size_t i = 0; i < size;) {
            size_t n = 0;
            for (; n < adder->batch && i < size; n++, i++)
                pairs[n] = (struct pail_cpu_pair){.p = 2 * (uint32_t)i,
                                                  .q = 2 * (uint32_t)(size - 1),
                                                  .to = (uint32_t)(size + i)};
            adder->add(window, window, window, pairs, n, scratch);
        }
    }
    free(pairs);
    free(scratch);
    return enough;
}

static bool table_make(struct table *table, const struct pail_curve_ops *ops, size_t n)
{
    *table = (struct table){.ops = ops, .adder = best_adder(ops), .c = WINDOW_MIN};
    while (table->c < WINDOW_MAX && n >> (table->c + 2) != 0)
        table->c++;
    table->half = (size_t)1 << (table->c - 1);
    table->windows = (ops->order_bits + table->c) / table->c; /* a carry may need one bit more */
    table->points = aligned(table->windows * table->half * table->adder->point_bytes);
    bool enough = table->points != NULL;
    pail_affine affine;
    pail_point point;
    ops->generator(&affine);
    ops->from_affine(&point, &affine);
    for (uint32_t w = 0; enough && w < table->windows; w++) {
        ops->to_affine(&affine, &point);
        enough = fill_window(table, table->points + w * table->half * table->adder->point_bytes,
                             &affine);
        ops->dbl_times(&point, &point, table->c);
    }
    return enough;
}

/* Digit w of a scalar, -2^(c - 1) < digit <= 2^(c - 1); *carry goes from each to the next. */
static int32_t digit(const pail_u256 *scalar, const struct table *table, uint32_t w,
                     uint32_t *carry)
{
    const uint32_t bit = w * table->c;
    uint64_t bits = bit < 256 ? scalar->l[bit / 64] >> (bit % 64) : 0;
    if (bit % 64 != 0 && bit / 64 < 3)
        bits |= scalar->l[bit / 64 + 1] << (64 - bit % 64);
    const uint32_t value = (uint32_t)(bits & ((UINT64_C(1) << table->c) - 1)) + *carry;
    *carry = value > table->half;
    return (int32_t)value - (int32_t)(*carry << table->c);
}

struct batch {
    struct pail_cpu_pair *pairs;
    uint32_t *carries;
    unsigned char *sums;
    void *scratch;
};

static void multiply_batch(const struct work *work, const struct batch *batch, size_t first,
                           size_t n)
{
    const struct table *const table = work->table;
    const struct pail_cpu_adder *const adder = table->adder;
    const size_t point_bytes = 2 * table->ops->coordinate_bytes;
    memset(batch->sums, 0, n * adder->point_bytes);
    memset(batch->carries, 0, n * sizeof(*batch->carries));
    for (uint32_t w = 0; w < table->windows; w++) {
        size_t n_pairs = 0;
        for (size_t i = 0; i < n; i++) {
            const int32_t d = digit(&work->scalars[first + i], table, w, &batch->carries[i]);
            if (d == 0)
                continue;
            const size_t entry = w * table->half + (size_t)(d < 0 ? -d : d) - 1;
            batch->pairs[n_pairs++] = (struct pail_cpu_pair){
                .p = 2 * (uint32_t)i, .q = 2 * (uint32_t)entry + (d < 0), .to = (uint32_t)i};
        }
        if (n_pairs != 0)
            adder->add(batch->sums, batch->sums, table->points, batch->pairs, n_pairs,
                       batch->scratch);
    }
    for (size_t i = 0; i < n; i++) {
        pail_affine affine;
        adder->export(&affine, batch->sums + i * adder->point_bytes);
        table->ops->encode(work->to + (first + i) * point_bytes, &affine, true);
    }
}

static void *multiply_some(void *argument)
{
    struct work *const work = argument;
    const struct pail_cpu_adder *const adder = work->table->adder;
    struct batch batch = {
        .pairs = malloc(adder->batch * sizeof(*batch.pairs)),
        .carries = malloc(adder->batch * sizeof(*batch.carries)),
        .sums = aligned(adder->batch * adder->point_bytes),
        .scratch = aligned(adder->scratch_bytes),
    };
    if (batch.pairs == NULL || batch.carries == NULL || batch.sums == NULL || batch.scratch == NULL)
        atomic_store(&work->failed, true);
    while (!atomic_load(&work->failed)) {
        const size_t first = atomic_fetch_add(&work->next, adder->batch);
        if (first >= work->n)
            break;
        const size_t left = work->n - first;
        multiply_batch(work, &batch, first, left < adder->batch ? left : adder->batch);
    }
    free(batch.pairs);
    free(batch.carries);
    free(batch.sums);
    free(batch.scratch);
    return NULL;
}

bool fixed_base_multiply(uint8_t *points, const struct pail_curve_ops *ops,
                         const pail_u256 *scalars, size_t n)
{
    struct table table;
    const bool made = table_make(&table, ops, n);
    struct work work = {.table = &table, .to = points, .scalars = scalars, .n = n};
    atomic_init(&work.next, 0);
    atomic_init(&work.failed, !made);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[THREADS_MAX];
    int started = 0;
    while (made && started + 1 < processors && started < THREADS_MAX &&
           pail_thread_start(&threads[started], "pail-setup", PAIL_STACK_FOREIGN, multiply_some,
                             &work) == 0)
        started++;
    (void)multiply_some(&work);
    for (int i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    free(table.points);
    return !atomic_load(&work.failed);
}
