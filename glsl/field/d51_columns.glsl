/* SPDX-License-Identifier: Apache-2.0 */
// A product in doubles column by column: what a thread holds at a time is two columns and the
// digits m, where rows (d51_rows.glsl) have half of the columns.
#ifndef FIELD_D51_COLUMNS_GLSL
#define FIELD_D51_COLUMNS_GLSL

// Adds the parts of a product to its column and the next.
void fp_pair(inout uint64_t column, inout uint64_t next, double a, double b)
{
    uint64_t low, high;
    d51_pair(low, high, a, b);
    column += low;
    next += high;
}

fp fp_product(uint products, fp a, fp b, fp c, fp d)
{
    double m[FP51_LIMBS];
    fp r;
    uint64_t t = fp_column_begin(0, products);
    [[unroll]] for (uint k = 0; k < 2 * FP51_LIMBS - 1; k++) {
        const uint first = k < FP51_LIMBS ? 0 : k - FP51_LIMBS + 1, end = first + fp_pairs(k);
        uint64_t next = fp_column_begin(k + 1, products);
        [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
            const uint j = min(k - i, FP51_LIMBS - 1);
            if (i >= first && i < end)
                fp_pair(t, next, a.v[i], b.v[j]);
            if (products == 2 && i >= first && i < end)
                fp_pair(t, next, c.v[i], d.v[j]);
        }
        [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++)
            if (i >= first && i < end && i != k)
                fp_pair(t, next, m[i], fp_reducer[min(k - i, FP51_LIMBS - 1)]);
        if (k < FP51_LIMBS) {
            m[min(k, FP51_LIMBS - 1)] = d51_digit(t * FP51_N0);
            next += d51_high(m[min(k, FP51_LIMBS - 1)], fp_reducer[0]);
        } else {
            r.v[k - FP51_LIMBS] = d51_digit(t);
        }
        t = next + uint64_t(int64_t(t) >> D51_BITS);
    }
    precise const double top = uint64BitsToDouble(t) - D51_C_LEFT;
    r.v[FP51_LIMBS - 1] = top;
    return r;
}

#endif
