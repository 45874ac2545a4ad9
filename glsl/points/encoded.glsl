/* SPDX-License-Identifier: Apache-2.0 */
// Coordinates of encoded points, which may be any integers of their width.
#ifndef POINTS_ENCODED_GLSL
#define POINTS_ENCODED_GLSL

#include "../msm/bases/below_modulus.glsl"

// Words modulo p. Those below p, nearly all, take no turn; 2^(32 words) is below 16 p.
void settle(inout uint words[FP_WORDS])
{
    const uint p[FP_WORDS] = FP_P;
    for (uint k = 0; k < 16 && !below_modulus(words); k++) {
        uint borrow = 0;
        for (uint i = 0; i < FP_WORDS; i++) {
            uint b0, b1;
            const uint d = usubBorrow(words[i], p[i], b0);
            words[i] = usubBorrow(d, borrow, b1);
            borrow = b0 | b1;
        }
    }
}

// Place of point i of all where each sequence of 2^log_n is in bit-reversed order.
uint place_of(uint i, uint log_n, uint reversed)
{
    if (reversed == 0 || log_n == 0)
        return i;
    const uint block = i >> log_n << log_n;
    return block + (bitfieldReverse(i - block) >> (32 - log_n));
}

#endif
