/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Points of a first group to x and a sign: half the memory. One thread for each point.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_COMPACT_WORKGROUP) in;

#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_compact_push push; };
layout(binding = 0, std430) readonly buffer Bases { uvec4 bases[]; };
layout(binding = 1, std430) writeonly buffer Compact { uvec4 compact[]; };

#include "coordinates.glsl"

#if FP_BITS > 32 * FP_WORDS - 2
#error "the two flags have no place above p"
#endif

void main()
{
    const uint point = grid_index();
    if (point >= push.n)
        return;
    const uint from = (push.from + point) * AFFINE_VECTORS;
    const fp leave = fe_raw_one();
    uint words[2][FP_WORDS]; // of x, of y
    bool infinite = true;
    for (uint c = 0; c < 2; c++) {
        const fp a = load_base(from + c * FP_VECTORS);
        infinite = infinite && fe_is_zero(a);
        fe_pack(fe_mul(a, leave), words[c]);
    }
    if (infinite)
        words[0][FP_WORDS - 1] = MSM_COMPACT_INFINITY;
    else if ((words[1][0] & 1u) != 0)
        words[0][FP_WORDS - 1] |= MSM_COMPACT_ODD;
    uvec4 v[FP_VECTORS];
    words_to_vectors(words[0], v);
    [[unroll]] for (uint i = 0; i < FP_VECTORS; i++)
        compact[(push.to + point) * FP_VECTORS + i] = v[i];
}
