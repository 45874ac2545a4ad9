/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Counts the entries that lie before each window: prefix sums over the windows. One workgroup.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_WINDOWS_WORKGROUP) in;

#include "../../lib/group_scan.glsl"

layout(push_constant) uniform Push { msm_windows_push push; };
layout(binding = 0, std430) buffer Index { uint index[]; };

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    uint carry = 0;
    for (uint first = 0; first < push.windows; first += MSM_WINDOWS_WORKGROUP) {
        const uint window = first + lane;
        uint count = 0;
        if (window < push.windows)
            count = index[push.starts + window * (push.window_buckets + 1) + push.window_buckets];
        uint total;
        const uint before = group_scan(count, total);
        if (window < push.windows)
            index[push.window_offsets + window] = carry + before;
        carry += total;
    }
    if (lane == 0)
        index[push.window_offsets + push.windows] = carry;
}
