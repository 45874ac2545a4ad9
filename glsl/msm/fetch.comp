#version 460
// Copies scalars from a device address to where the other kernels expect them, in the order of the
// bases that are kept, and checks that they are as short as was promised. One thread for each.
#define PAIL_ADDRESSES
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_FETCH_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { msm_fetch_push push; };
layout(binding = 0, std430) writeonly buffer Scalars { uint scalars[]; };
layout(binding = 1, std430) readonly buffer Map { uint map[]; };
layout(binding = 2, std430) buffer Index { uint index[]; };

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Words { uint words[]; };

const uint words_of_scalar = 8;

void main()
{
    const uint scalar = grid_index();
    if (scalar >= push.n)
        return;
    uint number = push.first + scalar;
    if (push.map_first != MSM_KEY_NONE)
        number = map[push.map_first + scalar] - push.map_base;
    uint carry;
    const uint low = uaddCarry(push.address_low, number << 5, carry);
    Words source = Words(uvec2(low, push.address_high + (number >> 27) + carry));
    uint above = 0; // bits that should not be there
    for (uint i = 0; i < words_of_scalar; i++) {
        const uint word = source.words[i];
        scalars[words_of_scalar * (push.target + scalar) + i] = word;
        if (32 * i >= push.bits)
            above |= word;
        else if (32 * i + 32 > push.bits)
            above |= word >> (push.bits - 32 * i);
    }
    if (above != 0)
        atomicMin(index[push.status], number);
}
