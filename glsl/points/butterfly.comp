/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Sums and differences of a block's parts, in place. Of a stage alone: a0 + a1 and a0 - a1, one
// quad for each place. Of two stages forward (shared/points_layout.h), from the values: a0 + a2 +-
// a1 and a0 - a2 +- a3, a quad for each pair. Backward, for the values: the sum of all, a0 - a1, a0
// + a1 - a2 - a3 and a2 - a3, a quad for all four.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"
#include "../msm/points.glsl"
#include "../field/fp_at_once.glsl"

layout(local_size_x = POINTS_QUAD_WORKGROUP) in;

layout(push_constant) uniform Push { points_butterfly_push push; };
layout(binding = 0, std430) buffer Points { uvec4 points[]; };

#define QUAD_DIFFERENCE
#include "../ec/quad.glsl"
#include "../lib/grid.glsl"
#include "../msm/points_rw.glsl"

void main()
{
    const uint quads = POINTS_BUTTERFLY_QUADS(push.parts, push.backward != 0);
    const uint quad = grid_index() / POINTS_QUAD, lane = quad_lane();
    const uint place = quad / quads, own = quad % quads;
    const bool inside = place < push.n;
    const uint part_points = 1u << push.log_part;
    const uint first =
        ((place >> push.log_part) * push.parts << push.log_part) + (place & (part_points - 1));
    const uint additions = push.parts == 2 ? 1 : push.backward != 0 ? 3 : 2;
    FE a = fe_zero(), b = a, c = a, d = a, difference;
    // All is loaded before quads of the same place store: additions have barriers.
    if (inside) {
        a = load_lane(first, lane);
        b = load_lane(first + part_points, lane);
        if (push.parts == 4) {
            c = load_lane(first + 2 * part_points, lane);
            d = load_lane(first + 3 * part_points, lane);
        }
    }
    if (additions == 2) {
        d = fe_select(own == 0, d, b);
        b = fe_select(own == 1 && lane == QUAD_Y, c, fe_neg(c));
    }
    for (uint i = 0; i < additions; i++) {
        bool both;
        uint part;
        const FE sum = quad_add(a, b, both, difference, part);
        uint to = 2 * own, to_difference = 2 * own + 1;
        if (additions == 3) {
            to_difference = i < 2 ? 2 * i + 1 : 2;
            a = c;
            b = i == 0 ? d : sum;
            c = sum;
        } else {
            a = sum;
            b = d;
        }
        const bool last = i + 1 == additions;
        if (inside && last)
            store_lane(first + to * part_points, lane, sum);
        if (inside && (last || additions == 3))
            store_lane(first + to_difference * part_points, part, difference);
    }
}
