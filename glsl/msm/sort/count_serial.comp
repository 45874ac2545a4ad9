/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Same as msm/sort/count, a thread for each tile, with its counters in device memory: for drivers
// that run a workgroup on one processor, where barriers and atomics cost more than they save.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_SERIAL) in;

layout(binding = 1, std430) buffer Counts { uint counts[]; };

#include "sort.glsl"

void main()
{
    const uint tile = gl_GlobalInvocationID.x, window = gl_WorkGroupID.y;
    sort_tile at;
    if (tile >= push.tiles || !find_tile(window, tile, at))
        return;
    const uint n_bins = 1u << push.bits;
    const uint bins = (window * push.tiles + tile) * n_bins;
    for (uint b = 0; b < n_bins; b++)
        counts[bins + b] = 0;
    for (uint i = at.begin; i < at.end; i++) {
        const uint bin = bin_of(words[window * push.n + i]);
        if (bin < n_bins)
            counts[bins + bin]++;
    }
}
