/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Scalars of a multiplication from a vector: canonical, in the order of the bases that are kept,
// and checked to be as short as was promised.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "../shared/vector_layout.h"
#include "element.glsl"

layout(local_size_x = VECTOR_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { vector_scalars_push push; };
layout(binding = 0, std430) readonly buffer A { uvec4 a[]; };
layout(binding = 1, std430) writeonly buffer Scalars { uvec4 scalars[]; };
layout(binding = 2, std430) readonly buffer Map { uint map[]; };
layout(binding = 3, std430) buffer Index { uint index[]; };

void main()
{
    const uint i = grid_index();
    if (i >= push.n)
        return;
    uint number = push.number + i;
    if (push.map_first != MSM_KEY_NONE)
        number = map[push.map_first + i] - push.map_base;
    const uint at = 2 * (push.first_a + number);
    uint words[FP_WORDS];
    fe_pack(fe_mul(element_of(a[at], a[at + 1]), fp_raw_one()), words);
    uint above = 0; // the bits that were promised to be 0
    for (uint k = 0; k < FP_WORDS; k++)
        if (32 * k + 32 > push.bits)
            above |= words[k] >> max(push.bits, 32 * k) - 32 * k;
    if (above != 0)
        atomicMin(index[push.status], number);
    const uint to = 2 * (push.target + i);
    element_words(words, scalars[to], scalars[to + 1]);
}
