/* SPDX-License-Identifier: Apache-2.0 */
/* PAIL_CPU_LANES elements of a scalar field in registers, one in each lane. Include it before
 * scalars_template.h, in a source file built for an instruction set, after ifma_field.h or
 * avx2_field.h, with
 *
 *   LV                 the prefix of the type and of its functions
 *   LV_LIMB            the type of a factor's limbs in memory
 *   VF, VF_LIMBS, VF_BITS, VF_STORED, BASE, BASE_PARAMS  as in the field's header
 *
 * It undefines all but LV and LV_LIMB.
 *
 * Elements x 2^256 go through as they are, and factors are x R, where R is 2^260 or 2^261: a
 * product of the two is an element again, and nothing is converted but 64-bit words to limbs. In
 * between, values are not reduced. 2^260 is more than 35 p, p the modulus, so that a product of a p
 * and b p is below (1 + a b / 35) p, and comments count multiples of p. Factors are below 1.1 p, or
 * below 16 p where to_factor has made them. With R = 2^261 it is 70 p and 32 p, and what follows
 * holds.
 */
#include <string.h>

#include "scalars.h"

#define LV_(name)   PAIL_PASTE(LV, name)
#define VF_(name)   PAIL_PASTE(VF, name)
#define BASE_(name) PAIL_PASTE(BASE, name)

typedef VF LV;

typedef struct LV_(twiddle_factor) {
    LV_LIMB l[VF_LIMBS];
} LV_(twiddle_factor);

typedef struct LV_(constants) {
    VF_(constants) field;
    LV two; /* 2 p, to be added to differences */
} LV_(constants);

enum { LV_(radix_bits) = VF_BITS * VF_LIMBS };

static void LV_(make_factor)(void *factor, const pail_u256 *element)
{
    BASE value;
    uint64_t stored[VF_STORED], limbs[VF_LIMBS];
    LV_(twiddle_factor) *const f = factor;
    memcpy(&value, element, sizeof value);
    VF_(import)(stored, &value);
    VF_(unpack)(limbs, stored);
    for (size_t i = 0; i < VF_LIMBS; i++)
        f->l[i] = (LV_LIMB)limbs[i];
}

static void LV_(prepare)(LV_(constants) * k)
{
    VF_(prepare)(&k->field);
    VF_(prepare_far)(&k->two, &k->field);
}

static inline void LV_(load)(LV *r, const uint64_t *const rows[PAIL_CPU_LANES],
                             const LV_(constants) * k)
{
    VF_(load)(r, rows, 0, &k->field);
}

static inline void LV_(store)(uint64_t *const rows[PAIL_CPU_LANES], const LV *a)
{
    VF_(store)(rows, 0, a);
}

static inline void LV_(splat)(LV *r, const LV_(twiddle_factor) * factor)
{
    uint64_t limbs[VF_LIMBS];
    for (size_t i = 0; i < VF_LIMBS; i++)
        limbs[i] = factor->l[i];
    VF_(broadcast)(r, limbs);
}

/* Times R / 2^256: below 16 p, where an element is below p. */
static inline void LV_(to_factor)(LV *r, const LV *a, const LV_(constants) * k)
{
    VF_(times_ratio)(r, a);
    VF_(tidy)(r, &k->field);
}

/* r = a b, for tidy values. */
static inline void LV_(mul)(LV *r, const LV *a, const LV *b, const LV_(constants) * k)
{
    VF_(mul)(r, a, b, &k->field);
}

/* r = a factor, for an a as sums and differences leave it, below 35 p. */
static inline void LV_(mul_loose)(LV *r, const LV *a, const LV *factor, const LV_(constants) * k)
{
    LV tidy = *a;
    VF_(tidy)(&tidy, &k->field);
    VF_(mul)(r, &tidy, factor, &k->field);
}

static inline void LV_(add)(LV *r, const LV *a, const LV *b, const LV_(constants) * k)
{
    (void)k;
    VF_(add)(r, a, b);
}

/* b is at most 2 p, and r that much more than the difference. */
static inline void LV_(sub)(LV *r, const LV *a, const LV *b, const LV_(constants) * k)
{
    VF_(sub)(r, a, b, &k->two);
}

/* (u, v) = (u + c v, u - c v). The product is below 2 p as long as v is below 22 p, and what comes
 * out is at most 2 p more than u: so 11 levels may follow one another. */
static inline void LV_(forward)(LV *u, LV *v, const LV *c, const LV_(constants) * k)
{
    LV product;
    LV_(mul_loose)(&product, v, c, k);
    VF_(sub)(v, u, &product, &k->two);
    VF_(add)(u, u, &product);
}

/* (u, v) = (u + v, u - v), v at most 2 p, or 8 p. Before all others forward, and after all others
 * backward, what comes out is below 5 p, as after two ordinary levels, and below 19 p. */
static inline void LV_(sum_difference)(LV *u, LV *v, const LV_(constants) * k)
{
    const LV other = *v;
    VF_(sub)(v, u, &other, &k->two);
    VF_(add)(u, u, &other);
}

static inline void LV_(sum_difference_wide)(LV *u, LV *v, const LV_(constants) * k)
{
    const LV other = *v;
    VF_(sub)(v, u, &other, &k->field.eight);
    VF_(add)(u, u, &other);
}

/* (u, v) = (u + v, c (u - v)), v at most 8 p. */
static inline void LV_(backward)(LV *u, LV *v, const LV *c, const LV_(constants) * k)
{
    LV difference;
    VF_(sub)(&difference, u, v, &k->field.eight);
    VF_(add)(u, u, v);
    LV_(mul_loose)(v, &difference, c, k);
}

/* Brings 0 <= a < 35 p to a tidy number that is less than p, or a little more.
 *
 * After two levels backward of values below 2.8 p the sum of all four is below 11.2 p and is
 * brought down here; the sum of two products, each of at most 13.6 p and a factor, is below 2.8 p,
 * and a product below 1.4 p. So levels may go on for ever. */
static inline void LV_(relax)(LV *a, const LV_(constants) * k)
{
    VF_(tidy)(a, &k->field);
    VF_(shrink_far)(a, &k->field);
}

/* Integers of 256 bits, below 6 p, as other passes have them. */
static inline void LV_(reduce)(LV *a, const LV_(constants) * k)
{
    LV_(relax)(a, k);
}

/* Below p. */
static inline void LV_(settle)(LV *a, const LV_(constants) * k)
{
    LV_(relax)(a, k);
    VF_(reduce_once)(a, &k->field);
}

static inline void LV_(add_one)(uint64_t sum[PAIL_CPU_SCALAR_WORDS], const uint64_t *element)
{
    BASE a, b;
    memcpy(&a, sum, sizeof a);
    memcpy(&b, element, sizeof b);
    BASE_(add)(&a, &a, &b);
    memcpy(sum, &a, sizeof a);
}

#undef LV_
#undef VF_
#undef BASE_
#undef VF
#undef VF_LIMBS
#undef VF_BITS
#undef VF_STORED
#undef BASE
#undef BASE_PARAMS
