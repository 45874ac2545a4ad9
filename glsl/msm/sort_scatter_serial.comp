#version 460
// As msm/sort_scatter, a thread for each tile, that takes one entry after the other. It counts on
// in `counts`.
#define PAIL_SORT_SERIAL
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_SERIAL) in;

#include "sort.glsl"

void main()
{
    const uint tile = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
    if (tile >= push.tiles)
        return;
    const uint n_bins = 1u << push.bits;
    const uint bins = (row * push.tiles + tile) * n_bins;
    enter_row(row);
    uint running = row_first;
    for (uint b = 0; b < n_bins; b++) {
        counts[bins + b] += running;
        running += counts[push.totals + row * n_bins + b];
    }
    const uint end = min(push.n, (tile + 1) * push.tile);
    for (uint i = tile * push.tile; i < end; i++) {
        const uvec2 entry = entry_at(i);
        const uint at = bins + bin_of(entry.x);
        const uint place = counts[at];
        counts[at] = place + 1;
        sorted[place] = entry;
    }
}
