/* SPDX-License-Identifier: Apache-2.0 */
/* scalars.h for one field. Include it in one source file with
 *
 *   LV          the prefix of the type of PAIL_CPU_LANES elements and of its functions:
 *               lanes_template.h and vector_lanes.h have them and say what they do
 *   LV_TABLE    the name of the struct pail_cpu_scalars
 *   LV_CURVE    the curve's number at the boundary
 *
 * It undefines them.
 */
#include <assert.h>
#include <string.h>

#include <curves/paste.h>

#include "scalars.h"

#define LV_(name) PAIL_PASTE(LV, name)

/* Rows of elements in memory, one for each lane; those beyond the last are the first once more, and
 * what is written there is then written twice. */
struct LV_(rows) {
    const uint64_t *from[PAIL_CPU_LANES];
    uint64_t *to[PAIL_CPU_LANES];
};

static inline void LV_(rows_at)(const uint64_t *rows[PAIL_CPU_LANES], const uint64_t *first,
                                size_t lane_step, size_t lanes)
{
    for (size_t i = 0; i < PAIL_CPU_LANES; i++)
        rows[i] = first + (i < lanes ? i * lane_step * PAIL_CPU_SCALAR_WORDS : 0);
}

static inline void LV_(rows_to)(uint64_t *rows[PAIL_CPU_LANES], uint64_t *first, size_t lane_step,
                                size_t lanes)
{
    for (size_t i = 0; i < PAIL_CPU_LANES; i++)
        rows[i] = first + (i < lanes ? i * lane_step * PAIL_CPU_SCALAR_WORDS : 0);
}

/* ---- Transforms ----------------------------------------------------------------------------- */

/* Two levels at a time, so that values are read and written half as often. */
static inline void LV_(forward_two)(LV *x, size_t quarter, const LV c[3], const LV_(constants) * k)
{
    LV *const x0 = x, *const x1 = x + quarter, *const x2 = x1 + quarter, *const x3 = x2 + quarter;
    LV a = *x0, b = *x1, d = *x2, e = *x3;
    LV_(forward)(&a, &d, &c[0], k);
    LV_(forward)(&b, &e, &c[0], k);
    LV_(forward)(&a, &b, &c[1], k);
    LV_(forward)(&d, &e, &c[2], k);
    *x0 = a, *x1 = b, *x2 = d, *x3 = e;
}

static inline void LV_(backward_two)(LV *x, size_t quarter, const LV c[3], const LV_(constants) * k)
{
    LV *const x0 = x, *const x1 = x + quarter, *const x2 = x1 + quarter, *const x3 = x2 + quarter;
    LV a = *x0, b = *x1, d = *x2, e = *x3;
    LV_(backward)(&a, &b, &c[1], k);
    LV_(backward)(&d, &e, &c[2], k);
    LV_(backward)(&a, &d, &c[0], k);
    LV_(backward)(&b, &e, &c[0], k);
    LV_(relax)(&a, k);
    *x0 = a, *x1 = b, *x2 = d, *x3 = e;
}

/* The first two levels where c is 1, 1 and i. */
static inline void LV_(forward_plain)(LV *x, size_t quarter, const LV *i, const LV_(constants) * k)
{
    LV *const x0 = x, *const x1 = x + quarter, *const x2 = x1 + quarter, *const x3 = x2 + quarter;
    LV a = *x0, b = *x1, d = *x2, e = *x3;
    LV_(sum_difference)(&a, &d, k);
    LV_(sum_difference)(&b, &e, k);
    LV_(sum_difference)(&a, &b, k);
    LV_(forward)(&d, &e, i, k);
    *x0 = a, *x1 = b, *x2 = d, *x3 = e;
}

static inline void LV_(backward_plain)(LV *x, size_t quarter, const LV *i, const LV_(constants) * k)
{
    LV *const x0 = x, *const x1 = x + quarter, *const x2 = x1 + quarter, *const x3 = x2 + quarter;
    LV a = *x0, b = *x1, d = *x2, e = *x3;
    LV_(sum_difference_wide)(&a, &b, k);
    LV_(backward)(&d, &e, i, k);
    LV_(sum_difference_wide)(&a, &d, k);
    LV_(sum_difference_wide)(&b, &e, k);
    *x0 = a, *x1 = b, *x2 = d, *x3 = e;
}

/* State of a tile while its levels are computed. */
struct LV_(levels) {
    const struct pail_cpu_tile *tile;
    LV *shifts; /* shift of each level, where the tile has any */
    LV_(constants) k;
};

static inline void LV_(twiddle)(LV *c, const struct LV_(levels) * l, uint32_t level, size_t block)
{
    const struct pail_cpu_tile *const tile = l->tile;
    const LV_(twiddle_factor) *const table = tile->table;
    LV_(splat)(c, &table[tile->by_level ? ((size_t)1 << level) + block : block]);
    if (tile->shifts)
        LV_(mul)(c, c, &l->shifts[level], &l->k);
}

static void LV_(make_shifts)(struct LV_(levels) * l)
{
    const struct pail_cpu_tile *const tile = l->tile;
    const uint64_t *rows[PAIL_CPU_LANES];
    LV_(rows_at)(rows, tile->shifts->l, tile->shift_step, tile->lanes);
    LV s;
    LV_(load)(&s, rows, &l->k);
    LV_(to_factor)(&s, &s, &l->k);
    for (uint32_t i = 0; i < tile->log_t; i++)
        LV_(mul)(&s, &s, &s, &l->k);
    for (uint32_t level = tile->levels; level-- > 0;) {
        l->shifts[level] = s;
        LV_(mul)(&s, &s, &s, &l->k);
    }
}

/* True if the c of the first levels are 1, 1 and i. */
static bool LV_(is_plain)(const struct pail_cpu_tile *tile)
{
    return tile->levels >= 2 && tile->levels % 2 == 0 && !tile->shifts && !tile->by_level;
}

static void LV_(forward_levels)(LV *x, const struct LV_(levels) * l)
{
    const uint32_t levels = l->tile->levels;
    uint32_t level = 0;
    if (LV_(is_plain)(l->tile)) {
        const size_t quarter = (size_t)1 << (levels - 2);
        LV c;
        LV_(twiddle)(&c, l, 1, 1);
        for (size_t i = 0; i < quarter; i++)
            LV_(forward_plain)(x + i, quarter, &c, &l->k);
        level = 2;
    } else if (levels % 2 == 1) {
        const size_t half = (size_t)1 << (levels - 1);
        LV c;
        LV_(twiddle)(&c, l, 0, 0);
        for (size_t i = 0; i < half; i++)
            LV_(forward)(&x[i], &x[i + half], &c, &l->k);
        level = 1;
    }
    for (; level < levels; level += 2) {
        const size_t quarter = (size_t)1 << (levels - level - 2);
        for (size_t block = 0; block < (size_t)1 << level; block++) {
            pail_cpu_pause(l->tile->throttle);
            LV c[3];
            LV_(twiddle)(&c[0], l, level, block);
            LV_(twiddle)(&c[1], l, level + 1, 2 * block);
            LV_(twiddle)(&c[2], l, level + 1, 2 * block + 1);
            for (size_t i = 0; i < quarter; i++)
                LV_(forward_two)(x + 4 * quarter * block + i, quarter, c, &l->k);
        }
    }
}

static void LV_(backward_levels)(LV *x, const struct LV_(levels) * l)
{
    const uint32_t levels = l->tile->levels;
    const bool plain = LV_(is_plain)(l->tile);
    for (uint32_t level = levels; level >= (plain ? 4 : 2);) {
        level -= 2;
        const size_t quarter = (size_t)1 << (levels - level - 2);
        for (size_t block = 0; block < (size_t)1 << level; block++) {
            pail_cpu_pause(l->tile->throttle);
            LV c[3];
            LV_(twiddle)(&c[0], l, level, block);
            LV_(twiddle)(&c[1], l, level + 1, 2 * block);
            LV_(twiddle)(&c[2], l, level + 1, 2 * block + 1);
            for (size_t i = 0; i < quarter; i++)
                LV_(backward_two)(x + 4 * quarter * block + i, quarter, c, &l->k);
        }
    }
    if (plain) {
        const size_t quarter = (size_t)1 << (levels - 2);
        LV c;
        LV_(twiddle)(&c, l, 1, 1);
        for (size_t i = 0; i < quarter; i++)
            LV_(backward_plain)(x + i, quarter, &c, &l->k);
    } else if (levels % 2 == 1) {
        const size_t half = (size_t)1 << (levels - 1);
        LV c;
        LV_(twiddle)(&c, l, 0, 0);
        for (size_t i = 0; i < half; i++)
            LV_(backward)(&x[i], &x[i + half], &c, &l->k);
    }
}

static void LV_(tile)(const struct pail_cpu_tile *tile)
{
    struct LV_(levels) l = {.tile = tile};
    LV_(prepare)(&l.k);
    LV *const x = tile->scratch;
    const size_t n = (size_t)1 << tile->levels;
    l.shifts = x + n;
    if (tile->shifts)
        LV_(make_shifts)(&l);
    struct LV_(rows) rows;
    LV_(rows_at)(rows.from, tile->from, tile->lane_step, tile->lanes);
    for (size_t i = 0; i < n; i++) {
        LV_(load)(&x[i], rows.from, &l.k);
        if (tile->any)
            LV_(reduce)(&x[i], &l.k);
        for (size_t lane = 0; lane < PAIL_CPU_LANES; lane++)
            rows.from[lane] += tile->step * PAIL_CPU_SCALAR_WORDS;
    }
    if (tile->backward)
        LV_(backward_levels)(x, &l);
    else
        LV_(forward_levels)(x, &l);
    LV last;
    if (tile->last)
        LV_(splat)(&last, tile->last);
    LV_(rows_to)(rows.to, tile->to, tile->lane_step, tile->lanes);
    for (size_t i = 0; i < n; i++) {
        if (tile->last)
            LV_(mul_loose)(&x[i], &x[i], &last, &l.k);
        if (tile->settled)
            LV_(settle)(&x[i], &l.k);
        else
            LV_(relax)(&x[i], &l.k);
        LV_(store)(rows.to, &x[i]);
        for (size_t lane = 0; lane < PAIL_CPU_LANES; lane++)
            rows.to[lane] += tile->step * PAIL_CPU_SCALAR_WORDS;
    }
}

/* ---- Element by element --------------------------------------------------------------------- */
static size_t LV_(lanes_left)(size_t n, size_t i)
{
    return n - i < PAIL_CPU_LANES ? n - i : PAIL_CPU_LANES;
}

static inline void LV_(load_at)(LV *r, const uint64_t *elements, size_t lanes,
                                const LV_(constants) * k)
{
    const uint64_t *rows[PAIL_CPU_LANES];
    LV_(rows_at)(rows, elements, 1, lanes);
    LV_(load)(r, rows, k);
}

static inline void LV_(store_at)(uint64_t *elements, LV *a, size_t lanes, const LV_(constants) * k)
{
    uint64_t *rows[PAIL_CPU_LANES];
    LV_(rows_to)(rows, elements, 1, lanes);
    LV_(settle)(a, k);
    LV_(store)(rows, a);
}

static void LV_(each)(enum pail_vector_op_kind kind, uint64_t *r, const uint64_t *a,
                      const uint64_t *b, const uint64_t *c, size_t n)
{
    LV_(constants) k;
    LV_(prepare)(&k);
    for (size_t i = 0; i < n; i += PAIL_CPU_LANES) {
        const size_t lanes = LV_(lanes_left)(n, i), at = i * PAIL_CPU_SCALAR_WORDS;
        LV x, y;
        LV_(load_at)(&x, a + at, lanes, &k);
        LV_(load_at)(&y, b + at, lanes, &k);
        if (kind == PAIL_VECTOR_OP_ADD) {
            LV_(add)(&x, &x, &y, &k);
        } else if (kind == PAIL_VECTOR_OP_SUB) {
            LV_(sub)(&x, &x, &y, &k);
        } else {
            LV_(to_factor)(&y, &y, &k);
            LV_(mul)(&x, &x, &y, &k);
        }
        if (kind == PAIL_VECTOR_OP_MUL_SUB) {
            LV_(load_at)(&y, c + at, lanes, &k);
            LV_(sub)(&x, &x, &y, &k);
        }
        LV_(store_at)(r + at, &x, lanes, &k);
    }
}

static void LV_(scale)(uint64_t *r, const uint64_t *a, const void *factor, size_t n)
{
    LV_(constants) k;
    LV_(prepare)(&k);
    LV f;
    LV_(splat)(&f, factor);
    for (size_t i = 0; i < n; i += PAIL_CPU_LANES) {
        const size_t lanes = LV_(lanes_left)(n, i), at = i * PAIL_CPU_SCALAR_WORDS;
        LV x;
        LV_(load_at)(&x, a + at, lanes, &k);
        LV_(mul)(&x, &f, &x, &k);
        LV_(store_at)(r + at, &x, lanes, &k);
    }
}

static void LV_(powers)(uint64_t *r, const uint64_t *a, const pail_u256 *first,
                        const pail_u256 *step, size_t n)
{
    LV_(constants) k;
    LV_(prepare)(&k);
    LV factor, one_step, x;
    LV_(load_at)(&one_step, step->l, 1, &k);
    LV_(to_factor)(&one_step, &one_step, &k);
    LV_(load_at)(&x, first->l, 1, &k);
    /* Lane by lane, one more step. */
    uint64_t elements[PAIL_CPU_LANES * PAIL_CPU_SCALAR_WORDS];
    for (size_t lane = 0; lane < PAIL_CPU_LANES; lane++) {
        LV_(store_at)(elements + lane * PAIL_CPU_SCALAR_WORDS, &x, 1, &k);
        LV_(mul)(&x, &x, &one_step, &k);
    }
    LV_(load_at)(&factor, elements, PAIL_CPU_LANES, &k);
    LV_(to_factor)(&factor, &factor, &k);
    for (int doublings = PAIL_CPU_LANES; doublings > 1; doublings /= 2)
        LV_(mul)(&one_step, &one_step, &one_step, &k);
    for (size_t i = 0; i < n; i += PAIL_CPU_LANES) {
        const size_t lanes = LV_(lanes_left)(n, i), at = i * PAIL_CPU_SCALAR_WORDS;
        LV_(load_at)(&x, a + at, lanes, &k);
        LV_(mul)(&x, &x, &factor, &k);
        /* Lanes beyond the last have factors of their own, so they may not be written. */
        LV_(store_at)(elements, &x, PAIL_CPU_LANES, &k);
        memcpy(r + at, elements, lanes * sizeof elements / PAIL_CPU_LANES);
        LV_(mul)(&factor, &factor, &one_step, &k);
    }
}

/* ---- Sparse products: entries side by side, whichever row they are of ------------------------ */
static void LV_(sparse_rows)(uint64_t *r, const uint64_t *starts, const uint32_t *columns,
                             const uint64_t *values, const uint32_t *which, const uint64_t *a,
                             size_t n_rows, struct pail_cpu_throttle *throttle)
{
    enum { WORDS = PAIL_CPU_SCALAR_WORDS };
    LV_(constants) k;
    LV_(prepare)(&k);
    uint64_t products[PAIL_CPU_LANES * WORDS] = {0}, sum[WORDS];
    uint64_t done = starts[0]; /* products are there of entries before this one */
    for (size_t row = 0; row < n_rows; row++) {
        memset(sum, 0, sizeof sum);
        for (uint64_t e = starts[row]; e < starts[row + 1]; e++) {
            const size_t lane = (size_t)((e - starts[0]) % PAIL_CPU_LANES);
            if (e == done) {
                pail_cpu_pause(throttle);
                const uint64_t left = starts[n_rows] - e;
                const size_t lanes = left < PAIL_CPU_LANES ? (size_t)left : PAIL_CPU_LANES;
                const uint64_t *from[PAIL_CPU_LANES], *times[PAIL_CPU_LANES];
                for (size_t i = 0; i < PAIL_CPU_LANES; i++) {
                    const uint64_t entry = e + (i < lanes ? i : 0);
                    from[i] = a + (size_t)columns[entry] * WORDS;
                    times[i] = values + (size_t)(which ? which[entry] : entry) * WORDS;
                }
                LV x, value;
                LV_(load)(&x, from, &k);
                LV_(load)(&value, times, &k);
                LV_(mul)(&x, &x, &value, &k);
                LV_(store_at)(products, &x, PAIL_CPU_LANES, &k);
                done = e + lanes;
            }
            LV_(add_one)(sum, products + lane * WORDS);
        }
        memcpy(r + row * WORDS, sum, sizeof sum);
    }
}

static_assert(sizeof(LV_(twiddle_factor)) <= PAIL_CPU_FACTOR_WORDS * sizeof(uint64_t),
              "a factor does not fit where one is kept");

const struct pail_cpu_scalars LV_TABLE = {
    .curve = LV_CURVE,
    .radix_bits = LV_(radix_bits),
    .value_bytes = sizeof(LV),
    .factor_bytes = sizeof(LV_(twiddle_factor)),
    .factor = LV_(make_factor),
    .tile = LV_(tile),
    .each = LV_(each),
    .scale = LV_(scale),
    .powers = LV_(powers),
    .rows = LV_(sparse_rows),
};

#undef LV_
#undef LV
#undef LV_TABLE
#undef LV_CURVE
