/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Second step of a sorting pass: each bin's counts become the entries of that bin in earlier tiles
// of the group, and their sum goes to `totals`. Workgroup (push.columns bins, window, group), whose
// threads are cut into strips: one for each equal part of the group's tiles.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;

layout(binding = 0, std430) buffer Counts { uint counts[]; };

#include "groups.glsl"

const uint ahead = MSM_SCAN_TILES; // counts that a thread asks for before it needs the first

shared uint sums[gl_WorkGroupSize.x];

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint window = gl_WorkGroupID.y, group = gl_WorkGroupID.z;
    const uint strips = gl_WorkGroupSize.x / push.columns;
    const uint column = lane % push.columns, strip = lane / push.columns;
    const uint n_bins = 1u << push.bits;
    const uint bin = gl_WorkGroupID.x * push.columns + column;
    uint group_first, group_end;
    group_tiles(window, group, group_first, group_end);
    const uint of_bin = window * push.tiles * n_bins + bin;
    const uint each = (group_end - group_first + strips - 1) / strips;
    const uint begin = min(group_first + strip * each, group_end);
    const uint end = bin < n_bins ? min(begin + each, group_end) : begin;
    // Adds up twice: for the strip's sum and, when the strips before it are known, again.
    uint running = 0;
    for (uint round = 0; round < 2; round++) {
        for (uint first = begin; first < end; first += ahead) {
            uint block[ahead];
            [[unroll]] for (uint k = 0; k < ahead; k++)
                block[k] = first + k < end ? counts[of_bin + (first + k) * n_bins] : 0;
            [[unroll]] for (uint k = 0; k < ahead; k++) {
                if (round == 1 && first + k < end)
                    counts[of_bin + (first + k) * n_bins] = running;
                running += block[k];
            }
        }
        if (round == 0) {
            sums[lane] = running;
            barrier();
            running = 0;
            for (uint s = 0; s < strip; s++)
                running += sums[s * push.columns + column];
        }
    }
    if (strip + 1 == strips && bin < n_bins)
        counts[push.totals + (window * push.groups + group) * n_bins + bin] = running;
}
