/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Elements between the canonical encoding and Montgomery form. r may be a.
#include "../lib/prelude.glsl"
#include "../shared/vector_layout.h"
#include "element.glsl"

layout(local_size_x = VECTOR_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { vector_encode_push push; };
layout(binding = 0, std430) readonly buffer A { uvec4 a[]; };
layout(binding = 1, std430) writeonly buffer R { uvec4 r[]; };

void main()
{
    const uint i = grid_index();
    if (i >= push.n)
        return;
    const uint at_a = 2 * (push.first_a + i), at_r = 2 * (push.first_r + i);
    const fp inward =
        fe_select(push.operation == VECTOR_REDUCE, fe_unpack(FP_FROM_CANONICAL), fe_unpack(FP_ONE));
    const fp factor = fe_select(push.operation == VECTOR_ENCODE, inward, fp_raw_one());
    // The factor is below r, and so is the product then, whatever the element.
    element_pack(fe_mul(element_of(a[at_a], a[at_a + 1]), factor), r[at_r], r[at_r + 1]);
}
