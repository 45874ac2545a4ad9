#version 460
// Second step of a sorting pass: exclusive prefix sums inside blocks of a row's counts, in
// place, and the total of each block. Workgroup (block, row).
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_WORKGROUP) in;

#include "../lib/group_scan.glsl"

layout(push_constant) uniform Push { msm_sort_push push; };
layout(binding = 0, std430) buffer Counts { uint counts[]; };

void main()
{
    const uint block = gl_WorkGroupID.x, row = gl_WorkGroupID.y;
    const uint length = push.tiles << push.bits;
    const uint first = block * MSM_SCAN_BLOCK + gl_LocalInvocationIndex * MSM_SCAN_ITEMS;
    const uint base = row * length;
    uint sum = 0;
    for (uint i = first; i < min(first + MSM_SCAN_ITEMS, length); i++)
        sum += counts[base + i];
    uint total;
    uint running = group_scan(sum, total);
    for (uint i = first; i < min(first + MSM_SCAN_ITEMS, length); i++) {
        const uint count = counts[base + i];
        counts[base + i] = running;
        running += count;
    }
    if (gl_LocalInvocationIndex == 0)
        counts[push.totals + row * push.blocks + block] = total;
}
