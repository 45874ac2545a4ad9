/* SPDX-License-Identifier: Apache-2.0 */
// Common part of the accumulators that walk shares: bounds of buckets, and the walk over the
// entries of a share.
#ifndef MSM_SHARE_GLSL
#define MSM_SHARE_GLSL

layout(push_constant) uniform Push { msm_accumulate_push push; };

layout(binding = 1, std430) readonly buffer Entries { uvec2 entries[]; }; // keys and handles

#include "buffers.glsl"
#include "run.glsl"
#include "signed_bases.glsl"

uint start_of(uint window, uint key)
{
    return index[push.starts + window * (push.window_buckets + 1) + key];
}

// A place in the sorted entries.
struct place {
    uint window, position;
};

place cut_at(uint share)
{
    return place(index[push.cuts + 2 * share], index[push.cuts + 2 * share + 1]);
}

// Goes to the next entry that counts, of `count` in its window; false where the share has ended. It
// ends for every thread, even by cuts that the planner cannot have made.
bool seek(inout place at, inout uint count, place end)
{
    while (at.window < push.windows && at.position >= count) {
        at = place(at.window + 1, 0);
        count = at.window < push.windows ? start_of(at.window, push.window_buckets) : 0;
    }
    return at.window < push.windows &&
           (at.window < end.window || at.window == end.window && at.position < end.position);
}

// Same, for a caller that does not keep the count.
bool settle(inout place at, place end)
{
    uint count = at.window < push.windows ? start_of(at.window, push.window_buckets) : 0;
    return seek(at, count, end);
}

#endif
