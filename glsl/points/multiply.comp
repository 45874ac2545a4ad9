#version 460
// Points of a first group times twiddles, in place: one quad for each, that of a butterfly's high
// half. All quads do the same steps, whatever the digits are: additions of any two points, in one
// place, and doublings, in another. Steps may be shared among dispatches.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"
#include "../msm/points.glsl"

layout(local_size_x = POINTS_QUAD_WORKGROUP) in;

layout(push_constant) uniform Push { points_multiply_push push; };
layout(binding = 0, std430) readonly buffer Twiddles { uvec4 twiddles[]; };
layout(binding = 1, std430) buffer Points { uvec4 points[]; };
layout(binding = 2, std430) buffer Table { uvec4 table[]; };

#include "../ec/quad_double.glsl"
#include "../lib/grid.glsl"

#define SUM (POINTS_SLOT - 1) // the last point of a slot

uint twiddle_of(uint butterfly)
{
    const uint block = (butterfly >> push.log_half) & ((1u << push.level) - 1);
    return push.low != 0 ? 0 : (1u << push.level) + block;
}

bool is_one(uint twiddle)
{
    const uvec4 zeros = uvec4(POINTS_ZEROS);
    const uvec4 one = uvec4(POINTS_ONE, POINTS_ZEROS, POINTS_ZEROS, POINTS_ZEROS);
    return twiddles[2 * twiddle] == one && twiddles[2 * twiddle + 1] == zeros;
}

// This lane's coordinate of point number `at` of the table.
uint table_at(uint at)
{
    return (at * 4 + quad_lane()) * FE_VECTORS;
}

void fetch(uint at, out uvec4 v[FE_VECTORS])
{
    const uint from = table_at(at);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = table[from + i];
}

FE load(uint at)
{
    uvec4 v[FE_VECTORS];
    fetch(at, v);
    return unpack_coordinate_loose(v);
}

void store(uint at, FE a)
{
    const uint to = table_at(at);
    uvec4 v[FE_VECTORS];
    pack_coordinate_loose(a, v);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        table[to + i] = v[i];
}

// The digit that a step adds; 0 for doublings.
int digit_of(uint twiddle, uint step)
{
    const uint of_digit = (step - POINTS_STEPS_BEFORE) % POINTS_STEPS_OF_DIGIT;
    if (step < POINTS_STEPS_BEFORE || step >= POINTS_STEPS || of_digit < POINTS_DIGIT_BITS)
        return 0;
    const uint digit = POINTS_DIGITS - 1 - (step - POINTS_STEPS_BEFORE) / POINTS_STEPS_OF_DIGIT;
    const uint word = twiddles[2 * twiddle + (of_digit - POINTS_DIGIT_BITS)][digit / 8];
    return int(word >> (POINTS_DIGIT_BITS * (digit % 8)) & 15) - POINTS_DIGIT_OFFSET;
}

// Fetches the multiple that a digit of the step asks for, or its image.
void fetch_multiple(uint slot, uint step, int digit, out uvec4 v[FE_VECTORS])
{
    const uint half_steps = (step - POINTS_STEPS_BEFORE) % POINTS_STEPS_OF_DIGIT;
    const uint image = half_steps == POINTS_DIGIT_BITS ? 0 : POINTS_MULTIPLES;
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = uvec4(0);
    if (digit != 0)
        fetch(slot + image + uint(abs(digit)) - 1, v);
}

void main()
{
    const uint quad = grid_index() / POINTS_QUAD,
               groups_quads = POINTS_QUAD_WORKGROUP / POINTS_QUAD;
    const uint first = quad - quad % groups_quads, last = min(first + groups_quads, push.n) - 1;
    // Nothing is to be done in workgroups that multiply by 1. The condition is uniform.
    if (first >= push.n)
        return;
    const uint of_first = twiddle_of(push.first + first);
    if (of_first == twiddle_of(push.first + last) && is_one(of_first))
        return;
    bool inside = quad < push.n;
    const uint butterfly = push.first + (inside ? quad : first);
    const uint twiddle = twiddle_of(butterfly);
    inside = inside && !is_one(twiddle);
    const uint half_points = 1u << push.log_half;
    const uint low =
        (butterfly >> push.log_half << (push.log_half + 1)) + (butterfly & (half_points - 1));
    const uint point = (low + (push.low != 0 ? 0 : half_points)) * 4 + quad_lane();
    const uint slot = quad * POINTS_SLOT;
    const FE image = fe_unpack(FP_G1_IMAGE);
    uvec4 v[FE_VECTORS];
    FE sum = fe_zero();
    if (inside && push.step != 0)
        sum = load(slot + SUM);
    if (inside && push.step == 0) {
        [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
            v[i] = points[point * FE_VECTORS + i];
        const FE own = unpack_coordinate_loose(v);
        store(slot, own);
        store(slot + POINTS_MULTIPLES, quad_lane() == QUAD_X ? fe_mul(own, image) : own);
    }
    int digit = inside ? digit_of(twiddle, push.step) : 0;
    fetch_multiple(slot, push.step, digit, v);
    for (uint step = push.step; step < push.end; step++) {
        FE a = sum, b = sum;
        const uint multiple = step + 2; // that a step before the digits makes
        const bool before = step < POINTS_STEPS_BEFORE;
        const bool doubles =
            !before && (step - POINTS_STEPS_BEFORE) % POINTS_STEPS_OF_DIGIT < POINTS_DIGIT_BITS;
        if (before) {
            a = inside ? load(slot + multiple / 2 - 1) : sum;
            b = inside ? load(slot + multiple - multiple / 2 - 1) : sum;
        } else if (!doubles) {
            b = unpack_coordinate_loose(v);
            if (digit < 0 && quad_lane() == QUAD_Y)
                b = fe_neg(b);
        }
        // The point that the next step adds is on its way while this one computes.
        if (!before || step + 1 == POINTS_STEPS_BEFORE) {
            digit = inside ? digit_of(twiddle, step + 1) : 0;
            fetch_multiple(slot, step + 1, digit, v);
        }
        if (doubles) { // for all quads
            sum = quad_double(sum);
            continue;
        }
        bool both;
        const FE made = quad_add(a, b, both);
        if (!before) {
            sum = made;
        } else if (inside) {
            store(slot + multiple - 1, made);
            store(slot + POINTS_MULTIPLES + multiple - 1,
                  quad_lane() == QUAD_X ? fe_mul(made, image) : made);
        }
    }
    if (!inside)
        return;
    if (push.end < POINTS_STEPS) {
        store(slot + SUM, sum);
        return;
    }
    pack_coordinate_loose(sum, v);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        points[point * FE_VECTORS + i] = v[i];
}
