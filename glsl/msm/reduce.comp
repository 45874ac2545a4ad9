#version 460
// One level of the bucket reduction: the sum over buckets of (key + 1) * bucket, for each row.
//
// With keys cut as i = G q + r,  sum_i i B_i = sum_q (sum_r r B_{Gq+r}) + G sum_q q (sum_r
// B_{Gq+r}): a group's plain sum A goes on as element q of the next level, and its weighted sum
// joins the rest U, scaled by what a step of this level is worth. One quad for each group; the
// weighted sum is the usual running sum (2 additions for each element), and a doubling is an
// addition to itself, so the kernel holds the addition once.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "points.glsl"

layout(local_size_x = MSM_REDUCE_WORKGROUP) in;

#include "../ec/quad.glsl"
#include "../lib/grid.glsl"

layout(push_constant) uniform Push { msm_reduce_push push; };
layout(binding = 0, std430) buffer Points { uvec4 points[]; };
layout(binding = 1, std430) writeonly buffer Windows { uvec4 windows[]; };

#include "points_rw.glsl"

void store_window(uint at, FE a)
{
    uvec4 v[FE_VECTORS];
    pack_coordinate(a, v);
    for (uint i = 0; i < FE_VECTORS; i++)
        windows[(at * 4 + quad_lane()) * FE_VECTORS + i] = v[i];
}

// The steps of a group, in order: for r = G-1 .. 1: sum += A[r], weighted += sum; then sum += A[0];
// then `doublings` times weighted += weighted; then for all r weighted += U[r]; on the last level
// weighted += sum. A group that is not full has infinity for what it lacks: all quads of a
// workgroup go through the same steps.
void main()
{
    // Rows may have fewer groups than a workgroup has quads, so quads are numbered over both.
    const uint quad = grid_index() / QUAD_LANES;
    const uint row = quad / push.n_out, group = quad % push.n_out;
    const bool inside = row < push.rows;
    const uint first = row * push.n + (group << push.log2_group);
    const uint full = min(1u << push.log2_group, push.n);
    const uint size = inside ? min(full, push.n - (group << push.log2_group)) : 0;
    const uint running_steps = 2 * full - 1;
    const uint doubled = running_steps + push.doublings;
    const uint rests = doubled + (push.rests_in == MSM_KEY_NONE ? 0 : full);
    const uint steps = rests + push.last;

    FE sum = fe_zero(), weighted = fe_zero();
    for (uint step = 0; step < steps; step++) {
        const bool to_sum = step < running_steps && (step & 1) == 0;
        FE term = fe_zero();
        if (to_sum) {
            const uint r = full - 1 - step / 2;
            if (r < size)
                term = load_lane(push.sums_in + first + r, quad_lane());
        } else if (step < running_steps || step >= rests) {
            term = sum;
        } else if (step < doubled) {
            term = weighted;
        } else if (step - doubled < size) {
            term = load_lane(push.rests_in + first + step - doubled, quad_lane());
        }
        bool both;
        const FE result = quad_add(fe_select(to_sum, weighted, sum), term, both);
        sum = fe_select(to_sum, sum, result);
        weighted = fe_select(to_sum, result, weighted);
    }
    if (!inside)
        return;
    if (push.last != 0) {
        store_window(push.first_out + row, weighted);
    } else {
        store_lane(push.sums_out + row * push.n_out + group, quad_lane(), sum);
        store_lane(push.rests_out + row * push.n_out + group, quad_lane(), weighted);
    }
}
