/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Copies words from one device address to another.
#define PAIL_ADDRESSES
#include "../lib/prelude.glsl"
#include "../shared/adstack_layout.h"

layout(local_size_x = AD_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { ad_fetch_push push; };

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };

void main()
{
    const uint i = grid_index();
    if (i < push.n)
        Words(uvec2(push.to_low, push.to_high)).words[i] =
            Words(uvec2(push.from_low, push.from_high)).words[i];
}
