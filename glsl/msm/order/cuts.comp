/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// The planner: cuts all entries of the batch into equal shares, one for each thread of the
// accumulation. Cut t is a function of t alone, so the end of one share is by construction the
// start of the next. Cuts do not look for the ends of buckets: a subgroup takes as long as the
// longest of its shares, and joining the pieces of a bucket costs less. One thread for each cut.
// Where a workgroup has a thread for each window, it adds up the windows itself, and
// msm/order/windows need not run.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_CUTS_WORKGROUP) in;

#include "../../lib/group_scan.glsl"

layout(push_constant) uniform Push { msm_cuts_push push; };
layout(binding = 0, std430) buffer Index { uint index[]; };

// Entries of a window that count: where its buckets end.
uint entries_of(uint window)
{
    return index[push.starts + window * (push.window_buckets + 1) + push.window_buckets];
}

shared uint offsets[MSM_CUTS_WORKGROUP];

void add_up_windows()
{
    const uint lane = gl_LocalInvocationIndex;
    uint total;
    const uint before = group_scan(lane < push.windows ? entries_of(lane) : 0, total);
    offsets[lane] = before; // behind the windows: all entries
    barrier();
}

// Entries that count in the windows before.
uint window_offset(uint window)
{
    return push.windows < MSM_CUTS_WORKGROUP ? offsets[window]
                                             : index[push.window_offsets + window];
}

// The window that holds an entry, by its number among all entries that count: the last one that
// starts at or before it.
uint window_at(uint entry)
{
    uint low = 0, high = push.windows;
    while (high - low > 1) {
        const uint middle = (low + high) / 2;
        if (window_offset(middle) <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void main()
{
    const uint cut = gl_GlobalInvocationID.x;
    if (push.windows < MSM_CUTS_WORKGROUP)
        add_up_windows();
    if (cut > push.threads)
        return;
    const uint total = window_offset(push.windows);
    // Fewer threads where there is little to do. The first `rest` shares have one entry more.
    const uint sharers = clamp(total / push.share, 1, push.threads);
    const uint each = total / sharers, rest = total % sharers;
    const uint t = min(cut, sharers);
    uint position = t * each + min(t, rest);

    // The end of all entries is (windows, 0).
    uint window = push.windows;
    if (position < total) {
        window = window_at(position);
        position -= window_offset(window);
    } else {
        position = 0;
    }
    index[push.cuts + 2 * cut] = window;
    index[push.cuts + 2 * cut + 1] = position;
}
