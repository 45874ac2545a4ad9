/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Elements times the powers of a number. r may be a.
#include "../lib/prelude.glsl"
#include "../shared/vector_layout.h"
#include "element.glsl"

layout(local_size_x = VECTOR_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { vector_powers_push push; };
layout(binding = 0, std430) readonly buffer A { uvec4 a[]; };
layout(binding = 1, std430) readonly buffer Table { uvec4 table[]; };
layout(binding = 2, std430) writeonly buffer R { uvec4 r[]; };

void main()
{
    const uint i = grid_index();
    if (i >= push.n)
        return;
    const uint number = push.number + i;
    const uint low = 2 * (push.low + (number & (1u << push.low_bits) - 1));
    const uint high = 2 * (push.high + (number >> push.low_bits)), at_a = 2 * (push.first_a + i);
    const fp power =
        fe_mul(element_of(table[low], table[low + 1]), element_of(table[high], table[high + 1]));
    const uint at_r = 2 * (push.first_r + i);
    element_pack(fe_mul(element_of(a[at_a], a[at_a + 1]), power), r[at_r], r[at_r + 1]);
}
