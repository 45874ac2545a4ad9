/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// The accumulator `xyzz` for many points: threads take runs in order of their length (order.glsl),
// so that those of a subgroup begin and end theirs together. With shares of the entries
// (msm/accumulate/xyzz) they end one by one, and each time the others wait.
//
// 32 runs, side by side, are a task, and 32 threads a group, which is a subgroup or some of them.
// All steps of all tasks, one after the other, are cut into one equal part for each group, so a run
// may begin in one group and end in the next; it is never cut twice, for a part is at least as long
// as the longest run.
//
// In pairs a thread is two neighbouring invocations, one for each coefficient of the coordinates
// (field/fp2_pair.glsl): where registers do not hold a sum of large coordinates, those of two do.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_ACCUMULATE_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;
layout(constant_id = MSM_SPEC_PLACEMENT) const uint PLACEMENT = MSM_PLACEMENT_PRIVATE;

#include "../../lib/local.glsl"

uint invocation_number()
{
#ifdef PAIL_PAIRS
    return gl_WorkGroupID.x * gl_WorkGroupSize.x + local_number();
#else
    return gl_GlobalInvocationID.x;
#endif
}

#define EC_SUM_SHARED (PLACEMENT == MSM_PLACEMENT_WORKGROUP)
#include "../points.glsl"

layout(push_constant) uniform Push { msm_runs_push push; };

layout(binding = 1, std430) readonly buffer Entries { uint handles[]; };

#include "buffers.glsl"
#include "../order/length.glsl"
#include "ordered_run.glsl"
#include "run.glsl"
#include "signed_bases.glsl"

// A step of a task.
struct place {
    uint task, step;
};

// The one that is so many steps after the first of all.
place find_step(uint number)
{
    const uint steps = push.counts + MSM_ORDER_STEPS;
    uint low = 0, high = MSM_ORDER_BINS;
    while (high - low > 1) {
        const uint middle = (low + high) / 2;
        if (index[steps + middle] <= number)
            low = middle;
        else
            high = middle;
    }
    // Counters of runs have gone to where the runs of the next bin begin.
    const uint first_run = low == 0 ? 0 : index[push.counts + low - 1];
    const uint each = max(longest_of(low), 1), after = number - index[steps + low];
    return place((first_run + MSM_TASK - 1) / MSM_TASK + after / each, after % each);
}

// Steps of a task: what msm/order/scan counted for it.
uint steps_of(uint task, uint runs)
{
    const uint number = MSM_TASK * task;
    return number < runs ? longest_of(bin_of(load_run(number).count)) : 0;
}

// Chooses the point for the sum of a run's entries from..to. following: the group that has its
// second part, where it is cut.
uint target_of(run r, bool begins, bool ends, uint following, uint lane)
{
    const bool whole = r.piece == MSM_KEY_NONE;
    if (whole && begins && ends)
        return push.buckets + r.bucket;
    const uint place = (whole ? 2 * (MSM_TASK * following + lane) : place_of(r)) + (begins ? 0 : 1);
    index[push.keys + place] = r.bucket;
    if (begins && ends) // both places are the bucket's
        store_infinity(push.pieces + place + 1);
    return push.pieces + place;
}

void main()
{
    const uint thread = invocation_number() / FE_LANES;
    if (thread >= push.threads)
        return;
    const uint group = thread / MSM_TASK, lane = thread % MSM_TASK;
    const uint groups = push.threads / MSM_TASK, runs = count_runs();
    const uint all = index[push.counts + MSM_ORDER_STEPS + MSM_ORDER_BINS];
    const uint each = min(max((all + groups - 1) / groups, steps_of(0, runs)), 4 * (push.most + 1));
    if (group * each >= all)
        return;
    place at = find_step(group * each);
    uint left = min(each, all - group * each);
    uint adds = 0;
    while (left != 0) {
        const uint steps = steps_of(at.task, runs), number = MSM_TASK * at.task + lane;
        if (at.step >= steps)
            break;
        const uint taken = min(steps - at.step, left);
        run r = run(0, 0, 0, MSM_KEY_NONE);
        if (number < runs)
            r = load_run(number);
        const uint end = min(r.count, at.step + taken);
        if (at.step < end) {
            const bool begins = at.step == 0, ends = end == r.count;
            xyzz sum = ec_infinity();
            bool empty = true;
            // The bucket may have a sum from an earlier chunk.
            if (push.resume != 0 && begins && begins_bucket(r)) {
                const xyzz before = load_point(push.buckets + r.bucket);
                empty = ec_is_infinity(before);
                ec_sum_begin(sum, before);
                adds += empty ? 0 : 1;
            }
            adds += end - at.step - 1;
            for (uint i = r.first + at.step; i < r.first + end; i++) {
                const uint handle = handles[i];
                const packed_affine base = load_packed_base(handle);
                if (!is_infinity(base))
                    ec_accumulate(sum, empty, unpack_base(base, handle));
            }
            const uint target = target_of(r, begins, ends, begins ? group + 1 : group, lane);
            if (empty)
                store_infinity(target);
            else
                store_sum_of_run(target, ec_sum_end(sum));
        }
        left -= taken;
        at = place(at.task + 1, 0);
    }
    if (adds != 0 && invocation_number() % FE_LANES == 0)
        atomicAdd(index[push.adds], adds);
}
