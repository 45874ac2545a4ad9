#version 460
// low + high and low - high of each butterfly, in place: one quad for each.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"
#include "../msm/points.glsl"

layout(local_size_x = POINTS_QUAD_WORKGROUP) in;

layout(push_constant) uniform Push { points_butterfly_push push; };
layout(binding = 0, std430) buffer Points { uvec4 points[]; };

#define QUAD_DIFFERENCE
#include "../ec/quad.glsl"
#include "../lib/grid.glsl"
#include "../msm/points_rw.glsl"

void main()
{
    const uint quad = grid_index() / POINTS_QUAD;
    const bool inside = quad < push.n;
    const uint low =
        (quad >> push.log_half << (push.log_half + 1)) + (quad & ((1u << push.log_half) - 1));
    const uint high = low + (1u << push.log_half);
    FE a = fe_zero(), b = fe_zero(), difference;
    if (inside) {
        a = load_lane(low, quad_lane());
        b = load_lane(high, quad_lane());
    }
    bool both;
    uint part;
    const FE sum = quad_add(a, b, both, difference, part);
    if (inside) {
        store_lane(low, quad_lane(), sum);
        store_lane(high, part, difference);
    }
}
