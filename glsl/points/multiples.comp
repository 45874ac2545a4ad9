/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Multiples of points, one after the other: one quad for each point. Steps may be shared among
// dispatches, because a driver may end all loops of an invocation after 65535 rounds; the sum is in
// the table then.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"
#include "../msm/points.glsl"

layout(local_size_x = POINTS_QUAD_WORKGROUP) in;

layout(push_constant) uniform Push { points_multiples_push push; };
layout(binding = 0, std430) buffer Points { uvec4 points[]; };
layout(binding = 1, std430) buffer Table { uvec4 table[]; };

#include "../ec/quad_double.glsl"
#include "../lib/grid.glsl"
#include "../msm/points_rw.glsl"

// This lane's coordinate of an entry of the table.
uint place_of(uint entry)
{
    return (entry * 4 + quad_lane()) * FE_VECTORS;
}

void main()
{
    const uint quad = grid_index() / POINTS_QUAD;
    const bool inside = quad < push.n;
    const uint first = quad * push.multiples;
    FE own = fe_zero(), sum = own;
    if (inside) {
        own = load_lane(quad, quad_lane());
        sum = own;
        if (push.step > push.doublings) {
            uvec4 v[FE_VECTORS];
            const uint from = place_of(first + push.step - push.doublings - 1);
            [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
                v[i] = table[from + i];
            sum = unpack_coordinate_loose(v);
        }
    }
    for (uint step = push.step; step < push.end; step++) {
        if (step < push.doublings) { // for all quads
            own = quad_double(own);
            sum = own;
            continue;
        }
        if (step > push.doublings) {
            bool both;
            sum = quad_add(sum, own, both);
        }
        if (inside) {
            uvec4 v[FE_VECTORS];
            const uint to = place_of(first + step - push.doublings);
            pack_coordinate_loose(sum, v);
            [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
                table[to + i] = v[i];
        }
    }
    if (inside && push.step < push.doublings)
        store_lane(quad, quad_lane(), own);
}
