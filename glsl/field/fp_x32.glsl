/* SPDX-License-Identifier: Apache-2.0 */
// The base field in 32-bit limbs with 32x32->64 products: Montgomery form, R = 2^(32 FP_WORDS),
// every element fully reduced. Runs where there is no 64-bit integer. Needs 2p < R.
#ifndef FIELD_FP_X32_GLSL
#define FIELD_FP_X32_GLSL

#include "params.glsl"

#define FP_ONE             FP32_ONE
#define FP_G1_B            FP32_G1_B
#define FP_G2_B            FP32_G2_B
#define FP_G1_IMAGE        FP32_G1_IMAGE
#define FP_G2_IMAGE        FP32_G2_IMAGE
#define FP_G1_CHECK_X      FP32_G1_CHECK_X
#define FP_G1_CHECK_Y      FP32_G1_CHECK_Y
#define FP_G2_CHECK_X      FP32_G2_CHECK_X
#define FP_G2_CHECK_Y      FP32_G2_CHECK_Y
#define FP_FROM_CANONICAL  FP32_FROM_CANONICAL
#define FP_FROM_MONTGOMERY FP32_FROM_MONTGOMERY
#define FP_FROM_FORM_1     FP32_FROM_FORM_1
#define FP_FROM_FORM_2     FP32_FROM_FORM_2
#define FP_FROM_FORM_3     FP32_FROM_FORM_3

const uint fp_modulus[FP_WORDS] = FP_P;

#define FP_DIGITS FP_WORDS
#define FP_DIGIT  uint

struct fp {
    uint v[FP_WORDS];
};

fp fe_unpack(uint words[FP_WORDS])
{
    fp r;
    r.v = words;
    return r;
}

void fe_pack(fp a, out uint words[FP_WORDS])
{
    words = a.v;
}

// t - p where that is not negative (carry: the bit above t), t otherwise.
fp fp_reduce_once(uint t[FP_WORDS], uint carry)
{
    fp r;
    uint borrow = 0;
    for (uint i = 0; i < FP_WORDS; i++) {
        uint b0, b1;
        const uint d = usubBorrow(t[i], fp_modulus[i], b0);
        r.v[i] = usubBorrow(d, borrow, b1);
        borrow = b0 | b1;
    }
    const bool keep = borrow > carry;
    for (uint i = 0; i < FP_WORDS; i++)
        r.v[i] = keep ? t[i] : r.v[i];
    return r;
}

fp fe_add(fp a, fp b)
{
    uint t[FP_WORDS];
    uint carry = 0;
    for (uint i = 0; i < FP_WORDS; i++) {
        uint c0, c1;
        const uint s = uaddCarry(a.v[i], b.v[i], c0);
        t[i] = uaddCarry(s, carry, c1);
        carry = c0 | c1;
    }
    return fp_reduce_once(t, carry);
}

fp fe_sub(fp a, fp b)
{
    fp r;
    uint borrow = 0;
    for (uint i = 0; i < FP_WORDS; i++) {
        uint b0, b1;
        const uint d = usubBorrow(a.v[i], b.v[i], b0);
        r.v[i] = usubBorrow(d, borrow, b1);
        borrow = b0 | b1;
    }
    const uint mask = 0u - borrow; // below zero: add p back
    uint carry = 0;
    for (uint i = 0; i < FP_WORDS; i++) {
        uint c0, c1;
        const uint s = uaddCarry(r.v[i], fp_modulus[i] & mask, c0);
        r.v[i] = uaddCarry(s, carry, c1);
        carry = c0 | c1;
    }
    return r;
}

fp fe_sub_wide(fp a, fp b)
{
    return fe_sub(a, b);
}

// (t + m p) / 2^32 with the m that makes it whole; takes and returns the word above t.
uint fp_reduce_row(inout uint t[FP_WORDS], uint top)
{
    const uint m = t[0] * FP32_N0;
    uint hi, lo, c0, c1;
    umulExtended(m, fp_modulus[0], hi, lo);
    uaddCarry(lo, t[0], c0);
    uint carry = hi + c0;
    for (uint j = 1; j < FP_WORDS; j++) {
        umulExtended(m, fp_modulus[j], hi, lo);
        lo = uaddCarry(lo, t[j], c0);
        t[j - 1] = uaddCarry(lo, carry, c1);
        carry = hi + c0 + c1;
    }
    t[FP_WORDS - 1] = uaddCarry(top, carry, c0);
    return c0;
}

// Montgomery product, one word of a at a time (CIOS): a b / R mod p.
fp fe_mul(fp a, fp b)
{
    uint t[FP_WORDS];
    for (uint i = 0; i < FP_WORDS; i++)
        t[i] = 0;
    uint top = 0; // the word above t; 2p < R keeps the sum below 2^32 of it
    for (uint i = 0; i < FP_WORDS; i++) {
        uint carry = 0;
        for (uint j = 0; j < FP_WORDS; j++) {
            uint hi, lo, c0, c1;
            umulExtended(a.v[i], b.v[j], hi, lo);
            lo = uaddCarry(lo, t[j], c0);
            t[j] = uaddCarry(lo, carry, c1);
            carry = hi + c0 + c1;
        }
        top += carry;
        top = fp_reduce_row(t, top);
    }
    return fp_reduce_once(t, top);
}

// a b + c d, reduced once: below 2p before that, since 4p < R, which also keeps the sum of a row
// below 2^32 of the word above t.
fp fp_dot(fp a, fp b, fp c, fp d)
{
    uint t[FP_WORDS];
    for (uint i = 0; i < FP_WORDS; i++)
        t[i] = 0;
    uint top = 0;
    for (uint i = 0; i < FP_WORDS; i++) {
        for (uint k = 0; k < 2; k++) {
            const uint factor = k == 0 ? a.v[i] : c.v[i];
            uint carry = 0;
            for (uint j = 0; j < FP_WORDS; j++) {
                uint hi, lo, c0, c1;
                umulExtended(factor, k == 0 ? b.v[j] : d.v[j], hi, lo);
                lo = uaddCarry(lo, t[j], c0);
                t[j] = uaddCarry(lo, carry, c1);
                carry = hi + c0 + c1;
            }
            top += carry;
        }
        top = fp_reduce_row(t, top);
    }
    return fp_reduce_once(t, top);
}

fp fp_neg_any(fp a)
{
    fp zero;
    for (uint i = 0; i < FP_WORDS; i++)
        zero.v[i] = 0;
    return fe_sub(zero, a);
}

fp fe_sqr(fp a)
{
    return fe_mul(a, a);
}

bool fe_may_be_zero(fp a)
{
    return true; // comparing is as cheap as any test
}

bool fe_is_zero(fp a)
{
    uint any = 0;
    for (uint i = 0; i < FP_WORDS; i++)
        any |= a.v[i];
    return any == 0;
}

fp fe_select(bool take_b, fp a, fp b)
{
    fp r;
    for (uint i = 0; i < FP_WORDS; i++)
        r.v[i] = take_b ? b.v[i] : a.v[i];
    return r;
}

#endif
