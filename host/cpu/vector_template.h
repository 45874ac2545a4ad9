/* SPDX-License-Identifier: Apache-2.0 */
/* adder.h for one group, eight additions at a time. Include it in one source file, after
 * ifma_field.h or avx2_field.h for its base field, with
 *
 *   EC, FE              the group and the field of its coordinates in host/base/curves
 *   EC_ADDER            the name of the struct pail_cpu_adder
 *   EC_CURVE, EC_GROUP  numbers at the boundary
 *   EC_DEGREE           1, or 2 if FE is the quadratic extension
 *   EC_VECTORS          vectors that share an inversion
 *   EC_BETA             of first groups: (EC_BETA x, y) is lambda times (x, y)
 *   EC_B, EC_SEED       of first groups, as in lift_template.h
 *   VF_MASK             the type of a set of lanes
 *   VF, VF_LIMBS, VF_STORED, BASE, BASE_PARAMS  as in ifma_field.h
 *
 * It undefines all but the last three rows.
 *
 * A point is x, then y, each EC_DEGREE elements of VF_STORED words, tidy, x below 1.2 p and y at
 * most 2 p. Lanes are additions in affine coordinates, as in ec_template_impl.h: slope = (y2 - y1)
 * / (x2 - x1), x3 = slope^2 - x1 - x2, y3 = slope (x1 - x3) - y1. Each lane's denominators are
 * multiplied up, the eight products inverted together, and the way back gives each denominator's
 * inverse.
 *
 * The product is 0 if a lane met equal or opposite points. Then, or if a point is infinity, the
 * batch begins anew and looks at each lane with care; what is special differs in its operands only,
 * so that the way back is the same.
 */
#include <stdbool.h>
#include <string.h>

#include "adder.h"
#include <curves/paste.h>

#define EC_(name)   PAIL_PASTE(EC, name)
#define FE_(name)   PAIL_PASTE(FE, name)
#define VF_(name)   PAIL_PASTE(VF, name)
#define BASE_(name) PAIL_PASTE(BASE, name)
#define VF_WORDS    PAIL_PASTE(BASE_PARAMS, LIMBS)
#define AFFINE      EC_(affine)
#define CO          EC_(co)
#define CO_(name)   EC_(co_##name)
#define CONSTANTS   VF_(constants)
#define TERMS       EC_(terms)
#define POINT_WORDS (2 * EC_DEGREE * VF_STORED)

/* Eight coordinates. */
typedef struct CO {
    VF c[EC_DEGREE];
} CO;

/* Values of eight additions that the way back needs. */
typedef struct TERMS {
    CO x1, y1, x_sum, numerator, denominator, before; /* before: the product up to here */
} TERMS;

static inline void CO_(tidy)(CO *a, const CONSTANTS *c)
{
    for (size_t i = 0; i < EC_DEGREE; i++)
        VF_(tidy)(&a->c[i], c);
}

static inline void CO_(shrink)(CO *a, const CONSTANTS *c)
{
    for (size_t i = 0; i < EC_DEGREE; i++)
        VF_(shrink)(&a->c[i], c);
}

static inline void CO_(add)(CO *r, const CO *a, const CO *b)
{
    for (size_t i = 0; i < EC_DEGREE; i++)
        VF_(add)(&r->c[i], &a->c[i], &b->c[i]);
}

static inline void CO_(sub)(CO *r, const CO *a, const CO *b, const VF *offset)
{
    for (size_t i = 0; i < EC_DEGREE; i++)
        VF_(sub)(&r->c[i], &a->c[i], &b->c[i], offset);
}

static inline void CO_(negate_some)(CO *r, VF_MASK mask, const CO *a, const CONSTANTS *c)
{
    for (size_t i = 0; i < EC_DEGREE; i++)
        VF_(negate_some)(&r->c[i], mask, &a->c[i], c);
}

static inline void CO_(select)(CO *r, VF_MASK mask, const CO *a)
{
    for (size_t i = 0; i < EC_DEGREE; i++)
        VF_(select)(&r->c[i], mask, &a->c[i]);
}

static inline VF_MASK CO_(is_zero)(const CO *a, const CONSTANTS *c)
{
    VF_MASK zero = 0xff;
    for (size_t i = 0; i < EC_DEGREE; i++)
        zero &= VF_(is_zero)(&a->c[i], c);
    return zero;
}

/* Lanes in which all limbs of both are 0. */
static inline VF_MASK CO_(all_zero)(const CO *a, const CO *b)
{
    VF_MASK zero = 0xff;
    for (size_t i = 0; i < EC_DEGREE; i++)
        zero &= VF_(all_zero)(&a->c[i]) & VF_(all_zero)(&b->c[i]);
    return zero;
}

/* Products of tidy factors, a below 1.6 p and b below 8 p; squares below 6 p. Below 1.3 p. */
#if EC_DEGREE == 1
static inline void CO_(mul)(CO *r, const CO *a, const CO *b, const CONSTANTS *c)
{
    VF_(mul)(&r->c[0], &a->c[0], &b->c[0], c);
}

static inline void CO_(sqr)(CO *r, const CO *a, const CONSTANTS *c)
{
    VF_(sqr)(&r->c[0], &a->c[0], c);
}
#else
/* (a0 b0 - a1 b1) + (a0 b1 + a1 b0) u, each a sum of two products with one reduction. */
static __attribute__((noinline)) void CO_(mul)(CO *r, const CO *a, const CO *b, const CONSTANTS *c)
{
    static const VF zero;
    VF minus, low;
    VF_(sub)(&minus, &zero, &b->c[1], &c->eight);
    VF_(tidy)(&minus, c);
    VF_(mul_two)(&low, &a->c[0], &b->c[0], &a->c[1], &minus, c);
    VF_(mul_two)(&r->c[1], &a->c[0], &b->c[1], &a->c[1], &b->c[0], c);
    r->c[0] = low;
}

static __attribute__((noinline)) void CO_(sqr)(CO *r, const CO *a, const CONSTANTS *c)
{
    VF sum, difference, twice;
    VF_(add)(&sum, &a->c[0], &a->c[1]);
    VF_(sub)(&difference, &a->c[0], &a->c[1], &c->four);
    VF_(add)(&twice, &a->c[0], &a->c[0]);
    VF_(tidy)(&sum, c);
    VF_(tidy)(&difference, c);
    VF_(tidy)(&twice, c);
    VF_(mul)(&r->c[1], &twice, &a->c[1], c);
    VF_(mul)(&r->c[0], &sum, &difference, c);
}
#endif

/* The lanes' points from memory; y negated, and then up to 4 p and not tidy, where an operand is
 * odd. Returns the lanes with infinity. */
static inline VF_MASK EC_(gather)(CO *x, CO *y, const uint64_t *points, const uint32_t operands[8],
                                  const CONSTANTS *c)
{
    const uint64_t *rows[8];
    VF_MASK negative = 0;
    PAIL_UNROLL
    for (unsigned k = 0; k < 8; k++) {
        rows[k] = points + (size_t)(operands[k] / 2) * POINT_WORDS;
        negative |= (VF_MASK)(operands[k] % 2 << k);
    }
    for (size_t i = 0; i < EC_DEGREE; i++) {
        VF_(load)(&x->c[i], rows, i * VF_STORED, c);
        VF_(load)(&y->c[i], rows, (EC_DEGREE + i) * VF_STORED, c);
    }
    const VF_MASK infinite = CO_(all_zero)(x, y);
    CO_(negate_some)(y, negative, y, c);
    return infinite;
}

/* r = -a in the lanes of mask. Seldom, and so large that four of them would not fit one frame. */
static __attribute__((noinline)) void EC_(opposite)(CO *r, VF_MASK mask, const CO *a,
                                                    const CONSTANTS *c)
{
    const CO zero = {0};
    CO minus;
    CO_(sub)(&minus, &zero, a, &c->four);
    CO_(tidy)(&minus, c);
    CO_(select)(r, mask, &minus);
}

/* Takes special lanes into account: sets their terms and denominator so that the way back comes to
 * the right sum, or *infinite where that is infinity. */
static __attribute__((noinline)) void EC_(special)(TERMS *t, VF_MASK *infinite, const CO *x2,
                                                   const CO *y2, VF_MASK p_infinite,
                                                   VF_MASK q_infinite, const CONSTANTS *c)
{
    const CO zero = {0};
    CO one = {0}, sum, square, triple;
    one.c[0] = c->one;
    const VF_MASK copied = p_infinite | q_infinite;
    const VF_MASK same_x = CO_(is_zero)(&t->denominator, c) & (VF_MASK)~copied;
    CO y = t->y1, other = *y2; /* up to 4 p each */
    CO_(shrink)(&y, c);
    CO_(shrink)(&other, c);
    CO_(add)(&sum, &y, &other);
    const VF_MASK opposite = same_x & CO_(is_zero)(&sum, c); /* or both of order 2 */
    const VF_MASK twice = same_x & (VF_MASK)~opposite;

    /* The tangent: 3 x^2 / (2 y). */
    CO_(sqr)(&square, &t->x1, c);
    CO_(add)(&triple, &square, &square);
    CO_(add)(&triple, &triple, &square);
    CO_(tidy)(&triple, c);
    CO_(add)(&sum, &y, &y);
    CO_(tidy)(&sum, c);
    CO_(select)(&t->numerator, twice, &triple);
    CO_(select)(&t->denominator, twice, &sum);

    /* One operand only: slope 0, x3 = -x_sum, y3 = -y1. */
    EC_(opposite)(&t->x_sum, q_infinite, &t->x1, c);
    EC_(opposite)(&t->y1, q_infinite, &t->y1, c);
    EC_(opposite)(&t->x_sum, p_infinite, x2, c);
    EC_(opposite)(&t->y1, p_infinite, y2, c);
    CO_(select)(&t->numerator, copied, &zero);
    CO_(select)(&t->denominator, copied | opposite, &one);
    *infinite = opposite | (p_infinite & q_infinite);
}

/* The way up. Returns false if there is something special and `care` is not taken. */
static inline bool EC_(up)(TERMS *terms, VF_MASK *infinite, CO *product, const uint64_t *p,
                           const uint64_t *q, const struct pail_cpu_pair *pairs, size_t n,
                           bool care, const CONSTANTS *c)
{
    enum { AHEAD = 24 }; /* pairs that are on their way from memory */
    memset(&terms[0].before, 0, sizeof terms[0].before);
    terms[0].before.c[0] = c->one;
    for (size_t v = 0; 8 * v < n; v++) {
        TERMS *t = &terms[v];
        uint32_t operands_p[8], operands_q[8];
        for (size_t k = 0; k < 8; k++) {
            const size_t i = 8 * v + k < n ? 8 * v + k : n - 1;
            operands_p[k] = pairs[i].p;
            operands_q[k] = pairs[i].q;
            if (i + AHEAD < n) {
                const uint64_t *next_p = p + (size_t)(pairs[i + AHEAD].p / 2) * POINT_WORDS;
                const uint64_t *next_q = q + (size_t)(pairs[i + AHEAD].q / 2) * POINT_WORDS;
                for (size_t w = 0; w < POINT_WORDS; w += 8) {
                    __builtin_prefetch(next_p + w);
                    __builtin_prefetch(next_q + w);
                }
            }
        }
        CO x2, y2;
        const VF_MASK p_infinite = EC_(gather)(&t->x1, &t->y1, p, operands_p, c);
        const VF_MASK q_infinite = EC_(gather)(&x2, &y2, q, operands_q, c);
        if (!care && (p_infinite | q_infinite) != 0)
            return false;
        CO_(sub)(&t->denominator, &x2, &t->x1, &c->four); /* 2.8 to 5.2 p */
        CO_(tidy)(&t->denominator, c);
        CO_(add)(&t->x_sum, &t->x1, &x2);               /* below 2.4 p */
        CO_(sub)(&t->numerator, &y2, &t->y1, &c->four); /* 0 to 8 p */
        CO_(tidy)(&t->numerator, c);
        if (care)
            EC_(special)(t, &infinite[v], &x2, &y2, p_infinite, q_infinite, c);
        CO *const next = 8 * (v + 1) < n ? &t[1].before : product;
        CO_(mul)(next, &t->before, &t->denominator, c);
    }
    return true;
}

/* r = a with lane k where lane k ^ distance was. */
static inline void EC_(exchange)(CO *r, const CO *a, size_t distance)
{
    uint64_t from[EC_DEGREE][VF_LIMBS][8], to[EC_DEGREE][VF_LIMBS][8];
    memcpy(from, a, sizeof from);
    for (size_t i = 0; i < EC_DEGREE; i++)
        for (size_t j = 0; j < VF_LIMBS; j++)
            for (size_t k = 0; k < 8; k++)
                to[i][j][k] = from[i][j][k ^ distance];
    memcpy(r, to, sizeof to);
}

/* Replaces the lanes by their inverses; false if one is 0. Lanes are multiplied by those at a
 * distance until each has the product of all, which is inverted once; and that times the same
 * partners in the other order is a lane's own inverse. */
static __attribute__((noinline)) bool EC_(invert)(CO *product, const CONSTANTS *c)
{
    enum { LEVELS = 3 };
    CO partners[LEVELS];
    uint64_t limbs[EC_DEGREE][VF_LIMBS][8];
    BASE parts[EC_DEGREE];
    FE all;
    for (size_t i = 0; i < LEVELS; i++) {
        EC_(exchange)(&partners[i], product, (size_t)1 << i);
        CO_(mul)(product, product, &partners[i], c);
    }
    memcpy(limbs, product, sizeof limbs);
    for (size_t i = 0; i < EC_DEGREE; i++) {
        uint64_t lane[VF_LIMBS], stored[VF_STORED];
        for (size_t j = 0; j < VF_LIMBS; j++)
            lane[j] = limbs[i][j][0];
        VF_(pack)(stored, lane);
        VF_(export)(&parts[i], stored);
    }
    memcpy(&all, parts, sizeof all);
    if (FE_(is_zero)(&all))
        return false;
    FE_(inv)(&all, &all);
    memcpy(parts, &all, sizeof all);
    for (size_t i = 0; i < EC_DEGREE; i++) {
        uint64_t lane[VF_LIMBS], stored[VF_STORED];
        VF_(import)(stored, &parts[i]);
        VF_(unpack)(lane, stored);
        VF_(broadcast)(&product->c[i], lane);
    }
    for (size_t i = LEVELS; i-- > 0;)
        CO_(mul)(product, product, &partners[i], c);
    return true;
}

/* The way back, with the inverse of the product. infinite: NULL where nothing is special. */
static inline void EC_(down)(uint64_t *to, const TERMS *terms, const VF_MASK *infinite, CO *inverse,
                             const struct pail_cpu_pair *pairs, size_t n, const CONSTANTS *c)
{
    const CO zero = {0};
    for (size_t v = (n + 7) / 8; v-- > 0;) {
        const TERMS *t = &terms[v];
        CO slope, x3, y3;
        CO_(mul)(&slope, inverse, &t->before, c);
        CO_(mul)(inverse, inverse, &t->denominator, c);
        CO_(mul)(&slope, &slope, &t->numerator, c); /* below 1.3 p */
        CO_(sqr)(&x3, &slope, c);
        CO_(sub)(&x3, &x3, &t->x_sum, &c->four); /* 0 to 5.3 p */
        CO_(shrink)(&x3, c);
        CO_(sub)(&y3, &t->x1, &x3, &c->four);
        CO_(tidy)(&y3, c); /* 2.8 to 5.2 p */
        CO_(mul)(&y3, &slope, &y3, c);
        CO_(sub)(&y3, &y3, &t->y1, &c->four); /* 0 to 5.3 p */
        CO_(shrink)(&y3, c);
        if (infinite) {
            CO_(select)(&x3, infinite[v], &zero);
            CO_(select)(&y3, infinite[v], &zero);
        }
        uint64_t *rows[8], nowhere[POINT_WORDS];
        for (size_t k = 0; k < 8; k++)
            rows[k] = 8 * v + k < n ? to + (size_t)pairs[8 * v + k].to * POINT_WORDS : nowhere;
        for (size_t i = 0; i < EC_DEGREE; i++) {
            VF_(store)(rows, i * VF_STORED, &x3.c[i]);
            VF_(store)(rows, (EC_DEGREE + i) * VF_STORED, &y3.c[i]);
        }
    }
}

static __attribute__((noinline)) void EC_(add_with_care)(uint64_t *to, TERMS *terms,
                                                         const uint64_t *p, const uint64_t *q,
                                                         const struct pail_cpu_pair *pairs,
                                                         size_t n, const CONSTANTS *c)
{
    VF_MASK infinite[EC_VECTORS];
    CO product;
    (void)EC_(up)(terms, infinite, &product, p, q, pairs, n, true, c);
    (void)EC_(invert)(&product, c); /* not 0 now */
    EC_(down)(to, terms, infinite, &product, pairs, n, c);
}

static void EC_(adder_add)(void *to, const void *p, const void *q,
                           const struct pail_cpu_pair *pairs, size_t n, void *scratch)
{
    TERMS *terms = scratch;
    CONSTANTS c;
    CO product;
    VF_(prepare)(&c);
    if (EC_(up)(terms, NULL, &product, p, q, pairs, n, false, &c) && EC_(invert)(&product, &c))
        EC_(down)(to, terms, NULL, &product, pairs, n, &c);
    else
        EC_(add_with_care)(to, terms, p, q, pairs, n, &c);
}

/* The way up of doublings: the tangent's slope is 3 x^2 / (2 y). False where a point is infinity.
 */
static inline bool EC_(up_twice)(TERMS *terms, CO *product, const uint64_t *p,
                                 const struct pail_cpu_pair *pairs, size_t n, const CONSTANTS *c)
{
    memset(&terms[0].before, 0, sizeof terms[0].before);
    terms[0].before.c[0] = c->one;
    for (size_t v = 0; 8 * v < n; v++) {
        TERMS *t = &terms[v];
        uint32_t operands[8];
        CO square;
        for (size_t k = 0; k < 8; k++)
            operands[k] = pairs[8 * v + k < n ? 8 * v + k : n - 1].p;
        if (EC_(gather)(&t->x1, &t->y1, p, operands, c) != 0)
            return false;
        CO_(sqr)(&square, &t->x1, c);
        CO_(add)(&t->numerator, &square, &square);
        CO_(add)(&t->numerator, &t->numerator, &square); /* below 3.9 p */
        CO_(tidy)(&t->numerator, c);
        CO_(add)(&t->denominator, &t->y1, &t->y1); /* at most 4 p */
        CO_(tidy)(&t->denominator, c);
        CO_(add)(&t->x_sum, &t->x1, &t->x1);
        CO_(mul)(8 * (v + 1) < n ? &t[1].before : product, &t->before, &t->denominator, c);
    }
    return true;
}

static void EC_(adder_twice)(void *to, const void *p, const struct pail_cpu_pair *pairs, size_t n,
                             void *scratch)
{
    TERMS *terms = scratch;
    CONSTANTS c;
    CO product;
    VF_(prepare)(&c);
    if (EC_(up_twice)(terms, &product, p, pairs, n, &c) && EC_(invert)(&product, &c))
        EC_(down)(to, terms, NULL, &product, pairs, n, &c);
    else
        EC_(add_with_care)(to, terms, p, p, pairs, n, &c);
}

#ifdef EC_BETA
static void EC_(adder_image)(void *points, size_t n)
{
    static const BASE beta = {EC_BETA};
    uint64_t stored[VF_STORED], limbs[VF_LIMBS], nowhere[POINT_WORDS];
    uint64_t *const at = points;
    CONSTANTS c;
    VF factor, x;
    VF_(prepare)(&c);
    VF_(import)(stored, &beta);
    VF_(unpack)(limbs, stored);
    VF_(broadcast)(&factor, limbs);
    for (size_t i = 0; i < n; i += 8) {
        const uint64_t *sources[8];
        uint64_t *rows[8];
        for (size_t k = 0; k < 8; k++) {
            const bool there = i + k < n;
            sources[k] = at + (there ? i + k : i) * POINT_WORDS;
            rows[k] = there ? at + (i + k) * POINT_WORDS : nowhere;
        }
        VF_(load)(&x, sources, 0, &c);
        VF_(mul)(&x, &x, &factor, &c);
        VF_(store)(rows, 0, &x);
    }
}
#endif

/* Eight points of the CPU's form, rows of BASE words, to where they belong: times 2^ratio, by a
 * product with 2^(ratio + 52 VF_LIMBS). 0 stays 0. */
static void EC_(adder_import)(void *points, const void *affine, size_t n)
{
    enum { PARTS = 2 * EC_DEGREE };
    uint64_t power[VF_WORDS] = {0}, limbs[VF_LIMBS], from[8][POINT_WORDS], nowhere[POINT_WORDS];
    const unsigned char *const at = affine;
    CONSTANTS c;
    BASE scaled;
    VF factor;
    VF_(prepare)(&c);
    power[2 * VF_(ratio) / 64] = UINT64_C(1) << 2 * VF_(ratio) % 64;
    BASE_(from_integer)(&scaled, power);
    VF_(split)(limbs, scaled.l);
    VF_(broadcast)(&factor, limbs);
    for (size_t i = 0; i < n; i += 8) {
        const uint64_t *sources[8];
        uint64_t *rows[8];
        for (size_t k = 0; k < 8; k++) {
            BASE parts[PARTS];
            const bool there = i + k < n;
            memcpy(parts, at + (there ? i + k : i) * sizeof parts, sizeof parts);
            for (size_t j = 0; j < PARTS; j++) {
#if VF_STORED == VF_LIMBS
                VF_(split)(from[k] + j * VF_STORED, parts[j].l);
#else
                memcpy(from[k] + j * VF_STORED, parts[j].l, sizeof parts[j].l);
#endif
            }
            sources[k] = from[k];
            rows[k] = there ? (uint64_t *)points + (i + k) * POINT_WORDS : nowhere;
        }
        for (size_t j = 0; j < PARTS; j++) {
            VF part;
            VF_(load)(&part, sources, j * VF_STORED, &c);
            VF_(mul)(&part, &part, &factor, &c);
            VF_(store)(rows, j * VF_STORED, &part);
        }
    }
}

/* y^2 = x^3 + b, and b from the generator. */
static size_t EC_(adder_off_curve)(const void *points, size_t n)
{
    CONSTANTS c;
    CO b;
    FE square, cube;
    BASE parts[EC_DEGREE];
    VF_(prepare)(&c);
    FE_(sqr)(&cube, &EC_(generator).x);
    FE_(mul)(&cube, &cube, &EC_(generator).x);
    FE_(sqr)(&square, &EC_(generator).y);
    FE_(sub)(&square, &square, &cube);
    memcpy(parts, &square, sizeof square);
    for (size_t i = 0; i < EC_DEGREE; i++) {
        uint64_t stored[VF_STORED], limbs[VF_LIMBS];
        VF_(import)(stored, &parts[i]);
        VF_(unpack)(limbs, stored);
        VF_(broadcast)(&b.c[i], limbs);
    }
    for (size_t i = 0; i < n; i += 8) {
        uint32_t operands[8];
        for (uint32_t k = 0; k < 8; k++)
            operands[k] = 2 * (uint32_t)(i + k < n ? i + k : i);
        CO x, y, right;
        const VF_MASK infinite = EC_(gather)(&x, &y, points, operands, &c);
        CO_(sqr)(&y, &y, &c);
        CO_(sqr)(&right, &x, &c);
        CO_(mul)(&right, &right, &x, &c);
        CO_(add)(&right, &right, &b);      /* below 2.3 p */
        CO_(sub)(&y, &y, &right, &c.four); /* 1.7 to 5.3 p */
        const unsigned good = CO_(is_zero)(&y, &c) | infinite;
        if (good != 0xff)
            return i + (size_t)__builtin_ctz(~good);
    }
    return n;
}

static void EC_(adder_export)(pail_affine *affine, const void *point)
{
    const uint64_t *words = point;
    BASE parts[2 * EC_DEGREE];
    for (size_t k = 0; k < 2 * EC_DEGREE; k++)
        VF_(export)(&parts[k], words + k * VF_STORED);
    memcpy(affine->limbs, parts, sizeof parts);
}

/* 2 p - y, so that it may be 2 p, which those who read points allow for. */
static void EC_(adder_negate)(void *point)
{
    uint64_t *y = (uint64_t *)point + EC_DEGREE * VF_STORED;
    for (size_t i = 0; i < EC_DEGREE; i++)
        VF_(negate_stored)(y + i * VF_STORED);
}

#ifdef EC_B
static inline void EC_(lift_constant)(VF *r, const BASE *value)
{
    uint64_t stored[VF_STORED], limbs[VF_LIMBS];
    VF_(import)(stored, value);
    VF_(unpack)(limbs, stored);
    VF_(broadcast)(r, limbs);
}

#include "lift_template.h"
#endif

const struct pail_cpu_adder EC_ADDER = {
    .curve = EC_CURVE,
    .group = EC_GROUP,
    .point_bytes = POINT_WORDS * sizeof(uint64_t),
    .batch = 8 * EC_VECTORS,
    .scratch_bytes = EC_VECTORS * sizeof(TERMS),
    .import = EC_(adder_import),
    .off_curve = EC_(adder_off_curve),
    .export = EC_(adder_export),
    .negate = EC_(adder_negate),
#ifdef EC_BETA
    .image = EC_(adder_image),
#endif
#ifdef EC_B
    .lift = EC_(adder_lift),
#endif
    .add = EC_(adder_add),
    .twice = EC_(adder_twice),
};

#undef EC_
#undef FE_
#undef VF_
#undef BASE_
#undef VF_WORDS
#undef AFFINE
#undef CO
#undef CO_
#undef CONSTANTS
#undef TERMS
#undef POINT_WORDS
#undef EC
#undef FE
#undef EC_ADDER
#undef EC_CURVE
#undef EC_GROUP
#undef EC_DEGREE
#undef EC_VECTORS
