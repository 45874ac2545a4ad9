#version 460
// How many entries that count lie before each row: prefix sums over the rows. One workgroup.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_ROWS_WORKGROUP) in;

#include "../../lib/group_scan.glsl"

layout(push_constant) uniform Push { msm_rows_push push; };
layout(binding = 0, std430) buffer Index { uint index[]; };

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    uint carry = 0;
    for (uint first = 0; first < push.rows; first += MSM_ROWS_WORKGROUP) {
        const uint row = first + lane;
        uint count = 0;
        if (row < push.rows)
            count = index[push.starts + row * (push.stride + 1) + push.stride];
        uint total;
        const uint before = group_scan(count, total);
        if (row < push.rows)
            index[push.row_first + row] = carry + before;
        carry += total;
    }
    if (lane == 0)
        index[push.row_first + push.rows] = carry;
}
