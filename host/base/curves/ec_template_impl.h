/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that ec_template.h declares; include it there first, then here with the same EC and
 * FE, and with
 *
 *   EC_PARAMS  prefix of the group's constants in params_<curve>.h, for example PAIL_BN254_G1
 *   EC_DEGREE  1 if FE is a prime field, 2 if it is a quadratic extension
 */
#include "element.h"
#include "paste.h"

#define EC_(name) PAIL_PASTE(EC, name)
#define FE_(name) PAIL_PASTE(FE, name)
#define AFFINE    EC_(affine)
#define XYZZ      EC_(xyzz)

const AFFINE EC_(generator) = {
    .x = PAIL_ELEMENT(EC_DEGREE, EC_PARAMS, X),
    .y = PAIL_ELEMENT(EC_DEGREE, EC_PARAMS, Y),
};

bool EC_(affine_is_infinity)(const AFFINE *p)
{
    return FE_(is_zero)(&p->x) && FE_(is_zero)(&p->y);
}

bool EC_(is_infinity)(const XYZZ *p)
{
    return FE_(is_zero)(&p->zz);
}

/* x^3 + b */
static void EC_(y_squared)(FE *r, const FE *x)
{
    static const FE b = PAIL_ELEMENT(EC_DEGREE, EC_PARAMS, B);
    FE square;
    FE_(sqr)(&square, x);
    FE_(mul)(r, &square, x);
    FE_(add)(r, r, &b);
}

bool EC_(on_curve)(const AFFINE *p)
{
    FE left, right;
    FE_(sqr)(&left, &p->y);
    EC_(y_squared)(&right, &p->x);
    return FE_(equal)(&left, &right) || EC_(affine_is_infinity)(p);
}

bool EC_(lift_x)(AFFINE *r, const FE *x, bool largest)
{
    AFFINE p = {.x = *x};
    *r = (AFFINE){0};
    EC_(y_squared)(&p.y, x);
    if (!FE_(sqrt)(&p.y, &p.y))
        return false;
    if (FE_(is_largest)(&p.y) != largest) {
        FE_(neg)(&p.y, &p.y);
        if (FE_(is_largest)(&p.y) != largest)
            return false; /* y = 0, which is not the largest of two */
    }
    *r = p;
    return true;
}

bool EC_(from_bytes)(AFFINE *r, const uint8_t *bytes, bool montgomery)
{
    if (!FE_(from_bytes)(&r->x, bytes, montgomery) ||
        !FE_(from_bytes)(&r->y, bytes + sizeof r->x, montgomery)) {
        *r = (AFFINE){0};
        return false;
    }
    return true;
}

void EC_(to_bytes)(uint8_t *bytes, const AFFINE *p, bool montgomery)
{
    FE_(to_bytes)(bytes, &p->x, montgomery);
    FE_(to_bytes)(bytes + sizeof p->x, &p->y, montgomery);
}

void EC_(from_affine)(XYZZ *r, const AFFINE *p)
{
    if (EC_(affine_is_infinity)(p))
        *r = (XYZZ){0};
    else
        *r = (XYZZ){.x = p->x, .y = p->y, .zz = FE_(one), .zzz = FE_(one)};
}

void EC_(to_affine)(AFFINE *r, const XYZZ *p)
{
    FE inverse, square;
    FE_(inv)(&inverse, &p->zzz);         /* 1/z^3; 0 at infinity */
    FE_(mul)(&square, &inverse, &p->zz); /* 1/z */
    FE_(sqr)(&square, &square);          /* 1/z^2 */
    FE_(mul)(&r->x, &p->x, &square);
    FE_(mul)(&r->y, &p->y, &inverse);
}

void EC_(affine_neg)(AFFINE *r, const AFFINE *p)
{
    r->x = p->x;
    FE_(neg)(&r->y, &p->y);
}

void EC_(neg)(XYZZ *r, const XYZZ *p)
{
    *r = *p;
    FE_(neg)(&r->y, &p->y);
}

bool EC_(equal)(const XYZZ *p, const XYZZ *q)
{
    if (EC_(is_infinity)(p) || EC_(is_infinity)(q))
        return EC_(is_infinity)(p) && EC_(is_infinity)(q);
    FE left, right;
    FE_(mul)(&left, &p->x, &q->zz);
    FE_(mul)(&right, &q->x, &p->zz);
    if (!FE_(equal)(&left, &right))
        return false;
    FE_(mul)(&left, &p->y, &q->zzz);
    FE_(mul)(&right, &q->y, &p->zzz);
    return FE_(equal)(&left, &right);
}

/* The common part of both doublings, x and y taken as they are: X3, Y3 and the factors V, W of ZZ,
 * ZZZ. */
static inline void EC_(dbl_xy)(XYZZ *r, FE *v, FE *w, const FE *x, const FE *y)
{
    FE u, s, m, t;
    FE_(add)(&u, y, y);         /* U = 2 Y1 */
    FE_(sqr)(v, &u);            /* V = U^2 */
    FE_(mul)(w, &u, v);         /* W = U V */
    FE_(mul)(&s, x, v);         /* S = X1 V */
    FE_(sqr)(&t, x);            /* X1^2 */
    FE_(add)(&m, &t, &t);       /* 2 X1^2 */
    FE_(add)(&m, &m, &t);       /* M = 3 X1^2 (a = 0) */
    FE_(mul)(&t, w, y);         /* W Y1 */
    FE_(sqr)(&r->x, &m);        /* M^2 */
    FE_(sub)(&r->x, &r->x, &s); /* M^2 - S */
    FE_(sub)(&r->x, &r->x, &s); /* X3 = M^2 - 2 S */
    FE_(sub)(&s, &s, &r->x);    /* S - X3 */
    FE_(mul)(&r->y, &m, &s);    /* M (S - X3) */
    FE_(sub)(&r->y, &r->y, &t); /* Y3 = M (S - X3) - W Y1 */
}

/* dbl-2008-s-1, a = 0: 6M + 3S. Infinity and points of order 2 (Y1 = 0) come out with ZZ3 = 0. */
void EC_(dbl)(XYZZ *r, const XYZZ *p)
{
    const FE zz = p->zz, zzz = p->zzz;
    FE v, w;
    EC_(dbl_xy)(r, &v, &w, &p->x, &p->y);
    FE_(mul)(&r->zz, &v, &zz);   /* ZZ3 = V ZZ1 */
    FE_(mul)(&r->zzz, &w, &zzz); /* ZZZ3 = W ZZZ1 */
}

/* mdbl-2008-s-1, a = 0: 4M + 3S. Infinity has y = 0, so ZZ3 = 0. */
void EC_(dbl_affine)(XYZZ *r, const AFFINE *p)
{
    EC_(dbl_xy)(r, &r->zz, &r->zzz, &p->x, &p->y);
}

/* The end of both additions: from P = U2 - U1 and R = S2 - S1 (not both 0), the factors PP, PPP of
 * ZZ3, ZZZ3 and the new X3, Y3. */
static inline void EC_(add_xy)(XYZZ *r, FE *pp, FE *ppp, const FE *u1, const FE *s1, const FE *p,
                               const FE *slope)
{
    FE q, t;
    FE_(sqr)(pp, p);             /* PP = P^2 */
    FE_(mul)(ppp, p, pp);        /* PPP = P PP */
    FE_(mul)(&q, u1, pp);        /* Q = U1 PP */
    FE_(mul)(&t, s1, ppp);       /* S1 PPP */
    FE_(sqr)(&r->x, slope);      /* R^2 */
    FE_(sub)(&r->x, &r->x, ppp); /* R^2 - PPP */
    FE_(sub)(&r->x, &r->x, &q);
    FE_(sub)(&r->x, &r->x, &q); /* X3 = R^2 - PPP - 2 Q */
    FE_(sub)(&q, &q, &r->x);    /* Q - X3 */
    FE_(mul)(&r->y, slope, &q); /* R (Q - X3) */
    FE_(sub)(&r->y, &r->y, &t); /* Y3 = R (Q - X3) - S1 PPP */
}

/* add-2008-s: 12M + 2S. U1 = U2 says P = +-Q: doubled if S1 = S2, else (P = 0, so ZZ3 = 0) the
 * formula itself gives infinity. */
void EC_(add)(XYZZ *r, const XYZZ *p, const XYZZ *q)
{
    if (EC_(is_infinity)(p)) {
        *r = *q;
        return;
    }
    if (EC_(is_infinity)(q)) {
        *r = *p;
        return;
    }
    FE u1, u2, s1, s2, zz, zzz, pp, ppp;
    FE_(mul)(&u1, &p->x, &q->zz);  /* U1 = X1 ZZ2 */
    FE_(mul)(&u2, &q->x, &p->zz);  /* U2 = X2 ZZ1 */
    FE_(mul)(&s1, &p->y, &q->zzz); /* S1 = Y1 ZZZ2 */
    FE_(mul)(&s2, &q->y, &p->zzz); /* S2 = Y2 ZZZ1 */
    FE_(sub)(&u2, &u2, &u1);       /* P = U2 - U1 */
    FE_(sub)(&s2, &s2, &s1);       /* R = S2 - S1 */
    if (FE_(is_zero)(&u2) && FE_(is_zero)(&s2)) {
        EC_(dbl)(r, p);
        return;
    }
    FE_(mul)(&zz, &p->zz, &q->zz);    /* ZZ1 ZZ2 */
    FE_(mul)(&zzz, &p->zzz, &q->zzz); /* ZZZ1 ZZZ2 */
    EC_(add_xy)(r, &pp, &ppp, &u1, &s1, &u2, &s2);
    FE_(mul)(&r->zz, &zz, &pp);    /* ZZ3 = ZZ1 ZZ2 PP */
    FE_(mul)(&r->zzz, &zzz, &ppp); /* ZZZ3 = ZZZ1 ZZZ2 PPP */
}

/* madd-2008-s: 8M + 2S, the addition above with ZZ2 = ZZZ2 = 1. */
void EC_(add_affine)(XYZZ *r, const XYZZ *p, const AFFINE *q)
{
    if (EC_(affine_is_infinity)(q)) {
        *r = *p;
        return;
    }
    if (EC_(is_infinity)(p)) {
        EC_(from_affine)(r, q);
        return;
    }
    const XYZZ old = *p;
    FE u2, s2, pp, ppp;
    FE_(mul)(&u2, &q->x, &old.zz);  /* U2 = X2 ZZ1 */
    FE_(mul)(&s2, &q->y, &old.zzz); /* S2 = Y2 ZZZ1 */
    FE_(sub)(&u2, &u2, &old.x);     /* P = U2 - X1 */
    FE_(sub)(&s2, &s2, &old.y);     /* R = S2 - Y1 */
    if (FE_(is_zero)(&u2) && FE_(is_zero)(&s2)) {
        EC_(dbl_affine)(r, q);
        return;
    }
    EC_(add_xy)(r, &pp, &ppp, &old.x, &old.y, &u2, &s2);
    FE_(mul)(&r->zz, &old.zz, &pp);    /* ZZ3 = ZZ1 PP */
    FE_(mul)(&r->zzz, &old.zzz, &ppp); /* ZZZ3 = ZZZ1 PPP */
}

void EC_(mul_wide)(XYZZ *r, const XYZZ *p, const uint64_t *k, size_t n)
{
    const XYZZ base = *p;
    XYZZ sum = {0};
    size_t bit = 64 * n;
    while (bit > 0 && !(k[(bit - 1) / 64] >> ((bit - 1) % 64) & 1))
        bit--; /* doublings of infinity */
    while (bit-- > 0) {
        EC_(dbl)(&sum, &sum);
        if (k[bit / 64] >> (bit % 64) & 1)
            EC_(add)(&sum, &sum, &base);
    }
    *r = sum;
}

void EC_(mul)(XYZZ *r, const XYZZ *p, const uint64_t k[4])
{
    EC_(mul_wide)(r, p, k, 4);
}

/* Chord and tangent: slope = (y2 - y1) / (x2 - x1) or 3 x^2 / (2 y), x3 = slope^2 - x1 - x2,
 * y3 = slope (x1 - x3) - y1. A pair that needs no slope (infinity in or out) has denominator 0,
 * which the batch inversion leaves out. 5M + 1S and the share of an inversion. */
void EC_(batch_add)(AFFINE *sums, const AFFINE *addends, bool same, FE *scratch, size_t n)
{
    FE *inverse = scratch;
    for (size_t i = 0; i < n; i++) {
        const AFFINE *p = &sums[i], *q = &addends[same ? 0 : i];
        if (EC_(affine_is_infinity)(p) || EC_(affine_is_infinity)(q))
            inverse[i] = (FE){0};
        else if (!FE_(equal)(&p->x, &q->x))
            FE_(sub)(&inverse[i], &q->x, &p->x);
        else if (FE_(equal)(&p->y, &q->y))
            FE_(add)(&inverse[i], &p->y, &p->y);
        else
            inverse[i] = (FE){0};
    }
    FE_(batch_inv)(inverse, scratch + n, n);
    for (size_t i = 0; i < n; i++) {
        AFFINE *p = &sums[i];
        const AFFINE q = addends[same ? 0 : i];
        if (EC_(affine_is_infinity)(&q))
            continue;
        if (EC_(affine_is_infinity)(p)) {
            *p = q;
            continue;
        }
        if (FE_(is_zero)(&inverse[i])) {
            *p = (AFFINE){0};
            continue;
        }
        FE slope, x;
        if (FE_(equal)(&p->x, &q.x)) {
            FE_(sqr)(&x, &p->x);
            FE_(add)(&slope, &x, &x);
            FE_(add)(&slope, &slope, &x); /* 3 x^2 */
        } else {
            FE_(sub)(&slope, &q.y, &p->y); /* y2 - y1 */
        }
        FE_(mul)(&slope, &slope, &inverse[i]);
        FE_(sqr)(&x, &slope);
        FE_(sub)(&x, &x, &p->x);
        FE_(sub)(&x, &x, &q.x);     /* x3 */
        FE_(sub)(&p->x, &p->x, &x); /* x1 - x3 */
        FE_(mul)(&slope, &slope, &p->x);
        FE_(sub)(&p->y, &slope, &p->y); /* y3 */
        p->x = x;
    }
}

#undef EC_
#undef FE_
#undef AFFINE
#undef XYZZ
