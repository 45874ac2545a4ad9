#version 460
// The accumulator `xyzz`: each thread walks its share of the sorted entries and adds up every run
// of points of one bucket, without inversions.
//
// The loop holds one addition and, for a run that ends, one store. Whether the sum is empty is a
// flag: no coordinate is compared for it.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "points.glsl"

layout(local_size_x = MSM_ACCUMULATE_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;

#include "share.glsl"

void main()
{
    const uint thread = gl_GlobalInvocationID.x;
    if (thread >= push.threads)
        return;
    uint row = index[push.cuts + 2 * thread];
    uint position = index[push.cuts + 2 * thread + 1];
    const uint end_row = index[push.cuts + 2 * thread + 2];
    const uint end_position = index[push.cuts + 2 * thread + 3];
    index[push.keys + 2 * thread] = MSM_KEY_NONE;
    index[push.keys + 2 * thread + 1] = MSM_KEY_NONE;

    uint count = row < push.rows ? start_of(row, push.stride) : 0;
    uint key = MSM_KEY_NONE; // of the run in hand, in run_row
    uint run_row = 0;
    bool open_left = false, empty = true;
    uint adds = 0;
    xyzz sum = ec_infinity();
    for (;;) {
        while (row < push.rows && position >= count) {
            row++;
            position = 0;
            count = row < push.rows ? start_of(row, push.stride) : 0;
        }
        // Also where the cuts are not what the planner makes: every thread ends.
        const bool done =
            row >= push.rows || row > end_row || row == end_row && position >= end_position;
        uvec2 entry = uvec2(MSM_KEY_NONE, 0);
        if (!done)
            entry = entries[row * push.n + position];
        if (done || entry.x != key || row != run_row) {
            if (key != MSM_KEY_NONE) {
                const bool open_right =
                    done && run_row == end_row && start_of(run_row, key + 1) > end_position;
                if (empty)
                    sum = ec_infinity();
                close_run(push.keys, push.pieces, thread, push.buckets, run_row * push.stride + key,
                          sum, open_left, open_right);
            }
            if (done)
                break;
            // Only the first run of a share can have begun before it.
            open_left = start_of(row, entry.x) < position;
            key = entry.x;
            run_row = row;
            empty = true;
            // What a chunk before this one has left; the first piece of a run has it.
            if (push.resume != 0 && !open_left) {
                sum = load_point(push.buckets + row * push.stride + key);
                empty = ec_is_infinity(sum);
                adds += empty ? 0 : 1;
            }
        } else {
            adds++;
        }
        position++;
        packed_affine base = load_packed_base(entry.y);
        if (!is_infinity(base))
            ec_accumulate(sum, empty, unpack_base(base, entry.y));
    }
    if (adds != 0)
        atomicAdd(index[push.adds], adds);
}
