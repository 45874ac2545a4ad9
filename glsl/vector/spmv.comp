/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// A sparse matrix times a vector: a thread for each piece of a row, which has few values.
#include "../lib/prelude.glsl"
#include "../shared/vector_layout.h"
#include "element.glsl"

layout(local_size_x = VECTOR_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { vector_spmv_push push; };
layout(binding = 0, std430) readonly buffer Structure { uint structure[]; };
layout(binding = 1, std430) readonly buffer Values { uvec4 values[]; };
layout(binding = 2, std430) readonly buffer A { uvec4 a[]; };
layout(binding = 3, std430) writeonly buffer R { uvec4 r[]; };

void main()
{
    const uint piece = grid_index();
    if (piece >= push.n)
        return;
    fp sum = fp_zero();
    const uint end = structure[push.starts + piece + 1];
    for (uint k = structure[push.starts + piece]; k < end; k++) {
        const uint at = 2 * (push.first_values + k - push.before);
        const uint column = 2 * (push.first_a + structure[push.columns + k]);
        sum = fe_add(sum, fe_mul(element_of(values[at], values[at + 1]),
                                 element_of(a[column], a[column + 1])));
    }
    const uint at_r = 2 * (push.first_r + piece);
    element_pack(sum, r[at_r], r[at_r + 1]);
}
