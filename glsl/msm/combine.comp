#version 460
// Joins the pieces of buckets that were cut: each thread adds up the runs of equal buckets among
// its MSM_COMBINE_SLOTS pieces and leaves at most two pieces to the next level. The last level has
// one thread, so a bucket in k pieces costs no chain longer than MSM_COMBINE_SLOTS * log k.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "points.glsl"

layout(local_size_x = MSM_COMBINE_WORKGROUP) in;

layout(push_constant) uniform Push { msm_combine_push push; };
layout(binding = 0, std430) buffer Index { uint index[]; };
layout(binding = 1, std430) buffer Points { uvec4 points[]; };

#include "points_rw.glsl"
#include "run.glsl"

uint bucket_of(uint piece)
{
    return piece < push.n ? index[push.keys_in + piece] : MSM_KEY_NONE;
}

void main()
{
    const uint thread = gl_GlobalInvocationID.x;
    if (thread >= push.threads)
        return;
    const uint first = thread * MSM_COMBINE_SLOTS;
    const uint end = min(first + MSM_COMBINE_SLOTS, push.n);
    index[push.keys_out + 2 * thread] = MSM_KEY_NONE;
    index[push.keys_out + 2 * thread + 1] = MSM_KEY_NONE;

    uint run = MSM_KEY_NONE;
    bool open_left = false;
    uint adds = 0;
    xyzz sum = ec_infinity();
    for (uint piece = first; piece <= end; piece++) {
        const uint bucket = piece < end ? bucket_of(piece) : MSM_KEY_NONE;
        if (bucket != run) {
            if (run != MSM_KEY_NONE) {
                const bool open_right = piece == end && bucket_of(end) == run;
                close_run(push.keys_out, push.pieces_out, thread, push.buckets, run, sum, open_left,
                          open_right);
            }
            open_left = piece == first && first != 0 && bucket_of(first - 1) == bucket;
            run = bucket;
            sum = ec_infinity();
        }
        if (bucket != MSM_KEY_NONE) {
            const xyzz next = load_point(push.pieces_in + piece);
            if (!ec_is_infinity(sum) && !ec_is_infinity(next))
                adds++;
            sum = ec_add(sum, next);
        }
    }
    if (adds != 0)
        atomicAdd(index[push.adds], adds);
}
