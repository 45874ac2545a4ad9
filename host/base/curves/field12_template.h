/* SPDX-License-Identifier: Apache-2.0 */
/* The quadratic extension F(w), w^2 = v, of a field of field6_template.h, and functions of it.
 * Include it in one source file with
 *
 *   FE         prefix of the type and of its functions, for example pail_bn254_fp12
 *   HALF       F, of degree 6 over the field P of p elements
 *   BASE       the quadratic field below F
 *   PRIME, PRIME_WORDS, BASE_PRODUCTS, PAIRING_PARAMS  as in field6_template.h; FROBENIUS_i:
 *              xi^(i (p - 1) / 6)
 *
 * No include guard. An element is c0 + c1 w; by powers of w it is the sum of a_i w^i with a_0, a_2,
 * a_4 in c0 and a_1, a_3, a_5 in c1. Outputs may be inputs.
 *
 * Functions called unitary are for elements whose power p^4 - p^2 + 1 is 1: all that a pairing
 * leaves behind once it is raised to (p^6 - 1)(p^2 + 1). Their inverse is their conjugate.
 */
#include <stddef.h>

#include "element.h"
#include "paste.h"

#define FE_(name)       PAIL_PASTE(FE, name)
#define HALF_(name)     PAIL_PASTE(HALF, name)
#define BASE_(name)     PAIL_PASTE(BASE, name)
#define PRODUCTS_(name) PAIL_PASTE(BASE_PRODUCTS, name)

typedef struct FE {
    HALF c0, c1;
} FE;

static FE FE_(one)(void)
{
    return (FE){.c0 = {.c0 = BASE_(one)}};
}

static bool FE_(is_one)(const FE *a)
{
    return BASE_(equal)(&a->c0.c0, &BASE_(one)) && BASE_(is_zero)(&a->c0.c1) &&
           BASE_(is_zero)(&a->c0.c2) && BASE_(is_zero)(&a->c1.c0) && BASE_(is_zero)(&a->c1.c1) &&
           BASE_(is_zero)(&a->c1.c2);
}

/* r = a^(p^6) */
static void FE_(conjugate)(FE *r, const FE *a)
{
    r->c0 = a->c0;
    HALF_(neg)(&r->c1, &a->c1);
}

/* Composes r from the three products of Karatsuba: low = a0 b0, high = a1 b1, both = (a0 + a1)(b0 +
 * b1). */
static void FE_(compose)(FE *r, const HALF *low, const HALF *high, const HALF *both)
{
    HALF wrapped;
    HALF_(times_v)(&wrapped, high);
    HALF_(sub)(&r->c1, both, low);
    HALF_(sub)(&r->c1, &r->c1, high);
    HALF_(add)(&r->c0, low, &wrapped);
}

static void FE_(mul)(FE *r, const FE *a, const FE *b)
{
    HALF low, high, both, sum;
    HALF_(mul)(&low, &a->c0, &b->c0);
    HALF_(mul)(&high, &a->c1, &b->c1);
    HALF_(add)(&both, &a->c0, &a->c1);
    HALF_(add)(&sum, &b->c0, &b->c1);
    HALF_(mul)(&both, &both, &sum);
    FE_(compose)(r, &low, &high, &both);
}

/* Complex squaring: a0^2 + v a1^2 is (a0 + a1)(a0 + v a1) less (1 + v) a0 a1. */
static void FE_(sqr)(FE *r, const FE *a)
{
    HALF product, sum, other;
    HALF_(mul)(&product, &a->c0, &a->c1);
    HALF_(add)(&sum, &a->c0, &a->c1);
    HALF_(times_v)(&other, &a->c1);
    HALF_(add)(&other, &other, &a->c0);
    HALF_(mul)(&sum, &sum, &other);
    HALF_(times_v)(&other, &product);
    HALF_(sub)(&sum, &sum, &product);
    HALF_(sub)(&r->c0, &sum, &other);
    HALF_(add)(&r->c1, &product, &product);
}

/* (a0 - a1 w) / (a0^2 - v a1^2); 0 for 0. */
static void FE_(inv)(FE *r, const FE *a)
{
    HALF norm, square;
    HALF_(mul)(&norm, &a->c0, &a->c0);
    HALF_(mul)(&square, &a->c1, &a->c1);
    HALF_(times_v)(&square, &square);
    HALF_(sub)(&norm, &norm, &square);
    HALF_(inv)(&norm, &norm);
    FE_(conjugate)(r, a);
    HALF_(mul)(&r->c0, &r->c0, &norm);
    HALF_(mul)(&r->c1, &r->c1, &norm);
}

/* r = a^p: the conjugate of each a_i, times (w^i)^(p - 1). */
static void FE_(frobenius)(FE *r, const FE *a)
{
    static const BASE factors[] = {
        PAIL_ELEMENT(2, PAIRING_PARAMS, FROBENIUS_1), PAIL_ELEMENT(2, PAIRING_PARAMS, FROBENIUS_2),
        PAIL_ELEMENT(2, PAIRING_PARAMS, FROBENIUS_3), PAIL_ELEMENT(2, PAIRING_PARAMS, FROBENIUS_4),
        PAIL_ELEMENT(2, PAIRING_PARAMS, FROBENIUS_5)};
    BASE *const parts[] = {&r->c1.c0, &r->c0.c1, &r->c1.c1, &r->c0.c2, &r->c1.c2};
    *r = *a;
    BASE_(conjugate)(&r->c0.c0, &r->c0.c0);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        BASE_(conjugate)(parts[i], parts[i]);
        PRODUCTS_(mul)(parts[i], parts[i], &factors[i]);
    }
}

/* 3 s + 2 a or 3 s - 2 a. */
static void FE_(mix)(BASE *r, const BASE *s, const BASE *a, bool plus)
{
    BASE t;
    if (plus)
        HALF_(base_add)(&t, s, a);
    else
        HALF_(base_sub)(&t, s, a);
    HALF_(base_add)(&t, &t, &t);
    HALF_(base_add)(r, &t, s);
}

/* (x + y s)^2 with s^2 = xi: both parts. */
static void FE_(square_pair)(BASE *low, BASE *high, const BASE *x, const BASE *y)
{
    BASE xx, yy;
    PRODUCTS_(sqr)(&xx, x);
    PRODUCTS_(sqr)(&yy, y);
    HALF_(base_add)(high, x, y);
    PRODUCTS_(sqr)(high, high);
    HALF_(base_sub)(high, high, &xx);
    HALF_(base_sub)(high, high, &yy);
    HALF_(times_xi)(low, &yy);
    HALF_(base_add)(low, low, &xx);
}

/* r = a^2 of a unitary element, with 9 squarings in BASE. Robert Granger, Michael Scott, "Faster
 * squaring in the cyclotomic subgroup of sixth degree extensions", PKC 2010, section 3.2. The pairs
 * are those of w^i and w^(i + 3). */
static void FE_(sqr_unitary)(FE *r, const FE *a)
{
    BASE low[3], high[3], wrapped;
    FE_(square_pair)(&low[0], &high[0], &a->c0.c0, &a->c1.c1); /* 1 and w^3 */
    FE_(square_pair)(&low[1], &high[1], &a->c1.c0, &a->c0.c2); /* w and w^4 */
    FE_(square_pair)(&low[2], &high[2], &a->c0.c1, &a->c1.c2); /* w^2 and w^5 */
    FE_(mix)(&r->c0.c0, &low[0], &a->c0.c0, false);
    FE_(mix)(&r->c1.c1, &high[0], &a->c1.c1, true);
    FE_(mix)(&r->c0.c1, &low[1], &a->c0.c1, false);
    FE_(mix)(&r->c1.c2, &high[1], &a->c1.c2, true);
    FE_(mix)(&r->c0.c2, &low[2], &a->c0.c2, false);
    HALF_(times_xi)(&wrapped, &high[2]);
    FE_(mix)(&r->c1.c0, &wrapped, &a->c1.c0, true);
}

#undef FE_
#undef HALF_
#undef BASE_
#undef PRODUCTS_
