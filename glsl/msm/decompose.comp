#version 460
// Scalars to signed window digits (Booth): window w of c bits has the digit
//   d = bits[wc .. wc+c-1] + bit[wc-1] - 2^c bit[wc+c-1],  |d| <= 2^(c-1),
// which needs no carry from window to window. One thread for each scalar, in z the vectors that the
// batch has rows of; a thread writes its digits in each of them, one for each copy of the bases, as
// words: key and sign.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "params.glsl"

layout(local_size_x = MSM_DECOMPOSE_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { msm_decompose_push push; };
layout(binding = 0, std430) readonly buffer Scalars { uvec4 scalars[]; };
layout(binding = 1, std430) writeonly buffer Digits { uint digits[]; };

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

// Where every point has order r, s and s mod r name the same multiple, and windows above r's own
// bits are saved: subtracts r 2^k where it fits, from the largest below 2^256 down to r.
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

void main()
{
    const uint point = grid_index();
    if (point >= push.n)
        return;
    const uint vector = push.first_row / push.windows + gl_WorkGroupID.z;
    const uint scalar = 2 * (push.scalar_first + vector * push.scalar_stride + point);
    const uvec4 low = scalars[scalar], high = scalars[scalar + 1];
    uint s[words_of_scalar] = uint[](low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
    if (push.reduce != 0)
        reduce(s);
    const uint c = push.window_bits;
    const uint zero_key = 1u << (c - 1);
    const uint copies = 1 + push.further;
    const uint first_of_vector = vector * push.windows; // row
    const uint end = min(first_of_vector + push.windows, push.first_row + push.rows);
    uint below = 0; // the bit below the window
    for (uint window = 0; window < (end - first_of_vector) * copies; window++) {
        const uint value = s[0] & (1u << c) - 1;
        const bool negative = value >> (c - 1) != 0;
        const uint magnitude = negative ? (1u << c) - value - below : value + below;
        const uint key = magnitude == 0 ? zero_key : magnitude - 1;
        const uint place = first_of_vector * copies + window; // among all windows
        below = value >> (c - 1);
        shift_right(s, c);
        if (place >= push.first_row * copies)
            digits[(place - push.first_row * copies) * push.n + point] =
                negative ? key | MSM_HANDLE_SIGN : key;
    }
}
