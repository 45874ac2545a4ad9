/* SPDX-License-Identifier: Apache-2.0 */
#include "ntt.h"

#include <string.h>

#include "modular.h"
#include <curves/words.h>

enum {
    WORDS = PAIL_CPU_SCALAR_WORDS,
    LANES = PAIL_CPU_LANES,
    LOG_LANES = 3,
    SMALL = 2 * LOG_LANES, /* from this log_n on a pass has tiles of whole vectors */
    LEVELS_MAX = 11,       /* of a pass: 640 KiB in the form of AVX-512, 1152 in that of AVX2 */
    TASK_VALUES = 2048,    /* vectors of a task, at least, where there are as many */
};

/* ---- Tables ----------------------------------------------------------------------------------
 */
static uint32_t levels_max(const struct pail_cpu_ntt *ntt)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < ntt->n_passes; i++)
        most = ntt->passes[i].levels > most ? ntt->passes[i].levels : most;
    return most;
}

static void cut(struct pail_cpu_ntt *ntt)
{
    const uint32_t log_n = ntt->log_n;
    ntt->n_passes = log_n < SMALL ? 1 : log_n <= 2 * LEVELS_MAX ? 2 : 3;
    uint32_t above = 0;
    for (uint32_t i = 0; i < ntt->n_passes; i++) {
        const uint32_t left = ntt->n_passes - i;
        const uint32_t levels = (log_n - above + left - 1) / left;
        ntt->passes[i] = (struct pail_cpu_ntt_pass){
            .levels = levels, .log_blocks = above, .log_t = log_n - above - levels};
        above += levels;
    }
}

/* squares[j] = a^(2^j) */
static void square_up(pail_u256 *squares, const struct pail_curve_ops *ops, const pail_u256 *a,
                      uint32_t n)
{
    squares[0] = *a;
    for (uint32_t j = 1; j < n; j++)
        ops->scalar_mul(&squares[j], &squares[j - 1], &squares[j - 1]);
}

/* table[i] = the element of first times the product of powers[top - k] over the bits k of i. */
static void multiply_up(pail_u256 *table, const struct pail_curve_ops *ops, const pail_u256 *first,
                        const pail_u256 *powers, uint32_t top, uint32_t bits)
{
    pail_cpu_to_element(&table[0], ops, first);
    for (uint32_t k = 0; k < bits; k++)
        for (size_t i = 0; i < (size_t)1 << k; i++)
            ops->scalar_mul(&table[((size_t)1 << k) + i], &table[i], &powers[top - k]);
}

/* The tables in a block: what all passes share, what the first has with a shift in it, and the
 * shifts of the blocks of later passes. */
struct places {
    size_t shared, first, shifts[PAIL_CPU_NTT_PASSES], elements, bytes;
};

static struct places place(const struct pail_cpu_ntt *ntt, bool shifted)
{
    struct places p = {0};
    const size_t factor = ntt->scalars->factor_bytes;
    const size_t n = (size_t)1 << levels_max(ntt);
    p.elements = p.bytes; /* of the shared table, while it is made */
    p.bytes += n * sizeof(pail_u256);
    for (uint32_t i = 1; i < ntt->n_passes; i++) {
        p.shifts[i] = p.bytes;
        p.bytes += sizeof(pail_u256) << ntt->passes[i].log_blocks;
    }
    p.shared = p.bytes;
    p.bytes += n * factor;
    p.first = p.bytes;
    p.bytes += shifted ? factor << ntt->passes[0].levels : 0;
    return p;
}

/* Makes a table by level: shared[i] times shift^(n / 2^(level + 1)). */
static void make_first(struct pail_cpu_ntt *ntt, const struct pail_curve_ops *ops,
                       unsigned char *to, const pail_u256 *elements, const pail_u256 *shift)
{
    pail_u256 powers[PAIL_NTT_LOG_MAX];
    square_up(powers, ops, shift, ntt->log_n);
    for (uint32_t level = 0; level < ntt->passes[0].levels; level++) {
        for (size_t i = 0; i < (size_t)1 << level; i++) {
            pail_u256 product;
            ops->scalar_mul(&product, &elements[i], &powers[ntt->log_n - 1 - level]);
            ntt->scalars->factor(to + (((size_t)1 << level) + i) * ntt->scalars->factor_bytes,
                                 &product);
        }
    }
}

bool pail_cpu_ntt_make(struct pail_cpu_ntt *ntt, const struct pail_alloc *memory,
                       const struct pail_cpu_scalars *scalars, const struct pail_curve_ops *ops,
                       uint32_t log_n, uint64_t n_polynomials, bool backward, bool natural,
                       const pail_u256 *root, const pail_u256 *shift)
{
    *ntt = (struct pail_cpu_ntt){
        .scalars = scalars,
        .log_n = log_n,
        .backward = backward,
        .natural = natural && log_n > 1,
        .n_polynomials = n_polynomials,
    };
    cut(ntt);
    const bool shifted = !pail_cpu_equals(shift, 1);
    const struct places p = place(ntt, shifted);
    unsigned char *const block = ntt->block = pail_cpu_alloc(memory, 1, p.bytes);
    if (!block)
        return false;
    pail_u256 w = *root, s = *shift, powers[PAIL_NTT_LOG_MAX + 1], n_inverse = {{1}};
    if (backward) {
        pail_u256 half = {{2}};
        pail_cpu_inverse(&w, ops, &w);
        pail_cpu_inverse(&s, ops, &s);
        pail_cpu_inverse(&half, ops, &half);
        for (uint32_t i = 0; i < log_n; i++)
            ops->scalar_mul(&n_inverse, &n_inverse, &half);
    }
    pail_u256 element;
    pail_cpu_to_element(&element, ops, &n_inverse);
    scalars->factor(ntt->last, &element);
    square_up(powers, ops, &w, log_n + 1);

    /* elements[i] = w^(n/2 times i's bits, read as a fraction from the lowest on) */
    const uint32_t bits = levels_max(ntt) > 0 ? levels_max(ntt) - 1 : 0;
    pail_u256 *const elements = (pail_u256 *)(void *)(block + p.elements);
    const pail_u256 one = {{1}};
    multiply_up(elements, ops, &one, powers, log_n > 1 ? log_n - 2 : 0, bits);
    for (size_t i = 0; i < (size_t)1 << bits; i++)
        scalars->factor(block + p.shared + i * scalars->factor_bytes, &elements[i]);
    for (uint32_t i = 0; i < ntt->n_passes; i++) {
        struct pail_cpu_ntt_pass *const pass = &ntt->passes[i];
        pass->table = block + p.shared;
        if (i == 0 && shifted) {
            make_first(ntt, ops, block + p.first, elements, &s);
            pass->table = block + p.first;
            pass->by_level = true;
        } else if (i > 0) {
            /* shifts[b] = s w^brev(b) */
            pail_u256 *const shifts = (pail_u256 *)(void *)(block + p.shifts[i]);
            multiply_up(shifts, ops, &s, powers, pass->log_blocks - 1, pass->log_blocks);
            pass->shifts = shifts;
        }
    }
    return true;
}

void pail_cpu_ntt_free(struct pail_cpu_ntt *ntt, const struct pail_alloc *memory)
{
    pail_cpu_free(memory, ntt->block);
    ntt->block = NULL;
}

size_t pail_cpu_ntt_scratch(const struct pail_cpu_ntt *ntt)
{
    return ntt->scalars->value_bytes * (((size_t)1 << levels_max(ntt)) + LEVELS_MAX);
}

/* ---- Order ----------------------------------------------------------------------------------- */
static void exchange(uint64_t *r, const uint64_t *a, size_t i, size_t k)
{
    uint64_t one[WORDS], other[WORDS];
    memcpy(one, a + i * WORDS, sizeof one);
    memcpy(other, a + k * WORDS, sizeof other);
    memcpy(r + i * WORDS, other, sizeof other);
    memcpy(r + k * WORDS, one, sizeof one);
}

/* Index (high, middle, low), the outer ones of 3 bits each, goes to (low, middle, high), each with
 * its bits reversed: squares of 8 by 8 change places, whose rows are 256 bytes in a piece. */
static void permute_squares(uint64_t *r, const uint64_t *a, uint32_t log_n, size_t middle)
{
    static const unsigned char brev[LANES] = {0, 4, 2, 6, 1, 5, 3, 7};
    const uint32_t bits = log_n - 2 * LOG_LANES;
    const size_t other = pail_reverse_bits(middle, bits);
    if (other < middle)
        return;
    for (size_t high = 0; high < LANES; high++) {
        for (size_t low = 0; low < LANES; low++) {
            const size_t i = high << (log_n - LOG_LANES) | middle << LOG_LANES | low;
            const size_t k =
                (size_t)brev[low] << (log_n - LOG_LANES) | other << LOG_LANES | brev[high];
            if (middle != other || i <= k)
                exchange(r, a, i, k);
        }
    }
}

static size_t permute_units(const struct pail_cpu_ntt *ntt) /* units of a polynomial */
{
    return ntt->log_n < SMALL ? 1 : (size_t)1 << (ntt->log_n - SMALL);
}

static void permute(const struct pail_cpu_ntt *ntt, uint64_t unit, uint64_t *r, const uint64_t *a)
{
    const size_t of_one = permute_units(ntt);
    const size_t at = ((size_t)(unit / of_one) << ntt->log_n) * WORDS;
    if (ntt->log_n >= SMALL) {
        permute_squares(r + at, a + at, ntt->log_n, (size_t)(unit % of_one));
        return;
    }
    for (size_t i = 0; i < (size_t)1 << ntt->log_n; i++) {
        const size_t k = pail_reverse_bits(i, ntt->log_n);
        if (i <= k)
            exchange(r + at, a + at, i, k);
    }
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* The pass that a stage is, or NULL where it is the permutation. */
static const struct pail_cpu_ntt_pass *pass_of(const struct pail_cpu_ntt *ntt, uint32_t stage)
{
    const uint32_t first = ntt->backward && ntt->natural;
    if (stage < first || stage >= first + ntt->n_passes)
        return NULL;
    return &ntt->passes[ntt->backward ? ntt->n_passes - 1 - (stage - first) : stage];
}

/* Tiles of a pass, or units of the permutation. */
static uint64_t units(const struct pail_cpu_ntt *ntt, const struct pail_cpu_ntt_pass *pass)
{
    if (!pass)
        return ntt->n_polynomials * permute_units(ntt);
    const uint64_t sequences = ntt->n_polynomials << (pass->log_blocks + pass->log_t);
    return (sequences + LANES - 1) / LANES;
}

static uint64_t units_of_task(const struct pail_cpu_ntt *ntt, const struct pail_cpu_ntt_pass *pass)
{
    const uint32_t log_size = pass ? pass->levels : ntt->log_n < SMALL ? 0 : LOG_LANES;
    const uint64_t n = (uint64_t)TASK_VALUES >> log_size;
    return n > 0 ? n : 1;
}

static void run_tile(const struct pail_cpu_ntt *ntt, const struct pail_cpu_ntt_pass *pass,
                     uint64_t unit, uint64_t *r, const uint64_t *a, void *scratch,
                     struct pail_cpu_throttle *throttle)
{
    const uint64_t sequence = unit * LANES;
    const uint64_t left = (ntt->n_polynomials << (pass->log_blocks + pass->log_t)) - sequence;
    struct pail_cpu_tile tile = {
        .lanes = left < LANES ? (uint32_t)left : LANES,
        .levels = pass->levels,
        .backward = ntt->backward,
        .table = pass->table,
        .by_level = pass->by_level,
        .log_t = pass->log_t,
        .last = ntt->backward && pass == ntt->passes ? ntt->last : NULL,
        .any = ntt->any && pass == &ntt->passes[ntt->backward ? ntt->n_passes - 1 : 0],
        .settled = pass == &ntt->passes[ntt->backward ? 0 : ntt->n_passes - 1],
        .scratch = scratch,
        .throttle = throttle,
    };
    size_t first;          /* element of the first sequence */
    if (pass->log_t > 0) { /* a column of each block, side by side */
        const size_t column = (size_t)sequence & (((size_t)1 << pass->log_t) - 1);
        const uint64_t block = sequence >> pass->log_t;
        first = ((size_t)block << (pass->levels + pass->log_t)) + column;
        tile.step = (size_t)1 << pass->log_t;
        tile.lane_step = 1;
        if (pass->shifts)
            tile.shifts = &pass->shifts[block & ((UINT64_C(1) << pass->log_blocks) - 1)];
    } else { /* a row each */
        first = (size_t)sequence << pass->levels;
        tile.step = 1;
        tile.lane_step = (size_t)1 << pass->levels;
        tile.shift_step = 1;
        if (pass->shifts)
            tile.shifts = &pass->shifts[sequence & ((UINT64_C(1) << pass->log_blocks) - 1)];
    }
    tile.from = a + first * WORDS;
    tile.to = r + first * WORDS;
    ntt->scalars->tile(&tile);
}

uint32_t pail_cpu_ntt_stages(const struct pail_cpu_ntt *ntt)
{
    return ntt->n_passes + ntt->natural;
}

size_t pail_cpu_ntt_tasks(const struct pail_cpu_ntt *ntt, uint32_t stage)
{
    const struct pail_cpu_ntt_pass *const pass = pass_of(ntt, stage);
    const uint64_t of_task = units_of_task(ntt, pass);
    return (size_t)((units(ntt, pass) + of_task - 1) / of_task);
}

void pail_cpu_ntt_run(const struct pail_cpu_ntt *ntt, uint32_t stage, size_t task, uint64_t *r,
                      const uint64_t *a, void *scratch, struct pail_cpu_throttle *throttle)
{
    const struct pail_cpu_ntt_pass *const pass = pass_of(ntt, stage);
    const uint64_t of_task = units_of_task(ntt, pass), n = units(ntt, pass);
    const uint64_t *const from = stage == 0 ? a : r;
    for (uint64_t unit = task * of_task; unit < n && unit < (task + 1) * of_task; unit++) {
        pail_cpu_pause(throttle);
        if (pass)
            run_tile(ntt, pass, unit, r, from, scratch, throttle);
        else
            permute(ntt, unit, r, from);
    }
}
