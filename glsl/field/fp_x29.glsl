/* SPDX-License-Identifier: Apache-2.0 */
// The base field in 29-bit limbs, products gathered in 64-bit accumulators without a carry chain:
// Montgomery form, R = 2^(29 FP29_LIMBS), lazily reduced.
//
// An element is a value below m p, m its magnitude, in limbs below 2^29 except that the top limb
// takes what is left, which is below 2^29 too for the magnitudes in use. A product of magnitudes x
// and y has magnitude xy/K + 1 with K = R/p, 168 for BN254 and 2^25 for BLS12-381; each function
// says what it needs and gives. A column holds at most 3 FP29_LIMBS products below 2^58 (fp_dot's
// two and the reduction's) and a carry below 2^36: with the 14 limbs of BLS12-381 less than 2^64.
// tools/gen_curves.py checks these bounds for every curve.
#ifndef FIELD_FP_X29_GLSL
#define FIELD_FP_X29_GLSL

#include "params.glsl"

#define FP_ONE             FP29_ONE
#define FP_G1_B            FP29_G1_B
#define FP_G2_B            FP29_G2_B
#define FP_G1_IMAGE        FP29_G1_IMAGE
#define FP_G2_IMAGE        FP29_G2_IMAGE
#define FP_G1_CHECK_X      FP29_G1_CHECK_X
#define FP_G1_CHECK_Y      FP29_G1_CHECK_Y
#define FP_G2_CHECK_X      FP29_G2_CHECK_X
#define FP_G2_CHECK_Y      FP29_G2_CHECK_Y
#define FP_FROM_CANONICAL  FP29_FROM_CANONICAL
#define FP_FROM_MONTGOMERY FP29_FROM_MONTGOMERY
#define FP_FROM_FORM_1     FP29_FROM_FORM_1
#define FP_FROM_FORM_2     FP29_FROM_FORM_2
#define FP_FROM_FORM_3     FP29_FROM_FORM_3

#define FP29_MASK 0x1fffffffu

const uint fp_modulus[FP29_LIMBS] = FP29_P;
const uint fp_modulus4[FP29_LIMBS] = FP29_P4;
const uint fp_modulus8[FP29_LIMBS] = FP29_P8;

#define FP_DIGITS FP29_LIMBS
#define FP_DIGIT  uint

struct fp {
    uint v[FP29_LIMBS];
};

fp fe_unpack(uint words[FP_WORDS])
{
    fp r;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
        const uint word = (29 * i) >> 5, shift = (29 * i) & 31;
        uint limb = words[word] >> shift;
        if (shift > 3 && word + 1 < FP_WORDS)
            limb |= words[word + 1] << (32 - shift);
        r.v[i] = limb & FP29_MASK;
    }
    return r;
}

// Carries limbs that may be negative or above 2^29; the value must not be negative.
fp fp_carry(int t[FP29_LIMBS])
{
    fp r;
    int carry = 0;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS - 1; i++) {
        const int s = t[i] + carry;
        r.v[i] = uint(s) & FP29_MASK;
        carry = s >> 29;
    }
    r.v[FP29_LIMBS - 1] = uint(t[FP29_LIMBS - 1] + carry);
    return r;
}

// Magnitude: the sum of both.
fp fe_add(fp a, fp b)
{
    int t[FP29_LIMBS];
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++)
        t[i] = int(a.v[i] + b.v[i]);
    return fp_carry(t);
}

// b of magnitude 4 at most; the result has that of a, plus 4.
fp fe_sub(fp a, fp b)
{
    int t[FP29_LIMBS];
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++)
        t[i] = int(a.v[i] + fp_modulus4[i] - b.v[i]);
    return fp_carry(t);
}

// b of magnitude 8 at most; the result has that of a, plus 8.
fp fe_sub_wide(fp a, fp b)
{
    int t[FP29_LIMBS];
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++)
        t[i] = int(a.v[i] + fp_modulus8[i] - b.v[i]);
    return fp_carry(t);
}

// The quotient by p or one less, of a magnitude of at most 32, from the value's top bits. Enough
// bits are checked where FP29_TOP is made.
uint fp_quotient(fp a)
{
#if FP29_TOP_BELOW > 0
    const uint top =
        a.v[FP29_LIMBS - 1] << FP29_TOP_BELOW | a.v[FP29_LIMBS - 2] >> (29 - FP29_TOP_BELOW);
#else
    const uint top = a.v[FP29_LIMBS - 1];
#endif
    return top / FP29_TOP;
}

// Full reduction of a magnitude of 2, in limbs below 2^29.
fp fp_less_once(fp a)
{
    fp less;
    int borrow = 0;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
        const int d = int(a.v[i]) - int(fp_modulus[i]) + borrow;
        less.v[i] = uint(d) & FP29_MASK;
        borrow = d >> 29;
    }
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++)
        less.v[i] = borrow < 0 ? a.v[i] : less.v[i];
    return less;
}

// Full reduction of a magnitude of at most 32.
fp fp_canonical(fp a)
{
    const uint quotient = fp_quotient(a);
    fp r;
    int64_t carry = 0;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
        carry += int64_t(a.v[i]) - int64_t(quotient) * int64_t(fp_modulus[i]);
        r.v[i] = i + 1 < FP29_LIMBS ? uint(carry) & FP29_MASK : uint(carry);
        carry >>= 29;
    }
    return fp_less_once(r);
}

// Packed words of a value below 2^(32 FP_WORDS), in limbs below 2^29.
void fp_words(fp r, out uint words[FP_WORDS])
{
    [[unroll]] for (uint w = 0; w < FP_WORDS; w++) {
        const uint limb = (32 * w) / 29, shift = (32 * w) % 29;
        uint word = 0;
        if (limb < FP29_LIMBS)
            word = r.v[limb] >> shift;
        if (limb + 1 < FP29_LIMBS)
            word |= r.v[limb + 1] << (29 - shift);
        if (limb + 2 < FP29_LIMBS && 58 - shift < 32)
            word |= r.v[limb + 2] << (58 - shift);
        words[w] = word;
    }
}

// Fully reduced, in packed words.
void fe_pack(fp a, out uint words[FP_WORDS])
{
    fp_words(fp_canonical(a), words);
}

// Products: fe_mul and fe_sqr have a result of magnitude xy/K + 1 for magnitudes x and y.
#ifdef FP_COLUMNS
#include "x29_columns.glsl"
#else
#include "x29_rows.glsl"
#endif

// Minus a, of a magnitude of at most 32: (q + 2) p - a, q the quotient or one less; magnitude 2.
fp fp_neg_any(fp a)
{
    const int64_t multiple = int64_t(fp_quotient(a) + 2);
    fp r;
    int64_t carry = 0;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
        carry += multiple * int64_t(fp_modulus[i]) - int64_t(a.v[i]);
        r.v[i] = i + 1 < FP29_LIMBS ? uint(carry) & FP29_MASK : uint(carry);
        carry >>= 29;
    }
    return r;
}

// False for nearly all values that are no multiple of p: a multiple k p has k as the product of its
// lowest limb with 1/p mod 2^29, so all but one in 2^24 values are told apart by one product.
bool fe_may_be_zero(fp a)
{
    return ((0u - a.v[0] * FP29_N0) & FP29_MASK) < 32;
}

// True if the value is a multiple of p; magnitude at most 32.
bool fe_is_zero(fp a)
{
    if (!fe_may_be_zero(a))
        return false;
    const fp r = fp_canonical(a);
    uint any = 0;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++)
        any |= r.v[i];
    return any == 0;
}

fp fe_select(bool take_b, fp a, fp b)
{
    fp r;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++)
        r.v[i] = take_b ? b.v[i] : a.v[i];
    return r;
}

#endif
