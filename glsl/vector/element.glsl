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
