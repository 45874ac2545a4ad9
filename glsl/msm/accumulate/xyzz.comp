/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// The accumulator `xyzz`: each thread walks its share of the sorted entries and adds up every run
// of points of one bucket, without inversions.
//
//     begin, end = cuts t and t + 1
//     for each entry in begin .. end:
//         if it is not of the bucket of the run in hand:
//             end the run in hand
//             open_left = the new bucket has entries before begin
//             sum = the bucket's sum of earlier chunks if it is to be resumed and not open_left,
//                   otherwise empty
//         load the entry's base and the next entry; sum += base
//     end the run in hand; open_right = its bucket has entries from end on
//     to end a run: store its sum in the bucket, or in a piece if it is open_left or open_right
//
// Two invariants of a bucket that cuts split (run.glsl):
// - It has one writer. A run that is open on a side goes to a piece of its thread's own, and only
//   msm/combine, after all threads, writes the bucket; so threads need no atomics or barriers.
// - Its pieces are neighbours. Thread t has pieces 2 t, of a run that is open_left, and 2 t + 1, of
//   one that is open_right alone; a share inside one bucket fills both, the second with infinity.
//   So msm/combine adds up stretches of equal keys.
//
// The loop holds one addition and, for a run that ends, one store. A flag says that the sum is
// empty: no coordinate is compared for it. The next entry is on its way during an addition.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_ACCUMULATE_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;
layout(constant_id = MSM_SPEC_PLACEMENT) const uint PLACEMENT = MSM_PLACEMENT_PRIVATE;

#define EC_SUM_SHARED (PLACEMENT == MSM_PLACEMENT_WORKGROUP)
#include "../points.glsl"
#include "share.glsl"

void main()
{
    const uint thread = gl_GlobalInvocationID.x;
    if (thread >= push.threads)
        return;
    place at = cut_at(thread);
    const place end = cut_at(thread + 1);
    index[push.keys + 2 * thread] = MSM_KEY_NONE;
    index[push.keys + 2 * thread + 1] = MSM_KEY_NONE;

    uint count = at.window < push.windows ? start_of(at.window, push.window_buckets) : 0;
    bool more = seek(at, count, end);
    if (!more)
        return;
    uvec2 entry = entries[at.window * push.n + at.position];
    uint entry_window = at.window;
    // Only the first run of a share can have begun before it.
    bool begun = start_of(at.window, entry.x) < at.position;

    uint key = MSM_KEY_NONE, window = 0; // bucket of the run in hand
    bool open_left = false, empty = true;
    uint adds = 0;
    xyzz sum = ec_infinity();
    for (;;) {
        if (!more || entry.x != key || entry_window != window) {
            if (key != MSM_KEY_NONE) {
                const bool open_right =
                    !more && window == end.window && start_of(window, key + 1) > end.position;
                const uint target =
                    end_run(push.keys, push.pieces, thread, push.buckets,
                            window * push.window_buckets + key, open_left, open_right);
                if (empty)
                    store_infinity(target);
                else
                    store_sum_of_run(target, ec_sum_end(sum));
            }
            if (!more)
                break;
            open_left = begun;
            begun = false;
            key = entry.x;
            window = entry_window;
            empty = true;
            // The bucket may have a sum from an earlier chunk; the first piece of a run takes it.
            if (push.resume != 0 && !open_left) {
                const xyzz left = load_point(push.buckets + window * push.window_buckets + key);
                empty = ec_is_infinity(left);
                ec_sum_begin(sum, left);
                adds += empty ? 0 : 1;
            }
        } else {
            adds++;
        }
        const uint handle = entry.y;
        const packed_affine base = load_packed_base(handle);
        at.position++;
        more = seek(at, count, end);
        entry_window = at.window;
        if (more)
            entry = entries[at.window * push.n + at.position];
        if (!is_infinity(base))
            ec_accumulate(sum, empty, unpack_base(base, handle));
    }
    if (adds != 0)
        atomicAdd(index[push.adds], adds);
}
