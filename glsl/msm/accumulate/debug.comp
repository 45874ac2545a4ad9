/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// The accumulator `debug`: one thread for each bucket adds up all its entries, from the first to
// the last. No shares and no pieces: the reference for the other accumulators.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_ACCUMULATE_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;

#include "share.glsl"

void main()
{
    const uint key = gl_GlobalInvocationID.x, window = gl_WorkGroupID.y;
    if (key >= push.window_buckets)
        return;
    const uint first = start_of(window, key), end = start_of(window, key + 1);
    if (first == end)
        return;
    xyzz sum = ec_infinity();
    bool empty = true;
    for (uint i = first; i < end; i++) {
        const uint handle = entries[window * push.n + i].y;
        const packed_affine base = load_packed_base(handle);
        if (!is_infinity(base))
            ec_accumulate(sum, empty, unpack_base(base, handle));
    }
    store_point(push.buckets + window * push.window_buckets + key, sum);
    if (end - first > 1)
        atomicAdd(index[push.adds], end - first - 1);
}
