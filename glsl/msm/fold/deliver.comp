/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Copies words of a buffer to a device address: a result to where the caller wants it.
#define PAIL_ADDRESSES
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_DELIVER_WORKGROUP) in;

layout(push_constant) uniform Push { msm_deliver_push push; };
layout(binding = 0, std430) readonly buffer Folded { uint folded[]; };

layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Words { uint words[]; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i < push.n)
        Words(uvec2(push.address_low, push.address_high)).words[i] = folded[push.first + i];
}
