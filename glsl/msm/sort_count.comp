#version 460
// First step of a sorting pass: how many entries of a tile have each value of the pass's key bits.
// Workgroup (tile, row). counts: [row][bin][tile], so that a plain prefix sum over a row
// gives, for each bin and tile, where its entries go in a stable order.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_WORKGROUP) in;

layout(push_constant) uniform Push { msm_sort_push push; };
layout(binding = 0, std430) readonly buffer Entries { uvec2 entries[]; };
layout(binding = 1, std430) writeonly buffer Counts { uint counts[]; };

shared uint bins[MSM_SORT_BINS_MAX];

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint tile = gl_WorkGroupID.x, row = gl_WorkGroupID.y;
    const uint n_bins = 1u << push.bits;
    for (uint b = lane; b < n_bins; b += MSM_SORT_WORKGROUP)
        bins[b] = 0;
    barrier();
    const uint end = min(push.n, (tile + 1) * MSM_SORT_TILE);
    for (uint i = tile * MSM_SORT_TILE + lane; i < end; i += MSM_SORT_WORKGROUP) {
        const uint key = entries[row * push.n + i].x;
        atomicAdd(bins[key >> push.shift & n_bins - 1], 1);
    }
    barrier();
    for (uint b = lane; b < n_bins; b += MSM_SORT_WORKGROUP)
        counts[(row * n_bins + b) * push.tiles + tile] = bins[b];
}
