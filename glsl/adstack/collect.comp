/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Collects a portion's result for a spec from its partial results: one workgroup for each spec of a
// level. Behind the last portion that is the spec's value.
#define PAIL_ADDRESSES
#include "../lib/prelude.glsl"
#include "../shared/adstack_layout.h"

layout(local_size_x = AD_WORKGROUP) in;

layout(push_constant) uniform Push { ad_collect_push push; };

#include "words.glsl"
#include "value.glsl"
#include "group.glsl"

// Partial results that a thread asks for before it looks at the first one.
#define AHEAD 4

ad_sum sum_at(uint at)
{
    return ad_sum(i64(arena[at], arena[at + 1]), i64(arena[at + 2], arena[at + 3]), arena[at + 4]);
}

void keep(uint at, ad_sum sum)
{
    const uvec4 words = uvec4(i64_words(sum.low), i64_words(sum.high));
    for (uint i = 0; i < 4; i++)
        arena[at + i] = words[i];
    arena[at + 4] = sum.error;
}

// The next portion begins so many rounds further, in digits of lanes and axes.
void go_on(uint spec, uint rounds)
{
    const uint lanes = arena[spec + AD_SPEC_LANES];
    const I64 threads = i64_from(arena[spec + AD_SPEC_GROUPS] * AD_WORKGROUP);
    const uvec2 items = i64_words(
        i64_add(i64_mul(i64_from(rounds), threads), i64_from(arena[spec + AD_SPEC_FIRST_LANE])));
    arena[spec + AD_SPEC_FIRST_LANE] = items.x & ((1u << lanes) - 1);
    // A shift by 32 is undefined, hence the two.
    I64 further = i64(items.x >> lanes | items.y << 1 << (31 - lanes), items.y >> lanes);
    for (uint k = arena[spec + AD_SPEC_N_AXES]; k-- > 0;) {
        const uint at = spec + AD_SPEC_AXES + AD_AXIS_WORDS * k;
        const I64 size = i64(arena[at + AD_AXIS_LENGTH], arena[at + AD_AXIS_LENGTH + 1]);
        const I64 digit =
            i64_add(i64(arena[at + AD_AXIS_FIRST], arena[at + AD_AXIS_FIRST + 1]), further);
        I64 rest = digit;
        further = i64_zero();
        if (!i64_less(digit, size))
            further = i64_divide_unsigned(digit, size, rest);
        const uvec2 words = i64_words(rest);
        arena[at + AD_AXIS_FIRST] = words.x;
        arena[at + AD_AXIS_FIRST + 1] = words.y;
    }
}

// The next portion has fewer rounds: a quarter; where it was one, one of any length.
void shorten(uint spec, uint rounds)
{
    arena[spec + AD_SPEC_MOST] = max(rounds / 4, 1u);
    arena[spec + AD_SPEC_FREE] = rounds == 1 ? 1 : 0;
    arena[arena[spec + AD_SPEC_REPORT] + AD_REPORT_OVER] = 1;
}

void put(uint at, I64 v)
{
    const uvec2 words = i64_words(v);
    arena[at] = words.x;
    arena[at + 1] = words.y;
}

// Ends a portion that is not the last one. found: of it and those before.
void end_portion(uint spec, I64 left, uint rounds, ad_sum found)
{
    if (rounds != 0) {
        if (arena[spec + AD_SPEC_MOST] != 0)
            arena[spec + AD_SPEC_MOST] = min(rounds, 0x3fffffffu) * 2;
        arena[spec + AD_SPEC_FREE] = 0;
    }
    keep(spec + AD_SPEC_SUM, found);
    put(spec + AD_SPEC_LEFT, i64_sub(left, i64_from(rounds)));
    go_on(spec, rounds);
}

void main()
{
    // All that may be needed is asked for first, so that one wait is enough for it.
    const uint pending = arena[push.state + AD_STATE_PENDING];
    const uint spec = arena[push.list + AD_LIST_WORDS * gl_WorkGroupID.x];
    const uint reduction = arena[spec + AD_SPEC_REDUCTION], state = arena[spec + AD_SPEC_STATE];
    const uint groups = arena[spec + AD_SPEC_GROUPS], rounds = arena[spec + AD_SPEC_ROUNDS];
    const uint partials = arena[spec + AD_SPEC_PARTIALS], error = arena[spec + AD_SPEC_ERROR];
    const uint site = arena[spec + AD_SPEC_SITE], slot = arena[spec + AD_SPEC_SLOT];
    const uint least = arena[spec + AD_SPEC_LEAST], met = arena[spec + AD_SPEC_FOUND];
    const I64 left = i64(arena[spec + AD_SPEC_LEFT], arena[spec + AD_SPEC_LEFT + 1]);
    const ad_sum before = sum_at(spec + AD_SPEC_SUM);
    if (pending < push.stage || state == AD_COMPLETE)
        return;
    const uint n = rounds == 0 ? 0 : groups;
    ad_sum sum = ad_nothing();
    for (uint i = gl_LocalInvocationIndex; i < n; i += AHEAD * AD_WORKGROUP) {
        ad_sum some[AHEAD];
        [[unroll]] for (uint k = 0; k < AHEAD; k++)
            some[k] = sum_at(partials + AD_PARTIAL_WORDS * min(i + k * AD_WORKGROUP, n - 1));
        [[unroll]] for (uint k = 0; k < AHEAD; k++)
            if (i + k * AD_WORKGROUP < n)
                sum = ad_join(reduction, sum, some[k]);
    }
    sum = ad_group_join(reduction, sum);
    if (gl_LocalInvocationIndex != 0)
        return;
    // An error of an earlier portion may decide by now.
    const uint decided = met == 0 && ad_decides(before.error, least) ? before.error : met;
    const bool too_long = decided == 0 && sum.error == AD_TOO_LONG;
    sum = ad_join(reduction, sum, before);
    const uint report = arena[spec + AD_SPEC_REPORT];
    put(report + AD_REPORT_LEFT, too_long ? left : i64_sub(left, i64_from(rounds)));
    if (decided != 0)
        arena[report + AD_REPORT_OVER] = AD_OVER_DECIDED;
    if (!too_long && (decided != 0 || !i64_less(i64_from(rounds), left))) {
        sum.error = decided != 0 ? decided : ad_least(sum.error, error);
        const ad_value value = ad_result(reduction, sum, site);
        const uint at = push.slots + AD_VALUE_WORDS * slot;
        put(at, value.v);
        arena[at + 2] = value.error;
        arena[spec + AD_SPEC_STATE] = AD_COMPLETE;
        return;
    }
    // There is more to do, and what depends on it waits.
    if (too_long)
        shorten(spec, rounds);
    else
        end_portion(spec, left, rounds, sum);
    arena[push.state + AD_STATE_PENDING] = push.stage;
}
