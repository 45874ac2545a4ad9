/* PAIL_CPU_LANES elements of a scalar field by AVX-512 IFMA, one in each lane. Include it before
 * scalars_template.h, in a source file built for that instruction set, with
 *
 *   LV                 the prefix of the type and of its functions
 *   VF                 the prefix of what ifma_field.h gives, which it includes
 *   BASE, BASE_PARAMS  the field in host/curves, and the prefix of its constants
 *
 * It undefines all but LV.
 *
 * Elements x 2^256 go through as they are, and factors are x 2^260: a product of the two is an
 * element again, and nothing is converted but 64-bit words to 52-bit limbs. In between, values are
 * not reduced. 2^260 is more than 35 p, p the modulus, so that a product of a p and b p is below
 * (1 + a b / 35) p, and comments count multiples of p. Factors are below 1.1 p, or below 16 p where
 * to_factor has made them.
 */
#include <string.h>

#include "scalars.h"

#define VF_LIMBS 5
#include "ifma_field.h"

#define LV_(name)   PAIL_PASTE(LV, name)
#define VF_(name)   PAIL_PASTE(VF, name)
#define BASE_(name) PAIL_PASTE(BASE, name)

typedef VF LV;

typedef struct LV_(twiddle_factor) {
    uint64_t l[VF_LIMBS];
} LV_(twiddle_factor);

typedef struct LV_(constants) {
    VF_(constants) field;
    LV two;           /* 2 p */
    __m512i quotient; /* floor(2^(52 + 40) / (p / 2^208 + 1)) */
} LV_(constants);

enum { LV_(radix_bits) = 52 * VF_LIMBS, LV_(quotient_bits) = 40 };

static void LV_(make_factor)(void *factor, const pail_u256 *element)
{
    BASE value;
    uint64_t stored[VF_STORED];
    LV_(twiddle_factor) *const f = factor;
    memcpy(&value, element, sizeof value);
    VF_(import)(stored, &value);
    VF_(unpack)(f->l, stored);
}

static void LV_(prepare)(LV_(constants) * k)
{
    VF_(prepare)(&k->field);
    VF_(add)(&k->two, &k->field.p, &k->field.p);
    const uint64_t top = BASE_(modulus).l[3] >> 16;
    const pail_uint128 scaled = (pail_uint128)1 << (52 + LV_(quotient_bits));
    k->quotient = _mm512_set1_epi64((long long)(uint64_t)(scaled / (top + 1)));
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
    VF_(broadcast)(r, factor->l);
}

/* Times 2^4: below 16 p, where an element is below p. */
static inline void LV_(to_factor)(LV *r, const LV *a, const LV_(constants) * k)
{
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        r->l[i] = _mm512_slli_epi64(a->l[i], VF_(ratio));
    VF_(tidy)(r, &k->field);
}

/* Of tidy values. */
static inline void LV_(mul)(LV *r, const LV *a, const LV *b, const LV_(constants) * k)
{
    VF_(mul)(r, a, b, &k->field);
}

/* Of a value as sums and differences leave it, below 35 p, and a factor. */
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

/* From 0 <= a < 35 p to a tidy number that is less than p, or a little more: minus q p, where q is
 * a / p rounded down, or one less where a is within 2^-40 p above a multiple.
 *
 * After two levels backward of values below 2.8 p the sum of all four is below 11.2 p and is
 * brought down here; the sum of two products, each of at most 13.6 p and a factor, is below 2.8 p,
 * and a product below 1.4 p. So levels may go on for ever. */
static inline void LV_(relax)(LV *a, const LV_(constants) * k)
{
    VF_(tidy)(a, &k->field);
    __m512i q = _mm512_madd52hi_epu64(_mm512_setzero_si512(), a->l[VF_LIMBS - 1], k->quotient);
    q = _mm512_srli_epi64(q, LV_(quotient_bits));
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        a->l[i] = _mm512_sub_epi64(a->l[i], _mm512_mullo_epi64(q, k->field.p.l[i]));
    VF_(tidy)(a, &k->field);
}

/* Below p. */
static inline void LV_(settle)(LV *a, const LV_(constants) * k)
{
    LV_(relax)(a, k);
    LV less;
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        less.l[i] = _mm512_sub_epi64(a->l[i], k->field.p.l[i]);
    VF_(tidy)(&less, &k->field);
    VF_(select)(a, _knot_mask8(_mm512_movepi64_mask(less.l[VF_LIMBS - 1])), &less);
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
#undef VF_STORED
#undef BASE
#undef BASE_PARAMS
