// Points in memory: coordinates one after the other, each FE_WORDS packed words, as 16-byte
// vectors. Buffers are declared by the kernels; these turn vectors into registers and back.
#ifndef MSM_POINTS_GLSL
#define MSM_POINTS_GLSL

#include "../ec/xyzz.glsl"

FE unpack_coordinate(uvec4 v[FE_VECTORS])
{
    uint words[FE_WORDS];
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++) {
        words[4 * i] = v[i].x;
        words[4 * i + 1] = v[i].y;
        words[4 * i + 2] = v[i].z;
        words[4 * i + 3] = v[i].w;
    }
    return fe_unpack(words);
}

void pack_coordinate(FE a, out uvec4 v[FE_VECTORS])
{
    uint words[FE_WORDS];
    fe_pack(a, words);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = uvec4(words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
}

#endif
