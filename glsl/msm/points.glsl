/* SPDX-License-Identifier: Apache-2.0 */
// Points in memory: coordinates one after the other, each FE_WORDS packed words, as 16-byte
// vectors. Buffers are declared by the kernels; these turn vectors into registers and back. Scratch
// that only kernels read is packed loosely (field/fp.glsl).
#ifndef MSM_POINTS_GLSL
#define MSM_POINTS_GLSL

#include "../ec/xyzz.glsl"

void vectors_to_words(uvec4 v[FE_VECTORS], out uint words[FE_WORDS])
{
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++) {
        words[4 * i] = v[i].x;
        words[4 * i + 1] = v[i].y;
        words[4 * i + 2] = v[i].z;
        words[4 * i + 3] = v[i].w;
    }
}

void words_to_vectors(uint words[FE_WORDS], out uvec4 v[FE_VECTORS])
{
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = uvec4(words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
}

FE unpack_coordinate(uvec4 v[FE_VECTORS])
{
    uint words[FE_WORDS];
    vectors_to_words(v, words);
    return fe_unpack(words);
}

void pack_coordinate(FE a, out uvec4 v[FE_VECTORS])
{
    uint words[FE_WORDS];
    fe_pack(a, words);
    words_to_vectors(words, v);
}

FE unpack_coordinate_loose(uvec4 v[FE_VECTORS])
{
    uint words[FE_WORDS];
    vectors_to_words(v, words);
    return fe_unpack_loose(words);
}

void pack_coordinate_loose(FE a, out uvec4 v[FE_VECTORS])
{
    uint words[FE_WORDS];
    fe_pack_loose(a, words);
    words_to_vectors(words, v);
}

#endif
