/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Window digits of scalars in a buffer.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "params.glsl"

layout(local_size_x = MSM_DECOMPOSE_WORKGROUP) in;

#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_decompose_push push; };
layout(binding = 0, std430) readonly buffer Scalars { uvec4 scalars[]; };
layout(binding = 1, std430) writeonly buffer Digits { uint digits[]; };

void load_scalar(uint number, out uvec4 low, out uvec4 high)
{
    low = scalars[2 * number];
    high = scalars[2 * number + 1];
}

#include "decompose.glsl"
