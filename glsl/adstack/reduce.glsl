/* SPDX-License-Identifier: Apache-2.0 */
// Reducing the cells of a portion of the specs of a batch: workgroups are numbered through the
// batch, and find their spec in its list. A thread takes every cell that is a whole number of
// strides after its first one; a cell's number is never made, its digits are moved on instead, so
// nothing is divided.
//
// A cell's value comes from "adstack/body.glsl": the embedded one interprets the spec's code, and a
// text put in its place specialises this kernel for one body. It defines
//
//     void body()          gives each value of the cell to ad_take, or what there is of a joined
//     sum;
//                          false from ad_step (below) means: return at once
//     AD_AXES              optional: the number of axes, when it is constant
//     AD_REDUCTION         optional: AD_REDUCE_MAX or AD_REDUCE_SUM, when it is constant
//     AD_BODY_BEGIN        optional: there is a body_begin(), called before the first cell
//
// before it includes "cells.glsl", which has for it
//
//     ad_axis(k)           the axis' variable, an I64
//     ad_local(i)          slot i of the spec's table, an ad_value
//     ad_source(i)         offset of source i of the table
//     ad_site(i)           site of instruction i, << 3
//     ad_spec              the spec's offset
//     ad_lane, ad_lanes    of the cell's lanes: turns ad_lane, ad_lane + ad_lanes... of a shared
//     loop ad_step(n)           before n turns of any loop: false where the thread may take no more
//     ad_take(ad_value), ad_take_sum(ad_sum)
//     ad_is_decided(uint)       after a turn of any loop: true where its sum's error ends the loop
//
// and ad_operate, ad_read, ad_load (value.glsl, read.glsl). ad_read needs ad_operand(word), which
// the body defines.
#include "words.glsl"
#include "value.glsl"

ad_value ad_operand(uint word);

#include "read.glsl"
#include "adstack/body.glsl"
#include "group.glsl"

uint find_spec(out uint group)
{
    uint low = 0, high = push.n;
    while (high - low > 1) {
        const uint middle = (low + high) / 2;
        if (arena[push.list + AD_LIST_WORDS * middle + 1] <= gl_WorkGroupID.x)
            low = middle;
        else
            high = middle;
    }
    group = gl_WorkGroupID.x - arena[push.list + AD_LIST_WORDS * low + 1];
    return arena[push.list + AD_LIST_WORDS * low];
}

void main()
{
    uint group;
    ad_begin(find_spec(group));
#ifdef AD_BODY_BEGIN
    body_begin();
#endif
    bool more = ad_first(group * AD_WORKGROUP + gl_LocalInvocationIndex) && !ad_is_over_at_once();
    while (more) {
        body();
        more = ad_next();
    }
    const ad_sum sum = ad_group_join(AD_REDUCTION, ad_total);
    if (gl_LocalInvocationIndex != 0)
        return;
    const uint at = arena[ad_spec + AD_SPEC_PARTIALS] + AD_PARTIAL_WORDS * group;
    const uvec4 words = uvec4(i64_words(sum.low), i64_words(sum.high));
    for (uint i = 0; i < 4; i++)
        arena[at + i] = words[i];
    arena[at + 4] = sum.error;
}
