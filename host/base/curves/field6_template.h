/* SPDX-License-Identifier: Apache-2.0 */
/* The cubic extension F(v), v^3 = xi, of a quadratic field F = P(u), u^2 = -1, and functions of it.
 * Include it in one source file with
 *
 *   FE         prefix of the type and of its functions, for example pail_bn254_fp6
 *   BASE       F, of field2_template.h
 *   PRIME      P
 *   PRIME_WORDS, BASE_PRODUCTS  prefixes of add, sub and mul of P, and of mul and sqr of F
 *   PAIRING_PARAMS  prefix of the constants of the pairing; XI_C0: xi is XI_C0 + u
 *
 * No include guard. An element is c0 + c1 v + c2 v^2. Outputs may be inputs.
 */
#include "paste.h"

#define FE_(name)       PAIL_PASTE(FE, name)
#define BASE_(name)     PAIL_PASTE(BASE, name)
#define PRIME_(name)    PAIL_PASTE(PRIME, name)
#define WORDS_(name)    PAIL_PASTE(PRIME_WORDS, name)
#define PRODUCTS_(name) PAIL_PASTE(BASE_PRODUCTS, name)
#define XI_C0           PAIL_PASTE(PAIRING_PARAMS, XI_C0)

typedef struct FE {
    BASE c0, c1, c2;
} FE;

static inline void FE_(base_add)(BASE *r, const BASE *a, const BASE *b)
{
    WORDS_(add)(&r->c0, &a->c0, &b->c0);
    WORDS_(add)(&r->c1, &a->c1, &b->c1);
}

static inline void FE_(base_sub)(BASE *r, const BASE *a, const BASE *b)
{
    WORDS_(sub)(&r->c0, &a->c0, &b->c0);
    WORDS_(sub)(&r->c1, &a->c1, &b->c1);
}

static inline void FE_(add)(FE *r, const FE *a, const FE *b)
{
    FE_(base_add)(&r->c0, &a->c0, &b->c0);
    FE_(base_add)(&r->c1, &a->c1, &b->c1);
    FE_(base_add)(&r->c2, &a->c2, &b->c2);
}

static inline void FE_(sub)(FE *r, const FE *a, const FE *b)
{
    FE_(base_sub)(&r->c0, &a->c0, &b->c0);
    FE_(base_sub)(&r->c1, &a->c1, &b->c1);
    FE_(base_sub)(&r->c2, &a->c2, &b->c2);
}

static inline void FE_(neg)(FE *r, const FE *a)
{
    BASE_(neg)(&r->c0, &a->c0);
    BASE_(neg)(&r->c1, &a->c1);
    BASE_(neg)(&r->c2, &a->c2);
}

/* An element of F, times xi: XI_C0 of it, and u of it. */
static inline void FE_(times_xi)(BASE *r, const BASE *a)
{
    BASE sum = *a;
    for (int bit = XI_C0 < 2 ? 0 : XI_C0 < 4 ? 1 : XI_C0 < 8 ? 2 : 3; bit-- > 0;) {
        FE_(base_add)(&sum, &sum, &sum);
        if (XI_C0 >> bit & 1)
            FE_(base_add)(&sum, &sum, a);
    }
    const PRIME c0 = a->c0;
    WORDS_(sub)(&r->c0, &sum.c0, &a->c1);
    WORDS_(add)(&r->c1, &sum.c1, &c0);
}

static inline void FE_(times_v)(FE *r, const FE *a)
{
    BASE wrapped;
    FE_(times_xi)(&wrapped, &a->c2);
    r->c2 = a->c1;
    r->c1 = a->c0;
    r->c0 = wrapped;
}

/* Times an element of P. */
static inline void FE_(scale)(FE *r, const FE *a, const PRIME *k)
{
    WORDS_(mul)(&r->c0.c0, &a->c0.c0, k);
    WORDS_(mul)(&r->c0.c1, &a->c0.c1, k);
    WORDS_(mul)(&r->c1.c0, &a->c1.c0, k);
    WORDS_(mul)(&r->c1.c1, &a->c1.c1, k);
    WORDS_(mul)(&r->c2.c0, &a->c2.c0, k);
    WORDS_(mul)(&r->c2.c1, &a->c2.c1, k);
}

/* (ai + aj)(bi + bj) less ai bi and aj bj: what is left is ai bj + aj bi. */
static void FE_(cross)(BASE *r, const BASE *ai, const BASE *aj, const BASE *bi, const BASE *bj,
                       const BASE *aibi, const BASE *ajbj)
{
    BASE sum_a, sum_b;
    FE_(base_add)(&sum_a, ai, aj);
    FE_(base_add)(&sum_b, bi, bj);
    PRODUCTS_(mul)(r, &sum_a, &sum_b);
    FE_(base_sub)(r, r, aibi);
    FE_(base_sub)(r, r, ajbj);
}

/* Karatsuba: 6 multiplications in F. */
static void FE_(mul)(FE *r, const FE *a, const FE *b)
{
    BASE t0, t1, t2, t12, t01, t02;
    PRODUCTS_(mul)(&t0, &a->c0, &b->c0);
    PRODUCTS_(mul)(&t1, &a->c1, &b->c1);
    PRODUCTS_(mul)(&t2, &a->c2, &b->c2);
    FE_(cross)(&t12, &a->c1, &a->c2, &b->c1, &b->c2, &t1, &t2);
    FE_(cross)(&t01, &a->c0, &a->c1, &b->c0, &b->c1, &t0, &t1);
    FE_(cross)(&t02, &a->c0, &a->c2, &b->c0, &b->c2, &t0, &t2);
    FE_(times_xi)(&t12, &t12);
    FE_(times_xi)(&t2, &t2);
    FE_(base_add)(&r->c0, &t0, &t12);
    FE_(base_add)(&r->c1, &t01, &t2);
    FE_(base_add)(&r->c2, &t02, &t1);
}

/* r = a (b0 + b1 v): 5 multiplications. */
static void FE_(mul_short)(FE *r, const FE *a, const BASE *b0, const BASE *b1)
{
    BASE t0, t1, t01, t20, t21;
    PRODUCTS_(mul)(&t0, &a->c0, b0);
    PRODUCTS_(mul)(&t1, &a->c1, b1);
    PRODUCTS_(mul)(&t20, &a->c2, b0);
    PRODUCTS_(mul)(&t21, &a->c2, b1);
    FE_(cross)(&t01, &a->c0, &a->c1, b0, b1, &t0, &t1);
    FE_(times_xi)(&t21, &t21);
    FE_(base_add)(&r->c0, &t0, &t21);
    r->c1 = t01;
    FE_(base_add)(&r->c2, &t20, &t1);
}

/* With A = a0^2 - xi a1 a2, B = xi a2^2 - a0 a1 and C = a1^2 - a0 a2, a (A + B v + C v^2) is a0 A +
 * xi (a1 C + a2 B), an element of F. 0 for 0. */
static void FE_(inv)(FE *r, const FE *a)
{
    FE adjoint;
    BASE norm, t;
    PRODUCTS_(mul)(&t, &a->c1, &a->c2);
    FE_(times_xi)(&t, &t);
    PRODUCTS_(sqr)(&adjoint.c0, &a->c0);
    FE_(base_sub)(&adjoint.c0, &adjoint.c0, &t);
    PRODUCTS_(mul)(&t, &a->c0, &a->c1);
    PRODUCTS_(sqr)(&adjoint.c1, &a->c2);
    FE_(times_xi)(&adjoint.c1, &adjoint.c1);
    FE_(base_sub)(&adjoint.c1, &adjoint.c1, &t);
    PRODUCTS_(mul)(&t, &a->c0, &a->c2);
    PRODUCTS_(sqr)(&adjoint.c2, &a->c1);
    FE_(base_sub)(&adjoint.c2, &adjoint.c2, &t);
    PRODUCTS_(mul)(&norm, &a->c1, &adjoint.c2);
    PRODUCTS_(mul)(&t, &a->c2, &adjoint.c1);
    FE_(base_add)(&norm, &norm, &t);
    FE_(times_xi)(&norm, &norm);
    PRODUCTS_(mul)(&t, &a->c0, &adjoint.c0);
    FE_(base_add)(&norm, &norm, &t);
    BASE_(inv)(&norm, &norm);
    PRODUCTS_(mul)(&r->c0, &adjoint.c0, &norm);
    PRODUCTS_(mul)(&r->c1, &adjoint.c1, &norm);
    PRODUCTS_(mul)(&r->c2, &adjoint.c2, &norm);
}

#undef FE_
#undef BASE_
#undef PRIME_
#undef WORDS_
#undef PRODUCTS_
#undef XI_C0
