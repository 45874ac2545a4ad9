// Products of form x29 for software drivers: four columns at a time, whose sums fit the registers
// of a processor's vectors and share what is loaded for them, where rows keep all columns and load
// and store each of them. Digits m stay in 64 bits: bringing a vector's lanes to 32 bits and back
// takes shuffles.
#ifndef FIELD_X29_COLUMNS_GLSL
#define FIELD_X29_COLUMNS_GLSL

#define X29_BLOCK  4
#define X29_MASK64 uint64_t(FP29_MASK)

// a b with `products` 1, a b + c d with 2, and a^2 with 0. Magnitude of the result: that of all
// products together, over K, plus 1.
fp fp_product(uint products, fp a, fp b, fp c, fp d)
{
    const uint last = FP29_LIMBS - 1;
    uint64_t m[FP29_LIMBS];
    uint64_t carry = 0;
    fp r;
    [[unroll]] for (uint first = 0; first <= 2 * last; first += X29_BLOCK) {
        uint64_t t[X29_BLOCK];
        [[unroll]] for (uint o = 0; o < X29_BLOCK; o++)
            t[o] = 0;
        [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
            [[unroll]] for (uint o = 0; o < X29_BLOCK; o++) {
                const uint j = min(first + o - i, last);
                if (i + j != first + o)
                    continue;
                if (products == 0 && i < j)
                    t[o] += uint64_t(a.v[i] << 1) * uint64_t(a.v[j]);
                if (products == 0 && i == j)
                    t[o] += uint64_t(a.v[i]) * uint64_t(a.v[j]);
                if (products != 0)
                    t[o] += uint64_t(a.v[i]) * uint64_t(b.v[j]);
                if (products == 2)
                    t[o] += uint64_t(c.v[i]) * uint64_t(d.v[j]);
            }
        }
        // Those with digits m of earlier blocks,
        [[unroll]] for (uint i = 0; i < FP29_LIMBS; i++) {
            [[unroll]] for (uint o = 0; o < X29_BLOCK; o++) {
                const uint j = min(first + o - i, last);
                if (i < first && i + j == first + o)
                    t[o] += m[i] * uint64_t(fp_modulus[j]);
            }
        }
        // and, column by column, with those of this one.
        [[unroll]] for (uint o = 0; o < X29_BLOCK; o++) {
            const uint column = first + o;
            uint64_t sum = t[o] + carry;
            [[unroll]] for (uint i = 0; i < X29_BLOCK; i++) {
                const uint of = min(first + i, last);
                if (i < o && of == first + i && column - of <= last)
                    sum += m[of] * uint64_t(fp_modulus[min(column - of, last)]);
            }
            if (column <= last) {
                const uint of = min(column, last);
                m[of] = ((sum & X29_MASK64) * uint64_t(FP29_N0)) & X29_MASK64;
                sum += m[of] * uint64_t(fp_modulus[0]);
            } else if (column <= 2 * last) {
                r.v[min(column - FP29_LIMBS, last)] = uint(sum & X29_MASK64);
            }
            carry = column <= 2 * last ? sum >> 29 : carry;
        }
    }
    r.v[last] = uint(carry);
    return r;
}

fp fe_mul(fp a, fp b)
{
    return fp_product(1, a, b, a, b);
}

fp fe_sqr(fp a)
{
    return fp_product(0, a, a, a, a);
}

fp fp_dot(fp a, fp b, fp c, fp d)
{
    return fp_product(2, a, b, c, d);
}

#endif
