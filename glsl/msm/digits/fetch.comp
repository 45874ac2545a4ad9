/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Copies scalars from a device address to where the other kernels expect them, in the order of the
// bases that are kept, and checks that they are as short as was promised. Neighbouring
// threads take neighbouring words, MSM_FETCH_WORDS times each.
#define PAIL_ADDRESSES
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_FETCH_WORKGROUP) in;

#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_fetch_push push; };
layout(binding = 0, std430) writeonly buffer Scalars { uint scalars[]; };
layout(binding = 1, std430) readonly buffer Map { uint map[]; };
layout(binding = 2, std430) buffer Index { uint index[]; };

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Words { uint words[]; };

const uint words_of_scalar = 8;

void fetch(uint place, uint scalar)
{
    uint number = push.first + scalar;
    if (push.map_first != MSM_KEY_NONE)
        number = map[push.map_first + scalar] - push.map_base;
    uint carry;
    const uint low = uaddCarry(push.address_low, number << 5, carry);
    Words source = Words(uvec2(low, push.address_high + (number >> 27) + carry));
    const uint i = place % words_of_scalar, word = source.words[i];
    scalars[words_of_scalar * push.target + place] = word;
    // Bits that should not be there.
    if (32 * i + 32 > push.bits && word >> max(push.bits, 32 * i) - 32 * i != 0)
        atomicMin(index[push.status], number);
}

void main()
{
    // The words of a chunk's scalars fit a binding, and so these numbers. Threads are counted in
    // their workgroups' blocks of words.
    const uint group = grid_index() / gl_WorkGroupSize.x;
    const uint block = group * gl_WorkGroupSize.x * MSM_FETCH_WORDS + gl_LocalInvocationIndex;
    [[unroll]] for (uint k = 0; k < MSM_FETCH_WORDS; k++) {
        const uint place = block + k * gl_WorkGroupSize.x, scalar = place / words_of_scalar;
        if (scalar < push.n)
            fetch(place, scalar);
    }
}
