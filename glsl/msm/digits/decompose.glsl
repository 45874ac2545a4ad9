/* SPDX-License-Identifier: Apache-2.0 */
// Scalars to signed window digits (Booth): window w of c bits has the digit
//   d = bits[wc .. wc+c-1] + bit[wc-1] - 2^c bit[wc+c-1],  |d| <= 2^(c-1),
// which needs no carry from window to window. One thread for each scalar, in z the vectors that the
// batch has windows of; a thread writes its digits in each of them, one for each copy of the bases,
// as words: key and sign. A number of either sign has such digits, too, in two's complement.
//
// The kernels that include it have the buffer `digits` and say where scalars come from.
#ifndef MSM_DECOMPOSE_GLSL
#define MSM_DECOMPOSE_GLSL

// A scalar's halves, for points and their GLV images, in place of the scalar.
layout(constant_id = MSM_SPEC_SPLIT) const bool SPLIT = false;

const uint words_of_scalar = 8;

void subtract_if_fits(inout uint s[words_of_scalar], uint m[words_of_scalar])
{
    uint t[words_of_scalar];
    uint borrow = 0;
    for (uint i = 0; i < words_of_scalar; i++) {
        uint b0, b1;
        const uint d = usubBorrow(s[i], m[i], b0);
        t[i] = usubBorrow(d, borrow, b1);
        borrow = b0 | b1;
    }
    for (uint i = 0; i < words_of_scalar; i++)
        s[i] = borrow != 0 ? s[i] : t[i];
}

// Reduces s modulo r, where every point has order r: s and s mod r name the same multiple, and
// windows above r's own bits are saved. Subtracts r 2^k where it fits, from the largest below 2^256
// down to r.
void reduce(inout uint s[words_of_scalar])
{
    uint m[words_of_scalar] = FR_R_SHIFTED;
    for (int k = FR_SHIFTS; k >= 0; k--) {
        subtract_if_fits(s, m);
        for (uint i = 0; i < words_of_scalar; i++)
            m[i] = m[i] >> 1 | (i + 1 < words_of_scalar ? m[i + 1] << 31 : 0);
    }
}

void shift_right(inout uint s[words_of_scalar], uint count)
{
    for (uint i = 0; i + 1 < words_of_scalar; i++)
        s[i] = s[i] >> count | s[i + 1] << (32 - count);
    s[words_of_scalar - 1] >>= count;
}

// ---- Halves: k = k1 + k2 lambda, where points have GLV images. tools/scalar_split.py says how
// they come about, and that 128 bits have room for them.
const uint words_of_half = 4, words_below_c = 9, first_column = 7;

// k f / 2^288 to the nearest, its last bits.
void rounded_product(uint k[words_of_scalar], uint f[FR_SPLIT_WORDS], out uint c[words_of_half])
{
    uint t[words_of_scalar + FR_SPLIT_WORDS];
    [[unroll]] for (uint i = 0; i < words_of_scalar + FR_SPLIT_WORDS; i++)
        t[i] = 0;
    [[unroll]] for (uint i = 0; i < words_of_scalar; i++) {
        uint carry = 0;
        [[unroll]] for (uint j = 0; j < FR_SPLIT_WORDS; j++) {
            uint high, low, c0, c1;
            if (i + j < first_column)
                continue;
            umulExtended(k[i], f[j], high, low);
            low = uaddCarry(low, t[i + j], c0);
            t[i + j] = uaddCarry(low, carry, c1);
            carry = high + c0 + c1;
        }
        t[i + FR_SPLIT_WORDS] = carry;
    }
    uint carry = t[words_below_c - 1] >> 31;
    [[unroll]] for (uint i = 0; i < words_of_half; i++) {
        uint next;
        c[i] = uaddCarry(t[words_below_c + i], carry, next);
        carry = next;
    }
}

// Adds c m, modulo 2^128.
void add_product(inout uint sum[words_of_half], uint c[words_of_half], uint m[words_of_half])
{
    [[unroll]] for (uint i = 0; i < words_of_half; i++) {
        uint carry = 0;
        [[unroll]] for (uint j = 0; i + j + 1 < words_of_half; j++) {
            uint high, low, c0, c1;
            umulExtended(c[i], m[j], high, low);
            low = uaddCarry(low, sum[i + j], c0);
            sum[i + j] = uaddCarry(low, carry, c1);
            carry = high + c0 + c1;
        }
        sum[words_of_half - 1] += c[i] * m[words_of_half - 1 - i] + carry;
    }
}

void split(uint k[words_of_scalar], out uint k1[words_of_half], out uint k2[words_of_half])
{
    uint c[words_of_half];
    [[unroll]] for (uint i = 0; i < words_of_half; i++) {
        k1[i] = k[i];
        k2[i] = 0;
    }
    rounded_product(k, FR_SPLIT_C1, c);
    add_product(k1, c, FR_SPLIT_K1_OF_C1);
    add_product(k2, c, FR_SPLIT_K2_OF_C1);
    rounded_product(k, FR_SPLIT_C2, c);
    add_product(k1, c, FR_SPLIT_K1_OF_C2);
    add_product(k2, c, FR_SPLIT_K2_OF_C2);
}

// Shifts by 1 to 31 bits, keeping the sign.
void shift_half(inout uint h[words_of_half], uint count)
{
    for (uint i = 0; i + 1 < words_of_half; i++)
        h[i] = h[i] >> count | h[i + 1] << (32 - count);
    h[words_of_half - 1] = uint(int(h[words_of_half - 1]) >> count);
}

// ---- Digits
// Of a digit that is 0.
uint no_key()
{
    return 1u << (push.window_bits - 1);
}

// The entry of magnitude k of those that a window has keys for.
uint entry_of(uint k, bool negative)
{
    const uint key = k == 0 || k > no_key() ? no_key() : k - 1;
    return negative ? key | MSM_HANDLE_SIGN : key;
}

// |d| of a window's c bits and the bit below them.
uint magnitude_of(uint value, uint below, uint c, out bool negative)
{
    negative = value >> (c - 1) != 0;
    return negative ? (1u << c) - value - below : value + below;
}

// place: of the window among all.
void put(uint place, uint point, uint entry)
{
    const uint first = push.first_window * (1 + push.further);
    if (place >= first)
        digits[(place - first) * push.n + point] = entry;
}

void main()
{
    const uint point = grid_index();
    if (point >= push.n)
        return;
    const uint vector = push.first_window / push.vector_windows + gl_WorkGroupID.z;
    uvec4 low, high;
    load_scalar(push.scalar_first + vector * push.scalar_stride + point, low, high);
    uint s[words_of_scalar] = uint[](low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
    if (push.reduce != 0)
        reduce(s);
    const uint c = push.window_bits, copies = 1 + push.further;
    bool negative;
    const uint first_of_vector = vector * push.vector_windows; // window
    const uint end = min(first_of_vector + push.vector_windows, push.first_window + push.windows);
    if (SPLIT) {
        uint half_of[words_of_half], other[words_of_half];
        split(s, half_of, other);
        for (uint h = 0; h < 2; h++) {
            uint below = 0; // the bit below the window
            const bool top = end == first_of_vector + push.vector_windows && push.wide_top != 0;
            const uint rows = top ? 1u << push.wide_top : 0;
            const uint narrow = end - rows;
            for (uint window = first_of_vector; window < narrow; window++) {
                const uint value = half_of[0] & (1u << c) - 1;
                put(2 * window + h, point,
                    entry_of(magnitude_of(value, below, c, negative), negative));
                below = value >> (c - 1);
                shift_half(half_of, c);
            }
            if (rows != 0) {
                const uint wide = c + push.wide_top;
                const uint value = half_of[0] & (1u << wide) - 1;
                const uint k = magnitude_of(value, below, wide, negative);
                for (uint row = 0; row < rows; row++) {
                    const uint before = row * no_key();
                    put(2 * (narrow + row) + h, point, entry_of(max(k, before) - before, negative));
                }
            }
            half_of = other;
        }
        return;
    }
    uint below = 0;
    for (uint window = 0; window < (end - first_of_vector) * copies; window++) {
        const uint value = s[0] & (1u << c) - 1;
        put(first_of_vector * copies + window, point,
            entry_of(magnitude_of(value, below, c, negative), negative));
        below = value >> (c - 1);
        shift_right(s, c);
    }
}

#endif
