/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Operations of slots, by one workgroup: depth after depth, those of one depth in parallel.
#define PAIL_ADDRESSES
#define AD_ARENA_ACCESS coherent
#include "../lib/prelude.glsl"
#include "../shared/adstack_layout.h"

layout(local_size_x = AD_WORKGROUP) in;

layout(push_constant) uniform Push { ad_slots_push push; };

#include "words.glsl"
#include "value.glsl"

ad_value ad_slot(uint number);

ad_value ad_operand(uint word)
{
    return ad_slot(word);
}

#include "read.glsl"

void operate(uint at)
{
    const uint op = arena[at + AD_OP_CODE], site = arena[at + AD_OP_SITE];
    const uint a = arena[at + AD_OP_A], b = arena[at + AD_OP_B], c = arena[at + AD_OP_C];
    ad_value r;
    if (op == AD_READ)
        r = ad_read(a, b, c, site);
    else
        r = ad_operate(op, ad_slot(a), ad_slot(b), ad_slot(c), site);
    const uint slot = push.slots + AD_VALUE_WORDS * arena[at + AD_OP_DST];
    const uvec2 words = i64_words(r.v);
    arena[slot] = words.x;
    arena[slot + 1] = words.y;
    arena[slot + 2] = r.error;
}

void main()
{
    if (arena[push.state + AD_STATE_PENDING] <= push.stage)
        return;
    for (uint d = 0; d < push.n_depths; d++) {
        const uint first = arena[push.depths + AD_DEPTH_WORDS * d];
        const uint n = arena[push.depths + AD_DEPTH_WORDS * d + 1];
        for (uint i = gl_LocalInvocationIndex; i < n; i += AD_WORKGROUP)
            operate(first + AD_OP_WORDS * i);
        memoryBarrierBuffer();
        barrier();
    }
}
