#version 460
// The accumulator `xyzz` for many points: threads take runs in order of their length (order.glsl),
// so that those of a subgroup begin and end theirs together. With shares of the entries
// (msm/accumulate/xyzz) they end one by one, and each time the others wait.
//
// 32 runs, side by side, are a task, and 32 threads a group, which is a subgroup or some of them.
// All steps of all tasks, one after the other, are cut into one equal part for each group, so a run
// may begin in one group and end in the next; it is never cut twice, for a part is at least as long
// as the longest run.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_ACCUMULATE_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;
layout(constant_id = MSM_SPEC_PLACEMENT) const uint PLACEMENT = MSM_PLACEMENT_PRIVATE;

uint invocation_number()
{
    return gl_GlobalInvocationID.x;
}

#include "xyzz_runs.glsl"
