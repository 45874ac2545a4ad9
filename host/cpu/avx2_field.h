/* SPDX-License-Identifier: Apache-2.0 */
/* A prime field, eight elements at a time, by the 32-bit products of AVX2. Include it in one source
 * file, built for that instruction set, with
 *
 *   VF           prefix of the type and of its functions
 *   VF_LIMBS, VF_BITS  limbs and their bits, at most 29: 9 of 29, or 14 of 28
 *   BASE         the field in host/base/curves, BASE_PARAMS the prefix of its constants
 *
 * The functions are those of ifma_field.h, and so is what they say of sizes: x R mod p with R =
 * 2^(VF_BITS VF_LIMBS), more than 70 p, and more than 160 p of base fields. In memory an element
 * has the field's words.
 *
 * AVX2 cannot shift a negative number, so limbs are never below 0, but for the top one between a
 * difference and its carries: what is added to differences has limbs of `slack` times a limb's size
 * more than its number, and as much less of the next.
 */
#include <immintrin.h>

#define VF_STORED PAIL_PASTE(BASE_PARAMS, LIMBS)
#if defined(__clang__)
#define VF_UNROLL _Pragma("clang loop unroll(full)")
#else
#define VF_UNROLL _Pragma("GCC unroll 14")
#endif

#include "limbs_template.h"

enum { VF_(halves) = 2 }; /* registers of four lanes */

typedef struct VF {
    __m256i l[VF_LIMBS][VF_(halves)];
} VF;

typedef struct VF_(constants) {
    VF one, four, eight;         /* R mod p; 4 p and 8 p with slack 4 */
    __m256i four_thin[VF_LIMBS]; /* 4 p with slack 1 */
    __m256i none[VF_LIMBS];      /* 0 with slack 8, 40 for shrink_far */
    __m256i p[VF_LIMBS], fold[VF_LIMBS];
    __m256i n0, quotient, low; /* -1/p mod 2^VF_BITS; see shrink; 2^VF_BITS - 1 */
    uint32_t shift;
} VF_(constants);

static inline void VF_(broadcast)(VF *r, const uint64_t limbs[VF_LIMBS])
{
    for (size_t i = 0; i < VF_LIMBS; i++)
        r->l[i][0] = r->l[i][1] = _mm256_set1_epi64x((long long)limbs[i]);
}

/* r = k p, with the slack. */
static inline void VF_(multiple)(__m256i r[VF_LIMBS], const uint64_t p[VF_LIMBS], uint64_t k,
                                 uint64_t slack)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < VF_LIMBS; i++) {
        carry += k * p[i];
        uint64_t limb = carry;
        if (i + 1 < VF_LIMBS)
            limb = (carry & VF_LOW) + (slack << VF_BITS);
        r[i] = _mm256_set1_epi64x((long long)(limb - (i > 0 ? slack : 0)));
        carry >>= VF_BITS;
    }
}

static inline void VF_(prepare)(VF_(constants) * c)
{
    static const uint64_t modulus[VF_WORDS] = PAIL_PASTE(BASE_PARAMS, MODULUS);
    const uint64_t n0 = PAIL_PASTE(BASE_PARAMS, N0) & VF_LOW;
    uint64_t p[VF_LIMBS], stored[VF_STORED], limbs[VF_LIMBS], carry = 1;
    __m256i offset[VF_LIMBS];
    VF_(split)(p, modulus);
    VF_(multiple)(c->p, p, 1, 0);
    VF_(multiple)(c->none, p, 0, 8);
    VF_(multiple)(c->four_thin, p, 4, 1);
    VF_(multiple)(offset, p, 4, 4);
    for (size_t i = 0; i < VF_LIMBS; i++)
        c->four.l[i][0] = c->four.l[i][1] = offset[i];
    VF_(multiple)(offset, p, 8, 4);
    for (size_t i = 0; i < VF_LIMBS; i++)
        c->eight.l[i][0] = c->eight.l[i][1] = offset[i];
    /* (n0 p + 1) / 2^VF_BITS, which is 2^-VF_BITS mod p */
    for (size_t i = 0; i < VF_LIMBS; i++) {
        carry += n0 * p[i];
        if (i > 0)
            c->fold[i - 1] = _mm256_set1_epi64x((long long)(carry & VF_LOW));
        carry >>= VF_BITS;
    }
    c->fold[VF_LIMBS - 1] = _mm256_set1_epi64x((long long)carry);
    VF_(import)(stored, &BASE_(one));
    VF_(unpack)(limbs, stored);
    VF_(broadcast)(&c->one, limbs);
    c->n0 = _mm256_set1_epi64x((long long)n0);
    c->low = _mm256_set1_epi64x((long long)VF_LOW);
    /* The largest quotient of 2^shift and the top limb of p that has 32 bits. */
    c->shift = 32;
    while ((UINT64_C(2) << c->shift) / (p[VF_LIMBS - 1] + 1) >> 32 == 0)
        c->shift++;
    c->quotient =
        _mm256_set1_epi64x((long long)((UINT64_C(1) << c->shift) / (p[VF_LIMBS - 1] + 1)));
}

/* Carries limbs into the next ones; the number is not negative. */
static inline void VF_(tidy)(VF *a, const VF_(constants) * c)
{
    PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++) {
        VF_UNROLL
        for (size_t i = 0; i + 1 < VF_LIMBS; i++) {
            a->l[i + 1][h] =
                _mm256_add_epi64(a->l[i + 1][h], _mm256_srli_epi64(a->l[i][h], VF_BITS));
            a->l[i][h] = _mm256_and_si256(a->l[i][h], c->low);
        }
    }
}

/* r = a + b, limbs as they come. */
static inline void VF_(add)(VF *r, const VF *a, const VF *b)
{
    VF_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++)
        r->l[i][h] = _mm256_add_epi64(a->l[i][h], b->l[i][h]);
}

/* r = a - b + offset, limbs as they come; those of b are at most twice a limb's size. */
static inline void VF_(sub)(VF *r, const VF *a, const VF *b, const VF *offset)
{
    VF_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++)
        r->l[i][h] = _mm256_add_epi64(_mm256_sub_epi64(a->l[i][h], b->l[i][h]), offset->l[i][h]);
}

/* All bits of the lanes in mask. */
static inline __m256i VF_(lanes)(unsigned mask, size_t half)
{
    const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
    const __m256i all = _mm256_set1_epi64x((long long)(mask >> (4 * half)));
    return _mm256_cmpeq_epi64(_mm256_and_si256(all, bits), bits);
}

/* Lanes whose bits are all 0. */
static inline unsigned VF_(zeros)(const __m256i any[VF_(halves)])
{
    unsigned mask = 0;
    PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++) {
        const __m256i zero = _mm256_cmpeq_epi64(any[h], _mm256_setzero_si256());
        mask |= (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(zero)) << (4 * h);
    }
    return mask;
}

/* r = 4 p - a in the lanes of mask, for a tidy a, and a in the others; limbs as they come. */
static inline void VF_(negate_some)(VF *r, VF_MASK mask, const VF *a, const VF_(constants) * c)
{
    PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++) {
        const __m256i lanes = VF_(lanes)(mask, h);
        VF_UNROLL
        for (size_t i = 0; i < VF_LIMBS; i++) {
            const __m256i negative = _mm256_sub_epi64(c->four_thin[i], a->l[i][h]);
            r->l[i][h] = _mm256_blendv_epi8(a->l[i][h], negative, lanes);
        }
    }
}

static inline void VF_(select)(VF *r, VF_MASK mask, const VF *a) /* r = a where mask is set */
{
    for (size_t h = 0; h < VF_(halves); h++) {
        const __m256i lanes = VF_(lanes)(mask, h);
        for (size_t i = 0; i < VF_LIMBS; i++)
            r->l[i][h] = _mm256_blendv_epi8(r->l[i][h], a->l[i][h], lanes);
    }
}

/* Lanes in which all limbs are 0. */
static inline VF_MASK VF_(all_zero)(const VF *a)
{
    __m256i any[VF_(halves)] = {a->l[0][0], a->l[0][1]};
    VF_UNROLL
    for (size_t i = 1; i < VF_LIMBS; i++)
        PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++)
        any[h] = _mm256_or_si256(any[h], a->l[i][h]);
    return (VF_MASK)VF_(zeros)(any);
}

/* Brings 0 <= a < 8 p, limbs of less than 8 times a limb's size, to a tidy number below 1.2 p:
 * subtracts q p with q at most a / p, and less by at most 1.2. The top limb before its carries is
 * off by less than 8, one part in 2^13 of p. */
static inline void VF_(shrink)(VF *a, const VF_(constants) * c)
{
    PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++) {
        __m256i q = _mm256_max_epi32(a->l[VF_LIMBS - 1][h], _mm256_setzero_si256());
        q = _mm256_mul_epu32(q, c->quotient);
        q = _mm256_srl_epi64(q, _mm_cvtsi32_si128((int)c->shift));
        VF_UNROLL
        for (size_t i = 0; i < VF_LIMBS; i++) {
            const __m256i enough = _mm256_add_epi64(a->l[i][h], c->none[i]);
            a->l[i][h] = _mm256_sub_epi64(enough, _mm256_mul_epu32(q, c->p[i]));
        }
    }
    VF_(tidy)(a, c);
}

/* Prepares the factor of shrink_far, and 2 p for differences. */
static inline void VF_(prepare_far)(VF *two, VF_(constants) * c)
{
    static const uint64_t modulus[VF_WORDS] = PAIL_PASTE(BASE_PARAMS, MODULUS);
    uint64_t p[VF_LIMBS];
    __m256i offset[VF_LIMBS];
    VF_(split)(p, modulus);
    VF_(multiple)(c->none, p, 0, 40);
    VF_(multiple)(offset, p, 2, 4);
    for (size_t i = 0; i < VF_LIMBS; i++)
        two->l[i][0] = two->l[i][1] = offset[i];
}

/* Brings a tidy number below 35 p to one that is less than p, or a little more. */
static inline void VF_(shrink_far)(VF *a, const VF_(constants) * c)
{
    VF_(shrink)(a, c);
}

/* a less p where that is not negative, for a tidy a. */
static inline void VF_(reduce_once)(VF *a, const VF_(constants) * c)
{
    VF less;
    VF_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++)
        less.l[i][h] = _mm256_add_epi64(_mm256_sub_epi64(a->l[i][h], c->p[i]), c->none[i]);
    VF_(tidy)(&less, c);
    PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++) {
        const __m256d sign = _mm256_castsi256_pd(less.l[VF_LIMBS - 1][h]);
        VF_UNROLL
        for (size_t i = 0; i < VF_LIMBS; i++)
            a->l[i][h] = _mm256_castpd_si256(_mm256_blendv_pd(
                _mm256_castsi256_pd(less.l[i][h]), _mm256_castsi256_pd(a->l[i][h]), sign));
    }
}

/* r = a 2^ratio, limbs as they come. */
static inline void VF_(times_ratio)(VF *r, const VF *a)
{
    VF_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++)
        PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++)
        r->l[i][h] = _mm256_slli_epi64(a->l[i][h], VF_(ratio));
}

/* Lanes in which 0 <= a < 8 p is a multiple of p. */
static inline VF_MASK VF_(is_zero)(const VF *a, const VF_(constants) * c)
{
    VF r = *a;
    VF_(tidy)(&r, c);
    VF_(shrink)(&r, c);
    __m256i differ[VF_(halves)] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    for (size_t i = 0; i < VF_LIMBS; i++)
        for (size_t h = 0; h < VF_(halves); h++)
            differ[h] = _mm256_or_si256(differ[h], _mm256_xor_si256(r.l[i][h], c->p[i]));
    return VF_(all_zero)(&r) | (VF_MASK)VF_(zeros)(differ);
}

/* acc + a b. As one statement, because gcc otherwise forms all products of a row and keeps them in
 * memory until it adds them. */
static inline __m256i VF_(multiply_add)(__m256i acc, __m256i a, const __m256i *b)
{
    __m256i product;
    __asm__("vpmuludq %3, %2, %1\n\tvpaddq %1, %0, %0"
            : "+x"(acc), "=&x"(product)
            : "x"(a), "m"(*b));
    return acc;
}

/* Half of r = (a b + d e) / R; d: NULL for none. Tidy and below (1 + t / (70 p^2)) p, t what is
 * divided.
 *
 * Row by row, a row being all products with a limb of b and one of e. A row's lowest limb m, times
 * 2^-VF_BITS mod p, is added to what the row leaves above it: no product is needed to find m, as it
 * is when a multiple of p makes the limb 0. But what is added is up to 2^VF_BITS p, so the last two
 * rows go the usual way. No more than 42 products of 28 bits, or 27 of 29 bits, meet in a limb. */
static inline __attribute__((always_inline)) void VF_(row_by_row)(VF *r, size_t h, const VF *a,
                                                                  const VF *b, const VF *d,
                                                                  const VF *e,
                                                                  const VF_(constants) * c)
{
    __m256i t[VF_LIMBS];
    VF_UNROLL
    for (size_t i = 0; i < VF_LIMBS; i++) {
        const __m256i x = b->l[i][h];
        VF_UNROLL
        for (size_t j = 0; j < VF_LIMBS; j++)
            t[j] =
                i == 0 ? _mm256_mul_epu32(x, a->l[j][h]) : VF_(multiply_add)(t[j], x, &a->l[j][h]);
        if (d) {
            const __m256i y = e->l[i][h];
            VF_UNROLL
            for (size_t j = 0; j < VF_LIMBS; j++)
                t[j] = VF_(multiply_add)(t[j], y, &d->l[j][h]);
        }
        const bool folds = i + 2 < VF_LIMBS;
        const __m256i *const factor = folds ? c->fold : c->p;
        __m256i m = t[0];
        if (!folds) {
            m = _mm256_and_si256(_mm256_mul_epu32(m, c->n0), c->low);
            t[0] = VF_(multiply_add)(t[0], m, &c->p[0]);
        } else {
            m = _mm256_and_si256(m, c->low);
        }
        t[1] = _mm256_add_epi64(t[1], _mm256_srli_epi64(t[0], VF_BITS));
        VF_UNROLL
        for (size_t j = 1; j < VF_LIMBS; j++)
            t[j - 1] = VF_(multiply_add)(t[j], m, &factor[folds ? j - 1 : j]);
        t[VF_LIMBS - 1] =
            folds ? _mm256_mul_epu32(m, factor[VF_LIMBS - 1]) : _mm256_setzero_si256();
    }
    VF_UNROLL
    for (size_t i = 0; i + 1 < VF_LIMBS; i++) {
        t[i + 1] = _mm256_add_epi64(t[i + 1], _mm256_srli_epi64(t[i], VF_BITS));
        r->l[i][h] = _mm256_and_si256(t[i], c->low);
    }
    r->l[VF_LIMBS - 1][h] = t[VF_LIMBS - 1];
}

/* r = a b / R, of tidy numbers. */
static __attribute__((noinline)) void VF_(mul)(VF *r, const VF *a, const VF *b,
                                               const VF_(constants) * c)
{
    for (size_t h = 0; h < VF_(halves); h++)
        VF_(row_by_row)(r, h, a, b, NULL, NULL, c);
}

/* r = a^2 / R. */
static inline void VF_(sqr)(VF *r, const VF *a, const VF_(constants) * c)
{
    VF_(mul)(r, a, a, c);
}

/* r = (a b + d e) / R. */
static __attribute__((noinline, unused)) void
VF_(mul_two)(VF *r, const VF *a, const VF *b, const VF *d, const VF *e, const VF_(constants) * c)
{
    for (size_t h = 0; h < VF_(halves); h++)
        VF_(row_by_row)(r, h, a, b, d, e, c);
}

/* ---- Memory: rows[lane] points to VF_STORED words there. ------------------------------------- */

/* Word i of four rows in register i. */
static inline void VF_(turn_in)(__m256i w[VF_STORED], const uint64_t *const rows[4], size_t at)
{
    __m256i row[4];
    PAIL_UNROLL
    for (size_t k = 0; k < 4; k++)
        row[k] = _mm256_loadu_si256((const __m256i_u *)(rows[k] + at));
    const __m256i low = _mm256_unpacklo_epi64(row[0], row[1]);
    const __m256i high = _mm256_unpackhi_epi64(row[0], row[1]);
    const __m256i low2 = _mm256_unpacklo_epi64(row[2], row[3]);
    const __m256i high2 = _mm256_unpackhi_epi64(row[2], row[3]);
    w[0] = _mm256_permute2x128_si256(low, low2, 0x20);
    w[1] = _mm256_permute2x128_si256(high, high2, 0x20);
    w[2] = _mm256_permute2x128_si256(low, low2, 0x31);
    w[3] = _mm256_permute2x128_si256(high, high2, 0x31);
    if (VF_STORED == 6) {
        PAIL_UNROLL
        for (size_t k = 0; k < 2; k++) {
            const __m128i a = _mm_loadu_si128((const __m128i_u *)(rows[k] + at + 4));
            const __m128i b = _mm_loadu_si128((const __m128i_u *)(rows[k + 2] + at + 4));
            row[k] = _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
        }
        w[VF_STORED - 2] = _mm256_unpacklo_epi64(row[0], row[1]);
        w[VF_STORED - 1] = _mm256_unpackhi_epi64(row[0], row[1]);
    }
}

static inline void VF_(turn_out)(uint64_t *const rows[4], size_t at, const __m256i w[VF_STORED])
{
    const __m256i even = _mm256_unpacklo_epi64(w[0], w[1]); /* rows 0 and 2: words 0 and 1 */
    const __m256i odd = _mm256_unpackhi_epi64(w[0], w[1]);
    const __m256i even2 = _mm256_unpacklo_epi64(w[2], w[3]);
    const __m256i odd2 = _mm256_unpackhi_epi64(w[2], w[3]);
    _mm256_storeu_si256((__m256i_u *)(rows[0] + at), _mm256_permute2x128_si256(even, even2, 0x20));
    _mm256_storeu_si256((__m256i_u *)(rows[1] + at), _mm256_permute2x128_si256(odd, odd2, 0x20));
    _mm256_storeu_si256((__m256i_u *)(rows[2] + at), _mm256_permute2x128_si256(even, even2, 0x31));
    _mm256_storeu_si256((__m256i_u *)(rows[3] + at), _mm256_permute2x128_si256(odd, odd2, 0x31));
    if (VF_STORED == 6) {
        const __m256i last[2] = {_mm256_unpacklo_epi64(w[VF_STORED - 2], w[VF_STORED - 1]),
                                 _mm256_unpackhi_epi64(w[VF_STORED - 2], w[VF_STORED - 1])};
        PAIL_UNROLL
        for (size_t k = 0; k < 2; k++) {
            _mm_storeu_si128((__m128i_u *)(rows[k] + at + 4), _mm256_castsi256_si128(last[k]));
            _mm_storeu_si128((__m128i_u *)(rows[k + 2] + at + 4),
                             _mm256_extracti128_si256(last[k], 1));
        }
    }
}

static inline void VF_(load)(VF *r, const uint64_t *const rows[8], size_t at,
                             const VF_(constants) * c)
{
    PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++) {
        __m256i w[VF_STORED];
        VF_(turn_in)(w, rows + 4 * h, at);
        VF_UNROLL
        for (size_t i = 0; i < VF_LIMBS; i++) {
            const size_t word = VF_BITS * i / 64, shift = VF_BITS * i % 64;
            __m256i limb = _mm256_srli_epi64(w[word], (int)shift);
            if (shift > 64 - VF_BITS && word + 1 < VF_STORED)
                limb = _mm256_or_si256(limb, _mm256_slli_epi64(w[word + 1], (int)(64 - shift)));
            r->l[i][h] = _mm256_and_si256(limb, c->low);
        }
    }
}

static inline void VF_(store)(uint64_t *const rows[8], size_t at, const VF *a)
{
    PAIL_UNROLL
    for (size_t h = 0; h < VF_(halves); h++) {
        __m256i w[VF_STORED];
        PAIL_UNROLL
        for (size_t i = 0; i < VF_STORED; i++)
            w[i] = _mm256_setzero_si256();
        VF_UNROLL
        for (size_t i = 0; i < VF_LIMBS; i++) {
            const size_t word = VF_BITS * i / 64, shift = VF_BITS * i % 64;
            w[word] = _mm256_or_si256(w[word], _mm256_slli_epi64(a->l[i][h], (int)shift));
            if (shift > 64 - VF_BITS && word + 1 < VF_STORED)
                w[word + 1] =
                    _mm256_or_si256(w[word + 1], _mm256_srli_epi64(a->l[i][h], (int)(64 - shift)));
        }
        VF_(turn_out)(rows + 4 * h, at, w);
    }
}

#undef VF_
#undef BASE_
#undef VF_LOW
#undef VF_UNROLL
#undef VF_WORDS
