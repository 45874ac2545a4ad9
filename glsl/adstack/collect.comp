#version 460
// The value of a spec from its partial results: one workgroup for each spec of a level.
#define PAIL_ADDRESSES
#include "../lib/prelude.glsl"
#include "../shared/adstack_layout.h"

layout(local_size_x = AD_WORKGROUP) in;

layout(push_constant) uniform Push { ad_collect_push push; };

#include "words.glsl"
#include "value.glsl"
#include "group.glsl"

void main()
{
    const uint spec = arena[push.list + AD_LIST_WORDS * gl_WorkGroupID.x];
    const uint reduction = arena[spec + AD_SPEC_REDUCTION];
    const uint n = arena[spec + AD_SPEC_GROUPS], partials = arena[spec + AD_SPEC_PARTIALS];
    ad_sum sum = ad_nothing();
    for (uint i = gl_LocalInvocationIndex; i < n; i += AD_WORKGROUP) {
        const uint at = partials + AD_PARTIAL_WORDS * i;
        sum = ad_join(reduction, sum,
                      ad_sum(i64(arena[at], arena[at + 1]), i64(arena[at + 2], arena[at + 3]),
                             arena[at + 4]));
    }
    sum = ad_group_join(reduction, sum);
    if (gl_LocalInvocationIndex != 0)
        return;
    sum.error = ad_least(sum.error, arena[spec + AD_SPEC_ERROR]);
    const ad_value value = ad_result(reduction, sum, arena[spec + AD_SPEC_SITE]);
    const uint slot = push.slots + AD_VALUE_WORDS * arena[spec + AD_SPEC_SLOT];
    const uvec2 words = i64_words(value.v);
    arena[slot] = words.x;
    arena[slot + 1] = words.y;
    arena[slot + 2] = value.error;
}
