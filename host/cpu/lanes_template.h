/* SPDX-License-Identifier: Apache-2.0 */
/* PAIL_CPU_LANES elements of a scalar field, one after the other. Include it before
 * scalars_template.h with
 *
 *   LV              the prefix of the type and of its functions
 *   FE              the field in host/base/curves
 *   LANE_MUL, LANE_ADD, LANE_SUB  its arithmetic, (r, a, b): of reduced elements, and b of a
 *                   product any integer below 2^256
 *
 * It undefines all but LV. Values are reduced at all times, so nothing is to be done to relax or
 * settle them, and factors are elements like others.
 */
#include <string.h>

#include <curves/paste.h>

#include "scalars.h"

#define LV_(name) PAIL_PASTE(LV, name)
#define FE_(name) PAIL_PASTE(FE, name)

typedef struct LV {
    FE lane[PAIL_CPU_LANES];
} LV;

typedef FE LV_(twiddle_factor);
typedef struct LV_(constants) {
    char none;
} LV_(constants);

enum { LV_(radix_bits) = 256 };

static void LV_(make_factor)(void *factor, const pail_u256 *element)
{
    memcpy(factor, element, sizeof *element);
}

static inline void LV_(prepare)(LV_(constants) * k)
{
    k->none = 0;
}

static inline void LV_(load)(LV *r, const uint64_t *const rows[PAIL_CPU_LANES],
                             const LV_(constants) * k)
{
    (void)k;
    for (size_t i = 0; i < PAIL_CPU_LANES; i++)
        memcpy(&r->lane[i], rows[i], sizeof r->lane[i]);
}

static inline void LV_(store)(uint64_t *const rows[PAIL_CPU_LANES], const LV *a)
{
    for (size_t i = 0; i < PAIL_CPU_LANES; i++)
        memcpy(rows[i], &a->lane[i], sizeof a->lane[i]);
}

static inline void LV_(splat)(LV *r, const LV_(twiddle_factor) * factor)
{
    for (size_t i = 0; i < PAIL_CPU_LANES; i++)
        r->lane[i] = *factor;
}

static inline void LV_(to_factor)(LV *r, const LV *a, const LV_(constants) * k)
{
    (void)k;
    *r = *a;
}

static inline void LV_(mul)(LV *r, const LV *a, const LV *b, const LV_(constants) * k)
{
    (void)k;
    for (size_t i = 0; i < PAIL_CPU_LANES; i++)
        LANE_MUL(&r->lane[i], &a->lane[i], &b->lane[i]);
}

static inline void LV_(mul_loose)(LV *r, const LV *a, const LV *b, const LV_(constants) * k)
{
    LV_(mul)(r, a, b, k);
}

static inline void LV_(add)(LV *r, const LV *a, const LV *b, const LV_(constants) * k)
{
    (void)k;
    for (size_t i = 0; i < PAIL_CPU_LANES; i++)
        LANE_ADD(&r->lane[i], &a->lane[i], &b->lane[i]);
}

static inline void LV_(sub)(LV *r, const LV *a, const LV *b, const LV_(constants) * k)
{
    (void)k;
    for (size_t i = 0; i < PAIL_CPU_LANES; i++)
        LANE_SUB(&r->lane[i], &a->lane[i], &b->lane[i]);
}

/* (u, v) = (u + c v, u - c v) */
static inline void LV_(forward)(LV *u, LV *v, const LV *c, const LV_(constants) * k)
{
    (void)k;
    for (size_t i = 0; i < PAIL_CPU_LANES; i++) {
        FE product;
        LANE_MUL(&product, &v->lane[i], &c->lane[i]);
        LANE_SUB(&v->lane[i], &u->lane[i], &product);
        LANE_ADD(&u->lane[i], &u->lane[i], &product);
    }
}

/* (u, v) = (u + v, c (u - v)) */
static inline void LV_(backward)(LV *u, LV *v, const LV *c, const LV_(constants) * k)
{
    (void)k;
    for (size_t i = 0; i < PAIL_CPU_LANES; i++) {
        FE difference;
        LANE_SUB(&difference, &u->lane[i], &v->lane[i]);
        LANE_ADD(&u->lane[i], &u->lane[i], &v->lane[i]);
        LANE_MUL(&v->lane[i], &difference, &c->lane[i]);
    }
}

/* (u, v) = (u + v, u - v) */
static inline void LV_(sum_difference)(LV *u, LV *v, const LV_(constants) * k)
{
    (void)k;
    for (size_t i = 0; i < PAIL_CPU_LANES; i++) {
        const FE other = v->lane[i];
        LANE_SUB(&v->lane[i], &u->lane[i], &other);
        LANE_ADD(&u->lane[i], &u->lane[i], &other);
    }
}

static inline void LV_(sum_difference_wide)(LV *u, LV *v, const LV_(constants) * k)
{
    LV_(sum_difference)(u, v, k);
}

/* Integers of 256 bits below the order; nearly all are so already, and cost a comparison. */
static inline void LV_(reduce)(LV *a, const LV_(constants) * k)
{
    enum { TOP = PAIL_CPU_SCALAR_WORDS - 1 };
    (void)k;
    for (size_t i = 0; i < PAIL_CPU_LANES; i++)
        if (a->lane[i].l[TOP] >= FE_(modulus).l[TOP])
            LANE_MUL(&a->lane[i], &FE_(one), &a->lane[i]);
}

static inline void LV_(relax)(LV *a, const LV_(constants) * k)
{
    (void)a;
    (void)k;
}

static inline void LV_(settle)(LV *a, const LV_(constants) * k)
{
    (void)a;
    (void)k;
}

static inline void LV_(add_one)(uint64_t sum[PAIL_CPU_SCALAR_WORDS], const uint64_t *element)
{
    FE a, b;
    memcpy(&a, sum, sizeof a);
    memcpy(&b, element, sizeof b);
    LANE_ADD(&a, &a, &b);
    memcpy(sum, &a, sizeof a);
}

#undef LV_
#undef FE_
#undef FE
#undef LANE_MUL
#undef LANE_ADD
#undef LANE_SUB
