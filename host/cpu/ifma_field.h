/* SPDX-License-Identifier: Apache-2.0 */
/* A prime field, eight elements at a time, by the 52-bit multiply-add of AVX-512 (IFMA). Include it
 * in one source file, built for that instruction set, with
 *
 *   VF           prefix of the type and of its functions
 *   VF_LIMBS     limbs of 52 bits: 5 or 8
 *   VF_BITS      52
 *   BASE         the field in host/base/curves, BASE_PARAMS the prefix of its constants
 *
 * An element of a vector is VF_LIMBS limbs, least significant first, each in one lane of a register
 * of its own; its value is x R mod p with R = 2^(52 VF_LIMBS), but not fully reduced: R is more
 * than 80 p, so multiplications take and give numbers of a few p, and comments say how many. "Tidy"
 * are limbs below 2^52 (the top one may have more bits), which is what multiplications read.
 */
#include <immintrin.h>

/* Words of an element in memory: five limbs are packed into four words, eight are eight. */
#if VF_LIMBS == 5
#define VF_STORED 4
#else
#define VF_STORED VF_LIMBS
#endif

#include "limbs_template.h"

typedef struct VF {
    __m512i l[VF_LIMBS];
} VF;

typedef struct VF_(constants) {
    VF p, one, four, eight;      /* p, R mod p, 4 p, 8 p in all lanes */
    __m512i multiples[VF_LIMBS]; /* lane k: the limb of k p */
    __m512i n0, quotient, low;   /* -1/p mod 2^52; floor(R / p); 2^52 - 1 */
    __m512i far;                 /* see shrink_far */
} VF_(constants);

static inline void VF_(broadcast)(VF *r, const uint64_t limbs[VF_LIMBS])
{
    for (size_t i = 0; i < VF_LIMBS; i++)
        r->l[i] = _mm512_set1_epi64((long long)limbs[i]);
}

/* (-1/p) and the multiples of p from the field's own constants, a few hundred instructions. */
static inline void VF_(prepare)(VF_(constants) * c)
{
    static const uint64_t modulus[VF_WORDS] = PAIL_PASTE(BASE_PARAMS, MODULUS);
    uint64_t p[VF_LIMBS], sum[VF_LIMBS] = {0}, table[VF_LIMBS][8];
    VF_(split)(p, modulus);
    for (size_t k = 0; k <= 8; k++) {
        uint64_t carry = 0;
        for (size_t i = 0; i < VF_LIMBS; i++)
            if (k < 8)
                table[i][k] = sum[i];
        if (k == 4)
            VF_(broadcast)(&c->four, sum);
        else if (k == 8)
            VF_(broadcast)(&c->eight, sum);
        for (size_t i = 0; i < VF_LIMBS; i++) {
            carry += sum[i] + p[i];
            sum[i] = i + 1 < VF_LIMBS ? carry & VF_LOW : carry;
            carry >>= 52;
        }
    }
    VF_(broadcast)(&c->p, p);
    for (size_t i = 0; i < VF_LIMBS; i++)
        c->multiples[i] = _mm512_loadu_si512(table[i]);
    uint64_t stored[VF_STORED], limbs[VF_LIMBS];
    VF_(import)(stored, &BASE_(one));
    VF_(unpack)(limbs, stored);
    VF_(broadcast)(&c->one, limbs);
    c->n0 = _mm512_set1_epi64((long long)(PAIL_PASTE(BASE_PARAMS, N0) & VF_LOW));
    /* R / p from the top limb, rounded down: a little too small, never too large. */
    c->quotient = _mm512_set1_epi64((long long)((UINT64_C(1) << 52) / (p[VF_LIMBS - 1] + 1)));
    c->low = _mm512_set1_epi64((long long)VF_LOW);
}

/* Carries limbs, which may be negative, into the next ones; the number is not negative. */
static inline void VF_(tidy)(VF *a, const VF_(constants) * c)
{
    PAIL_UNROLL
    for (size_t i = 0; i + 1 < VF_LIMBS; i++) {
        a->l[i + 1] = _mm512_add_epi64(a->l[i + 1], _mm512_srai_epi64(a->l[i], 52));
        a->l[i] = _mm512_and_epi64(a->l[i], c->low);
    }
}

/* r = a + b, limbs as they come. */
static inline void VF_(add)(VF *r, const VF *a, const VF *b)
{
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        r->l[i] = _mm512_add_epi64(a->l[i], b->l[i]);
}

/* r = a - b + offset, limbs as they come. */
static inline void VF_(sub)(VF *r, const VF *a, const VF *b, const VF *offset)
{
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        r->l[i] = _mm512_add_epi64(_mm512_sub_epi64(a->l[i], b->l[i]), offset->l[i]);
}

/* r = 4 p - a in the lanes of mask, a in the others; limbs as they come. */
static inline void VF_(negate_some)(VF *r, __mmask8 mask, const VF *a, const VF_(constants) * c)
{
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        r->l[i] = _mm512_mask_sub_epi64(a->l[i], mask, c->four.l[i], a->l[i]);
}

/* Lanes in which all limbs are 0. */
static inline __mmask8 VF_(all_zero)(const VF *a)
{
    __m512i any = a->l[0];
    PAIL_UNROLL
    for (size_t i = 1; i < VF_LIMBS; i++)
        any = _mm512_or_epi64(any, a->l[i]);
    return _mm512_testn_epi64_mask(any, any);
}

static inline void VF_(select)(VF *r, __mmask8 mask, const VF *a) /* r = a where mask is set */
{
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        r->l[i] = _mm512_mask_mov_epi64(r->l[i], mask, a->l[i]);
}

/* Brings 0 <= a < 8 p, limbs of less than 2^54 in size, to a tidy number below 1.2 p: subtracts q p
 * with q at most a / p, and less by at most 0.2. The top limb before its carries is off by less
 * than 4, one part in 2^40 of p. */
static inline void VF_(shrink)(VF *a, const VF_(constants) * c)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512i q = _mm512_sub_epi64(a->l[VF_LIMBS - 1], _mm512_set1_epi64(4));
    q = _mm512_madd52hi_epu64(zero, _mm512_max_epi64(q, zero), c->quotient);
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        a->l[i] = _mm512_sub_epi64(a->l[i], _mm512_permutexvar_epi64(q, c->multiples[i]));
    VF_(tidy)(a, c);
}

enum { VF_(far_bits) = 40 };

/* Prepares the factor of shrink_far, and 2 p for differences. For five limbs. */
static inline void VF_(prepare_far)(VF *two, VF_(constants) * c)
{
    VF_(add)(two, &c->p, &c->p);
    const uint64_t top = BASE_(modulus).l[3] >> 16;
    const pail_uint128 scaled = (pail_uint128)1 << (52 + VF_(far_bits));
    c->far = _mm512_set1_epi64((long long)(uint64_t)(scaled / (top + 1)));
}

/* Brings a tidy number below 35 p to one that is less than p, or a little more: subtracts q p,
 * where q is a / p rounded down, or one less where a is within 2^-40 p above a multiple. */
static inline void VF_(shrink_far)(VF *a, const VF_(constants) * c)
{
    __m512i q = _mm512_madd52hi_epu64(_mm512_setzero_si512(), a->l[VF_LIMBS - 1], c->far);
    q = _mm512_srli_epi64(q, VF_(far_bits));
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        a->l[i] = _mm512_sub_epi64(a->l[i], _mm512_mullo_epi64(q, c->p.l[i]));
    VF_(tidy)(a, c);
}

/* a less p where that is not negative, for a tidy a. */
static inline void VF_(reduce_once)(VF *a, const VF_(constants) * c)
{
    VF less;
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        less.l[i] = _mm512_sub_epi64(a->l[i], c->p.l[i]);
    VF_(tidy)(&less, c);
    VF_(select)(a, _knot_mask8(_mm512_movepi64_mask(less.l[VF_LIMBS - 1])), &less);
}

/* r = a 2^ratio, limbs as they come. */
static inline void VF_(times_ratio)(VF *r, const VF *a)
{
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        r->l[i] = _mm512_slli_epi64(a->l[i], VF_(ratio));
}

/* Lanes in which 0 <= a < 8 p is a multiple of p. */
static inline __mmask8 VF_(is_zero)(const VF *a, const VF_(constants) * c)
{
    VF r = *a;
    VF_(tidy)(&r, c);
    VF_(shrink)(&r, c);
    __m512i any = r.l[0], differ = _mm512_xor_epi64(r.l[0], c->p.l[0]);
    for (size_t i = 1; i < VF_LIMBS; i++) {
        any = _mm512_or_epi64(any, r.l[i]);
        differ = _mm512_or_epi64(differ, _mm512_xor_epi64(r.l[i], c->p.l[i]));
    }
    return (__mmask8)(_mm512_testn_epi64_mask(any, any) | _mm512_testn_epi64_mask(differ, differ));
}

/* A product, or a sum of them, before reduction: below 80 p^2. */
typedef struct VF_(wide) {
    __m512i l[2 * VF_LIMBS];
} VF_(wide);

/* r += a b, of tidy numbers. At most 2 VF_LIMBS terms below 2^52 a time meet in a limb. */
static inline void VF_(wide_mul)(VF_(wide) * r, const VF *a, const VF *b)
{
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++) {
        PAIL_UNROLL
        for (size_t j = 0; j < VF_LIMBS; j++)
            r->l[i + j] = _mm512_madd52lo_epu64(r->l[i + j], a->l[j], b->l[i]);
        PAIL_UNROLL
        for (size_t j = 0; j < VF_LIMBS; j++)
            r->l[i + j + 1] = _mm512_madd52hi_epu64(r->l[i + j + 1], a->l[j], b->l[i]);
    }
}

/* r = t / R, tidy and below (1 + t / (80 p^2)) p. */
static inline void VF_(reduce)(VF *r, VF_(wide) * t, const VF_(constants) * c)
{
    const __m512i zero = _mm512_setzero_si512();
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++) {
        const __m512i m = _mm512_madd52lo_epu64(zero, t->l[i], c->n0);
        t->l[i] = _mm512_madd52lo_epu64(t->l[i], m, c->p.l[0]); /* a multiple of 2^52 now */
        PAIL_UNROLL
        for (size_t j = 1; j < VF_LIMBS; j++)
            t->l[i + j] = _mm512_madd52lo_epu64(t->l[i + j], m, c->p.l[j]);
        PAIL_UNROLL
        for (size_t j = 0; j < VF_LIMBS; j++)
            t->l[i + j + 1] = _mm512_madd52hi_epu64(t->l[i + j + 1], m, c->p.l[j]);
        t->l[i + 1] = _mm512_add_epi64(t->l[i + 1], _mm512_srli_epi64(t->l[i], 52));
    }
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        r->l[i] = t->l[VF_LIMBS + i];
    VF_(tidy)(r, c);
}

/* r = a^2 / R: products of different limbs once, and twice their sum. */
static inline void VF_(sqr)(VF *r, const VF *a, const VF_(constants) * c)
{
    VF_(wide) t;
    PAIL_UNROLL
    for (size_t i = 0; i < 2 * VF_LIMBS; i++)
        t.l[i] = _mm512_setzero_si512();
    PAIL_UNROLL
    for (size_t i = 0; i + 1 < VF_LIMBS; i++) {
        PAIL_UNROLL
        for (size_t j = i + 1; j < VF_LIMBS; j++)
            t.l[i + j] = _mm512_madd52lo_epu64(t.l[i + j], a->l[j], a->l[i]);
        PAIL_UNROLL
        for (size_t j = i + 1; j < VF_LIMBS; j++)
            t.l[i + j + 1] = _mm512_madd52hi_epu64(t.l[i + j + 1], a->l[j], a->l[i]);
    }
    PAIL_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++) {
        t.l[2 * i] = _mm512_add_epi64(t.l[2 * i], t.l[2 * i]);
        t.l[2 * i + 1] = _mm512_add_epi64(t.l[2 * i + 1], t.l[2 * i + 1]);
        t.l[2 * i] = _mm512_madd52lo_epu64(t.l[2 * i], a->l[i], a->l[i]);
        t.l[2 * i + 1] = _mm512_madd52hi_epu64(t.l[2 * i + 1], a->l[i], a->l[i]);
    }
    VF_(reduce)(r, &t, c);
}

static inline void VF_(mul)(VF *r, const VF *a, const VF *b, const VF_(constants) * c)
{
    VF_(wide) t;
    PAIL_UNROLL
    for (size_t i = 0; i < 2 * VF_LIMBS; i++)
        t.l[i] = _mm512_setzero_si512();
    VF_(wide_mul)(&t, a, b);
    VF_(reduce)(r, &t, c);
}

/* r = a b + d e. */
static inline void VF_(mul_two)(VF *r, const VF *a, const VF *b, const VF *d, const VF *e,
                                const VF_(constants) * c)
{
    VF_(wide) t;
    PAIL_UNROLL
    for (size_t i = 0; i < 2 * VF_LIMBS; i++)
        t.l[i] = _mm512_setzero_si512();
    VF_(wide_mul)(&t, a, b);
    VF_(wide_mul)(&t, d, e);
    VF_(reduce)(r, &t, c);
}

/* ---- Memory: rows[lane] points to VF_STORED words there. Four words of eight rows are turned into
 * four registers; the order in which rows are paired makes lane k row k. */
static inline void VF_(turn_in)(__m512i out[4], const uint64_t *const rows[8], size_t at)
{
    __m512i pair[4];
    static const unsigned char low[4] = {0, 1, 4, 5};
    PAIL_UNROLL
    for (size_t i = 0; i < 4; i++) {
        const __m256i a = _mm256_loadu_si256((const __m256i_u *)(rows[low[i]] + at));
        const __m256i b = _mm256_loadu_si256((const __m256i_u *)(rows[low[i] + 2] + at));
        pair[i] = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
    }
    const __m512i even_low = _mm512_unpacklo_epi64(pair[0], pair[1]);
    const __m512i odd_low = _mm512_unpackhi_epi64(pair[0], pair[1]);
    const __m512i even_high = _mm512_unpacklo_epi64(pair[2], pair[3]);
    const __m512i odd_high = _mm512_unpackhi_epi64(pair[2], pair[3]);
    out[0] = _mm512_shuffle_i64x2(even_low, even_high, 0x88);
    out[1] = _mm512_shuffle_i64x2(odd_low, odd_high, 0x88);
    out[2] = _mm512_shuffle_i64x2(even_low, even_high, 0xdd);
    out[3] = _mm512_shuffle_i64x2(odd_low, odd_high, 0xdd);
}

static inline void VF_(turn_out)(uint64_t *const rows[8], size_t at, const __m512i in[4])
{
    static const unsigned char low[4] = {0, 1, 4, 5};
    const __m512i a = _mm512_unpacklo_epi64(in[0], in[1]); /* rows 0, 2, 4, 6: words 0 and 1 */
    const __m512i b = _mm512_unpackhi_epi64(in[0], in[1]); /* rows 1, 3, 5, 7 */
    const __m512i d = _mm512_unpacklo_epi64(in[2], in[3]); /* words 2 and 3 */
    const __m512i e = _mm512_unpackhi_epi64(in[2], in[3]);
    const __m512i select_low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i select_high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    const __m512i pair[4] = {
        _mm512_permutex2var_epi64(a, select_low, d), _mm512_permutex2var_epi64(b, select_low, e),
        _mm512_permutex2var_epi64(a, select_high, d), _mm512_permutex2var_epi64(b, select_high, e)};
    PAIL_UNROLL
    for (size_t i = 0; i < 4; i++) {
        _mm256_storeu_si256((__m256i_u *)(rows[low[i]] + at), _mm512_castsi512_si256(pair[i]));
        _mm256_storeu_si256((__m256i_u *)(rows[low[i] + 2] + at),
                            _mm512_extracti64x4_epi64(pair[i], 1));
    }
}

static inline void VF_(load)(VF *r, const uint64_t *const rows[8], size_t at,
                             const VF_(constants) * c)
{
#if VF_STORED == VF_LIMBS
    (void)c;
    VF_(turn_in)(r->l, rows, at);
    VF_(turn_in)(r->l + 4, rows, at + 4);
#else
    __m512i w[4];
    VF_(turn_in)(w, rows, at);
    r->l[0] = _mm512_and_epi64(w[0], c->low);
    PAIL_UNROLL
    for (unsigned i = 1; i < 4; i++) {
        r->l[i] = _mm512_and_epi64(_mm512_or_epi64(_mm512_srli_epi64(w[i - 1], 64 - 12 * i),
                                                   _mm512_slli_epi64(w[i], 12 * i)),
                                   c->low);
    }
    r->l[4] = _mm512_srli_epi64(w[3], 16);
#endif
}

static inline void VF_(store)(uint64_t *const rows[8], size_t at, const VF *a)
{
#if VF_STORED == VF_LIMBS
    VF_(turn_out)(rows, at, a->l);
    VF_(turn_out)(rows, at + 4, a->l + 4);
#else
    __m512i w[4];
    PAIL_UNROLL
    for (unsigned i = 0; i < 4; i++) {
        w[i] = _mm512_or_epi64(_mm512_srli_epi64(a->l[i], 12 * i),
                               _mm512_slli_epi64(a->l[i + 1], 52 - 12 * i));
    }
    VF_(turn_out)(rows, at, w);
#endif
}

#undef VF_
#undef BASE_
#undef VF_LOW
#undef VF_WORDS
