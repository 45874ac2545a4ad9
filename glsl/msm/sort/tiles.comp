/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Before a later pass of the sort: the tiles that each segment of a window is cut into, at least
// one, so that somebody says where its bins begin. Workgroup (window).
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;

#include "../../lib/group_scan.glsl"

layout(push_constant) uniform Push { msm_sort_push push; };
layout(binding = 0, std430) buffer Counts { uint counts[]; };

uint tiles_of(uint first_start, uint segment)
{
    const uint count =
        counts[first_start + (segment + 1) * push.span] - counts[first_start + segment * push.span];
    return max(1, (count + push.tile - 1) / push.tile);
}

void main()
{
    const uint lane = gl_LocalInvocationIndex, window = gl_WorkGroupID.x;
    const uint segments = push.groups * push.epochs / push.span;
    const uint starts = push.starts_in + window * (push.groups * push.epochs + 1);
    const uint first_tiles = push.first_tiles + window * (segments + 1);
    const uint list = push.list + window * push.tiles;
    const uint each = (segments + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
    const uint first = min(lane * each, segments), end = min(first + each, segments);
    uint sum = 0;
    for (uint s = first; s < end; s++)
        sum += tiles_of(starts, s);
    uint total;
    uint running = group_scan(sum, total);
    for (uint s = first; s < end; s++) {
        counts[first_tiles + s] = running;
        const uint next = running + tiles_of(starts, s);
        for (; running < next; running++)
            counts[list + running] = s;
    }
    if (lane == 0)
        counts[first_tiles + segments] = total;
    for (uint t = total + lane; t < push.tiles; t += gl_WorkGroupSize.x)
        counts[list + t] = MSM_KEY_NONE;
}
