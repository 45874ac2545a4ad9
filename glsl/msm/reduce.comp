#version 460
// One level of the bucket reduction: the sum over buckets of (key + 1) * bucket, for each row.
//
// With keys cut as i = G q + r,  sum_i i B_i = sum_q (sum_r r B_{Gq+r}) + G sum_q q (sum_r
// B_{Gq+r}): a group's plain sum A goes on as element q of the next level, and its weighted sum
// joins the rest U, scaled by what a step of this level is worth. One thread for each group; the
// weighted sum is the usual running sum (2 additions for each element), and a doubling is an
// addition to itself, so the kernel holds the addition once.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "points.glsl"

layout(local_size_x = MSM_REDUCE_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { msm_reduce_push push; };
layout(binding = 0, std430) buffer Points { uvec4 points[]; };
layout(binding = 1, std430) writeonly buffer Windows { uvec4 windows[]; };

#include "points_rw.glsl"

void store_window(uint at, xyzz a)
{
    const FE coordinate[4] = FE[](a.x, a.y, a.zz, a.zzz);
    for (uint c = 0; c < 4; c++) {
        uvec4 v[FE_VECTORS];
        pack_coordinate(coordinate[c], v);
        for (uint i = 0; i < FE_VECTORS; i++)
            windows[(at * 4 + c) * FE_VECTORS + i] = v[i];
    }
}

// The steps of a group, in order: for r = G-1 .. 1: sum += A[r], weighted += sum; then sum += A[0];
// then `doublings` times weighted += weighted; then for all r weighted += U[r]; on the last level
// weighted += sum.
void main()
{
    // Rows may have fewer groups than a workgroup has threads, so threads are numbered over both.
    const uint thread = grid_index();
    const uint row = thread / push.n_out, group = thread % push.n_out;
    if (row >= push.rows)
        return;
    const uint first = row * push.n + (group << push.log2_group);
    const uint size = min(1u << push.log2_group, push.n - (group << push.log2_group));
    const uint running_steps = 2 * size - 1;
    const uint doubled = running_steps + push.doublings;
    const uint rests = doubled + (push.rests_in == MSM_KEY_NONE ? 0 : size);
    const uint steps = rests + push.last;

    xyzz sum = ec_infinity(), weighted = ec_infinity();
    for (uint step = 0; step < steps; step++) {
        const bool to_sum = step < running_steps && (step & 1) == 0;
        xyzz term;
        if (to_sum)
            term = load_point(push.sums_in + first + size - 1 - step / 2);
        else if (step < running_steps || step >= rests)
            term = sum;
        else if (step < doubled)
            term = weighted;
        else
            term = load_point(push.rests_in + first + step - doubled);
        const xyzz result = ec_add(ec_select(to_sum, weighted, sum), term);
        sum = ec_select(to_sum, sum, result);
        weighted = ec_select(to_sum, result, weighted);
    }
    if (push.last != 0) {
        store_window(push.first_out + row, weighted);
    } else {
        store_point(push.sums_out + row * push.n_out + group, sum);
        store_point(push.rests_out + row * push.n_out + group, weighted);
    }
}
