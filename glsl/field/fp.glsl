// The base field: one set of names over several forms.
//
//   fp                 an element in registers
//   fe_unpack, fe_pack packed words of memory (fully reduced) to registers and back
//   fe_add fe_sub fe_sub_wide fe_neg fe_mul fe_sqr fe_inv fe_is_zero fe_select fe_one
//
// A form may be lazily reduced; what that asks of a caller is written in its magnitudes: products
// of anything up to 18 by 18 are fine, fe_sub takes up to 4 on its right, fe_sub_wide up to 16.
#ifndef FIELD_FP_GLSL
#define FIELD_FP_GLSL

#ifdef PAIL_FORM_X29
#include "fp_x29.glsl"
#else
#include "fp_x32.glsl"
#endif

fp fe_zero()
{
    uint words[FP_WORDS];
    [[unroll]] for (uint i = 0; i < FP_WORDS; i++)
        words[i] = 0;
    return fe_unpack(words);
}

fp fe_one()
{
    return fe_unpack(FE_ONE);
}

// Magnitude of a: at most 4.
fp fe_neg(fp a)
{
    return fe_sub(fe_zero(), a);
}

// 1/a, and 0 for 0: a^(p-2), from the top bit down (Fermat).
fp fe_inv(fp a)
{
    const uint exponent[FP_WORDS] = FP_P_MINUS_2;
    fp r = fe_one();
    for (int bit = FP_BITS - 1; bit >= 0; bit--) {
        r = fe_sqr(r);
        if ((exponent[bit >> 5] >> (bit & 31) & 1u) != 0)
            r = fe_mul(r, a);
    }
    return r;
}

#endif
