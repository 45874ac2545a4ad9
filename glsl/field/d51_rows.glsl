/* SPDX-License-Identifier: Apache-2.0 */
// A product in doubles row by row: a row has all products with one digit of b, and then those with
// the digit m that reduces the row's lowest column. Products next to each other share a digit, so
// that registers are read less often, which is what bounds a product on NVIDIA's processors; and
// patterns are added in threes, for which there is an instruction (docs/performance.md).
#ifndef FIELD_D51_ROWS_GLSL
#define FIELD_D51_ROWS_GLSL

// Adds the digits of a times one more to the columns from `at` on, with `below` in the first of
// them. The pattern for the column after the last is left to the caller.
uint64_t fp_row(inout uint64_t columns[2 * FP51_LIMBS], uint at, double a[FP51_LIMBS], double by,
                uint64_t below)
{
    [[unroll]] for (uint j = 0; j < FP51_LIMBS; j++) {
        uint64_t low, high;
        d51_pair(low, high, a[j], by);
        columns[at + j] += low + below;
        below = high;
    }
    return below;
}

// Same, for m p, whose lowest low part is not formed.
uint64_t fp_row_modulus(inout uint64_t columns[2 * FP51_LIMBS], uint at, double m)
{
    uint64_t below = d51_high(fp_reducer[0], m);
    [[unroll]] for (uint j = 1; j < FP51_LIMBS; j++) {
        uint64_t low, high;
        d51_pair(low, high, fp_reducer[j], m);
        columns[at + j] += low + below;
        below = high;
    }
    return below;
}

fp fp_product(uint products, fp a, fp b, fp c, fp d)
{
    uint64_t columns[2 * FP51_LIMBS];
    uint64_t carry = 0;
    fp r;
    [[unroll]] for (uint k = 0; k < 2 * FP51_LIMBS; k++)
        columns[k] = fp_column_begin(k, products);
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        uint64_t last = fp_row(columns, i, a.v, b.v[i], carry);
        if (products == 2)
            last += fp_row(columns, i, c.v, d.v[i], 0);
        const double m = d51_digit(columns[i] * FP51_N0);
        carry = uint64_t(int64_t(columns[i]) >> D51_BITS);
        columns[i + FP51_LIMBS] += last + fp_row_modulus(columns, i, m);
    }
    [[unroll]] for (uint k = 0; k + 1 < FP51_LIMBS; k++) {
        const uint64_t column = columns[k + FP51_LIMBS] + carry;
        r.v[k] = d51_digit(column);
        carry = uint64_t(int64_t(column) >> D51_BITS);
    }
    precise const double top = uint64BitsToDouble(columns[2 * FP51_LIMBS - 1] + carry) - D51_C_LEFT;
    r.v[FP51_LIMBS - 1] = top;
    return r;
}

#endif
