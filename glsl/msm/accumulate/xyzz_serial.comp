/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// msm/accumulate/xyzz for software drivers, where an invocation is a lane of a vector and both
// sides of every branch are run: what is done once a run and once for equal points is outside of
// the loop that adds, and additions go straight through (ec/straight.glsl). Lanes wait in that loop
// for the longest of their runs, so they take runs in order of their length (order.glsl), and not
// shares.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_ACCUMULATE_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;

#include "../../ec/straight.glsl"
#include "../points.glsl"

layout(push_constant) uniform Push { msm_runs_push push; };
layout(binding = 0, std430) readonly buffer Bases { u64vec2 bases[]; };
layout(binding = 1, std430) readonly buffer Entries { uint handles[]; };
layout(binding = 2, std430) buffer Index { uint index[]; };
layout(binding = 3, std430) buffer Points { uvec4 points[]; };

// A lane's load is a loop of its own, however wide.
uvec4 base_vector(uint at)
{
    const u64vec2 v = bases[at];
    return uvec4(uint(v.x), uint(v.x >> 32), uint(v.y), uint(v.y >> 32));
}

#include "../points_rw.glsl"
#include "ordered_run.glsl"
#include "signed_bases.glsl"

void main()
{
    const uint thread = gl_GlobalInvocationID.x;
    if (thread >= push.threads)
        return;
    const uint runs = count_runs();
    uint adds = 0;
    for (uint number = thread; number < runs; number += push.threads) {
        const run r = load_run(number);
        if (r.count == 0)
            continue;
        xyzz sum = ec_infinity();
        bool empty = true;
        // The bucket may have a sum from an earlier chunk.
        for (bool resumes = push.resume != 0 && begins_bucket(r); resumes; resumes = false) {
            sum = load_point(push.buckets + r.bucket);
            empty = ec_is_infinity(sum);
            adds += empty ? 0 : 1;
        }
        const uint end = r.first + r.count;
        uint at = r.first;
        // Loops of one round are branches that are left out where no lane takes them.
        while (at < end) {
            while (empty && at < end) {
                const uint handle = handles[at];
                const packed_affine base = load_packed_base(handle);
                empty = is_infinity(base);
                sum = ec_from_affine(unpack_base(base, handle));
                at++;
            }
            bool added = true;
            while (added && at < end) {
                const uint handle = handles[at];
                const packed_affine base = load_packed_base(handle);
                added = !is_infinity(base) && ec_add_distinct(sum, unpack_base(base, handle));
                at += added ? 1 : 0;
            }
            while (!added) {
                const affine base = load_base(handles[at]);
                if (!ec_is_infinity(base))
                    sum = ec_double_or_add(sum, base, true);
                empty = ec_is_infinity(sum);
                at++;
                added = true;
            }
        }
        adds += r.count - 1; // the run's first point is no addition
        const bool whole = r.piece == MSM_KEY_NONE;
        store_point(whole ? push.buckets + r.bucket : push.pieces + place_of(r),
                    ec_select(empty, sum, ec_infinity()));
    }
    if (adds != 0)
        atomicAdd(index[push.adds], adds);
}
