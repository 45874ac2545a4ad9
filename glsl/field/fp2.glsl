/* SPDX-License-Identifier: Apache-2.0 */
// The quadratic extension GF(p)[u] / (u^2 + 1) over any form of the base field, under the names
// of fp.glsl: an element is c0 + c1 u, in memory c0 then c1.
//
// Magnitudes (those of form x29; form x32 is always fully reduced) are of the larger coefficient. A
// product of magnitudes x and y has 2xy/K + 1 where x, y >= 2 and K = R/p; a square of x has
// 2x(x + 2)/K + 1.
#ifndef FIELD_FP2_GLSL
#define FIELD_FP2_GLSL

#include "fp.glsl"

#define FP2_WORDS (2 * FP_WORDS)

struct fp2 {
    fp c0, c1;
};

void fp2_halves(uint words[FP2_WORDS], out uint c0[FP_WORDS], out uint c1[FP_WORDS])
{
    [[unroll]] for (uint i = 0; i < FP_WORDS; i++) {
        c0[i] = words[i];
        c1[i] = words[FP_WORDS + i];
    }
}

void fp2_join(uint c0[FP_WORDS], uint c1[FP_WORDS], out uint words[FP2_WORDS])
{
    [[unroll]] for (uint i = 0; i < FP_WORDS; i++) {
        words[i] = c0[i];
        words[FP_WORDS + i] = c1[i];
    }
}

fp2 fe_unpack(uint words[FP2_WORDS])
{
    uint c0[FP_WORDS], c1[FP_WORDS];
    fp2_halves(words, c0, c1);
    return fp2(fe_unpack(c0), fe_unpack(c1));
}

fp2 fe_unpack_loose(uint words[FP2_WORDS])
{
    uint c0[FP_WORDS], c1[FP_WORDS];
    fp2_halves(words, c0, c1);
    return fp2(fe_unpack_loose(c0), fe_unpack_loose(c1));
}

void fe_pack(fp2 a, out uint words[FP2_WORDS])
{
    uint c0[FP_WORDS], c1[FP_WORDS];
    fe_pack(a.c0, c0);
    fe_pack(a.c1, c1);
    fp2_join(c0, c1, words);
}

void fe_pack_loose(fp2 a, out uint words[FP2_WORDS])
{
    uint c0[FP_WORDS], c1[FP_WORDS];
    fe_pack_loose(a.c0, c0);
    fe_pack_loose(a.c1, c1);
    fp2_join(c0, c1, words);
}

fp2 fe_add(fp2 a, fp2 b)
{
    return fp2(fe_add(a.c0, b.c0), fe_add(a.c1, b.c1));
}

fp2 fe_sub(fp2 a, fp2 b)
{
    return fp2(fe_sub(a.c0, b.c0), fe_sub(a.c1, b.c1));
}

fp2 fe_sub_wide(fp2 a, fp2 b)
{
    return fp2(fe_sub_wide(a.c0, b.c0), fe_sub_wide(a.c1, b.c1));
}

fp2 fe_sub_lazy(fp2 a, fp2 b)
{
    return fe_sub_wide(a, b);
}

fp2 fe_less(fp2 a, fp2 b, fp2 c)
{
    return fp2(fe_less(a.c0, b.c0, c.c0), fe_less(a.c1, b.c1, c.c1));
}

fp2 fe_neg(fp2 a)
{
    return fp2(fe_neg(a.c0), fe_neg(a.c1));
}

bool fe_may_be_zero(fp2 a)
{
    return fe_may_be_zero(a.c0);
}

bool fe_is_zero(fp2 a)
{
    return fe_is_zero(a.c0) && fe_is_zero(a.c1);
}

// Two products in a sum are too large for the next where a form has no room for values that grow.
fp2 fp2_fit(fp2 a)
{
#if defined(PAIL_FORM_D51) && FP51_FITS
    return fp2(fp_fit(a.c0), fp_fit(a.c1));
#else
    return a;
#endif
}

#ifndef PAIL_FORM_X32
fp2 fe_mul(fp2 a, fp2 b)
{
    const fp minus = fp_neg_any(b.c1);
    return fp2_fit(fp2(fp_dot(a.c0, b.c0, a.c1, minus), fp_dot(a.c0, b.c1, a.c1, b.c0)));
}

fp2 fe_sqr(fp2 a)
{
    const fp minus = fp_neg_any(a.c1);
    return fp2(fe_mul(fe_add(a.c0, a.c1), fe_add(a.c0, minus)), fe_mul(fe_add(a.c0, a.c0), a.c1));
}
#else
// One copy of the product for both coefficients: SwiftShader is slow to compile it.
fp2 fe_mul(fp2 a, fp2 b)
{
    fp right = fp_neg_any(b.c1), left = b.c0;
    fp2 r;
    for (uint k = 0; k < 2; k++) {
        const fp sum = fp_dot(a.c0, left, a.c1, right);
        left = b.c1;
        right = b.c0;
        if (k == 0)
            r.c0 = sum;
        else
            r.c1 = sum;
    }
    return r;
}

fp2 fe_sqr(fp2 a)
{
    return fe_mul(a, a);
}
#endif

// Multiplies by a factor in the base field.
fp2 fe_scale(fp2 a, fp factor)
{
    return fp2(fe_mul(a.c0, factor), fe_mul(a.c1, factor));
}

// 1/a = (c0 - c1 u) / (c0^2 + c1^2); 0 for 0.
fp2 fe_inv(fp2 a)
{
    const fp inverse = fe_inv(fp_dot(a.c0, a.c0, a.c1, a.c1));
    return fe_scale(fp2(a.c0, fp_neg_any(a.c1)), inverse);
}

fp2 fe_select(bool take_b, fp2 a, fp2 b)
{
    return fp2(fe_select(take_b, a.c0, b.c0), fe_select(take_b, a.c1, b.c1));
}

#endif
