/* SPDX-License-Identifier: Apache-2.0 */
// The base field: one set of names over several forms.
//
//   fp                 an element in registers
//   fe_unpack, fe_pack packed words of memory (fully reduced) to registers and back
//   fe_unpack_loose, fe_pack_loose
//                      the same, for kernels' own use between themselves: reduced only where the
//                      form has to; an element that is zero may have any multiple of p
//   fe_add fe_sub fe_sub_wide fe_neg fe_mul fe_sqr fe_inv fe_is_zero fe_select
//   fp_zero fp_one     fe_zero and fe_one of the group's own field are in ec/group.glsl
//   fp_dot             a b + c d, with one reduction
//   fe_less            a - b - 2 c
//   fe_dot_less        a b - c d, in the base field alone
//   fe_sub_lazy        a difference that is only good for one factor of a product
//
// A form may be lazily reduced; what that asks of a caller is written in its magnitudes: fe_sub
// takes up to 4 on its right, fe_sub_wide up to 8, products what keeps their result in bounds.
// tools/magnitudes.py follows the magnitudes through the point formulas for each curve.
#ifndef FIELD_FP_GLSL
#define FIELD_FP_GLSL

#if defined(PAIL_FORM_D51)
#include "fp_d51.glsl"
#elif defined(PAIL_FORM_X29)
#include "fp_x29.glsl"
#else
#include "fp_x32.glsl"
#endif

#ifndef PAIL_FORM_D51
// Lazy subtraction gains nothing in forms that reduce products at once.
fp fe_sub_lazy(fp a, fp b)
{
    return fe_sub_wide(a, b);
}

fp fe_unpack_loose(uint words[FP_WORDS])
{
    return fe_unpack(words);
}

void fe_pack_loose(fp a, out uint words[FP_WORDS])
{
    fe_pack(a, words);
}

fp fe_less(fp a, fp b, fp c)
{
    return fe_sub(a, fe_add(b, fe_add(c, c)));
}

fp fe_dot_less(fp a, fp b, fp c, fp d)
{
    return fe_sub(fe_mul(a, b), fe_mul(c, d));
}
#endif

fp fp_zero()
{
    uint words[FP_WORDS];
    [[unroll]] for (uint i = 0; i < FP_WORDS; i++)
        words[i] = 0;
    return fe_unpack(words);
}

fp fp_one()
{
    return fe_unpack(FP_ONE);
}

// The integer 1 that is not in Montgomery form: multiplying by it leaves the form.
fp fp_raw_one()
{
    uint words[FP_WORDS];
    [[unroll]] for (uint i = 0; i < FP_WORDS; i++)
        words[i] = i == 0 ? 1 : 0;
    return fe_unpack(words);
}

#ifndef PAIL_FORM_D51
// Magnitude of a: at most 4.
fp fe_neg(fp a)
{
    return fe_sub(fp_zero(), a);
}
#endif

#include "fp_inv.glsl"

#endif
