/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplications of points by constants, and transforms of points.
 *
 * A constant k is k0 + k1 lambda, so that k P = k0 P + k1 phi(P), phi(x, y) = (beta x, y), takes
 * 128 doublings (Gallant, Lambert, Vanstone, CRYPTO 2001). All multiplications of a part go through
 * the same windows together, in affine coordinates, with an inversion for each step of all. */
#include "points.h"

#include <stdlib.h>
#include <string.h>

#include <cpu/digit.h>
#include <cpu/modular.h>

enum { BITS = 4, MULTIPLES = 8, WINDOWS = PAIL_KZG_CONSTANT_WINDOWS };

/* ---- Constants ------------------------------------------------------------------------------- */
void pail_kzg_constant(const struct pail_kzg *kzg, struct pail_kzg_constant *constant,
                       const pail_u256 *k)
{
    pail_u256 halves[2];
    kzg->g1->scalar_split(halves, k);
    for (size_t h = 0; h < 2; h++) {
        const bool negative = halves[h].l[3] >> 63 != 0;
        uint64_t carry = 1;
        for (size_t i = 0; negative && i < 4; i++) {
            halves[h].l[i] = ~halves[h].l[i] + carry;
            carry = carry && halves[h].l[i] == 0;
        }
        for (uint32_t w = 0; w < WINDOWS; w++) {
            const int32_t digit = pail_cpu_digit(&halves[h], w, BITS);
            constant->digits[h][w] = (int8_t)(negative ? -digit : digit);
        }
    }
}

pail_status pail_kzg_constants_make(struct pail_kzg *kzg)
{
    const size_t half = kzg->n_cells / 2;
    kzg->forward = calloc(half, sizeof(*kzg->forward));
    kzg->backward = calloc(half, sizeof(*kzg->backward));
    if (!kzg->forward || !kzg->backward)
        return PAIL_ERR_HOST_MEMORY;
    pail_u256 root = kzg->wide_root; /* of order n_cells, after these squarings */
    for (size_t length = 1; length < kzg->cell_elements; length *= 2)
        kzg->g1->scalar_mul(&root, &root, &root);
    /* Block i of a level is modulo x^2h - c^2 with c = root^(i's bits as a fraction of half). */
    for (size_t i = 0; i < half; i++) {
        const pail_u256 e = {{pail_reverse_bits(i, kzg->log_cells - 1)}};
        pail_u256 c;
        pail_cpu_power(&c, kzg->g1, &root, &e);
        pail_kzg_constant(kzg, &kzg->forward[i], &c);
        pail_cpu_inverse(&c, kzg->g1, &c);
        pail_kzg_constant(kzg, &kzg->backward[i], &c);
    }
    return PAIL_OK;
}

/* ---- A part of the multiplications ----------------------------------------------------------- */
struct multiply {
    struct pail_kzg *kzg;
    unsigned char *points;
    const uint32_t *places, *which;
    const struct pail_kzg_constant *constants;
    size_t n, part;
    atomic_bool failed;
};

static size_t place_of(const struct multiply *m, size_t i)
{
    return m->places ? m->places[i] : i;
}

/* tables[d - 1][i] = d P_i, then of the images of phi. */
static void make_tables(unsigned char *tables, const struct multiply *m, size_t first, size_t n,
                        struct pail_kzg_worker *worker)
{
    struct pail_kzg *const kzg = m->kzg;
    const size_t bytes = pail_kzg_point_bytes(kzg);
    struct pail_kzg_sums sums = {kzg, worker, tables, tables, tables};
    for (size_t i = 0; i < n; i++)
        memcpy(tables + i * bytes, m->points + place_of(m, first + i) * bytes, bytes);
    for (size_t d = 2; d <= MULTIPLES; d++) {
        unsigned char *const row = tables + (d - 1) * n * bytes;
        if (d % 2 == 0) {
            memcpy(row, tables + (d / 2 - 1) * n * bytes, n * bytes);
            pail_kzg_double(kzg, worker, row, NULL, n);
            continue;
        }
        for (size_t i = 0; i < n; i++)
            pail_kzg_push(&sums, (d - 1) * n + i, 2 * ((d - 2) * n + i), 2 * i);
        pail_kzg_flush(&sums);
    }
    memcpy(tables + MULTIPLES * n * bytes, tables, MULTIPLES * n * bytes);
    kzg->adder->image(tables + MULTIPLES * n * bytes, MULTIPLES * n);
}

/* acc[i] += the digit's multiple, or becomes it. */
static void add_digits(struct pail_kzg_sums *sums, bool *begun, const struct multiply *m,
                       size_t first, size_t n, size_t h, uint32_t w)
{
    const size_t bytes = pail_kzg_point_bytes(m->kzg);
    for (size_t i = 0; i < n; i++) {
        const int digit = m->constants[m->which[first + i]].digits[h][w];
        if (digit == 0)
            continue;
        const size_t row = h * MULTIPLES + (size_t)(digit < 0 ? -digit : digit) - 1;
        if (begun[i]) {
            pail_kzg_push(sums, i, 2 * i, 2 * (row * n + i) + (digit < 0));
            continue;
        }
        memcpy(sums->to + i * bytes, sums->q + (row * n + i) * bytes, bytes);
        if (digit < 0)
            m->kzg->adder->negate(sums->to + i * bytes);
        begun[i] = true;
    }
    pail_kzg_flush(sums);
}

static void multiply_part(void *user, size_t part, struct pail_kzg_worker *worker)
{
    struct multiply *const m = user;
    struct pail_kzg *const kzg = m->kzg;
    const size_t first = part * m->part, left = m->n - first, bytes = pail_kzg_point_bytes(kzg);
    const size_t n = left < m->part ? left : m->part;
    void *block;
    unsigned char *const acc = pail_kzg_points_alloc(kzg, &block, (1 + 2 * MULTIPLES) * n);
    bool *const begun = calloc(n, sizeof(*begun));
    if (!acc || !begun) {
        atomic_store(&m->failed, true);
    } else {
        unsigned char *const tables = acc + n * bytes;
        struct pail_kzg_sums sums = {kzg, worker, acc, acc, tables};
        make_tables(tables, m, first, n, worker);
        memset(acc, 0, n * bytes);
        for (uint32_t w = WINDOWS; w-- > 0;) {
            for (uint32_t i = 0; i < BITS; i++)
                pail_kzg_double(kzg, worker, acc, begun, n);
            for (size_t h = 0; h < 2; h++)
                add_digits(&sums, begun, m, first, n, h, w);
        }
        for (size_t i = 0; i < n; i++)
            memcpy(m->points + place_of(m, first + i) * bytes, acc + i * bytes, bytes);
    }
    free(begun);
    free(block);
}

/* Parts as even as they come, of at most a batch of additions. */
static size_t part_of(const struct pail_kzg_work *work, size_t n)
{
    const size_t batch = work->kzg->adder->batch;
    size_t parts = (n + batch - 1) / batch;
    if (parts < work->n_workers)
        parts = work->n_workers;
    const size_t part = (n + parts - 1) / parts;
    return part > 8 ? part : 8;
}

pail_status pail_kzg_multiply(struct pail_kzg_work *work, unsigned char *points,
                              const uint32_t *places, const uint32_t *which,
                              const struct pail_kzg_constant *constants, size_t n)
{
    if (n == 0)
        return PAIL_OK;
    struct multiply m = {work->kzg, points, places, which, constants, n, part_of(work, n), false};
    pail_kzg_each(work, (n + m.part - 1) / m.part, multiply_part, &m);
    return m.failed ? PAIL_ERR_HOST_MEMORY : PAIL_OK;
}

/* ---- Transforms ------------------------------------------------------------------------------ */
struct level {
    struct pail_kzg *kzg;
    unsigned char *points;
    size_t cells, half; /* points of a polynomial; of half a block */
    size_t n, part;     /* butterflies in all and of an item */
    bool sums_only;     /* the upper half of a block is not wanted */
};

/* The place of the first operand of butterfly i; that of the second is `half` behind. */
static size_t butterfly(const struct level *level, size_t i)
{
    const size_t block = i / level->half;
    return block * 2 * level->half + i % level->half;
}

/* (u, v) = (u + v, u - v) */
static void add_and_subtract(void *user, size_t item, struct pail_kzg_worker *worker)
{
    const struct level *const level = user;
    struct pail_kzg_sums sums = {level->kzg, worker, level->points, level->points, level->points};
    const size_t first = item * level->part;
    for (size_t i = first; i < first + level->part && i < level->n; i++) {
        const size_t u = butterfly(level, i), v = u + level->half;
        /* Both sums of a butterfly are in one batch: operands are read before sums are written. */
        if (worker->n_pairs + 2 > level->kzg->adder->batch)
            pail_kzg_flush(&sums);
        pail_kzg_push(&sums, u, 2 * u, 2 * v);
        if (!level->sums_only)
            pail_kzg_push(&sums, v, 2 * u, 2 * v + 1);
    }
    pail_kzg_flush(&sums);
}

static void run_level(struct pail_kzg_work *work, struct level *level)
{
    level->part = part_of(work, 2 * level->n) / 2;
    pail_kzg_each(work, (level->n + level->part - 1) / level->part, add_and_subtract, level);
}

/* Multiplies the second operands of a level by the constants of their blocks, but those of block 0,
 * whose constant is 1. places, which: room for n. */
static pail_status scale_level(struct pail_kzg_work *work, const struct level *level,
                               const struct pail_kzg_constant *constants, uint32_t *places,
                               uint32_t *which)
{
    const size_t blocks = level->cells / (2 * level->half);
    size_t n = 0;
    for (size_t i = 0; i < level->n; i++) {
        const size_t block = i / level->half % blocks;
        if (block == 0)
            continue;
        places[n] = (uint32_t)(butterfly(level, i) + level->half);
        which[n++] = (uint32_t)block;
    }
    return pail_kzg_multiply(work, level->points, places, which, constants, n);
}

static pail_status transform(struct pail_kzg_work *work, unsigned char *points, size_t n,
                             bool backward)
{
    struct pail_kzg *const kzg = work->kzg;
    const size_t cells = kzg->n_cells, bytes = pail_kzg_point_bytes(kzg);
    struct level level = {.kzg = kzg, .points = points, .cells = cells, .n = n * cells / 2};
    uint32_t *const places = calloc(2 * level.n, sizeof(*places));
    if (!places)
        return PAIL_ERR_HOST_MEMORY;
    uint32_t *const which = places + level.n;
    pail_status status = PAIL_OK;
    if (!backward) {
        for (size_t i = 0; i < n; i++)
            memcpy(points + (i * cells + cells / 2) * bytes, points + i * cells * bytes,
                   cells / 2 * bytes);
        for (level.half = cells / 4; level.half > 0 && status == PAIL_OK; level.half /= 2) {
            status = scale_level(work, &level, kzg->forward, places, which);
            if (status == PAIL_OK)
                run_level(work, &level);
        }
    } else {
        for (level.half = 1; level.half < cells && status == PAIL_OK; level.half *= 2) {
            level.sums_only = level.half == cells / 2;
            run_level(work, &level);
            if (!level.sums_only)
                status = scale_level(work, &level, kzg->backward, places, which);
        }
    }
    free(places);
    return status;
}

pail_status pail_kzg_points_forward(struct pail_kzg_work *work, unsigned char *points, size_t n)
{
    return transform(work, points, n, false);
}

pail_status pail_kzg_points_backward(struct pail_kzg_work *work, unsigned char *points, size_t n)
{
    return transform(work, points, n, true);
}

/* A part has at most a batch, or eight points. */
uint64_t pail_kzg_transform_bytes(const struct pail_kzg *kzg, uint64_t n)
{
    const uint64_t batch = kzg->adder->batch > 8 ? kzg->adder->batch : 8;
    const uint64_t part = batch * ((1 + 2 * MULTIPLES) * pail_kzg_point_bytes(kzg) + sizeof(bool));
    return n * kzg->n_cells * sizeof(uint32_t) + kzg->threads * (part + PAIL_CPU_ALIGNMENT);
}
