/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// First step of a sorting pass: how many entries of a tile go to each bin. Workgroup (tile,
// window).
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;
layout(constant_id = MSM_SPEC_BINS) const uint BINS = MSM_SORT_BINS;

layout(binding = 1, std430) buffer Counts { uint counts[]; };

#include "sort.glsl"

const uint threads = gl_WorkGroupSize.x;
const uint ahead = 8; // words that a thread asks for before it needs the first

shared uint bins[BINS];

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint tile = gl_WorkGroupID.x, window = gl_WorkGroupID.y;
    const uint n_bins = 1u << push.bits;
    sort_tile at;
    if (!find_tile(window, tile, at)) // the same for the whole workgroup
        return;
    for (uint b = lane; b < n_bins; b += threads)
        bins[b] = 0;
    barrier();
    for (uint first = at.begin + lane; first < at.end; first += ahead * threads) {
        uint ahead_words[ahead];
        [[unroll]] for (uint k = 0; k < ahead; k++)
            ahead_words[k] = words[window * push.n + min(first + k * threads, at.end - 1)];
        [[unroll]] for (uint k = 0; k < ahead; k++) {
            const uint bin = bin_of(ahead_words[k]);
            if (first + k * threads < at.end && bin < n_bins)
                atomicAdd(bins[bin], 1);
        }
    }
    barrier();
    for (uint b = lane; b < n_bins; b += threads)
        counts[(window * push.tiles + tile) * n_bins + b] = bins[b];
}
