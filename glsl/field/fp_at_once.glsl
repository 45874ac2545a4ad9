/* SPDX-License-Identifier: Apache-2.0 */
// Sums and differences for chains that wait for each operation: other functions by the same names
// for what follows. In doubles they carry all digits at once. Elements here have digits of up to
// 2^50 + 4: two differences of such digits are no factors of the same product. tools/magnitudes.py
// follows the values that are not brought back; operands are loaded by points/load, or are results
// of quads.
#ifndef FIELD_FP_AT_ONCE_GLSL
#define FIELD_FP_AT_ONCE_GLSL

#ifdef PAIL_FORM_D51
// Brings digits of up to 2^53 back: four operations in a row, where fp_carry has three for each
// digit.
fp fp_carry_at_once(fp a)
{
    fp r;
    double below = 0.0lf;
    [[unroll]] for (uint i = 0; i + 1 < FP51_LIMBS; i++) {
        precise const double shifted = a.v[i] + D51_C;
        precise const double carry = shifted - D51_C;
        precise const double rest = a.v[i] - carry;
        precise const double digit = fma(below, D51_PER_RADIX, rest);
        r.v[i] = digit;
        below = carry;
    }
    precise const double top = fma(below, D51_PER_RADIX, a.v[FP51_LIMBS - 1]);
    r.v[FP51_LIMBS - 1] = top;
    return r;
}

fp fp_fit_at_once(fp a)
{
#if FP51_FITS
    const double quotient = fp_quotient(a);
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        precise const double less = fma(-quotient, fp_modulus[i], a.v[i]);
        a.v[i] = less;
    }
#endif
    return fp_carry_at_once(a);
}

// A multiple whose value is not brought back.
fp fp_times(fp a, double small)
{
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        precise const double multiple = small * a.v[i];
        a.v[i] = multiple;
    }
    return a;
}

fp fe_add_at_once(fp a, fp b)
{
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        precise const double sum = a.v[i] + b.v[i];
        a.v[i] = sum;
    }
    return fp_fit_at_once(a);
}

fp fe_sub_at_once(fp a, fp b)
{
    return fp_fit_at_once(fe_sub_lazy(a, b));
}

fp fe_less_at_once(fp a, fp b, fp c)
{
    return fp_fit_at_once(fe_sub_lazy(fe_sub_lazy(a, b), fp_times(c, 2.0lf)));
}

#define fe_add            fe_add_at_once
#define fe_sub            fe_sub_at_once
#define fe_sub_wide       fe_sub_at_once
#define fe_less           fe_less_at_once
#define fe_sub_near(a, b) fp_carry_at_once(fe_sub_lazy(a, b)) // values stay
#define fe_twice(a)       fp_carry_at_once(fp_times(a, 2.0lf))
#define fe_thrice(a)      fp_fit_at_once(fp_times(a, 3.0lf))
#define FE_AT_ONCE
#endif

#endif
