#version 460
// Where runs of each length begin (order.glsl): sums over the counters before, in place. One
// workgroup.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_ORDER_SCAN_WORKGROUP) in;

#include "../lib/group_scan.glsl"

layout(push_constant) uniform Push { msm_order_push push; };
layout(binding = 0, std430) buffer Index { uint index[]; };

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    uint before = 0;
    for (uint first = 0; first < MSM_ORDER_BINS; first += MSM_ORDER_SCAN_WORKGROUP) {
        const uint counter = push.counts + first + lane;
        uint total;
        const uint sum = group_scan(index[counter], total);
        index[counter] = before + sum;
        before += total;
    }
    if (lane == 0)
        index[push.counts + MSM_ORDER_RUNS] = before;
}
