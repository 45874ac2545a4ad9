/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Images of points, (beta x, y) of (x, y), which is lambda times the point where that has order r:
// what a scalar's second half goes with. Infinity, all zeros, stays infinity. One thread for each
// point.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_ENDOMORPHISM_WORKGROUP) in;

#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_endomorphism_push push; };
layout(binding = 0, std430) buffer Bases { uvec4 bases[]; };

void main()
{
    const uint point = grid_index();
    if (point >= push.n)
        return;
    const uint from = (push.from + point) * AFFINE_VECTORS;
    const uint to = (push.to + point) * AFFINE_VECTORS;
#if PAIL_GROUP == 1
    const uint image_words[FP_WORDS] = FP_G1_IMAGE;
#else
    const uint image_words[FP_WORDS] = FP_G2_IMAGE;
#endif
    const fp beta = fe_unpack(image_words);
    // beta is of the base field: it multiplies each coefficient of x.
    for (uint c = 0; c < FE_DEGREE; c++) {
        uint words[FP_WORDS];
        for (uint i = 0; i < FP_VECTORS; i++) {
            const uvec4 v = bases[from + c * FP_VECTORS + i];
            words[4 * i] = v.x;
            words[4 * i + 1] = v.y;
            words[4 * i + 2] = v.z;
            words[4 * i + 3] = v.w;
        }
        fe_pack(fe_mul(fe_unpack(words), beta), words);
        for (uint i = 0; i < FP_VECTORS; i++)
            bases[to + c * FP_VECTORS + i] =
                uvec4(words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
    }
    for (uint i = 0; i < FE_VECTORS; i++)
        bases[to + FE_VECTORS + i] = bases[from + FE_VECTORS + i];
}
