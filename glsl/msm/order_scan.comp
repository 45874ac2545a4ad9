#version 460
// Where runs of each length begin (order.glsl): sums over the counters before, in place; and the
// steps of the tasks before those that begin with this length. One workgroup.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_ORDER_SCAN_WORKGROUP) in;

#include "../lib/group_scan.glsl"
#include "order_length.glsl"

layout(push_constant) uniform Push { msm_order_push push; };
layout(binding = 0, std430) buffer Index { uint index[]; };

// Tasks that begin before a run.
uint tasks_before(uint run)
{
    return (run + MSM_TASK - 1) / MSM_TASK;
}

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    uint runs_before = 0, steps_before = 0;
    for (uint first = 0; first < MSM_ORDER_BINS; first += MSM_ORDER_SCAN_WORKGROUP) {
        const uint bin = first + lane;
        const uint count = index[push.counts + bin];
        uint total;
        const uint run = runs_before + group_scan(count, total);
        index[push.counts + bin] = run;
        runs_before += total;
        const uint tasks = tasks_before(run + count) - tasks_before(run);
        const uint steps = group_scan(tasks * longest_of(bin), total);
        index[push.counts + MSM_ORDER_STEPS + bin] = steps_before + steps;
        steps_before += total;
    }
    if (lane == 0) {
        index[push.counts + MSM_ORDER_RUNS] = runs_before;
        index[push.counts + MSM_ORDER_STEPS + MSM_ORDER_BINS] = steps_before;
    }
}
