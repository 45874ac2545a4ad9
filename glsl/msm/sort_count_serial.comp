#version 460
// As msm/sort_count, a thread for each tile, with its counters in device memory: for drivers that
// run a workgroup on one processor, where barriers and atomics cost more than they save.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_SERIAL) in;

layout(push_constant) uniform Push { msm_sort_push push; };
layout(binding = 0, std430) readonly buffer Words { uint words[]; }; // digits, or entries
layout(binding = 1, std430) buffer Counts { uint counts[]; };

void main()
{
    const uint tile = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
    if (tile >= push.tiles)
        return;
    const uint n_bins = 1u << push.bits;
    const uint bins = (row * push.tiles + tile) * n_bins;
    for (uint b = 0; b < n_bins; b++)
        counts[bins + b] = 0;
    const uint pitch = push.first_pass != 0 ? 1 : 2;
    const uint end = (row * push.n + min(push.n, (tile + 1) * push.tile)) * pitch;
    for (uint i = (row * push.n + tile * push.tile) * pitch; i < end; i += pitch)
        counts[bins + (words[i] >> push.shift & n_bins - 1)]++;
}
