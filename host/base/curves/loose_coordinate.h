/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates of the base field or of its quadratic extension, by the products of adx_field.h or
 * plain_field.h, one of which is included first. Include it with EC, FE, EC_DEGREE, AF and BASE as
 * in the templates that do. No include guard: each inclusion is another group, and the functions
 * are EC_loose_<name>.
 *
 * Everything is reduced where nothing else is said. "Loose" is below 2 p, in each part of a
 * coordinate. Outputs may be the same object as inputs.
 */
#include "paste.h"

#define AF_(name) PAIL_PASTE(AF, name)
#define CO_(name) PAIL_PASTE(EC, loose_##name)

_Static_assert(PAIL_PASTE(BASE_PARAMS, BITS) + 2 <= 64 * AF_WORDS, "loose products need 4 p < R");

/* A function of the base field for each part of a coordinate. */
#if EC_DEGREE == 1
#define CO_EACH(f, r, a, b) AF_(f)(r, a, b)
#else
#define CO_EACH(f, r, a, b)                                                                        \
    (AF_(f)(&(r)->c0, &(a)->c0, &(b)->c0), AF_(f)(&(r)->c1, &(a)->c1, &(b)->c1))
#endif

static inline void CO_(sub_reduced)(FE *r, const FE *a, const FE *b)
{
    CO_EACH(sub, r, a, b);
}

static inline void CO_(add_reduced)(FE *r, const FE *a, const FE *b)
{
    CO_EACH(add, r, a, b);
}

/* r = 2 a, loose. */
static inline void CO_(twice)(FE *r, const FE *a)
{
    CO_EACH(add_loose, r, a, a);
}

/* r = a - b, loose. */
static inline void CO_(sub)(FE *r, const FE *a, const FE *b)
{
    CO_EACH(sub_loose, r, a, b);
}

#if EC_DEGREE == 1
/* r = a b; both may be loose. */
static inline void CO_(mul)(FE *r, const FE *a, const FE *b)
{
    AF_(mul)(r, a, b);
}

static inline void CO_(sqr)(FE *r, const FE *a)
{
    AF_(mul)(r, a, a);
}

/* The same, but loose. */
static inline void CO_(mul_loose)(FE *r, const FE *a, const FE *b)
{
    AF_(mul_loose)(r, a, b);
}

static inline void CO_(sqr_loose)(FE *r, const FE *a)
{
    AF_(mul_loose)(r, a, a);
}

/* r = a + b, loose like them, of reduced ones. */
static inline void CO_(add_loose)(FE *r, const FE *a, const FE *b)
{
    AF_(add_loose)(r, a, b);
}

/* r = a - b, reduced, of such. */
static inline void CO_(sub_settled)(FE *r, const FE *a, const FE *b)
{
    AF_(sub_settled)(r, a, b);
}

/* r = 2 a^2, 3 a^2: what is below R may be a factor of what is reduced. */
static inline void CO_(sqr_twice)(FE *r, const FE *a)
{
    FE twice;
    CO_(twice)(&twice, a);
    AF_(mul)(r, a, &twice);
}

static inline void CO_(sqr_thrice)(FE *r, const FE *a)
{
    FE thrice;
    CO_(twice)(&thrice, a);
    AF_(add_loose)(&thrice, &thrice, a);
    AF_(mul)(r, a, &thrice);
}
#else
/* r = a b; b may be loose. Karatsuba with two reductions, of a0 b0 - a1 b1 and of (a0 + a1) (b0 +
 * b1) - a0 b0 - a1 b1, which is below 4 p^2. */
static __attribute__((noinline)) void CO_(mul)(FE *r, const FE *a, const FE *b)
{
    BASE sum_a, sum_b;
    AF_(wide) low, high, cross;
    AF_(add_loose)(&sum_a, &a->c0, &a->c1);
    AF_(add_loose)(&sum_b, &b->c0, &b->c1);
    AF_(mul_wide)(&low, &a->c0, &b->c0);
    AF_(mul_wide)(&high, &a->c1, &b->c1);
    AF_(mul_wide)(&cross, &sum_a, &sum_b);
    (void)AF_(sub_words)(&cross, &cross, &low); /* neither is negative */
    (void)AF_(sub_words)(&cross, &cross, &high);
    AF_(sub_wide)(&low, &low, &high);
    AF_(divide)(&r->c1, &cross);
    AF_(divide)(&r->c0, &low);
}

/* Complex squaring: (a0 + a1) (a0 - a1) and 2 a0 a1, of loose factors. */
static __attribute__((noinline)) void CO_(sqr)(FE *r, const FE *a)
{
    BASE sum, difference, twice;
    AF_(add_loose)(&sum, &a->c0, &a->c1);
    AF_(sub_loose)(&difference, &a->c0, &a->c1);
    AF_(add_loose)(&twice, &a->c0, &a->c0);
    AF_(mul)(&r->c1, &twice, &a->c1);
    AF_(mul)(&r->c0, &sum, &difference);
}

/* A product of loose factors would not be below R p before its reductions: what goes into products
 * and comes out of them is reduced here. */
static inline void CO_(mul_loose)(FE *r, const FE *a, const FE *b)
{
    CO_(mul)(r, a, b);
}

static inline void CO_(sqr_loose)(FE *r, const FE *a)
{
    CO_(sqr)(r, a);
}

static inline void CO_(add_loose)(FE *r, const FE *a, const FE *b)
{
    CO_(add_reduced)(r, a, b);
}

static inline void CO_(sub_settled)(FE *r, const FE *a, const FE *b)
{
    CO_(sub_reduced)(r, a, b);
}

/* r = 2 a^2, 3 a^2, the small factor in what is loose. */
static inline void CO_(sqr_twice)(FE *r, const FE *a)
{
    BASE sum, difference, twice0, twice1;
    AF_(add_loose)(&sum, &a->c0, &a->c1);
    AF_(sub)(&difference, &a->c0, &a->c1);
    AF_(add_loose)(&difference, &difference, &difference);
    AF_(add_loose)(&twice0, &a->c0, &a->c0);
    AF_(add_loose)(&twice1, &a->c1, &a->c1);
    AF_(mul)(&r->c1, &twice0, &twice1);
    AF_(mul)(&r->c0, &sum, &difference);
}

static inline void CO_(sqr_thrice)(FE *r, const FE *a)
{
    BASE sum, difference, twice, thrice;
    AF_(add_loose)(&sum, &a->c0, &a->c1);
    AF_(sub)(&difference, &a->c0, &a->c1);
    AF_(add_loose)(&twice, &difference, &difference);
    AF_(add)(&difference, &twice, &difference);
    AF_(add_loose)(&twice, &a->c1, &a->c1);
    AF_(add)(&thrice, &twice, &a->c1);
    AF_(add_loose)(&twice, &a->c0, &a->c0);
    AF_(mul)(&r->c1, &twice, &thrice);
    AF_(mul)(&r->c0, &sum, &difference);
}
#endif

#undef AF_
#undef CO_
#undef CO_EACH
