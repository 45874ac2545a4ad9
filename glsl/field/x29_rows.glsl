/* SPDX-License-Identifier: Apache-2.0 */
// Products of form x29 row by row.
#ifndef FIELD_X29_ROWS_GLSL
#define FIELD_X29_ROWS_GLSL

// Carries columns of a product.
fp fp_carry_wide(uint64_t t[FP29_LIMBS])
{
    fp r;
    uint64_t carry = 0;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS - 1; i++) {
        const uint64_t s = t[i] + carry;
        r.v[i] = uint(s) & FP29_MASK;
        carry = s >> 29;
    }
    r.v[FP29_LIMBS - 1] = uint(t[FP29_LIMBS - 1] + carry);
    return r;
}

// Montgomery product: for each limb of a one row of products, then one digit of reduction.
// Magnitude of the result: xy/K + 1 for magnitudes x and y.
fp fe_mul(fp a, fp b)
{
    uint64_t t[FP29_LIMBS];
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++)
        t[i] = 0;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
        [[unroll]] for (uint j = 0; j < FP29_LIMBS; j++)
            t[j] += uint64_t(a.v[i]) * uint64_t(b.v[j]);
        const uint m = (uint(t[0]) * FP29_N0) & FP29_MASK;
        t[0] += uint64_t(m) * uint64_t(fp_modulus[0]);
        const uint64_t carry = t[0] >> 29;
        [[unroll]] for (uint j = 1; j < FP29_LIMBS; j++)
            t[j - 1] = t[j] + uint64_t(m) * uint64_t(fp_modulus[j]);
        t[FP29_LIMBS - 1] = 0;
        t[0] += carry;
    }
    return fp_carry_wide(t);
}

#if PAIL_GROUP == 2
// Only the shared inversions of a second group square in the base field: not worth the code.
fp fe_sqr(fp a)
{
    return fe_mul(a, a);
}
#else
// The products above the diagonal are counted twice, so only those on and above it
// are formed. Columns are summed first; reduction then goes digit by digit.
fp fe_sqr(fp a)
{
    uint64_t t[2 * FP29_LIMBS];
    [[unroll]] for (uint i = 0; i < 2 * FP29_LIMBS; i++)
        t[i] = 0;
    // Every loop has constant bounds, so that all are unrolled: a driver that runs this as a loop
    // pays for it with indexed registers.
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
        const uint twice = a.v[i] << 1;
        [[unroll]] for (uint j = 0; j < FP29_LIMBS; j++)
            if (j >= i)
                t[i + j] += uint64_t(j == i ? a.v[i] : twice) * uint64_t(a.v[j]);
    }
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
        const uint m = (uint(t[i]) * FP29_N0) & FP29_MASK;
        [[unroll]] for (uint j = 0; j < FP29_LIMBS; j++)
            t[i + j] += uint64_t(m) * uint64_t(fp_modulus[j]);
        t[i + 1] += t[i] >> 29;
    }
    fp r;
    uint64_t carry = 0;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS - 1; i++) {
        const uint64_t s = t[FP29_LIMBS + i] + carry;
        r.v[i] = uint(s) & FP29_MASK;
        carry = s >> 29;
    }
    r.v[FP29_LIMBS - 1] = uint(t[2 * FP29_LIMBS - 1] + carry);
    return r;
}

#endif

// a b + c d, reduced once. Magnitude: that of both products together, over K, plus 1.
fp fp_dot(fp a, fp b, fp c, fp d)
{
    uint64_t t[FP29_LIMBS];
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++)
        t[i] = 0;
    [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
        [[unroll]] for (uint j = 0; j < FP29_LIMBS; j++) {
            t[j] += uint64_t(a.v[i]) * uint64_t(b.v[j]);
            t[j] += uint64_t(c.v[i]) * uint64_t(d.v[j]);
        }
        const uint m = (uint(t[0]) * FP29_N0) & FP29_MASK;
        t[0] += uint64_t(m) * uint64_t(fp_modulus[0]);
        const uint64_t carry = t[0] >> 29;
        [[unroll]] for (uint j = 1; j < FP29_LIMBS; j++)
            t[j - 1] = t[j] + uint64_t(m) * uint64_t(fp_modulus[j]);
        t[FP29_LIMBS - 1] = 0;
        t[0] += carry;
    }
    return fp_carry_wide(t);
}

#endif
