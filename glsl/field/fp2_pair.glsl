/* SPDX-License-Identifier: Apache-2.0 */
// The quadratic extension GF(p)[u] / (u^2 + 1) with an element in two neighbouring invocations of a
// subgroup: the even one has c0 and the odd one c1 of c0 + c1 u. The names are those of fp.glsl,
// and an element is the invocation's own coefficient. Both invocations of a pair go the same way.
//
// A product is that of fp2.glsl, in two invocations at once: the same arithmetic and magnitudes,
// and half the registers for each.
#ifndef FIELD_FP2_PAIR_GLSL
#define FIELD_FP2_PAIR_GLSL

// Names for the base field, for everything that is not done coefficient by coefficient.
#define fe_mul         fp_mul
#define fe_sqr         fp_sqr
#define fe_inv         fp_inv
#define fe_may_be_zero fp_may_be_zero
#define fe_is_zero     fp_is_zero
#define fe_dot_less    fp_dot_less
#include "fp.glsl"
#undef fe_mul
#undef fe_sqr
#undef fe_inv
#undef fe_may_be_zero
#undef fe_is_zero
#undef fe_dot_less

bool fe_is_odd()
{
    return (gl_SubgroupInvocationID & 1) != 0;
}

// True if `own` is so for both invocations.
bool fe_both(bool own)
{
    const uint other = subgroupShuffleXor(own ? 1u : 0u, 1);
    return own && other != 0;
}

fp fe_other(fp a)
{
    [[unroll]] for (uint i = 0; i < FP_DIGITS; i++)
        a.v[i] = subgroupShuffleXor(a.v[i], 1);
    return a;
}

// Even: a0 b0 - a1 b1; odd: a1 b0 + a0 b1.
fp fe_mul(fp a, fp b)
{
    const bool odd = fe_is_odd();
    const fp a_other = fe_other(a), b_other = fe_other(b);
    const fp b0 = fe_select(odd, b, b_other);
    const fp b1 = fe_select(odd, fp_neg_any(b_other), b);
    const fp r = fp_dot(a, b0, a_other, b1);
#if defined(PAIL_FORM_D51) && FP51_FITS
    return fp_fit(r);
#else
    return r;
#endif
}

fp fe_sqr(fp a)
{
    return fe_mul(a, a);
}

bool fe_may_be_zero(fp a)
{
    return fe_both(fp_may_be_zero(a));
}

bool fe_is_zero(fp a)
{
    return fe_both(fp_is_zero(a));
}

#endif
