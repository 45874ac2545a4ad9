/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// The values of a pass from the sums of their digits (points/windows), each in its place: one quad
// for each. All quads do the same steps, which may be shared among dispatches: doublings, in one
// place, and additions of any two points, in another.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"
#include "../msm/points.glsl"
#include "../field/fp_at_once.glsl"

layout(local_size_x = POINTS_QUAD_WORKGROUP) in;

layout(push_constant) uniform Push { points_multiply_push push; };
layout(binding = 0, std430) readonly buffer Twiddles { uvec4 twiddles[]; };
layout(binding = 1, std430) buffer Points { uvec4 points[]; };
layout(binding = 2, std430) buffer Table { uvec4 table[]; };

#include "../ec/quad_double.glsl"
#include "../lib/grid.glsl"
#include "values.glsl"

void main()
{
    const uint quad = grid_index() / POINTS_QUAD,
               groups_quads = POINTS_QUAD_WORKGROUP / POINTS_QUAD;
    const uint values = values_of_place() * push.n;
    const uint first = quad - quad % groups_quads, last = min(first + groups_quads, values) - 1;
    // The conditions are uniform.
    if (first >= values || all_ones(first, last))
        return;
    const bool inside = quad < values && !all_ones(quad, quad);
    const uint number = inside ? quad : first, slot = number * POINTS_SLOT;
    FE result =
        load(slot + (push.step == 0 ? POINTS_SLOT_SUMS + POINTS_DIGITS - 1 : POINTS_SLOT_RESULT));
    uvec4 v[FE_VECTORS];
    for (uint step = push.step; step < push.end; step++) {
        const uint of_digit = step % POINTS_STEPS_OF_DIGIT;
        // The sum is on its way while the point is doubled.
        if (of_digit == 0 || step == push.step)
            fetch(slot + POINTS_SLOT_SUMS + POINTS_DIGITS - 2 - step / POINTS_STEPS_OF_DIGIT, v);
        if (of_digit < POINTS_DIGIT_BITS) {
            result = quad_double(result);
        } else {
            bool both;
            result = quad_add(result, unpack_coordinate_loose(v), both);
        }
    }
    if (!inside)
        return;
    if (push.end < POINTS_STEPS) {
        store(slot + POINTS_SLOT_RESULT, result);
        return;
    }
    const uint place = push.first + number % push.n, part = part_of(number / push.n);
    const uint point = (point_of(place, part) * 4 + quad_lane()) * FE_VECTORS;
    pack_coordinate_loose(result, v);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        points[point + i] = v[i];
}
