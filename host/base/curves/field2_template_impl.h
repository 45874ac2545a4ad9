/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that field2_template.h declares; include it there first, then here with the same FE
 * and BASE, and with BASE_PARAMS, the prefix of the base field's constants. */
#include "paste.h"

#define FE_(name)   PAIL_PASTE(FE, name)
#define BASE_(name) PAIL_PASTE(BASE, name)

const FE FE_(one) = {.c0 = {PAIL_PASTE(BASE_PARAMS, ONE)}};

/* Karatsuba: 3 multiplications in the base field. */
void FE_(mul)(FE *r, const FE *a, const FE *b)
{
    BASE low, high, sum_a, sum_b;
    BASE_(add)(&sum_a, &a->c0, &a->c1);
    BASE_(add)(&sum_b, &b->c0, &b->c1);
    BASE_(mul)(&low, &a->c0, &b->c0);
    BASE_(mul)(&high, &a->c1, &b->c1);
    BASE_(mul)(&sum_a, &sum_a, &sum_b); /* (a0 + a1) (b0 + b1) */
    BASE_(sub)(&sum_a, &sum_a, &low);
    BASE_(sub)(&r->c1, &sum_a, &high); /* a0 b1 + a1 b0 */
    BASE_(sub)(&r->c0, &low, &high);   /* a0 b0 - a1 b1 */
}

/* Complex squaring: 2 multiplications. */
void FE_(sqr)(FE *r, const FE *a)
{
    BASE sum, difference, twice;
    BASE_(add)(&sum, &a->c0, &a->c1);
    BASE_(sub)(&difference, &a->c0, &a->c1);
    BASE_(add)(&twice, &a->c0, &a->c0);
    BASE_(mul)(&r->c1, &twice, &a->c1);    /* 2 a0 a1 */
    BASE_(mul)(&r->c0, &sum, &difference); /* a0^2 - a1^2 */
}

/* The norm a0^2 + a1^2, the product of a and its conjugate. It is 0 for 0 only. */
static void FE_(norm)(BASE *r, const FE *a)
{
    BASE square;
    BASE_(sqr)(&square, &a->c1);
    BASE_(sqr)(r, &a->c0);
    BASE_(add)(r, r, &square);
}

void FE_(inv)(FE *r, const FE *a)
{
    BASE scale;
    FE_(norm)(&scale, a);
    BASE_(inv)(&scale, &scale);
    FE_(conjugate)(r, a);
    BASE_(mul)(&r->c0, &r->c0, &scale);
    BASE_(mul)(&r->c1, &r->c1, &scale);
}

bool FE_(from_bytes)(FE *r, const uint8_t *bytes, bool montgomery)
{
    if (!BASE_(from_bytes)(&r->c0, bytes, montgomery) ||
        !BASE_(from_bytes)(&r->c1, bytes + sizeof r->c0, montgomery)) {
        *r = (FE){0};
        return false;
    }
    return true;
}

void FE_(to_bytes)(uint8_t *bytes, const FE *a, bool montgomery)
{
    BASE_(to_bytes)(bytes, &a->c0, montgomery);
    BASE_(to_bytes)(bytes + sizeof a->c0, &a->c1, montgomery);
}

bool FE_(is_largest)(const FE *a)
{
    return BASE_(is_largest)(BASE_(is_zero)(&a->c1) ? &a->c0 : &a->c1);
}

/* A root x + y u of a satisfies x^2 - y^2 = a0 and 2 x y = a1, and the norms give x^2 + y^2 = s
 * with s^2 the norm of a; so x^2 is (a0 + s) / 2, or with the other sign of s. There is a root
 * exactly if the norm is a square. In F itself, a or -a is a square, and sqrt(-a) u the root in the
 * latter case. */
bool FE_(sqrt)(FE *r, const FE *a)
{
    const FE value = *a;
    BASE s, t;
    *r = (FE){0};
    if (BASE_(is_zero)(&value.c1)) {
        if (!BASE_(sqrt)(&r->c0, &value.c0)) {
            BASE_(neg)(&t, &value.c0);
            return BASE_(sqrt)(&r->c1, &t);
        }
        return true;
    }
    FE_(norm)(&t, &value);
    if (!BASE_(sqrt)(&s, &t))
        return false;
    BASE_(add)(&t, &value.c0, &s);
    BASE_(halve)(&t, &t);
    if (!BASE_(sqrt)(&r->c0, &t)) {
        BASE_(sub)(&t, &value.c0, &s);
        BASE_(halve)(&t, &t);
        (void)BASE_(sqrt)(&r->c0, &t); /* the two multiply to -(a1/2)^2: one of them is a square */
    }
    BASE_(inv)(&t, &r->c0); /* x is not 0, or a1 would be */
    BASE_(mul)(&r->c1, &value.c1, &t);
    BASE_(halve)(&r->c1, &r->c1); /* y = a1 / (2 x) */
    return true;
}

#undef FE_
#undef BASE_

#include "batch_inverse.h"
