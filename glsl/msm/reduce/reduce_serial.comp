/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// The bucket reduction for software drivers, which pay for every barrier and run both sides of
// every branch: for each window the sum of k times element k, k = 1 .. 2^log2_buckets, with two
// passes and an invocation for each chain of additions.
//
// Elements are cut into segments of L = 2^log2_segment. Pass 0 leaves in the first two elements of
// segment g the sums
//   S_g = sum of i V_(gL+i+1),  T_g = sum of V_(gL+i+1),  i = 0 .. L - 1,
// and pass 1 has from them, in the same way, what there is to know:
//   sum of k V_k = L (sum of g T_g) + (sum of T_g) + (sum of S_g).
// Where a window is one segment, pass 0 adds S_0 and T_0, and is all.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_REDUCE_SERIAL_WORKGROUP) in;

#include "../../ec/straight.glsl"
#include "../../lib/grid.glsl"
#include "../points.glsl"

layout(push_constant) uniform Push { msm_reduce_serial_push push; };
layout(binding = 0, std430) buffer Points { uvec4 points[]; };
layout(binding = 1, std430) writeonly buffer Windows { uvec4 windows[]; };

#include "../points_rw.glsl"

#define SUM_WEIGHTED 0u
#define SUM_PLAIN    1u
#define SUM_REST     2u

void store_window(uint at, xyzz sum)
{
    const FE coordinates[4] = {sum.x, sum.y, sum.zz, sum.zzz};
    [[unroll]] for (uint c = 0; c < 4; c++) {
        uvec4 v[FE_VECTORS];
        pack_coordinate(coordinates[c], v);
        [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
            windows[(at * 4 + c) * FE_VECTORS + i] = v[i];
    }
}

void main()
{
    const uint segments = 1u << (push.log2_buckets - push.log2_segment);
    const bool joins = push.pass == 1, whole = joins || segments == 1;
    const uint job = grid_index(), window = joins ? job : job / segments;
    if (window >= push.windows)
        return;
    const uint log2_apart = joins ? push.log2_segment : 0;
    const uint count = joins ? segments : 1u << push.log2_segment;
    const uint first = push.buckets + (window << push.log2_buckets) +
                       (joins ? 0 : job % segments << push.log2_segment);

    // Adds over elements from the last one down: weighted += plain, plain += V or T_g, rest += S_g.
    // Then weighted is doubled, and the others are added. One addition a step: a kernel holds it
    // once.
    const uint round = joins ? 3 : 2, rounds = round * count;
    const uint doublings = joins ? push.log2_segment : 0;
    const uint steps = rounds + (whole ? doublings + round - 1 : 0);
    xyzz weighted = ec_infinity(), plain = weighted, rest = weighted;
    for (uint step = 0; step < steps; step++) {
        const bool ends = step >= rounds;
        const uint target = ends ? SUM_WEIGHTED : step % round;
        xyzz a = ec_select(target == SUM_PLAIN, weighted, plain);
        a = ec_select(target == SUM_REST, a, rest);
        xyzz b = ec_select(ends && step - rounds < doublings, plain, weighted);
        b = ec_select(ends && step - rounds > doublings, b, rest);
        if (target != SUM_WEIGHTED)
            b = load_point(first + (count - 1 - step / round << log2_apart) +
                           (joins && target == SUM_PLAIN ? 1 : 0));
        const xyzz sum = ec_add(a, b);
        weighted = ec_select(target == SUM_WEIGHTED, weighted, sum);
        plain = ec_select(target == SUM_PLAIN, plain, sum);
        rest = ec_select(target == SUM_REST, rest, sum);
    }
    if (whole) {
        store_window(push.first_out + window, weighted);
    } else {
        store_point(first, weighted);
        store_point(first + 1, plain);
    }
}
