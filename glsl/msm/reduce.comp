#version 460
// The bucket reduction: for each row the sum of k times element k, k = 1 .. 2^log2_stride, in
// passes that overwrite the buckets.
//
// A level makes elements that count eightfold of the elements around multiples of eight:
//   sum of k V_k = 8 (sum of q P_q) + (sum of j E_j, j = 1 .. 4)
//   P_q = V_{8q-3} + ... + V_{8q+4},  E_j = sum over q of V_{8q+j} - V_{8q-j},  E_4 = sum of
//   V_{8q+4}
// where what lies outside 1 .. n is infinity, and P_0 counts for nothing. V_{8q+j} + V_{8q-j} and
// their difference are made together (ec/quad.glsl) for little more than one addition, and the
// difference takes the place of V_{8q+j}; P_q takes that of V_8q. So nothing but buckets is needed,
// element k of level l is bucket 8^l k - 1, and a level leaves four lists of E_j to be summed,
// which the passes of the next levels do beside these: each pass makes an eighth of every list.
//
// When all levels and lists are done, each level has few elements that count: E_1 .. E_4, or what
// the last level made. Pass `levels` + 1 weighs those with a running sum, and the last one goes
// from level to level with three doublings.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "points.glsl"

layout(local_size_x = MSM_REDUCE_WORKGROUP) in;

#define QUAD_DIFFERENCE
#include "../ec/quad.glsl"
#include "../lib/grid.glsl"

layout(push_constant) uniform Push { msm_reduce_push push; };
layout(binding = 0, std430) buffer Points { uvec4 points[]; };
layout(binding = 1, std430) writeonly buffer Windows { uvec4 windows[]; };

#include "points_rw.glsl"

#define KIND_LEVEL   0u
#define KIND_LIST    1u
#define KIND_WEIGH   2u
#define KIND_WINDOWS 3u

void store_window(uint at, FE a)
{
    uvec4 v[FE_VECTORS];
    pack_coordinate(a, v);
    for (uint i = 0; i < FE_VECTORS; i++)
        windows[(at * 4 + quad_lane()) * FE_VECTORS + i] = v[i];
}

void main()
{
    const uint quad = grid_index() / QUAD_LANES;
    const uint row = quad / push.quads, job = quad % push.quads;
    const bool inside = row < push.rows;
    const uint stride = 1u << push.log2_stride;
    const uint before = push.buckets + row * stride - 1; // element 1 of level 0 is the one after it
    const uint base = 1u << (push.log2_stride - 3 * push.levels); // elements of the last level

    // What this quad does, in how many steps all of the workgroup do it, and where the result goes.
    uint kind, level = 0, column = 0, index = 0, steps, target;
    bool ends = false; // the last job of a level or list
    if (push.pass <= push.levels) {
        const bool last = push.pass == push.levels;
        const uint count = last ? 1 : stride >> (3 * push.pass + 3);
        const uint number = job / count + (last ? 1 : 0);
        index = job % count;
        ends = index + 1 == count;
        kind = number == 0 ? KIND_LEVEL : KIND_LIST;
        level = (number - 1) / 4;
        column = (number - 1) % 4 + 1;
        steps = last ? base : push.pass == 0 ? 7 : 8;
        target = kind == KIND_LEVEL ? (8 * index + 8) << (3 * push.pass)
                                    : ((8 * index) << (3 * push.pass)) + (column << (3 * level));
    } else if (push.pass == push.levels + 1) {
        kind = KIND_WEIGH;
        level = job;
        steps = 2 * max(base, push.levels == 0 ? 0 : 4) - 2;
        target = 1u << (3 * level);
    } else {
        kind = KIND_WINDOWS;
        steps = 4 * push.levels;
        target = 1u << (3 * push.levels); // where the last level's sum is
    }
    const uint scale = 3 * push.pass; // of a pass that makes or sums elements
    const uint most = kind == KIND_WEIGH && level < push.levels ? 4 : base; // elements to weigh

    // The values in hand, at first an element each or infinity: `begin` is its number, or 0.
    uint begin = 0;
    if (kind == KIND_LIST) {
        // What the last group of a level had to store elsewhere: see below.
        if (column < 4 && level + 1 == push.pass && ends)
            begin = stride - (column << (3 * level));
    } else if (kind == KIND_WEIGH) {
        if (steps / 2 + 1 <= most)
            begin = (steps / 2 + 1) << (3 * level);
    } else if (kind == KIND_WINDOWS) {
        begin = target;
    }
    FE sum = fe_zero();
    if (begin != 0 && inside)
        sum = load_lane(before + begin, quad_lane());
    FE other = sum;

    for (uint step = 0; step < steps; step++) {
        // Operands: elements by their number in level 0, or what is in hand.
        uint left = 0, right = 0;
        FE a = sum, b = other;
        bool to_other = false;
        if (kind == KIND_LEVEL) {
            const uint middle = 8 * index + 8, j = (step + 1) / 2;
            if (step == 0) {
                left = middle << scale;
                right = (middle + 4) << scale;
            } else if ((step & 1) == 1 && step < 7) {
                left = (middle + j) << scale;
                right = (middle - j) << scale;
                to_other = true;
            } else if (step == 7) {
                b = fe_zero();
            }
        } else if (kind == KIND_LIST) {
            right = ((8 * index + step) << scale) + (column << (3 * level));
        } else if (kind == KIND_WEIGH) {
            to_other = (step & 1) == 0;
            if (to_other) {
                const uint k = steps / 2 - step / 2;
                a = other;
                b = fe_zero();
                right = k <= most ? k << (3 * level) : 0;
            }
        } else if (step % 4 == 3) {
            right = 1u << (3 * (push.levels - 1 - step / 4));
        } else {
            b = sum;
        }
        if (left != 0)
            a = fe_zero();
        if (left != 0 && left <= stride && inside)
            a = load_lane(before + left, quad_lane());
        if (right != 0)
            b = fe_zero();
        if (right != 0 && right <= stride && inside)
            b = load_lane(before + right, quad_lane());

        bool both;
        FE difference;
        uint part;
        const FE result = quad_add(a, b, both, difference, part);
        // The last group's upper elements are missing: their place is beyond the row.
        if (kind == KIND_LEVEL && to_other && inside)
            store_lane(before + (left <= stride ? left : right), part, difference);
        sum = fe_select(to_other, result, sum);
        other = fe_select(to_other, other, result);
    }
    if (!inside)
        return;
    if (kind == KIND_WINDOWS)
        store_window(push.first_out + row, sum);
    else
        store_lane(before + target, quad_lane(), sum);
}
