/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Sums of neighbouring elements: the pieces of a row, as many as a piece has values.
#include "../lib/prelude.glsl"
#include "../shared/vector_layout.h"
#include "element.glsl"

layout(local_size_x = VECTOR_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { vector_sum_push push; };
layout(binding = 0, std430) readonly buffer Structure { uint structure[]; };
layout(binding = 1, std430) readonly buffer Parts { uvec4 parts[]; };
layout(binding = 2, std430) writeonly buffer R { uvec4 r[]; };

void main()
{
    const uint row = grid_index();
    if (row >= push.n)
        return;
    fp sum = fp_zero();
    const uint end = structure[push.starts + row + 1];
    for (uint k = structure[push.starts + row]; k < end; k++) {
        const uint at = 2 * (push.first_parts + k);
        sum = fe_add(sum, element_of(parts[at], parts[at + 1]));
    }
    const uint at_r = 2 * (push.first_r + row);
    element_pack(sum, r[at_r], r[at_r + 1]);
}
