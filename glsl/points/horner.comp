/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Windows of sums put together from the last one down, by Horner's rule, or parts of sums added up:
// one quad for each result. Steps may be shared among dispatches, as those of multiples.comp; the
// sum is among the results then.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"
#include "../msm/points.glsl"

layout(local_size_x = POINTS_QUAD_WORKGROUP) in;

layout(push_constant) uniform Push { points_horner_push push; };
layout(binding = 0, std430) readonly buffer Parts { uvec4 parts[]; };
layout(binding = 1, std430) buffer Points { uvec4 points[]; };

#include "../ec/quad_double.glsl"
#include "../lib/grid.glsl"
#include "../msm/points_rw.glsl"

// Fetches the part that a step adds, if it is one that adds.
void fetch_part(uint quad, bool inside, uint step, out uvec4 v[FE_VECTORS])
{
    const uint of_window = push.doublings + push.of_window, at = step + push.doublings;
    const uint window = at / of_window, within = at % of_window;
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = uvec4(0);
    if (!inside || within < push.doublings || (window + 1) * push.of_window > push.terms)
        return;
    const uint term = push.terms - (window + 1) * push.of_window + (within - push.doublings);
    const uint from =
        (((quad / push.width * push.terms + term) * push.width + quad % push.width) * 4 +
         quad_lane()) *
        FE_VECTORS;
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = parts[from + i];
}

void main()
{
    const uint quad = grid_index() / POINTS_QUAD;
    const bool inside = quad < push.n;
    const uint of_window = push.doublings + push.of_window;
    FE sum = fe_zero();
    if (inside && push.step != 0)
        sum = load_lane(quad, quad_lane());
    uvec4 v[FE_VECTORS];
    fetch_part(quad, inside, push.step, v);
    // The first window has no doublings.
    for (uint step = push.step; step < push.end; step++) {
        const bool doubles = (step + push.doublings) % of_window < push.doublings;
        const FE part = unpack_coordinate_loose(v);
        fetch_part(quad, inside, step + 1, v);
        if (doubles) { // for all quads
            sum = quad_double(sum);
        } else {
            bool both;
            sum = quad_add(sum, part, both);
        }
    }
    if (inside)
        store_lane(quad, quad_lane(), sum);
}
