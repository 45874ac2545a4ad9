/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over many points, by buckets (cpu/buckets.h): of the Lagrange points, which are fixed, over
 * one set of buckets for all windows, from copies that are shifted by them; and of any others. */
#include "points.h"

#include <stdlib.h>
#include <string.h>

#include <cpu/buckets.h>
#include <curves/fold.h>
#include <platform/memory.h>

enum {
    BLOCK_POINTS = 8192,
    DIGIT_POINTS = 1 << 16, /* points of a blob whose digits are in memory together */
};

/* ---- Shifted copies -------------------------------------------------------------------------- */
struct shifting {
    struct pail_kzg *kzg;
    const unsigned char *lagrange;
    size_t part;
};

/* Copies of some points: [point][window]. */
static void shift_part(void *user, size_t item, struct pail_kzg_worker *worker)
{
    const struct shifting *const shifting = user;
    struct pail_kzg *const kzg = shifting->kzg;
    const size_t bytes = pail_kzg_point_bytes(kzg), first = item * shifting->part;
    const size_t left = kzg->n - first, n = left < shifting->part ? left : shifting->part;
    const uint32_t windows = kzg->commit_windows;
    void *block;
    unsigned char *const points = pail_kzg_points_alloc(kzg, &block, n);
    for (size_t i = 0; points && i < n; i++)
        kzg->adder->import(points + i * bytes,
                           shifting->lagrange + (first + i) * kzg->g1->affine_bytes, 1);
    for (uint32_t w = 0; points && w < windows; w++) {
        for (size_t i = 0; i < n; i++)
            memcpy(kzg->shifted + ((first + i) * windows + w) * bytes, points + i * bytes, bytes);
        for (uint32_t i = 0; i < kzg->commit_bits && w + 1 < windows; i++)
            pail_kzg_double(kzg, worker, points, NULL, n);
    }
    free(block);
}

pail_status pail_kzg_shifted_make(struct pail_kzg_work *work, const unsigned char *lagrange)
{
    struct pail_kzg *const kzg = work->kzg;
    struct shifting shifting = {kzg, lagrange, kzg->adder->batch};
    const size_t parts = (kzg->n + shifting.part - 1) / shifting.part;
    /* A part that had no memory leaves zeros, which no copy of a point is but that of infinity. */
    memset(kzg->shifted, 0, kzg->n * kzg->commit_windows * pail_kzg_point_bytes(kzg));
    pail_kzg_each(work, parts, shift_part, &shifting);
    for (size_t i = 0; i < kzg->n; i++) {
        const unsigned char *const point =
            kzg->shifted + i * kzg->commit_windows * pail_kzg_point_bytes(kzg);
        if (pail_cpu_is_infinity(point, pail_kzg_point_bytes(kzg)) &&
            !kzg->g1->affine_is_infinity(lagrange + i * kzg->g1->affine_bytes))
            return PAIL_ERR_HOST_MEMORY;
    }
    return PAIL_OK;
}

/* ---- Sums of the Lagrange points ------------------------------------------------------------- */
struct commit {
    struct pail_kzg *kzg;
    const pail_u256 *scalars;
    size_t parts, part; /* of a blob; points of one */
    pail_point *sums;   /* [n][parts] */
    atomic_bool failed;
};

/* Digits of a scalar as integers that have them as their lowest one: from -2^(c - 1) on, below
 * 2^(c - 1). */
static void recode(pail_u256 *digits, const pail_u256 *scalar, uint32_t windows, uint32_t c)
{
    uint64_t carry = 0;
    for (uint32_t w = 0; w < windows; w++) {
        const uint32_t bit = w * c, limb = bit / 64, shift = bit % 64;
        uint64_t bits = limb < 4 ? scalar->l[limb] >> shift : 0;
        if (shift > 0 && limb + 1 < 4)
            bits |= scalar->l[limb + 1] << (64 - shift);
        bits = (bits & ((UINT64_C(1) << c) - 1)) + carry;
        carry = bits >> (c - 1) != 0;
        digits[w] = (pail_u256){{bits & ((UINT64_C(1) << c) - 1)}};
    }
}

static void commit_part(void *user, size_t item, struct pail_kzg_worker *worker)
{
    struct commit *const commit = user;
    struct pail_kzg *const kzg = commit->kzg;
    const size_t blob = item / commit->parts, first = item % commit->parts * commit->part;
    const size_t left = kzg->n - first, n = left < commit->part ? left : commit->part;
    const size_t most = n < DIGIT_POINTS ? n : DIGIT_POINTS;
    const uint32_t windows = kzg->commit_windows, c = kzg->commit_bits;
    pail_point *const sum = &commit->sums[item];
    pail_u256 *const digits = malloc(most * windows * sizeof(*digits));
    void *const scratch = malloc(pail_cpu_buckets_bytes(kzg->adder, BLOCK_POINTS, 1, c));
    size_t written = 0;
    *sum = (pail_point){{0}};
    if (!digits || !scratch)
        atomic_store(&commit->failed, true);
    for (size_t at = 0; digits && scratch && at < n; at += most) {
        const size_t count = n - at < most ? n - at : most;
        const pail_u256 *const scalars = &commit->scalars[blob * kzg->n + first + at];
        for (size_t i = 0; i < count; i++)
            recode(digits + i * windows, &scalars[i], windows, c);
        const struct pail_cpu_task task = {
            .adder = kzg->adder,
            .ops = kzg->g1,
            .bases = kzg->shifted + (first + at) * windows * pail_kzg_point_bytes(kzg),
            .scalars = digits,
            .n = count * windows,
            .block_points = BLOCK_POINTS,
            .n_windows = 1,
            .c = c,
            .infinities = true,
        };
        pail_point some;
        const size_t bytes = pail_cpu_buckets_run(&some, &worker->adds, &task, scratch);
        written = bytes > written ? bytes : written;
        kzg->g1->add(sum, sum, &some);
    }
    if (scratch)
        pail_wipe(scratch, written); /* far less than all of it */
    free(scratch);
    pail_wipe_and_free(digits);
}

pail_status pail_kzg_commit_run(struct pail_kzg_work *work, pail_affine *sums,
                                const pail_u256 *scalars, size_t n)
{
    struct pail_kzg *const kzg = work->kzg;
    /* A blob is cut where there are not enough of them for all threads. */
    const size_t parts = n >= work->n_workers ? 1 : (work->n_workers + n - 1) / n;
    struct commit commit = {.kzg = kzg, .scalars = scalars, .part = (kzg->n + parts - 1) / parts};
    commit.parts = (kzg->n + commit.part - 1) / commit.part;
    commit.sums = malloc(n * commit.parts * sizeof(*commit.sums));
    if (!commit.sums)
        return PAIL_ERR_HOST_MEMORY;
    pail_kzg_each(work, n * commit.parts, commit_part, &commit);
    for (size_t i = 0; i < n && !commit.failed && !pail_kzg_cancelled(work); i++) {
        pail_point *const blob = &commit.sums[i * commit.parts];
        for (size_t k = 1; k < commit.parts; k++)
            kzg->g1->add(&blob[0], &blob[0], &blob[k]);
        kzg->g1->to_affine(&sums[i], &blob[0]);
    }
    free(commit.sums);
    return commit.failed ? PAIL_ERR_HOST_MEMORY : PAIL_OK;
}

uint64_t pail_kzg_commit_bytes(const struct pail_kzg *kzg, uint64_t n)
{
    const uint64_t most = kzg->n < DIGIT_POINTS ? kzg->n : DIGIT_POINTS;
    return (n + kzg->threads) * sizeof(pail_point) +
           kzg->threads * (most * kzg->commit_windows * sizeof(pail_u256) +
                           pail_cpu_buckets_bytes(kzg->adder, BLOCK_POINTS, 1, kzg->commit_bits));
}

/* ---- Sums of any points ---------------------------------------------------------------------- */
struct combine {
    struct pail_kzg *kzg;
    const unsigned char *points; /* in the adder's form */
    const pail_u256 *scalars;
    size_t n;
    uint32_t c, windows, part; /* windows of an item */
    pail_point *sums;          /* [items] */
    atomic_bool failed;
};

static void combine_windows(void *user, size_t item, struct pail_kzg_worker *worker)
{
    struct combine *const combine = user;
    struct pail_kzg *const kzg = combine->kzg;
    const uint32_t first = (uint32_t)item * combine->part, left = combine->windows - first;
    const struct pail_cpu_task task = {
        .adder = kzg->adder,
        .ops = kzg->g1,
        .bases = combine->points,
        .scalars = combine->scalars,
        .n = combine->n,
        .block_points = combine->n < BLOCK_POINTS ? combine->n : BLOCK_POINTS,
        .first_window = first,
        .n_windows = left < combine->part ? left : combine->part,
        .c = combine->c,
        .infinities = true,
    };
    void *const scratch =
        malloc(pail_cpu_buckets_bytes(kzg->adder, task.block_points, task.n_windows, task.c));
    if (scratch)
        (void)pail_cpu_buckets_run(&combine->sums[item], &worker->adds, &task, scratch);
    else
        atomic_store(&combine->failed, true);
    free(scratch);
}

/* The window with the fewest additions: of points to buckets, and two for each bucket. */
static uint32_t best_window(size_t n, uint32_t bits)
{
    uint32_t best = 2;
    size_t least = SIZE_MAX;
    for (uint32_t c = 2; c <= 13; c++) {
        const size_t adds = (bits / c + 1) * (n + ((size_t)1 << c) + 8);
        if (adds < least) {
            least = adds;
            best = c;
        }
    }
    return best;
}

uint64_t pail_kzg_combine_bytes(const struct pail_kzg *kzg, size_t n)
{
    const uint32_t c = best_window(n, kzg->g1->order_bits), windows = kzg->g1->order_bits / c + 1;
    const uint32_t part = (windows + kzg->threads - 1) / kzg->threads;
    return n * pail_kzg_point_bytes(kzg) + PAIL_CPU_ALIGNMENT + windows * sizeof(pail_point) +
           (uint64_t)kzg->threads *
               pail_cpu_buckets_bytes(kzg->adder, n < BLOCK_POINTS ? n : BLOCK_POINTS, part, c);
}

pail_status pail_kzg_combine(struct pail_kzg_work *work, pail_point *sum,
                             const unsigned char *points, const pail_u256 *scalars, size_t n)
{
    struct pail_kzg *const kzg = work->kzg;
    *sum = (pail_point){{0}};
    if (n == 0)
        return PAIL_OK;
    struct combine combine = {.kzg = kzg, .scalars = scalars, .n = n};
    combine.c = best_window(n, kzg->g1->order_bits);
    combine.windows = kzg->g1->order_bits / combine.c + 1;
    combine.part = (combine.windows + work->n_workers - 1) / work->n_workers;
    void *block;
    unsigned char *const imported = pail_kzg_points_alloc(kzg, &block, n);
    const size_t items = (combine.windows + combine.part - 1) / combine.part;
    combine.sums = malloc(items * sizeof(*combine.sums));
    if (!imported || !combine.sums) {
        free(block);
        free(combine.sums);
        return PAIL_ERR_HOST_MEMORY;
    }
    kzg->adder->import(imported, points, n);
    combine.points = imported;
    pail_kzg_each(work, items, combine_windows, &combine);
    const pail_status status = combine.failed             ? PAIL_ERR_HOST_MEMORY
                               : pail_kzg_cancelled(work) ? PAIL_ERR_STOPPED
                                                          : PAIL_OK;
    if (status == PAIL_OK)
        pail_fold_points(kzg->g1, sum, combine.sums, 1, items, combine.c * combine.part);
    free(block);
    free(combine.sums);
    return status;
}

/* ---- Pairings -------------------------------------------------------------------------------- */
/* p0 and - p1, packed. */
static void take_sides(const struct pail_kzg *kzg, pail_affine p[2], const pail_point *p0,
                       const pail_point *p1)
{
    pail_point minus;
    kzg->g1->neg(&minus, p1);
    kzg->g1->to_affine(p, p0);
    kzg->g1->to_affine((unsigned char *)p + kzg->g1->affine_bytes, &minus);
}

bool pail_kzg_pairings_equal(const struct pail_kzg *kzg, const pail_point *p0, const void *q0,
                             const pail_point *p1, const void *q1)
{
    const size_t g2 = kzg->g2->affine_bytes;
    pail_affine p[2], q[2]; /* packed */
    take_sides(kzg, p, p0, p1);
    memcpy(q, q0, g2);
    memcpy((unsigned char *)q + g2, q1, g2);
    return kzg->pairing->are_one(p, q, 2);
}

bool pail_kzg_fixed_pairings_equal(const struct pail_kzg *kzg, const pail_point *p0,
                                   enum pail_kzg_fixed_g2 q0, const pail_point *p1,
                                   enum pail_kzg_fixed_g2 q1)
{
    const size_t bytes = kzg->pairing->lines_bytes;
    const void *const lines[] = {kzg->lines + q0 * bytes, kzg->lines + q1 * bytes};
    pail_affine p[2];
    take_sides(kzg, p, p0, p1);
    return kzg->pairing->prepared_are_one(p, lines, 2);
}
