/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Window digits of scalars at a device address, of which nothing has to be checked first.
#define PAIL_ADDRESSES
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "params.glsl"

layout(local_size_x = MSM_DECOMPOSE_WORKGROUP) in;

#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_decompose_push push; };
layout(binding = 0, std430) writeonly buffer Digits { uint digits[]; };

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Scalar { uvec4 v[2]; };

void load_scalar(uint number, out uvec4 low, out uvec4 high)
{
    uint carry;
    const uint address_low = uaddCarry(push.address_low, number << 5, carry);
    Scalar scalar = Scalar(uvec2(address_low, push.address_high + (number >> 27) + carry));
    low = scalar.v[0];
    high = scalar.v[1];
}

#include "decompose.glsl"
