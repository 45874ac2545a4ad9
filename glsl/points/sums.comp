/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Parts of sums of multiples: one thread for each window, slice and sum adds up the entries of a
// table that the digits of its terms ask for. Points are of a first group.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"

layout(local_size_x = POINTS_SUMS_WORKGROUP) in;

#include "../lib/grid.glsl"
#include "../msm/points.glsl"

layout(push_constant) uniform Push { points_sums_push push; };
layout(binding = 0, std430) readonly buffer Numbers { uvec4 numbers[]; };
layout(binding = 1, std430) readonly buffer Table { uvec4 bases[]; };
layout(binding = 2, std430) writeonly buffer Points { uvec4 points[]; };

// Digit of a window of number `at`. place: its last word.
int digit_of(uint at, uint window, out uint place)
{
    const uvec4 low = numbers[2 * at], high = numbers[2 * at + 1];
    const uint words[POINTS_NUMBER_WORDS] = {low.x,  low.y,  low.z,  low.w,
                                             high.x, high.y, high.z, high.w};
    const uint bit = window * push.bits;
    uint carry = 0, first = 0, second = 0;
    [[unroll]] for (uint i = 0; i < POINTS_NUMBER_WORDS; i++) {
        uint c0, c1;
        const uint biased = uaddCarry(uaddCarry(words[i], push.bias[i], c0), carry, c1);
        carry = c0 | c1;
        first = i == bit / 32 ? biased : first;
        second = i == bit / 32 + 1 ? biased : second;
    }
    place = words[POINTS_NUMBER_WORDS - 1];
    const uint shift = bit % 32;
    const uint digit = first >> shift | (shift != 0 ? second << (32 - shift) : 0);
    const uint half_range = 1u << (push.bits - 1);
    return int(digit & (2 * half_range - 1)) - (window == push.unbiased ? 0 : int(half_range));
}

void fetch_entry(uint entry, out uvec4 x[FE_VECTORS], out uvec4 y[FE_VECTORS])
{
    const uint at = push.first_table + entry * AFFINE_VECTORS;
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++) {
        x[i] = bases[at + i];
        y[i] = bases[at + FE_VECTORS + i];
    }
}

bool is_infinity(uvec4 x[FE_VECTORS], uvec4 y[FE_VECTORS])
{
    uvec4 any = uvec4(0);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        any |= x[i] | y[i];
    return any == uvec4(0);
}

void store_coordinate(uint at, FE a)
{
    uvec4 v[FE_VECTORS];
    pack_coordinate_loose(a, v);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        points[at + i] = v[i];
}

void main()
{
    const uint part = grid_index(), of_window = push.n * push.slices;
    if (part >= of_window * push.windows)
        return;
    const uint own = part % push.n, batch = own / push.columns, column = own % push.columns;
    const uint slice = part / push.n % push.slices, window = part / of_window;
    const uint first = slice * push.of_slice;
    const uint end = min(first + push.of_slice, push.terms);
    xyzz sum = ec_infinity();
    bool empty = true;
    for (uint term = first; term < end; term++) {
        const uint copy = push.constants != 0 ? 0 : term / push.rows;
        const uint row = term - copy * push.rows, of_number = copy * push.windows + window;
        if (of_number > push.last)
            break;
        uint entry;
        const int digit =
            digit_of(((push.constants != 0 ? 0 : batch * push.rows) + row) * push.columns + column,
                     of_number, entry);
        if (push.constants != 0)
            entry += batch * push.entries;
        else
            entry = (term * push.columns + column) << (push.bits - 1);
        if (digit == 0)
            continue;
        uvec4 x[FE_VECTORS], y[FE_VECTORS];
        fetch_entry(entry + uint(abs(digit)) - 1, x, y);
        if (is_infinity(x, y))
            continue;
        ec_accumulate(sum, empty,
                      ec_negate_if(digit < 0, affine(unpack_coordinate(x), unpack_coordinate(y))));
    }
    sum = ec_select(empty, ec_sum_end(sum), ec_infinity());
    store_coordinate(part * XYZZ_VECTORS, sum.x);
    store_coordinate(part * XYZZ_VECTORS + FE_VECTORS, sum.y);
    store_coordinate(part * XYZZ_VECTORS + 2 * FE_VECTORS, sum.zz);
    store_coordinate(part * XYZZ_VECTORS + 3 * FE_VECTORS, sum.zzz);
}
