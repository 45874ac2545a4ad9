#version 460
// msm/accumulate for software drivers, where an invocation is a lane of a vector and both sides of
// every branch are run: what is done once a run and once for equal points is outside of the loop
// that adds, and additions go straight through (ec/straight.glsl). Lanes wait in that loop for the
// longest of their runs.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_ACCUMULATE_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;

#include "../ec/straight.glsl"
#include "points.glsl"
#include "share.glsl"

xyzz begin_run(uint row, uint key, bool open_left, inout uint adds)
{
    // What a chunk before this one has left; the first piece of a run has it.
    if (push.resume == 0 || open_left)
        return ec_infinity();
    const xyzz left = load_point(push.buckets + row * push.stride + key);
    adds += ec_is_infinity(left) ? 0 : 1;
    return left;
}

void main()
{
    const uint thread = gl_GlobalInvocationID.x;
    if (thread >= push.threads)
        return;
    place at = cut_at(thread);
    const place end = cut_at(thread + 1);
    index[push.keys + 2 * thread] = MSM_KEY_NONE;
    index[push.keys + 2 * thread + 1] = MSM_KEY_NONE;

    uint count = at.row < push.rows ? start_of(at.row, push.stride) : 0;
    if (!seek(at, count, end))
        return;
    uint key = entries[at.row * push.n + at.position].x, adds = 0;
    // Only the first run of a share can have begun before it.
    bool more = true, open_left = start_of(at.row, key) < at.position;
    xyzz sum = begin_run(at.row, key, open_left, adds);
    bool empty = ec_is_infinity(sum);
    while (more) {
        // The run's last entry in this share is before `last`; bounds that are not the planner's
        // end it all the same.
        const uint next = start_of(at.row, key + 1);
        uint last = min(next, at.row == end.row ? end.position : count);
        last = max(last, at.position + 1);
        bool distinct = true;
        while (distinct && at.position < last) {
            const uint handle = entries[at.row * push.n + at.position].y;
            const packed_affine base = load_packed_base(handle);
            if (!is_infinity(base)) {
                distinct = ec_add_distinct(sum, empty, unpack_base(base, handle));
                empty = false;
            }
            at.position += distinct ? 1 : 0;
            adds += distinct ? 1 : 0;
        }
        if (!distinct) {
            const uint handle = entries[at.row * push.n + at.position].y;
            sum = ec_double_or_add(sum, load_base(handle), true);
            empty = ec_is_infinity(sum);
            at.position++;
            adds++;
        }
        if (at.position >= last) {
            const uint row = at.row;
            more = seek(at, count, end);
            const bool open_right = !more && row == end.row && next > end.position;
            close_run(push.keys, push.pieces, thread, push.buckets, row * push.stride + key, sum,
                      open_left, open_right);
            adds--; // the run's first point is no addition
            open_left = false;
            if (more) {
                key = entries[at.row * push.n + at.position].x;
                sum = begin_run(at.row, key, false, adds);
                empty = ec_is_infinity(sum);
            }
        }
    }
    if (adds != 0)
        atomicAdd(index[push.adds], adds);
}
