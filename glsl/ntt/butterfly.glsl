/* SPDX-License-Identifier: Apache-2.0 */
// Sums and differences within a transform, over the forms of the field.
//
// A `settled` value is good for anything here: for sums and differences, for a product, and to be
// stored; products and what comes out of memory are settled. Sums and differences of two settled
// values, and of two such sums, are not: `settle` makes them good for a product, and
// `settle_alone`, after that, settled.
//
// Form x29: settled values are below 2 p, in limbs below 2^29. Sums are not carried: those of four
// are below 12 p, in limbs below 5 2^29, and a product by a factor out of a table, which is below
// p, takes them as they are.
//
// Form d51: a factor out of the table is within p / 2, one out of memory within p, and what is
// settled within 0.51 p. Products of these are within 0.97 p, sums of four within 4 p, whose digits
// are below 2^53, the integers that a double has. Where R is hardly more than p (BLS12-381: 1.1 p),
// products have no room for larger factors; `settle_tight` settles there, and does nothing
// elsewhere.
#ifndef NTT_BUTTERFLY_GLSL
#define NTT_BUTTERFLY_GLSL

#if defined(PAIL_FORM_D51)
fp lazy_add(fp a, fp b)
{
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        precise const double sum = a.v[i] + b.v[i];
        a.v[i] = sum;
    }
    return a;
}

fp lazy_sub(fp a, fp b)
{
    return fe_sub_lazy(a, b);
}

fp lazy_sub_sum(fp a, fp b)
{
    return fe_sub_lazy(a, b);
}

fp settle(fp a)
{
    return fp_fit(a);
}

fp settle_alone(fp a)
{
    return a;
}

#elif defined(PAIL_FORM_X29)
fp lazy_add(fp a, fp b)
{
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++)
        a.v[i] += b.v[i];
    return a;
}

// a - b of settled values: plus 4 p in limbs from 2^29 to 2^30, so that no limb is negative.
fp lazy_sub(fp a, fp b)
{
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
        const uint lent = (i + 1 < FP29_LIMBS ? 1u << 29 : 0) - (i > 0 ? 1 : 0);
        a.v[i] += fp_modulus4[i] + lent - b.v[i];
    }
    return a;
}

// a - b where b is a sum of two settled values: plus 8 p in limbs from 2^30 on.
fp lazy_sub_sum(fp a, fp b)
{
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
        const uint lent = (i + 1 < FP29_LIMBS ? 1u << 30 : 0) - (i > 0 ? 2 : 0);
        a.v[i] += fp_modulus8[i] + lent - b.v[i];
    }
    return a;
}

fp settle(fp a)
{
    return a;
}

// The top limb is short of carries from below, which are less than 5: the quotient is the true one
// or one less all the same.
fp settle_alone(fp a)
{
    const uint quotient = fp_quotient(a);
    int64_t carry = 0;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
        carry += int64_t(a.v[i]) - int64_t(quotient) * int64_t(fp_modulus[i]);
        a.v[i] = i + 1 < FP29_LIMBS ? uint(carry) & FP29_MASK : uint(carry);
        carry >>= 29;
    }
    return a;
}

#else
fp lazy_add(fp a, fp b)
{
    return fe_add(a, b);
}

fp lazy_sub(fp a, fp b)
{
    return fe_sub(a, b);
}

fp lazy_sub_sum(fp a, fp b)
{
    return fe_sub(a, b);
}

fp settle(fp a)
{
    return a;
}

fp settle_alone(fp a)
{
    return a;
}
#endif

fp settle_tight(fp a)
{
#if defined(PAIL_FORM_D51) && FP_BITS > 254
    return settle(a);
#else
    return a;
#endif
}

// Words of what is settled: below p, or as the next pass may have them.
void settled_words(fp a, bool loose, out uint words[FP_WORDS])
{
#ifdef PAIL_FORM_X29
    if (!loose)
        a = fp_less_once(a);
    fp_words(a, words);
#else
    if (loose)
        fe_pack_loose(a, words);
    else
        fe_pack(a, words);
#endif
}

#endif
