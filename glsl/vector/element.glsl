/* SPDX-License-Identifier: Apache-2.0 */
// Elements of the scalar field in memory: 8 words in two vectors.
#ifndef VECTOR_ELEMENT_GLSL
#define VECTOR_ELEMENT_GLSL

// Kernels that have no form of their own wait for memory, and compute in that of memory.
#if !defined(PAIL_FORM_X32) && !defined(PAIL_FORM_X29) && !defined(PAIL_FORM_D51)
#define PAIL_FORM_X32
#endif

#include "../field/fp.glsl"

fp element_of(uvec4 low, uvec4 high)
{
    return fe_unpack_loose(uint[](low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w));
}

// Brings an integer of 256 bits below r. Elements of a caller are so nearly always, and cost a
// comparison.
void element_reduce(inout uvec4 low, inout uvec4 high)
{
    const uint r[FP_WORDS] = FP_P;
    const uint most = 0xffffffffu / r[FP_WORDS - 1]; // the quotient by r is no more
    for (uint k = 0; k < most && high.w >= r[FP_WORDS - 1]; k++) {
        const uint words[FP_WORDS] =
            uint[](low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
        uint less[FP_WORDS], borrow = 0;
        for (uint i = 0; i < FP_WORDS; i++) {
            uint b0, b1;
            const uint d = usubBorrow(words[i], r[i], b0);
            less[i] = usubBorrow(d, borrow, b1);
            borrow = b0 | b1;
        }
        if (borrow != 0)
            break;
        low = uvec4(less[0], less[1], less[2], less[3]);
        high = uvec4(less[4], less[5], less[6], less[7]);
    }
}

void element_words(uint words[FP_WORDS], out uvec4 low, out uvec4 high)
{
    low = uvec4(words[0], words[1], words[2], words[3]);
    high = uvec4(words[4], words[5], words[6], words[7]);
}

void element_pack(fp a, out uvec4 low, out uvec4 high)
{
    uint words[FP_WORDS];
    fe_pack(a, words);
    element_words(words, low, high);
}

#endif
