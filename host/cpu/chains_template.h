/* SPDX-License-Identifier: Apache-2.0 */
/* adder.h for one group, in words of the processor: a WORD_GROUP of <curves/word_groups.h>. The
 * struct is ADDER and the group's name.
 *
 * Points are affine points of host/base/curves. Sums are those of ec_template_impl.h: slope = (y2 -
 * y1) / (x2 - x1), x3 = slope^2 - x1 - x2, y3 = slope (x1 - x3) - y1, or the tangent's slope.
 * Special cases differ in their terms only, so the way back does not ask: a sum with infinity has
 * slope 0 and the opposites of what is to come out, opposite points have slope 0 and zeros.
 *
 * Denominators are multiplied up in LANES chains, and the products of a step stand side by side, so
 * that the processor has something to do while one waits for its carries.
 */
#include <string.h>

#include "adder.h"
#include <curves/loose_coordinate.h> /* EC_loose_mul and so on, CO_(mul) here */
#include <curves/paste.h>

#define EC_(name)   PAIL_PASTE(EC, name)
#define FE_(name)   PAIL_PASTE(FE, name)
#define AF_(name)   PAIL_PASTE(AF, name)
#define BASE_(name) PAIL_PASTE(BASE, name)
#define CO_(name)   PAIL_PASTE(EC, loose_##name)
#define AFFINE      EC_(affine)
#define TERMS       EC_(addition)

#define LANES (4 / EC_DEGREE)
#define BATCH 512

/* Values of an addition that the way back needs. */
typedef struct TERMS {
    FE x1, y1, x_sum, numerator, denominator, before; /* before: the product up to here */
} TERMS;

#include "ref_points.h"

/* r = y, or p - y for an odd operand; signs are random, so no branch. A 0 may become p. */
static inline void CO_(signed_y)(FE *r, const FE *y, uint32_t operand)
{
    const uint64_t mask = (uint64_t)0 - operand % 2;
#if EC_DEGREE == 1
    AF_(negate_if)(r, y, mask);
#else
    AF_(negate_if)(&r->c0, &y->c0, mask);
    AF_(negate_if)(&r->c1, &y->c1, mask);
#endif
}

static inline void CO_(reduce)(FE *y)
{
#if EC_DEGREE == 1
    BASE_(reduce_once)(y, y);
#else
    BASE_(reduce_once)(&y->c0, &y->c0);
    BASE_(reduce_once)(&y->c1, &y->c1);
#endif
}

static inline bool CO_(is_infinity)(const AFFINE *p)
{
    return FE_(is_zero)(&p->x) && FE_(is_zero)(&p->y);
}

/* The terms of a sum with infinity, or of points with the same x. Points with x = 0 come here, too,
 * though they need not be infinity. */
static __attribute__((noinline)) void CO_(special)(TERMS *t, const AFFINE *p, const AFFINE *q,
                                                   FE *y2)
{
    const bool p_infinite = CO_(is_infinity)(p), q_infinite = CO_(is_infinity)(q);
    if (!p_infinite && !q_infinite && !FE_(equal)(&p->x, &q->x))
        return;
    CO_(reduce)(&t->y1);
    CO_(reduce)(y2);
    if (p_infinite || q_infinite) {
        FE_(neg)(&t->x_sum, p_infinite ? &q->x : &p->x);
        FE_(neg)(&t->y1, p_infinite ? y2 : &t->y1);
    } else if (FE_(equal)(&t->y1, y2) && !FE_(is_zero)(y2)) {
        FE square;
        CO_(sqr)(&square, &p->x);
        FE_(add)(&t->numerator, &square, &square);
        FE_(add)(&t->numerator, &t->numerator, &square); /* 3 x^2 */
        FE_(add)(&t->denominator, y2, y2);
        return;
    } else {
        t->x_sum = t->y1 = (FE){0};
    }
    t->numerator = (FE){0};
    t->denominator = FE_(one);
}

static inline void CO_(terms)(TERMS *t, const AFFINE *p, const AFFINE *q,
                              const struct pail_cpu_pair *pair)
{
    FE y2;
    CO_(signed_y)(&t->y1, &p->y, pair->p);
    CO_(signed_y)(&y2, &q->y, pair->q);
    t->x1 = p->x;
    CO_(add_loose)(&t->x_sum, &p->x, &q->x);
    CO_(sub)(&t->numerator, &y2, &t->y1);
    CO_(sub)(&t->denominator, &q->x, &p->x);
    if (FE_(equal)(&p->x, &q->x) || FE_(is_zero)(&p->x) || FE_(is_zero)(&q->x))
        CO_(special)(t, p, q, &y2);
}

/* All terms, rounded up to whole steps, and the products of the chains. */
static void CO_(up)(TERMS *terms, FE product[LANES], const AFFINE *p, const AFFINE *q,
                    const struct pail_cpu_pair *pairs, size_t n)
{
    enum { AHEAD = 8 }; /* pairs that are on their way from memory */
    for (size_t k = 0; k < LANES; k++)
        product[k] = FE_(one);
    for (size_t first = 0; first < n; first += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            const size_t i = first + k;
            if (i + AHEAD < n) {
                const char *const one = (const char *)&p[pairs[i + AHEAD].p / 2],
                                  *const other = (const char *)&q[pairs[i + AHEAD].q / 2];
                for (size_t byte = 0; byte < sizeof(AFFINE); byte += 64) {
                    __builtin_prefetch(one + byte);
                    __builtin_prefetch(other + byte);
                }
            }
            if (i < n)
                CO_(terms)(&terms[i], &p[pairs[i].p / 2], &q[pairs[i].q / 2], &pairs[i]);
            else
                terms[i] = (TERMS){.denominator = FE_(one)};
        }
        for (size_t k = 0; k < LANES; k++) {
            terms[first + k].before = product[k];
            CO_(mul_loose)(&product[k], &product[k], &terms[first + k].denominator);
        }
    }
}

/* Replaces the products, none of which is 0, by their inverses. */
static void CO_(invert)(FE product[LANES])
{
    FE before[LANES], inverse = product[0];
    CO_(reduce)(&inverse);
    for (size_t k = 1; k < LANES; k++) {
        before[k] = inverse;
        CO_(mul)(&inverse, &inverse, &product[k]);
    }
    FE_(inv)(&inverse, &inverse);
    for (size_t k = LANES; --k > 0;) {
        const FE element = product[k];
        CO_(mul)(&product[k], &inverse, &before[k]);
        CO_(mul)(&inverse, &inverse, &element);
    }
    product[0] = inverse;
}

static void EC_(adder_add)(void *to, const void *p, const void *q,
                           const struct pail_cpu_pair *pairs, size_t n, void *scratch)
{
    TERMS *terms = scratch;
    AFFINE *sums = to;
    FE product[LANES], slope[LANES], x[LANES], y[LANES];
    CO_(up)(terms, product, p, q, pairs, n);
    CO_(invert)(product);
    for (size_t first = (n + LANES - 1) / LANES * LANES; first > 0;) {
        first -= LANES;
        const TERMS *const t = terms + first;
        for (size_t k = 0; k < LANES; k++)
            CO_(mul_loose)(&slope[k], &product[k], &t[k].before); /* 1 / denominator */
        for (size_t k = 0; k < LANES; k++)
            CO_(mul_loose)(&product[k], &product[k], &t[k].denominator);
        for (size_t k = 0; k < LANES; k++)
            CO_(mul_loose)(&slope[k], &slope[k], &t[k].numerator);
        for (size_t k = 0; k < LANES; k++) {
            CO_(sqr_loose)(&x[k], &slope[k]);
            CO_(sub_settled)(&x[k], &x[k], &t[k].x_sum);
            CO_(sub)(&y[k], &t[k].x1, &x[k]);
        }
        for (size_t k = 0; k < LANES; k++) {
            CO_(mul_loose)(&y[k], &slope[k], &y[k]);
            CO_(sub_settled)(&y[k], &y[k], &t[k].y1);
        }
        for (size_t k = 0; k < LANES && first + k < n; k++)
            sums[pairs[first + k].to] = (AFFINE){.x = x[k], .y = y[k]};
    }
}

#ifdef EC_BETA
static void EC_(adder_image)(void *points, size_t n)
{
    static const FE beta = {EC_BETA};
    AFFINE *const p = points;
    for (size_t i = 0; i < n; i++)
        CO_(mul)(&p[i].x, &p[i].x, &beta);
}
#endif

#ifdef EC_B
/* lift_template.h with one lane. Products and differences are reduced: there is nothing to tidy. */
#define VF        FE
#define VF_(name) PAIL_PASTE(EC, lane_##name)
#define VF_WORDS  AF_WORDS
#define VF_MASK   uint8_t
#define CONSTANTS CO_(lift_constants)

typedef struct CONSTANTS {
    FE one, four, eight; /* multiples of p that keep differences positive are for vectors: 0 here */
} CONSTANTS;

static inline void EC_(lift_constant)(VF *r, const BASE *value)
{
    *r = *value;
}

static inline void VF_(mul)(VF *r, const VF *a, const VF *b, const CONSTANTS *c)
{
    (void)c;
    CO_(mul)(r, a, b);
}

static inline void VF_(sqr)(VF *r, const VF *a, const CONSTANTS *c)
{
    (void)c;
    CO_(sqr)(r, a);
}

static inline void VF_(add)(VF *r, const VF *a, const VF *b)
{
    CO_(add_reduced)(r, a, b);
}

static inline void VF_(sub)(VF *r, const VF *a, const VF *b, const VF *offset)
{
    (void)offset;
    CO_(sub_reduced)(r, a, b);
}

static inline void VF_(tidy)(VF *r, const CONSTANTS *c)
{
    (void)r, (void)c;
}

static inline VF_MASK VF_(is_zero)(const VF *a, const CONSTANTS *c)
{
    (void)c;
    return FE_(is_zero)(a);
}

#include "lift_template.h"

static void EC_(adder_lift)(void *affine, uint8_t *found, size_t n, bool order)
{
    const CONSTANTS c = {.one = FE_(one)};
    AFFINE *const points = affine;
    for (size_t i = 0; i < n; i++) {
        VF_MASK good;
        found[i] = EC_(lift_y)(&points[i].y, &points[i].x, order, &good, &c);
        found[i] = (uint8_t)(found[i] + good);
    }
}

#undef VF
#undef VF_
#undef VF_WORDS
#undef VF_MASK
#undef CONSTANTS
#endif

const struct pail_cpu_adder PAIL_PASTE(ADDER, EC_NAME) = {
    .curve = EC_CURVE,
    .group = EC_GROUP,
    .point_bytes = sizeof(AFFINE),
    .batch = BATCH,
    .scratch_bytes = BATCH * sizeof(TERMS),
    .import = EC_(adder_import),
    .export = EC_(adder_export),
    .negate = EC_(adder_negate),
#ifdef EC_BETA
    .image = EC_(adder_image),
#endif
#ifdef EC_B
    .lift = EC_(adder_lift),
#endif
    .add = EC_(adder_add),
};

#undef LANES
#undef BATCH
#undef EC_
#undef FE_
#undef AF_
#undef BASE_
#undef CO_
#undef AFFINE
#undef TERMS
