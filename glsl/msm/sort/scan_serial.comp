/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Same as msm/sort/scan, a thread for each bin of a group, that goes from tile to tile.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_SERIAL) in;

layout(binding = 0, std430) buffer Counts { uint counts[]; };

#include "groups.glsl"

void main()
{
    const uint bin = gl_GlobalInvocationID.x, window = gl_WorkGroupID.y, group = gl_WorkGroupID.z;
    const uint n_bins = 1u << push.bits;
    if (bin >= n_bins)
        return;
    uint first, end;
    group_tiles(window, group, first, end);
    uint running = 0;
    for (uint tile = first; tile < end; tile++) {
        const uint at = (window * push.tiles + tile) * n_bins + bin;
        const uint count = counts[at];
        counts[at] = running;
        running += count;
    }
    counts[push.totals + (window * push.groups + group) * n_bins + bin] = running;
}
