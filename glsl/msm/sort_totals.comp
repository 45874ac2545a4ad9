#version 460
// Third step of a sorting pass: exclusive prefix sums of a row's block totals, in place. One
// workgroup for each row walks them.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_WORKGROUP) in;

#include "../lib/group_scan.glsl"

layout(push_constant) uniform Push { msm_sort_push push; };
layout(binding = 0, std430) buffer Counts { uint counts[]; };

void main()
{
    const uint base = push.totals + gl_WorkGroupID.x * push.blocks;
    uint carry = 0;
    for (uint first = 0; first < push.blocks; first += MSM_SORT_WORKGROUP) {
        const uint i = first + gl_LocalInvocationIndex;
        const uint count = i < push.blocks ? counts[base + i] : 0;
        uint total;
        const uint before = group_scan(count, total);
        if (i < push.blocks)
            counts[base + i] = carry + before;
        carry += total;
    }
}
