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
// Where a level has many groups, msm/reduce_wide does its pass, and leaves the same elements.
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

// What this quad does.
uint kind, level = 0, column = 0, index = 0, row;
bool inside;
uint base;  // elements of the last level
uint most;  // elements to weigh
uint steps; // of all quads in the workgroup

const uint scale = 3; // log2 of what a level makes of an element

uint stride()
{
    return 1u << push.log2_stride;
}

// The elements that a step takes, by their numbers in level 0; 0: it takes what is in hand.
uvec2 operands(uint step)
{
    const uint shift = scale * push.pass;
    if (kind == KIND_LEVEL) {
        const uint middle = 8 * index + 8, j = (step + 1) / 2;
        if (step == 0)
            return uvec2(middle, middle + 4) << shift;
        return (step & 1) == 1 && step < 7 ? uvec2(middle + j, middle - j) << shift : uvec2(0);
    }
    if (kind == KIND_LIST)
        return uvec2(0, ((8 * index + step) << shift) + (column << (scale * level)));
    if (kind == KIND_WEIGH) {
        const uint k = steps / 2 - step / 2;
        return uvec2(0, (step & 1) == 0 && k <= most ? k << (scale * level) : 0);
    }
    return uvec2(0, step % 4 == 3 ? 1u << (scale * (push.levels - 1 - step / 4)) : 0);
}

// Of an element by its number in level 0. Infinity beyond the row, and for 0.
void fetch(uint element, out uvec4 v[FE_VECTORS])
{
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = uvec4(0);
    if (inside && element != 0 && element <= stride())
        fetch_coordinate((push.buckets + row * stride() + element - 1) * XYZZ_VECTORS +
                             quad_lane() * FE_VECTORS,
                         v);
}

void store_element(uint element, uint part, FE a)
{
    store_lane(push.buckets + row * stride() + element - 1, part, a);
}

void main()
{
    const uint quad = grid_index() / QUAD_LANES, job = quad % push.quads;
    row = quad / push.quads;
    inside = row < push.rows;
    base = 1u << (push.log2_stride - scale * push.levels);

    // What is in hand at first, an element or infinity, and where the result goes.
    uint begin = 0, target;
    if (push.pass <= push.levels) {
        const bool last = push.pass == push.levels;
        const uint count = last ? 1 : stride() >> (scale * push.pass + scale);
        const uint number = job / count + (last ? 1 : 0);
        index = job % count;
        kind = number == 0 ? KIND_LEVEL : KIND_LIST;
        level = (number - 1) / 4;
        column = (number - 1) % 4 + 1;
        steps = last ? base : push.pass == 0 ? 7 : 8;
        target = kind == KIND_LEVEL
                     ? (8 * index + 8) << (scale * push.pass)
                     : ((8 * index) << (scale * push.pass)) + (column << (scale * level));
        // What the last group of a level had to store elsewhere: see below.
        if (kind == KIND_LIST && column < 4 && last)
            begin = stride() - (column << (scale * level));
    } else if (push.pass == push.levels + 1) {
        kind = KIND_WEIGH;
        level = job;
        most = level < push.levels ? 4 : base;
        const uint longest = max(base, push.levels == 0 ? 0 : 4);
        steps = 2 * longest - 2;
        begin = longest <= most ? longest << (scale * level) : 0;
        target = 1u << (scale * level);
    } else {
        kind = KIND_WINDOWS;
        steps = 4 * push.levels;
        begin = 1u << (scale * push.levels); // where the last level's sum is
        target = 0;
    }

    // Operands are on their way while the step before is computed.
    uvec4 left[FE_VECTORS], right[FE_VECTORS];
    fetch(begin, left);
    FE sum = unpack_coordinate_loose(left), other = sum;
    uvec2 next = operands(0);
    fetch(next.x, left);
    fetch(next.y, right);
    for (uint step = 0; step < steps; step++) {
        const uvec2 now = next;
        bool to_other = false;
        FE a = sum, b = other;
        if (kind == KIND_LEVEL) {
            to_other = (step & 1) == 1 && step < 7;
            if (step == 7)
                b = fe_zero();
        } else if (kind == KIND_WEIGH) {
            to_other = (step & 1) == 0;
            if (to_other) {
                a = other;
                b = unpack_coordinate_loose(right);
            }
        } else if (kind == KIND_WINDOWS) {
            b = sum;
        }
        if (now.x != 0)
            a = unpack_coordinate_loose(left);
        if (now.y != 0)
            b = unpack_coordinate_loose(right);
        next = step + 1 < steps ? operands(step + 1) : uvec2(0);
        fetch(next.x, left);
        fetch(next.y, right);

        bool both;
        FE difference;
        uint part;
        const FE result = quad_add(a, b, both, difference, part);
        // The last group's upper elements are missing: their place is beyond the row.
        if (kind == KIND_LEVEL && to_other && inside)
            store_element(now.x <= stride() ? now.x : now.y, part, difference);
        sum = fe_select(to_other, result, sum);
        other = fe_select(to_other, other, result);
    }
    if (!inside)
        return;
    if (kind == KIND_WINDOWS)
        store_window(push.first_out + row, sum);
    else
        store_element(target, quad_lane(), sum);
}
