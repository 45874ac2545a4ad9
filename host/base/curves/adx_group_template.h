/* SPDX-License-Identifier: Apache-2.0 */
/* The group operations at the end of a multiplication, by BMI2 and ADX: a WORD_GROUP of
 * word_groups.h.
 *
 * It makes EC_adx_use, which puts its functions into a copy of host/base/curves's table. Points are
 * those of host/base/curves, copied in and out of their opaque forms as there.
 *
 * A sum is a chain in which every addition waits for the one before, so what counts is the time of
 * a few products side by side. Products are functions, not inlined: the chain runs once in a
 * multiplication, when a device is done, and finds little of it in the processor's caches.
 */
#include <string.h>

#include "curve_ops.h"
#include "loose_coordinate.h" /* EC_loose_mul and so on, CO_(mul) here */
#include "paste.h"
#include "words.h"

#define EC_(name)   PAIL_PASTE(EC, name)
#define FE_(name)   PAIL_PASTE(FE, name)
#define BASE_(name) PAIL_PASTE(BASE, name)
#define CO_(name)   PAIL_PASTE(EC, loose_##name)
#define XYZZ        EC_(xyzz)

/* r = a b; b may be loose. */
#if EC_DEGREE == 1
static __attribute__((noinline)) void CO_(product)(FE *r, const FE *a, const FE *b)
{
    CO_(mul)(r, a, b);
}

static inline void CO_(square)(FE *r, const FE *a)
{
    CO_(product)(r, a, a);
}
#else
static inline void CO_(product)(FE *r, const FE *a, const FE *b)
{
    CO_(mul)(r, a, b);
}

static inline void CO_(square)(FE *r, const FE *a)
{
    CO_(sqr)(r, a);
}
#endif

static inline XYZZ CO_(load)(const pail_point *opaque)
{
    XYZZ p;
    memcpy(&p, opaque->limbs, sizeof p);
    return p;
}

static inline void CO_(store)(pail_point *opaque, const XYZZ *p)
{
    memcpy(opaque->limbs, p, sizeof *p);
}

/* r = 2^n p. For (X, Y, Z) with ZZ = Z^2, ZZZ = Z^3 a doubling is, with a = 0,
 *   E = 3 X^2, S = 4 X Y^2, X3 = E^2 - 2 S, Y3 = E (S - X3) - 8 Y^4, Z3 = 2 Y Z,
 * and only the last one needs ZZ and ZZZ: in a row, t is the product of all 2 Y, and ZZ and ZZZ
 * are multiplied by t^2 and t^3 at the end. 7 n + 3 products; host/base/curves has 9 n. Infinity
 * and points of order 2 come out with ZZ = 0. */
static void CO_(times_power)(XYZZ *r, const XYZZ *p, uint32_t n)
{
    if (n == 0 || FE_(is_zero)(&p->zz)) {
        *r = *p;
        return;
    }
    FE x = p->x, y = p->y, t = {0};
    for (uint32_t i = 0; i < n; i++) {
        FE twice, b, s, e, y4;
        CO_(twice)(&twice, &y);
        if (i == 0)
            CO_(add_reduced)(&t, &y, &y);
        else
            CO_(product)(&t, &t, &twice);
        CO_(sqr_twice)(&b, &y); /* 2 Y^2 */
        CO_(sqr_thrice)(&e, &x);
        CO_(twice)(&twice, &x);
        CO_(product)(&s, &b, &twice);
        CO_(sqr_twice)(&y4, &b); /* 8 Y^4 */
        CO_(square)(&x, &e);
        CO_(add_reduced)(&twice, &s, &s);
        CO_(sub_reduced)(&x, &x, &twice); /* X3 */
        CO_(sub)(&s, &s, &x);
        CO_(product)(&y, &e, &s);
        CO_(sub_reduced)(&y, &y, &y4); /* Y3 */
    }
    FE square;
    CO_(square)(&square, &t);
    CO_(product)(&t, &t, &square);
    CO_(product)(&r->zz, &p->zz, &square);
    CO_(product)(&r->zzz, &p->zzz, &t);
    r->x = x;
    r->y = y;
}

/* add-2008-s, as in ec_template_impl.h. */
static void CO_(sum)(XYZZ *r, const XYZZ *p, const XYZZ *q)
{
    if (FE_(is_zero)(&p->zz)) {
        *r = *q;
        return;
    }
    if (FE_(is_zero)(&q->zz)) {
        *r = *p;
        return;
    }
    FE u1, u2, s1, s2, zz, zzz, pp, ppp;
    CO_(product)(&u1, &p->x, &q->zz);
    CO_(product)(&u2, &q->x, &p->zz);
    CO_(product)(&s1, &p->y, &q->zzz);
    CO_(product)(&s2, &q->y, &p->zzz);
    CO_(sub_reduced)(&u2, &u2, &u1); /* P */
    CO_(sub_reduced)(&s2, &s2, &s1); /* R */
    if (FE_(is_zero)(&u2) && FE_(is_zero)(&s2)) {
        CO_(times_power)(r, p, 1);
        return;
    }
    CO_(square)(&pp, &u2);
    CO_(product)(&zz, &p->zz, &q->zz);
    CO_(product)(&zzz, &p->zzz, &q->zzz);
    CO_(product)(&ppp, &u2, &pp);
    CO_(product)(&u1, &u1, &pp); /* Q */
    CO_(square)(&r->x, &s2);
    CO_(add_reduced)(&u2, &u1, &u1);
    CO_(add_reduced)(&u2, &u2, &ppp);
    CO_(sub_reduced)(&r->x, &r->x, &u2); /* X3 = R^2 - (PPP + 2 Q) */
    CO_(sub)(&u1, &u1, &r->x);
    CO_(product)(&s1, &s1, &ppp);
    CO_(product)(&r->y, &s2, &u1);
    CO_(sub_reduced)(&r->y, &r->y, &s1); /* Y3 = R (Q - X3) - S1 PPP */
    CO_(product)(&r->zz, &zz, &pp);
    CO_(product)(&r->zzz, &zzz, &ppp);
}

/* The words of a coordinate; false if a part is not below p. */
static inline bool CO_(take)(FE *r, const uint32_t *words)
{
    BASE parts[EC_DEGREE];
    uint64_t below = 1;
    memcpy(parts, words, sizeof parts); /* x86-64 has words as limbs */
    for (size_t i = 0; i < EC_DEGREE; i++) {
        uint64_t borrow = 0;
        PAIL_UNROLL
        for (size_t k = 0; k < AF_WORDS; k++)
            (void)pail_sub_borrow(parts[i].l[k], BASE_(modulus).l[k], &borrow);
        below &= borrow;
    }
    memcpy(r, parts, sizeof *r);
    return below != 0;
}

static inline void CO_(scale)(FE *r, const BASE *by)
{
    BASE parts[EC_DEGREE];
    memcpy(parts, r, sizeof parts);
    for (size_t i = 0; i < EC_DEGREE; i++)
        PAIL_PASTE(AF, mul)(&parts[i], &parts[i], by);
    memcpy(r, parts, sizeof *r);
}

/* With another radix R', all coordinates are R' / R times what they should be. If that is c^2, then
 * c times Y and ZZZ makes (c^2 X, c^3 Y, c^2 ZZ, c^3 ZZZ) of them, which is the same point. */
static bool CO_(from_words)(pail_point *r, const uint32_t *words, enum pail_field_form form)
{
    static const BASE roots[PAIL_FORM_COUNT] = {
        [PAIL_FORM_X29] = {PAIL_PASTE(BASE_PARAMS, ROOT_X29)},
        [PAIL_FORM_D51] = {PAIL_PASTE(BASE_PARAMS, ROOT_D51)},
    };
    enum { WORDS = sizeof(FE) / sizeof *words };
    XYZZ p;
    bool below = CO_(take)(&p.x, words);
    below &= CO_(take)(&p.y, words + WORDS);
    below &= CO_(take)(&p.zz, words + 2 * WORDS);
    below &= CO_(take)(&p.zzz, words + 3 * WORDS);
    if (!below) {
        p = (XYZZ){0};
    } else if (form != PAIL_FORM_X32) {
        CO_(scale)(&p.y, &roots[form]);
        CO_(scale)(&p.zzz, &roots[form]);
    }
    CO_(store)(r, &p);
    return below;
}

static void CO_(dbl_times)(pail_point *r, const pail_point *p, uint32_t n)
{
    XYZZ point = CO_(load)(p);
    CO_(times_power)(&point, &point, n);
    CO_(store)(r, &point);
}

static void CO_(dbl)(pail_point *r, const pail_point *p)
{
    CO_(dbl_times)(r, p, 1);
}

static void CO_(add)(pail_point *r, const pail_point *p, const pail_point *q)
{
    const XYZZ left = CO_(load)(p), right = CO_(load)(q);
    XYZZ sum;
    CO_(sum)(&sum, &left, &right);
    CO_(store)(r, &sum);
}

void EC_(adx_use)(struct pail_curve_ops *ops)
{
    ops->dbl = CO_(dbl);
    ops->dbl_times = CO_(dbl_times);
    ops->add = CO_(add);
    ops->from_words = CO_(from_words);
}

#undef EC_
#undef FE_
#undef BASE_
#undef CO_
#undef XYZZ
