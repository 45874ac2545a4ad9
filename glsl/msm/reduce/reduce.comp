/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// A pass of the bucket reduction by quads of four invocations. In pairs a lane of a quad is two
// neighbouring ones, one for each coefficient of its coordinate (field/fp2_pair.glsl).
//
// The bucket reduction: for each window the sum of k times element k, k = 1 .. 2^log2_buckets, in
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
// A job is a chain of additions by one quad, or, where there are few, the work of a team of four:
// sums of eight in the three steps of steps.glsl. Where there are many, msm/reduce/wide does
// the pass in the same steps. All leave the same elements.
//
// When all levels and lists are done, each level has few elements that count: E_1 .. E_4, or what
// the last level made. Pass `levels` + 1 weighs those with a running sum, and the last one goes
// from level to level with three doublings. Or there is no last one, and the levels' sums are parts
// of the window's: who goes from window to window doubles as often on the way.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_REDUCE_WORKGROUP) in;

#define QUAD_DIFFERENCE
#include "../../ec/quad.glsl"
#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_reduce_push push; };
// Quads of a team read what the others have written.
layout(binding = 0, std430) coherent buffer Points { uvec4 points[]; };
layout(binding = 1, std430) writeonly buffer Windows { uvec4 windows[]; };

#include "../points_rw.glsl"
#include "steps.glsl"

#define KIND_LEVEL   0u
#define KIND_LIST    1u
#define KIND_WEIGH   2u
#define KIND_WINDOWS 3u
#define KIND_TEAM    4u

void store_window(uint at, FE a)
{
    uvec4 v[FE_VECTORS];
    pack_coordinate(a, v);
    for (uint i = 0; i < FE_VECTORS; i++)
        windows[at * XYZZ_VECTORS + FE_PLACE(quad_lane()) + i] = v[i];
}

// This quad's job, alone or as a member of a team.
uint kind, level = 0, column = 0, index = 0, window;
uint job, member;
bool inside;
uint base;  // elements of the last level
uint most;  // elements to weigh
uint steps; // steps of all quads in the workgroup

uint window_buckets()
{
    return 1u << push.log2_buckets;
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

// Fetches an element by its number in level 0. Infinity beyond the window, and for 0.
void fetch(uint element, out uvec4 v[FE_VECTORS])
{
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = uvec4(0);
    if (inside && element != 0 && element <= window_buckets())
        fetch_coordinate((push.buckets + window * window_buckets() + element - 1) * XYZZ_VECTORS +
                             FE_PLACE(quad_lane()),
                         v);
}

void store_element(uint element, uint part, FE a)
{
    store_lane(push.buckets + window * window_buckets() + element - 1, part, a);
}

// Negates an element, by the lane that has y.
void negate(uint element)
{
    const uint at = push.buckets + window * window_buckets() + element - 1;
    store_lane(at, QUAD_Y, fe_neg(load_lane(at, QUAD_Y)));
}

uint log2_base()
{
    return push.log2_buckets - scale * push.levels;
}

// log2 of the elements that a team weighs, and its steps before the first sum is added.
uint weigh_bits(uint of_level)
{
    return of_level < push.levels ? 2 : log2_base();
}

uint weigh_begin(uint bits)
{
    return max((1u << bits) / 2, 2) - 1;
}

// Steps of all teams.
uint team_steps()
{
    if (push.pass < push.levels)
        return MSM_REDUCE_STEPS;
    if (push.pass == push.levels)
        return log2_base() + 1;
    const uint bits = max(weigh_bits(0), log2_base());
    return bits == 0 ? 0 : weigh_begin(bits) + 2 * bits - 1;
}

// The sum of k times element k, k = 1 .. 2^bits, by the bits of k: B_i is the sum of the elements
// below 2^bits whose number has bit i, gathered in element 2^i by member i. Element 2^bits is
// doubled beside that, takes B_i from the top one down and is doubled in between.
bool find_weighing(uint step, out addition a)
{
    const uint bits = weigh_bits(job), top = 1u << bits, begin = weigh_begin(bits);
    a = addition(0, 0, 0, false, false);
    uint left = top, right = top, sum = top;
    bool found = member == MSM_REDUCE_TEAM - 1;
    if (step < begin) {
        if (member < bits && step + 1 < top / 2) {
            // Number step + 1 of those that have the bit.
            const uint t = step + 1, low = (1u << member) - 1;
            left = 1u << member;
            right = (t & ~low) << 1 | left | t & low;
            sum = left;
            found = true;
        } else {
            found = found && step == 0;
        }
    } else if (((step - begin) & 1) == 0) {
        right = top >> 1 + (step - begin) / 2;
        sum = right == 1 ? 1 : top;
        found = found && step - begin < 2 * bits;
    } else {
        found = found && step - begin + 1 < 2 * bits;
    }
    const uint shift = scale * job;
    a.left = left << shift;
    a.right = right << shift;
    a.sum = sum << shift;
    return found;
}

// Finds the addition of this member in a step of its team.
bool find_of_team(uint step, out addition a)
{
    if (push.pass > push.levels)
        return find_weighing(step, a);
    if (push.pass < push.levels) {
        const uint count = window_buckets() >> (scale * push.pass + scale), at = job % count;
        return find_addition(job / count, at, at + 1 == count, member, step, a);
    }
    const bool found = find_addition(job + 1, 0, true, member, step, a);
    if (step < log2_base())
        return found && member < base / 2 >> step;
    // The last group of a level stored a sum elsewhere: see below.
    a.left = job % 4 + 1 << (scale * (job / 4));
    a.right = window_buckets() - a.left;
    a.sum = a.left;
    return member == 0 && job % 4 != 3;
}

void main()
{
    const uint quad = grid_index() / QUAD_INVOCATIONS;
    const bool team = push.team > 1;
    member = quad % push.team;
    job = quad / push.team % push.quads;
    window = quad / push.team / push.quads;
    inside = window < push.windows;
    base = 1u << log2_base();

    // begin: the first operand, an element or infinity; target: the place of the result.
    uint begin = 0, target;
    if (team) {
        kind = KIND_TEAM;
        steps = team_steps();
        if (push.pass == push.levels + 1 && weigh_bits(job) == 0)
            begin = 1u << (scale * job);
    } else if (push.pass <= push.levels) {
        const bool last = push.pass == push.levels;
        const uint count = last ? 1 : window_buckets() >> (scale * push.pass + scale);
        const uint number = job / count + (last ? 1 : 0);
        index = job % count;
        kind = number == 0 ? KIND_LEVEL : KIND_LIST;
        level = (number - 1) / 4;
        column = (number - 1) % 4 + 1;
        steps = last ? base : push.pass == 0 ? 7 : 8;
        target = kind == KIND_LEVEL
                     ? (8 * index + 8) << (scale * push.pass)
                     : ((8 * index) << (scale * push.pass)) + (column << (scale * level));
        // The last group of a level stored a sum elsewhere: see below.
        if (kind == KIND_LIST && column < 4 && last)
            begin = window_buckets() - (column << (scale * level));
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
        begin = 1u << (scale * push.levels); // the last level's sum
        target = 0;
    }

    // Operands are on their way while the step before is computed, unless others make them.
    uvec4 left[FE_VECTORS], right[FE_VECTORS];
    fetch(begin, left);
    FE sum = unpack_coordinate_loose(left), other = sum;
    uvec2 next = team ? uvec2(0) : operands(0);
    fetch(next.x, left);
    fetch(next.y, right);
    for (uint step = 0; step < steps; step++) {
        addition a_of_team;
        if (team) {
            memoryBarrierBuffer();
            barrier();
            next = uvec2(0);
            if (find_of_team(step, a_of_team) && inside)
                next = uvec2(a_of_team.left, a_of_team.right);
            fetch(next.x, left);
            fetch(next.y, right);
        }
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
        if (!team) {
            next = step + 1 < steps ? operands(step + 1) : uvec2(0);
            fetch(next.x, left);
            fetch(next.y, right);
        }

        bool both;
        FE difference;
        uint part;
        const FE result = quad_add(a, b, both, difference, part);
        // The last group's upper elements are missing: their place is beyond the window.
        if (kind == KIND_LEVEL && to_other && inside)
            store_element(now.x <= window_buckets() ? now.x : now.y, part, difference);
        if (team && now.x != 0) {
            store_element(a_of_team.sum, quad_lane(), result);
            if (a_of_team.difference)
                store_element(now.x, part, difference);
            if (a_of_team.negative && quad_lane() == QUAD_Y)
                negate(now.y);
        }
        sum = fe_select(to_other, result, sum);
        other = fe_select(to_other, other, result);
    }
    if (!inside)
        return;
    // A team asks once more: this is what its last member had last.
    const bool weighed = push.pass == push.levels + 1 && push.parts > 1;
    if (kind == KIND_WINDOWS || weighed && member + 1 == push.team)
        store_window(push.first_out + window * push.parts + (weighed ? job : 0), sum);
    else if (!team)
        store_element(target, quad_lane(), sum);
}
