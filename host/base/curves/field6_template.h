/* SPDX-License-Identifier: Apache-2.0 */
/* The cubic extension F(v), v^3 = xi, of a quadratic field F = P(u), u^2 = -1, and functions of it.
 * Include it in one source file with
 *
 *   FE         prefix of the type and of its functions, for example pail_bn254_fp6
 *   BASE       F, of field2_template.h
 *   PRIME      P
 *   PAIRING_PARAMS  prefix of the constants of the pairing; XI_C0: xi is XI_C0 + u
 *
 * No include guard. An element is c0 + c1 v + c2 v^2. Outputs may be inputs.
 */
#include "paste.h"

#define FE_(name)    PAIL_PASTE(FE, name)
#define BASE_(name)  PAIL_PASTE(BASE, name)
#define PRIME_(name) PAIL_PASTE(PRIME, name)
#define XI_C0        PAIL_PASTE(PAIRING_PARAMS, XI_C0)

typedef struct FE {
    BASE c0, c1, c2;
} FE;

static inline void FE_(add)(FE *r, const FE *a, const FE *b)
{
    BASE_(add)(&r->c0, &a->c0, &b->c0);
    BASE_(add)(&r->c1, &a->c1, &b->c1);
    BASE_(add)(&r->c2, &a->c2, &b->c2);
}

static inline void FE_(sub)(FE *r, const FE *a, const FE *b)
{
    BASE_(sub)(&r->c0, &a->c0, &b->c0);
    BASE_(sub)(&r->c1, &a->c1, &b->c1);
    BASE_(sub)(&r->c2, &a->c2, &b->c2);
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
        BASE_(add)(&sum, &sum, &sum);
        if (XI_C0 >> bit & 1)
            BASE_(add)(&sum, &sum, a);
    }
    const PRIME c0 = a->c0;
    PRIME_(sub)(&r->c0, &sum.c0, &a->c1);
    PRIME_(add)(&r->c1, &sum.c1, &c0);
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
    PRIME_(mul)(&r->c0.c0, &a->c0.c0, k);
    PRIME_(mul)(&r->c0.c1, &a->c0.c1, k);
    PRIME_(mul)(&r->c1.c0, &a->c1.c0, k);
    PRIME_(mul)(&r->c1.c1, &a->c1.c1, k);
    PRIME_(mul)(&r->c2.c0, &a->c2.c0, k);
    PRIME_(mul)(&r->c2.c1, &a->c2.c1, k);
}

/* (ai + aj)(bi + bj) less ai bi and aj bj: what is left is ai bj + aj bi. */
static void FE_(cross)(BASE *r, const BASE *ai, const BASE *aj, const BASE *bi, const BASE *bj,
                       const BASE *aibi, const BASE *ajbj)
{
    BASE sum_a, sum_b;
    BASE_(add)(&sum_a, ai, aj);
    BASE_(add)(&sum_b, bi, bj);
    BASE_(mul)(r, &sum_a, &sum_b);
    BASE_(sub)(r, r, aibi);
    BASE_(sub)(r, r, ajbj);
}

/* Karatsuba: 6 multiplications in F. */
static void FE_(mul)(FE *r, const FE *a, const FE *b)
{
    BASE t0, t1, t2, t12, t01, t02;
    BASE_(mul)(&t0, &a->c0, &b->c0);
    BASE_(mul)(&t1, &a->c1, &b->c1);
    BASE_(mul)(&t2, &a->c2, &b->c2);
    FE_(cross)(&t12, &a->c1, &a->c2, &b->c1, &b->c2, &t1, &t2);
    FE_(cross)(&t01, &a->c0, &a->c1, &b->c0, &b->c1, &t0, &t1);
    FE_(cross)(&t02, &a->c0, &a->c2, &b->c0, &b->c2, &t0, &t2);
    FE_(times_xi)(&t12, &t12);
    FE_(times_xi)(&t2, &t2);
    BASE_(add)(&r->c0, &t0, &t12);
    BASE_(add)(&r->c1, &t01, &t2);
    BASE_(add)(&r->c2, &t02, &t1);
}

/* r = a (b0 + b1 v): 5 multiplications. */
static void FE_(mul_short)(FE *r, const FE *a, const BASE *b0, const BASE *b1)
{
    BASE t0, t1, t01, t20, t21;
    BASE_(mul)(&t0, &a->c0, b0);
    BASE_(mul)(&t1, &a->c1, b1);
    BASE_(mul)(&t20, &a->c2, b0);
    BASE_(mul)(&t21, &a->c2, b1);
    FE_(cross)(&t01, &a->c0, &a->c1, b0, b1, &t0, &t1);
    FE_(times_xi)(&t21, &t21);
    BASE_(add)(&r->c0, &t0, &t21);
    r->c1 = t01;
    BASE_(add)(&r->c2, &t20, &t1);
}

/* With A = a0^2 - xi a1 a2, B = xi a2^2 - a0 a1 and C = a1^2 - a0 a2, a (A + B v + C v^2) is a0 A +
 * xi (a1 C + a2 B), an element of F. 0 for 0. */
static void FE_(inv)(FE *r, const FE *a)
{
    FE adjoint;
    BASE norm, t;
    BASE_(mul)(&t, &a->c1, &a->c2);
    FE_(times_xi)(&t, &t);
    BASE_(sqr)(&adjoint.c0, &a->c0);
    BASE_(sub)(&adjoint.c0, &adjoint.c0, &t);
    BASE_(mul)(&t, &a->c0, &a->c1);
    BASE_(sqr)(&adjoint.c1, &a->c2);
    FE_(times_xi)(&adjoint.c1, &adjoint.c1);
    BASE_(sub)(&adjoint.c1, &adjoint.c1, &t);
    BASE_(mul)(&t, &a->c0, &a->c2);
    BASE_(sqr)(&adjoint.c2, &a->c1);
    BASE_(sub)(&adjoint.c2, &adjoint.c2, &t);
    BASE_(mul)(&norm, &a->c1, &adjoint.c2);
    BASE_(mul)(&t, &a->c2, &adjoint.c1);
    BASE_(add)(&norm, &norm, &t);
    FE_(times_xi)(&norm, &norm);
    BASE_(mul)(&t, &a->c0, &adjoint.c0);
    BASE_(add)(&norm, &norm, &t);
    BASE_(inv)(&norm, &norm);
    BASE_(mul)(&r->c0, &adjoint.c0, &norm);
    BASE_(mul)(&r->c1, &adjoint.c1, &norm);
    BASE_(mul)(&r->c2, &adjoint.c2, &norm);
}

#undef FE_
#undef BASE_
#undef PRIME_
#undef XI_C0
