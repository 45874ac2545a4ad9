/* SPDX-License-Identifier: Apache-2.0 */
// True if the words of a coordinate, as a caller handed it over, are those of an integer below p.
#ifndef MSM_BELOW_MODULUS_GLSL
#define MSM_BELOW_MODULUS_GLSL

bool below_modulus(uint words[FP_WORDS])
{
    const uint p[FP_WORDS] = FP_P;
    uint borrow = 0;
    for (uint i = 0; i < FP_WORDS; i++) {
        uint b0, b1;
        const uint d = usubBorrow(words[i], p[i], b0);
        usubBorrow(d, borrow, b1);
        borrow = b0 | b1;
    }
    return borrow != 0;
}

#endif
