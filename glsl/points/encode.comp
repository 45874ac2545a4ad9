/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Elements of the base field to Montgomery form, R = 2^(32 words), or back: any integers, modulo p.
// In place they are read from the buffer that is written: a compiler may take two buffers for
// different memory.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"

#define PAIL_FORM_X32
#include "../field/fp.glsl"

layout(local_size_x = POINTS_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { points_encode_push push; };
layout(binding = 0, std430) readonly buffer A { uvec4 a[]; };
layout(binding = 1, std430) buffer R { uvec4 r[]; };

#define VECTORS (FP_WORDS / 4)

void main()
{
    const uint i = grid_index();
    if (i >= push.n)
        return;
    uint words[FP_WORDS];
    [[unroll]] for (uint k = 0; k < VECTORS; k++) {
        const uvec4 v = push.in_place != 0 ? r[push.first_r + i * VECTORS + k]
                                           : a[push.first_a + i * VECTORS + k];
        words[4 * k] = v.x;
        words[4 * k + 1] = v.y;
        words[4 * k + 2] = v.z;
        words[4 * k + 3] = v.w;
    }
    // The factor is below p, and so is the product then, whatever the element.
    const fp factor =
        fe_select(push.to_montgomery != 0, fp_raw_one(), fe_unpack(FP_FROM_CANONICAL));
    fe_pack(fe_mul(fe_unpack(words), factor), words);
    [[unroll]] for (uint k = 0; k < VECTORS; k++)
        r[push.first_r + i * VECTORS + k] =
            uvec4(words[4 * k], words[4 * k + 1], words[4 * k + 2], words[4 * k + 3]);
}
