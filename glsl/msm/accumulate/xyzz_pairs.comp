#version 460
// msm/accumulate/xyzz_runs with two neighbouring invocations for each thread, one for each
// coefficient of the coordinates (field/fp2_pair.glsl): where registers do not hold a sum of large
// coordinates, those of two do.
#define PAIL_SUBGROUP
#define PAIL_PAIRS
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_ACCUMULATE_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;
layout(constant_id = MSM_SPEC_PLACEMENT) const uint PLACEMENT = MSM_PLACEMENT_PRIVATE;

#include "../../lib/local.glsl"

uint invocation_number()
{
    return gl_WorkGroupID.x * gl_WorkGroupSize.x + local_number();
}

#include "xyzz_runs.glsl"
