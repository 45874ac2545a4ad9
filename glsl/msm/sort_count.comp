#version 460
// First step of a sorting pass: how many entries of a tile have each value of the pass's key bits.
// Workgroup (tile, row).
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;
layout(constant_id = MSM_SPEC_BINS) const uint BINS = MSM_SORT_BINS;

layout(push_constant) uniform Push { msm_sort_push push; };
layout(binding = 0, std430) readonly buffer Words { uint words[]; }; // digits, or entries
layout(binding = 1, std430) writeonly buffer Counts { uint counts[]; };

const uint threads = gl_WorkGroupSize.x;
const uint ahead = 8; // words that a thread asks for before it needs the first

shared uint bins[BINS];

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint tile = gl_WorkGroupID.x, row = gl_WorkGroupID.y;
    const uint n_bins = 1u << push.bits;
    for (uint b = lane; b < n_bins; b += threads)
        bins[b] = 0;
    barrier();
    const uint pitch = push.first_pass != 0 ? 1 : 2;
    const uint end = min(push.n, (tile + 1) * push.tile);
    for (uint first = tile * push.tile + lane; first < end; first += ahead * threads) {
        uint keys[ahead];
        [[unroll]] for (uint k = 0; k < ahead; k++) {
            const uint i = min(first + k * threads, end - 1);
            keys[k] = words[(row * push.n + i) * pitch];
        }
        [[unroll]] for (uint k = 0; k < ahead; k++)
            if (first + k * threads < end)
                atomicAdd(bins[keys[k] >> push.shift & n_bins - 1], 1);
    }
    barrier();
    for (uint b = lane; b < n_bins; b += threads)
        counts[(row * push.tiles + tile) * n_bins + b] = bins[b];
}
