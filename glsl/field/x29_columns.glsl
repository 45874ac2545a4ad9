/* SPDX-License-Identifier: Apache-2.0 */
// Products of form x29 for software drivers: four columns at a time, whose sums fit the registers
// of a processor's vectors and share what is loaded for them, where rows keep all columns and load
// and store each of them. Digits m stay in 64 bits: bringing a vector's lanes to 32 bits and back
// takes shuffles.
#ifndef FIELD_X29_COLUMNS_GLSL
#define FIELD_X29_COLUMNS_GLSL

#define X29_COLUMNS (2 * FP29_LIMBS - 1)
#define X29_BLOCK   4
#define X29_MASK64  uint64_t(FP29_MASK)

// Indices are kept in range where they mean nothing.
#define X29_COLUMN(k) min(k, uint(X29_COLUMNS - 1))
#define X29_LIMB(i)   min(i, uint(FP29_LIMBS - 1))

struct fp_columns {
    uint64_t v[X29_COLUMNS];
};

fp_columns fp_columns_of_product(fp a, fp b)
{
    fp_columns t;
    [[unroll]] for (uint first = 0; first < X29_COLUMNS; first += X29_BLOCK) {
        uint64_t sum[X29_BLOCK];
        [[unroll]] for (uint o = 0; o < X29_BLOCK; o++)
            sum[o] = 0;
        [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
            [[unroll]] for (uint o = 0; o < X29_BLOCK; o++)
                if (i <= first + o && first + o - i < FP29_LIMBS)
                    sum[o] += uint64_t(a.v[i]) * uint64_t(b.v[X29_LIMB(first + o - i)]);
        }
        [[unroll]] for (uint o = 0; o < X29_BLOCK; o++)
            if (first + o < X29_COLUMNS)
                t.v[X29_COLUMN(first + o)] = sum[o];
    }
    return t;
}

// Products above the diagonal are formed once.
fp_columns fp_columns_of_square(fp a)
{
    fp_columns t;
    [[unroll]] for (uint first = 0; first < X29_COLUMNS; first += X29_BLOCK) {
        uint64_t sum[X29_BLOCK];
        [[unroll]] for (uint o = 0; o < X29_BLOCK; o++)
            sum[o] = 0;
        [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
            [[unroll]] for (uint o = 0; o < X29_BLOCK; o++) {
                const uint j = X29_LIMB(first + o - i);
                if (i <= j && i + j == first + o)
                    sum[o] += uint64_t(i < j ? a.v[i] << 1 : a.v[i]) * uint64_t(a.v[j]);
            }
        }
        [[unroll]] for (uint o = 0; o < X29_BLOCK; o++)
            if (first + o < X29_COLUMNS)
                t.v[X29_COLUMN(first + o)] = sum[o];
    }
    return t;
}

// Montgomery reduction. Magnitude of the result: the value over K p, plus 1.
fp fp_reduce(fp_columns t)
{
    uint64_t m[FP29_LIMBS];
    uint64_t carry = 0;
    fp r;
    [[unroll]] for (uint first = 0; first < X29_COLUMNS; first += X29_BLOCK) {
        uint64_t sum[X29_BLOCK];
        [[unroll]] for (uint o = 0; o < X29_BLOCK; o++)
            sum[o] = first + o < X29_COLUMNS ? t.v[X29_COLUMN(first + o)] : 0;
        // Products of the digits m of earlier blocks,
        [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
            [[unroll]] for (uint o = 0; o < X29_BLOCK; o++)
                if (i < first && first + o - i < FP29_LIMBS)
                    sum[o] += m[i] * uint64_t(fp_modulus[X29_LIMB(first + o - i)]);
        }
        // then, column by column, those of this block.
        [[unroll]] for (uint o = 0; o < X29_BLOCK; o++) {
            const uint k = first + o;
            carry += sum[o];
            [[unroll]] for (uint before = 0; before < X29_BLOCK; before++) {
                const uint i = first + before;
                if (before < o && i < FP29_LIMBS && k - i < FP29_LIMBS)
                    carry += m[X29_LIMB(i)] * uint64_t(fp_modulus[X29_LIMB(k - i)]);
            }
            if (k < FP29_LIMBS) {
                const uint64_t digit = ((carry & X29_MASK64) * uint64_t(FP29_N0)) & X29_MASK64;
                m[X29_LIMB(k)] = digit;
                carry += digit * uint64_t(fp_modulus[0]);
            } else if (k < X29_COLUMNS) {
                r.v[X29_LIMB(k - FP29_LIMBS)] = uint(carry & X29_MASK64);
            }
            if (k < X29_COLUMNS)
                carry >>= 29;
        }
    }
    r.v[FP29_LIMBS - 1] = uint(carry);
    return r;
}

fp fe_mul(fp a, fp b)
{
    return fp_reduce(fp_columns_of_product(a, b));
}

fp fe_sqr(fp a)
{
    return fp_reduce(fp_columns_of_square(a));
}

// a b + c d, reduced once. Magnitude: that of both products together, over K, plus 1.
fp fp_dot(fp a, fp b, fp c, fp d)
{
    fp_columns t = fp_columns_of_product(a, b);
    const fp_columns more = fp_columns_of_product(c, d);
    [[unroll]] for (uint k = 0; k < X29_COLUMNS; k++)
        t.v[k] += more.v[k];
    return fp_reduce(t);
}

#endif
