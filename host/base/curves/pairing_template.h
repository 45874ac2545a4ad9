/* SPDX-License-Identifier: Apache-2.0 */
/* The optimal ate pairing of one curve. Include it in one source file with
 *
 *   CURVE, CURVE_PARAMS  as in curve_template.h, whose header is already included
 *   CURVE_NUMBER         at the boundary
 *   PRIME_WORDS          prefix of add, sub and mul of the base field, for example pail_bn254_fp
 *   BASE_PRODUCTS        prefix of mul and sqr of its quadratic extension
 *   PAIRING_TABLE        the table of pairing.h that it makes, as it is declared
 *
 * The constants are those of tools/pairing.py.
 *
 * Points of the twist stay affine: a step of Miller's loop divides once for all pairs together,
 * and the product of their lines is squared once.
 */
#include <assert.h>
#include <string.h>

#include "pairing.h"
#include "paste.h"

#define PAIRING_PARAMS PAIL_PASTE(CURVE_PARAMS, PAIRING)
#define PRIME          PAIL_PASTE(CURVE, fp)
#define BASE           PAIL_PASTE(CURVE, fp2)
#define HALF           PAIL_PASTE(CURVE, fp6)
#define FULL           PAIL_PASTE(CURVE, fp12)

#define FE HALF
#include "field6_template.h"
#undef FE
#define FE FULL
#include "field12_template.h"
#undef FE

#define PRIME_(name)    PAIL_PASTE(PRIME, name)
#define WORDS_(name)    PAIL_PASTE(PRIME_WORDS, name)
#define PRODUCTS_(name) PAIL_PASTE(BASE_PRODUCTS, name)
#define BASE_(name)     PAIL_PASTE(BASE, name)
#define HALF_(name)     PAIL_PASTE(HALF, name)
#define FULL_(name)     PAIL_PASTE(FULL, name)
#define CURVE_(name)    PAIL_PASTE(CURVE, name)
#define CONSTANT_(name) PAIL_PASTE(PAIRING_PARAMS, name)
#define AFFINE_1        CURVE_(g1_affine)
#define AFFINE_2        CURVE_(g2_affine)
#define PAIR            CURVE_(pair)
#define LINE            CURVE_(line)
#define LINES           CURVE_(lines)

/* The line through a point (x, y) of the twist with a slope m: m, and m x - y. */
typedef struct LINE {
    BASE slope, constant;
} LINE;

/* All lines of a point, in the order of Miller's loop. */
enum { CURVE_(lines_max) = 2 * CONSTANT_(LOOP_BITS) };
typedef struct LINES {
    uint64_t infinity; /* 1: the point is that, and there are no lines */
    LINE line[CURVE_(lines_max)];
} LINES;

/* Of p there is what lines take. */
typedef struct PAIR {
    PRIME minus_x;      /* - p.x / p.y */
    PRIME inverse;      /* 1 / p.y */
    AFFINE_2 q, t;      /* t: the multiple of q so far */
    const LINES *lines; /* lines of q; NULL: they are to be found */
} PAIR;

/* f times a line at p. On the curve, the line through a point (x w^2, y w^3) of a D-twist with
 * slope m w is
 *     p.y - m p.x w + (m x - y) w^3,
 * and of an M-twist, times w^3, which the power (p^6 - 1)(p^2 + 1) takes to 1,
 *     (m x - y) - m p.x w^2 + p.y w^3.
 * That power takes p.y to 1, too: what is multiplied is divided by it. */
static void CURVE_(multiply_line)(FULL *f, const PAIR *pair, const LINE *line)
{
    BASE b, c, sum;
    HALF low, high, both;
    WORDS_(mul)(&b.c0, &line->slope.c0, &pair->minus_x);
    WORDS_(mul)(&b.c1, &line->slope.c1, &pair->minus_x);
    WORDS_(mul)(&c.c0, &line->constant.c0, &pair->inverse);
    WORDS_(mul)(&c.c1, &line->constant.c1, &pair->inverse);
    HALF_(add)(&both, &f->c0, &f->c1);
    sum = b;
    WORDS_(add)(&sum.c0, &b.c0, &PRIME_(one));
#if PAIL_PASTE(PAIRING_PARAMS, TWIST_D)
    low = f->c0;
    HALF_(mul_short)(&high, &f->c1, &b, &c);
    HALF_(mul_short)(&both, &both, &sum, &c);
#else
    HALF_(mul_short)(&low, &f->c0, &c, &b);
    HALF_(times_v)(&high, &f->c1);
    HALF_(mul_short)(&both, &both, &c, &sum);
#endif
    FULL_(compose)(f, &low, &high, &both);
}

/* Adds to each t its addend, or itself without addends: lines[n]. Multiples of points of order r
 * meet neither themselves nor infinity on the way. */
static void CURVE_(step)(LINE *lines, PAIR *pairs, size_t n, const AFFINE_2 *addends)
{
    BASE slopes[PAIL_PAIRS_AT_ONCE], scratch[PAIL_PAIRS_AT_ONCE];
    for (size_t i = 0; i < n; i++)
        if (addends)
            BASE_(sub)(&slopes[i], &pairs[i].t.x, &addends[i].x);
        else
            BASE_(add)(&slopes[i], &pairs[i].t.y, &pairs[i].t.y);
    BASE_(batch_inv)(slopes, scratch, n);
    for (size_t i = 0; i < n; i++) {
        AFFINE_2 *const t = &pairs[i].t, sum;
        LINE *const line = &lines[i];
        BASE rise;
        if (addends) {
            BASE_(sub)(&rise, &t->y, &addends[i].y);
        } else {
            BASE square;
            PRODUCTS_(sqr)(&square, &t->x);
            BASE_(add)(&rise, &square, &square);
            BASE_(add)(&rise, &rise, &square);
        }
        PRODUCTS_(mul)(&line->slope, &slopes[i], &rise);
        PRODUCTS_(mul)(&line->constant, &line->slope, &t->x);
        BASE_(sub)(&line->constant, &line->constant, &t->y);
        PRODUCTS_(sqr)(&sum.x, &line->slope);
        BASE_(sub)(&sum.x, &sum.x, &t->x);
        BASE_(sub)(&sum.x, &sum.x, addends ? &addends[i].x : &t->x);
        PRODUCTS_(mul)(&sum.y, &line->slope, &sum.x);
        BASE_(sub)(&sum.y, &line->constant, &sum.y); /* m (x - x') - y */
        *t = sum;
    }
}

/* A turn of Miller's loop: the next lines, which f is multiplied by, or which are kept. */
static void CURVE_(turn)(FULL *f, PAIR *pairs, size_t n, const AFFINE_2 *addends, size_t number,
                         LINES *kept)
{
    LINE made[PAIL_PAIRS_AT_ONCE];
    if (!pairs[0].lines)
        CURVE_(step)(made, pairs, n, addends);
    if (kept)
        kept->line[number] = made[0];
    for (size_t i = 0; i < n && !kept; i++)
        CURVE_(multiply_line)
    (f, &pairs[i], pairs[i].lines ? &pairs[i].lines->line[number] : &made[i]);
}

#if PAIL_PASTE(PAIRING_PARAMS, TWO_MORE_LINES)
/* Frobenius, seen from the twist. */
static void CURVE_(psi)(AFFINE_2 *q)
{
    static const BASE x = PAIL_ELEMENT(2, PAIL_PASTE(CURVE_PARAMS, G2), PSI_X);
    static const BASE y = PAIL_ELEMENT(2, PAIL_PASTE(CURVE_PARAMS, G2), PSI_Y);
    BASE_(conjugate)(&q->x, &q->x);
    BASE_(conjugate)(&q->y, &q->y);
    PRODUCTS_(mul)(&q->x, &q->x, &x);
    PRODUCTS_(mul)(&q->y, &q->y, &y);
}
#endif

/* Miller's loop for n pairs, none of them with infinity, all with lines or none. kept: optional:
 * takes the lines of the only pair; there is no f then. */
static void CURVE_(miller)(FULL *f, PAIR *pairs, size_t n, LINES *kept)
{
    static const uint64_t loop[2] = CONSTANT_(LOOP);
    AFFINE_2 addends[PAIL_PAIRS_AT_ONCE];
    size_t number = 0;
    for (size_t i = 0; i < n; i++)
        addends[i] = pairs[i].t = pairs[i].q;
    *f = FULL_(one)();
    for (size_t bit = CONSTANT_(LOOP_BITS) - 1; bit-- > 0;) {
        if (number > 0 && !kept)
            FULL_(sqr)(f, f);
        CURVE_(turn)(f, pairs, n, NULL, number++, kept);
        if (loop[bit / 64] >> (bit % 64) & 1)
            CURVE_(turn)(f, pairs, n, addends, number++, kept);
    }
    /* An inverse would do; the conjugate is that and a factor which the power p^6 - 1 takes to 1.
     */
    if (CONSTANT_(LOOP_NEGATIVE))
        FULL_(conjugate)(f, f);
#if PAIL_PASTE(PAIRING_PARAMS, TWO_MORE_LINES)
    for (size_t i = 0; i < n; i++)
        CURVE_(psi)(&addends[i]);
    CURVE_(turn)(f, pairs, n, addends, number++, kept);
    for (size_t i = 0; i < n; i++) {
        CURVE_(psi)(&addends[i]);
        BASE_(neg)(&addends[i].y, &addends[i].y);
    }
    CURVE_(turn)(f, pairs, n, addends, number, kept);
#endif
}

/* r = a^seed of a unitary element. */
static void CURVE_(power_of_seed)(FULL *r, const FULL *a)
{
    static const uint64_t seed = PAIL_PASTE(CURVE_PARAMS, SEED);
    const FULL base = *a;
    size_t bit = 63;
    while (!(seed >> bit & 1))
        bit--;
    *r = base;
    while (bit-- > 0) {
        FULL_(sqr_unitary)(r, r);
        if (seed >> bit & 1)
            FULL_(mul)(r, r, &base);
    }
    if (PAIL_PASTE(CURVE_PARAMS, SEED_NEGATIVE))
        FULL_(conjugate)(r, r);
}

static void CURVE_(final_power)(FULL *f)
{
    enum { COLUMNS = CONSTANT_(HARD_DEGREE) + 1, COEFFICIENT_BITS = 4 };
    static const signed char hard[4][COLUMNS] = CONSTANT_(HARD);
    FULL powers[COLUMNS], factor, t;
    /* (p^6 - 1)(p^2 + 1) */
    FULL_(inv)(&t, f);
    FULL_(conjugate)(f, f);
    FULL_(mul)(f, f, &t);
    FULL_(frobenius)(&t, f);
    FULL_(frobenius)(&t, &t);
    FULL_(mul)(f, f, &t);
    powers[0] = *f;
    for (size_t k = 1; k < COLUMNS; k++)
        CURVE_(power_of_seed)(&powers[k], &powers[k - 1]);
    *f = FULL_(one)();
    for (size_t i = 4; i-- > 0;) {
        bool any = false;
        for (int bit = COEFFICIENT_BITS; bit-- > 0;) {
            if (any)
                FULL_(sqr_unitary)(&t, &t);
            for (size_t k = 0; k < COLUMNS; k++) {
                const int c = hard[i][k];
                if (!((c < 0 ? -c : c) >> bit & 1))
                    continue;
                factor = powers[k];
                if (c < 0)
                    FULL_(conjugate)(&factor, &factor);
                if (any)
                    FULL_(mul)(&t, &t, &factor);
                else
                    t = factor;
                any = true;
            }
        }
        FULL_(frobenius)(f, f);
        FULL_(mul)(f, f, &t);
    }
}

/* Finishes the pairs' points of G1 and multiplies the product by their pairings. */
static void CURVE_(some_pairings)(FULL *product, PAIR *pairs, const AFFINE_1 *points, size_t n)
{
    PRIME inverses[PAIL_PAIRS_AT_ONCE], scratch[PAIL_PAIRS_AT_ONCE];
    FULL lines;
    for (size_t i = 0; i < n; i++)
        inverses[i] = points[i].y;
    PRIME_(batch_inv)(inverses, scratch, n);
    for (size_t i = 0; i < n; i++) {
        pairs[i].inverse = inverses[i];
        WORDS_(mul)(&pairs[i].minus_x, &points[i].x, &inverses[i]);
        PRIME_(neg)(&pairs[i].minus_x, &pairs[i].minus_x);
    }
    CURVE_(miller)(&lines, pairs, n, NULL);
    FULL_(mul)(product, product, &lines);
}

/* Of q, or of lines where q is NULL. */
static void CURVE_(pairings)(FULL *product, const void *p, const void *q, const void *const *lines,
                             size_t n)
{
    PAIR pairs[PAIL_PAIRS_AT_ONCE];
    AFFINE_1 points[PAIL_PAIRS_AT_ONCE];
    size_t held = 0;
    *product = FULL_(one)();
    for (size_t i = 0; i < n; i++) {
        PAIR *const pair = &pairs[held];
        bool infinity;
        memcpy(&points[held], (const uint8_t *)p + i * sizeof(AFFINE_1), sizeof(AFFINE_1));
        *pair = (PAIR){.lines = q ? NULL : lines[i]};
        if (q)
            memcpy(&pair->q, (const uint8_t *)q + i * sizeof(AFFINE_2), sizeof(AFFINE_2));
        infinity = q ? CURVE_(g2_affine_is_infinity)(&pair->q) : pair->lines->infinity != 0;
        if (!infinity && !CURVE_(g1_affine_is_infinity)(&points[held]))
            held++;
        if (held == PAIL_PAIRS_AT_ONCE || (held > 0 && i + 1 == n)) {
            CURVE_(some_pairings)(product, pairs, points, held);
            held = 0;
        }
    }
    CURVE_(final_power)(product);
}

static bool CURVE_(op_pairings_are_one)(const void *p, const void *q, size_t n)
{
    FULL product;
    CURVE_(pairings)(&product, p, q, NULL, n);
    return FULL_(is_one)(&product);
}

static bool CURVE_(op_prepared_are_one)(const void *p, const void *const *lines, size_t n)
{
    FULL product;
    CURVE_(pairings)(&product, p, NULL, lines, n);
    return FULL_(is_one)(&product);
}

static void CURVE_(op_prepare)(void *lines, const void *q)
{
    LINES *const to = lines;
    PAIR pair = {0};
    FULL none;
    memset(to, 0, sizeof(*to));
    memcpy(&pair.q, q, sizeof(pair.q));
    to->infinity = CURVE_(g2_affine_is_infinity)(&pair.q);
    if (!to->infinity)
        CURVE_(miller)(&none, &pair, 1, to);
}

static void CURVE_(op_pairings)(uint8_t *bytes, const void *p, const void *q, size_t n)
{
    FULL product;
    CURVE_(pairings)(&product, p, q, NULL, n);
    const BASE *const parts[] = {&product.c0.c0, &product.c0.c1, &product.c0.c2,
                                 &product.c1.c0, &product.c1.c1, &product.c1.c2};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        BASE_(to_bytes)(bytes + i * sizeof(BASE), parts[i], false);
}

PAIRING_TABLE = {
    .curve = CURVE_NUMBER,
    .value_bytes = 12 * sizeof(PRIME),
    .lines_bytes = sizeof(LINES),
    .are_one = CURVE_(op_pairings_are_one),
    .product = CURVE_(op_pairings),
    .prepare = CURVE_(op_prepare),
    .prepared_are_one = CURVE_(op_prepared_are_one),
};

static_assert(12 * sizeof(PRIME) <= PAIL_PAIRING_BYTES_MAX, "PAIL_PAIRING_BYTES_MAX is too small");

#undef PAIRING_PARAMS
#undef PRIME
#undef BASE
#undef HALF
#undef FULL
#undef PRIME_
#undef WORDS_
#undef PRODUCTS_
#undef BASE_
#undef HALF_
#undef FULL_
#undef CURVE_
#undef CONSTANT_
#undef AFFINE_1
#undef AFFINE_2
#undef PAIR
#undef LINE
#undef LINES
