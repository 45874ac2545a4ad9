#version 460
// Where each bucket's entries begin in the sorted row; [stride] is where the zero digits begin,
// that is the number of entries that count. One thread for each bucket, by binary search.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_BOUNDS_WORKGROUP) in;

layout(push_constant) uniform Push { msm_bounds_push push; };
layout(binding = 0, std430) readonly buffer Entries { uvec2 entries[]; };
layout(binding = 1, std430) writeonly buffer Index { uint index[]; };

void main()
{
    const uint key = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
    if (key > push.stride)
        return;
    uint low = 0, high = push.n;
    while (low < high) {
        const uint middle = (low + high) / 2;
        if (entries[row * push.n + middle].x < key)
            low = middle + 1;
        else
            high = middle;
    }
    index[push.starts + row * (push.stride + 1) + key] = low;
}
