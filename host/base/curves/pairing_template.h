/* SPDX-License-Identifier: Apache-2.0 */
/* The optimal ate pairing of one curve. Include it in one source file with
 *
 *   CURVE, CURVE_PARAMS  as in curve_template.h, whose header is already included
 *   CURVE_NUMBER         at the boundary
 *
 * It makes the table CURVE_pairing_ops of pairing.h. The constants are those of tools/pairing.py.
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
#define BASE_(name)     PAIL_PASTE(BASE, name)
#define HALF_(name)     PAIL_PASTE(HALF, name)
#define FULL_(name)     PAIL_PASTE(FULL, name)
#define CURVE_(name)    PAIL_PASTE(CURVE, name)
#define CONSTANT_(name) PAIL_PASTE(PAIRING_PARAMS, name)
#define AFFINE_1        CURVE_(g1_affine)
#define AFFINE_2        CURVE_(g2_affine)
#define PAIR            CURVE_(pair)

typedef struct PAIR {
    AFFINE_1 p;
    AFFINE_2 q, t; /* t: the multiple of q so far */
} PAIR;

/* f times the line through t with a slope, at p. On the curve, the line through a point (x w^2, y
 * w^3) of a D-twist with slope m w is
 *     p.y - m p.x w + (m x - y) w^3,
 * and of an M-twist, times w^3, which the power (p^6 - 1)(p^2 + 1) takes to 1,
 *     (m x - y) - m p.x w^2 + p.y w^3. */
static void CURVE_(multiply_line)(FULL *f, const PAIR *pair, const BASE *slope)
{
    BASE b, c, sum;
    HALF low, high, both;
    PRIME minus_x;
    PRIME_(neg)(&minus_x, &pair->p.x);
    PRIME_(mul)(&b.c0, &slope->c0, &minus_x);
    PRIME_(mul)(&b.c1, &slope->c1, &minus_x);
    BASE_(mul)(&c, slope, &pair->t.x);
    BASE_(sub)(&c, &c, &pair->t.y);
    HALF_(add)(&both, &f->c0, &f->c1);
#if PAIL_PASTE(PAIRING_PARAMS, TWIST_D)
    HALF_(scale)(&low, &f->c0, &pair->p.y);
    HALF_(mul_short)(&high, &f->c1, &b, &c);
    sum = b;
    PRIME_(add)(&sum.c0, &b.c0, &pair->p.y);
    HALF_(mul_short)(&both, &both, &sum, &c);
#else
    HALF_(mul_short)(&low, &f->c0, &c, &b);
    HALF_(scale)(&high, &f->c1, &pair->p.y);
    HALF_(times_v)(&high, &high);
    sum = b;
    PRIME_(add)(&sum.c0, &b.c0, &pair->p.y);
    HALF_(mul_short)(&both, &both, &c, &sum);
#endif
    FULL_(compose)(f, &low, &high, &both);
}

/* Adds to each t its addend, or itself without addends, and multiplies f by the lines. Multiples of
 * points of order r meet neither themselves nor infinity on the way. */
static void CURVE_(step)(FULL *f, PAIR *pairs, size_t n, const AFFINE_2 *addends)
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
        BASE rise;
        if (addends) {
            BASE_(sub)(&rise, &t->y, &addends[i].y);
        } else {
            BASE square;
            BASE_(sqr)(&square, &t->x);
            BASE_(add)(&rise, &square, &square);
            BASE_(add)(&rise, &rise, &square);
        }
        BASE_(mul)(&slopes[i], &slopes[i], &rise);
        CURVE_(multiply_line)(f, &pairs[i], &slopes[i]);
        BASE_(sqr)(&sum.x, &slopes[i]);
        BASE_(sub)(&sum.x, &sum.x, &t->x);
        BASE_(sub)(&sum.x, &sum.x, addends ? &addends[i].x : &t->x);
        BASE_(sub)(&sum.y, &t->x, &sum.x);
        BASE_(mul)(&sum.y, &sum.y, &slopes[i]);
        BASE_(sub)(&sum.y, &sum.y, &t->y);
        *t = sum;
    }
}

#if PAIL_PASTE(PAIRING_PARAMS, TWO_MORE_LINES)
/* Frobenius, seen from the twist. */
static void CURVE_(psi)(AFFINE_2 *q)
{
    static const BASE x = PAIL_ELEMENT(2, PAIL_PASTE(CURVE_PARAMS, G2), PSI_X);
    static const BASE y = PAIL_ELEMENT(2, PAIL_PASTE(CURVE_PARAMS, G2), PSI_Y);
    BASE_(conjugate)(&q->x, &q->x);
    BASE_(conjugate)(&q->y, &q->y);
    BASE_(mul)(&q->x, &q->x, &x);
    BASE_(mul)(&q->y, &q->y, &y);
}
#endif

/* Miller's loop for n pairs, none of them with infinity. */
static void CURVE_(miller)(FULL *f, PAIR *pairs, size_t n)
{
    static const uint64_t loop[2] = CONSTANT_(LOOP);
    AFFINE_2 addends[PAIL_PAIRS_AT_ONCE];
    for (size_t i = 0; i < n; i++)
        addends[i] = pairs[i].t = pairs[i].q;
    *f = FULL_(one)();
    for (size_t bit = CONSTANT_(LOOP_BITS) - 1; bit-- > 0;) {
        FULL_(sqr)(f, f);
        CURVE_(step)(f, pairs, n, NULL);
        if (loop[bit / 64] >> (bit % 64) & 1)
            CURVE_(step)(f, pairs, n, addends);
    }
    /* An inverse would do; the conjugate is that and a factor which the power p^6 - 1 takes to 1.
     */
    if (CONSTANT_(LOOP_NEGATIVE))
        FULL_(conjugate)(f, f);
#if PAIL_PASTE(PAIRING_PARAMS, TWO_MORE_LINES)
    for (size_t i = 0; i < n; i++)
        CURVE_(psi)(&addends[i]);
    CURVE_(step)(f, pairs, n, addends);
    for (size_t i = 0; i < n; i++) {
        CURVE_(psi)(&addends[i]);
        BASE_(neg)(&addends[i].y, &addends[i].y);
    }
    CURVE_(step)(f, pairs, n, addends);
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
    FULL powers[COLUMNS], opposite, t;
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
        t = FULL_(one)();
        for (int bit = COEFFICIENT_BITS; bit-- > 0;) {
            FULL_(sqr_unitary)(&t, &t);
            for (size_t k = 0; k < COLUMNS; k++) {
                const int c = hard[i][k];
                FULL_(conjugate)(&opposite, &powers[k]);
                if ((c < 0 ? -c : c) >> bit & 1)
                    FULL_(mul)(&t, &t, c < 0 ? &opposite : &powers[k]);
            }
        }
        FULL_(frobenius)(f, f);
        FULL_(mul)(f, f, &t);
    }
}

static void CURVE_(pairings)(FULL *product, const void *p, const void *q, size_t n)
{
    PAIR pairs[PAIL_PAIRS_AT_ONCE];
    size_t held = 0;
    *product = FULL_(one)();
    for (size_t i = 0; i < n; i++) {
        memcpy(&pairs[held].p, (const uint8_t *)p + i * sizeof(AFFINE_1), sizeof(AFFINE_1));
        memcpy(&pairs[held].q, (const uint8_t *)q + i * sizeof(AFFINE_2), sizeof(AFFINE_2));
        if (!CURVE_(g1_affine_is_infinity)(&pairs[held].p) &&
            !CURVE_(g2_affine_is_infinity)(&pairs[held].q))
            held++;
        if (held == PAIL_PAIRS_AT_ONCE || (held > 0 && i + 1 == n)) {
            FULL lines;
            CURVE_(miller)(&lines, pairs, held);
            FULL_(mul)(product, product, &lines);
            held = 0;
        }
    }
    CURVE_(final_power)(product);
}

static bool CURVE_(op_pairings_are_one)(const void *p, const void *q, size_t n)
{
    FULL product;
    CURVE_(pairings)(&product, p, q, n);
    return FULL_(is_one)(&product);
}

static void CURVE_(op_pairings)(uint8_t *bytes, const void *p, const void *q, size_t n)
{
    FULL product;
    CURVE_(pairings)(&product, p, q, n);
    const BASE *const parts[] = {&product.c0.c0, &product.c0.c1, &product.c0.c2,
                                 &product.c1.c0, &product.c1.c1, &product.c1.c2};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        BASE_(to_bytes)(bytes + i * sizeof(BASE), parts[i], false);
}

static const struct pail_pairing_ops CURVE_(pairing_ops) = {
    .curve = CURVE_NUMBER,
    .value_bytes = 12 * sizeof(PRIME),
    .are_one = CURVE_(op_pairings_are_one),
    .product = CURVE_(op_pairings),
};

static_assert(12 * sizeof(PRIME) <= PAIL_PAIRING_BYTES_MAX, "PAIL_PAIRING_BYTES_MAX is too small");

#undef PAIRING_PARAMS
#undef PRIME
#undef BASE
#undef HALF
#undef FULL
#undef PRIME_
#undef BASE_
#undef HALF_
#undef FULL_
#undef CURVE_
#undef CONSTANT_
#undef AFFINE_1
#undef AFFINE_2
#undef PAIR
