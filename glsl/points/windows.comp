/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Points that the digits of twiddles ask for: the multiples of each value's own point, by a quad
// for each; then the sum of the multiples in each place of digits, by a quad for each place. A
// digit 0 adds infinity, so that all quads do the same.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"
#include "../msm/points.glsl"
#include "../field/fp_at_once.glsl"

layout(local_size_x = POINTS_QUAD_WORKGROUP) in;

layout(push_constant) uniform Push { points_multiply_push push; };
layout(binding = 0, std430) readonly buffer Twiddles { uvec4 twiddles[]; };
layout(binding = 1, std430) readonly buffer Points { uvec4 points[]; };
layout(binding = 2, std430) buffer Table { uvec4 table[]; };

#include "../ec/quad.glsl"
#include "../lib/grid.glsl"
#include "values.glsl"

// Stores a multiple and its image, whose value a sum brings back as far as those of additions are.
void store_multiple(uint at, FE a, FE image)
{
    store(at, a);
    store(at + POINTS_MULTIPLES, quad_lane() == QUAD_X ? fe_add(fe_mul(a, image), fe_zero()) : a);
}

// This lane's coordinate of the multiple that a digit asks for: of the value's point `second`, or
// of that one's image.
FE multiple_of(uint place, uint value, uint digit, uint second, uint image)
{
    const uint own = value == 0 ? 0 : 1 + second; // the value whose own point that is
    const uint slot = (own * push.n + place) * POINTS_SLOT + image * POINTS_MULTIPLES;
    const uint twiddle = twiddle_of(push.first + place, value, second);
    const uint word = twiddles[2 * twiddle + image][digit / 8];
    const int number = int(word >> (POINTS_DIGIT_BITS * (digit % 8)) & 15) - POINTS_DIGIT_OFFSET;
    if (number == 0)
        return fe_zero();
    const FE multiple = load(slot + uint(abs(number)) - 1);
    return fe_select(number < 0 && quad_lane() == QUAD_Y, multiple, fe_neg(multiple));
}

void main()
{
    const bool sums = push.step != 0;
    const uint of_value = sums ? POINTS_DIGITS : 1,
               groups_quads = POINTS_QUAD_WORKGROUP / POINTS_QUAD;
    const uint values = values_of_place() * push.n;
    const uint quad = grid_index() / POINTS_QUAD, first = quad - quad % groups_quads;
    const uint last = (first + groups_quads - 1) / of_value;
    // The conditions are uniform: the places of a value are those of whole workgroups.
    if (first / of_value >= values || all_ones(first / of_value, min(last, values - 1)))
        return;
    const bool inside = quad / of_value < values;
    const uint number = inside ? quad / of_value : first / of_value, digit = quad % of_value;
    const uint value = number / push.n, place = number % push.n, slot = number * POINTS_SLOT;
    const uint additions = !sums ? POINTS_MULTIPLES - 1 : first / of_value < push.n ? 1 : 3;
    const FE image = fe_unpack(FP_G1_IMAGE);
    FE a, b;
    if (sums) {
        a = multiple_of(place, value, digit, 0, 0);
    } else {
        uvec4 v[FE_VECTORS];
        const uint point = point_of(push.first + place, part_of(value)) * 4 + quad_lane();
        [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
            v[i] = points[point * FE_VECTORS + i];
        a = unpack_coordinate_loose(v);
        if (inside)
            store_multiple(slot, a, image);
    }
    for (uint i = 1; i <= additions; i++) {
        if (sums) {
            b = multiple_of(place, value, digit, i / 2, i % 2);
        } else {
            a = load(slot + (i + 1) / 2 - 1);
            b = load(slot + i - (i + 1) / 2);
        }
        bool both;
        a = quad_add(a, b, both);
        if (!sums && inside)
            store_multiple(slot + i, a, image);
    }
    if (sums && inside)
        store(slot + POINTS_SLOT_SUMS + digit, a);
}
