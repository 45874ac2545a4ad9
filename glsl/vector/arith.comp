/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Element-wise arithmetic. r may be one of the operands.
#include "../lib/prelude.glsl"
#include "../shared/vector_layout.h"
#include "element.glsl"

layout(local_size_x = VECTOR_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { vector_arith_push push; };
layout(binding = 0, std430) readonly buffer A { uvec4 a[]; };
layout(binding = 1, std430) readonly buffer B { uvec4 b[]; };
layout(binding = 2, std430) readonly buffer C { uvec4 c[]; };
layout(binding = 3, std430) writeonly buffer R { uvec4 r[]; };

void main()
{
    const uint i = grid_index();
    if (i >= push.n)
        return;
    const uint at_a = 2 * (push.first_a + i), at_b = 2 * (push.first_b + i);
    const fp x = element_of(a[at_a], a[at_a + 1]), y = element_of(b[at_b], b[at_b + 1]);
    fp result;
    if (push.operation == VECTOR_ADD) {
        result = fe_add(x, y);
    } else if (push.operation == VECTOR_SUB) {
        result = fe_sub(x, y);
    } else {
        result = fe_mul(x, y);
        if (push.operation == VECTOR_MUL_SUB) {
            const uint at_c = 2 * (push.first_c + i);
            result = fe_sub(result, element_of(c[at_c], c[at_c + 1]));
        }
    }
    const uint at_r = 2 * (push.first_r + i);
    element_pack(result, r[at_r], r[at_r + 1]);
}
