/* SPDX-License-Identifier: Apache-2.0 */
// The values of a pass (shared/points_layout.h), and their slots of the table. The including kernel
// declares `push`, of points_multiply_push, `twiddles` and `table`. Values are numbered by what
// they are first, and then by their place in a part.
#ifndef POINTS_VALUES_GLSL
#define POINTS_VALUES_GLSL

uint values_of_place()
{
    return push.low != 0 ? 1 : POINTS_VALUES(push.parts);
}

uint block_of(uint place)
{
    return place >> push.log_part;
}

// The number of a point among all.
uint point_of(uint place, uint part)
{
    return ((block_of(place) * push.parts + part) << push.log_part) +
           (place & ((1u << push.log_part) - 1));
}

uint part_of(uint value)
{
    return push.low != 0 ? 0 : POINTS_PART(push.parts, value);
}

// The twiddle by which a value has its first point (0) or its second one (1).
uint twiddle_of(uint place, uint value, uint second)
{
    const uint block = block_of(place) & ((1u << push.level) - 1);
    if (push.low != 0)
        return 0;
    if (value == 0)
        return (1u << push.level) + block;
    const uint products = 1u << (push.level + push.log_part + 2); // after 2^log_n others
    const bool is_product = (push.backward != 0 ? value - 1 : second) != 0;
    const uint odd = push.backward != 0 ? second : value - 1;
    if (push.backward != 0 && push.level == 0 && !is_product)
        return products + odd;
    return (is_product ? products : 0) + (2u << push.level) + 2 * block + odd;
}

bool is_one(uint twiddle)
{
    const uvec4 zeros = uvec4(POINTS_ZEROS);
    const uvec4 one = uvec4(POINTS_ONE, POINTS_ZEROS, POINTS_ZEROS, POINTS_ZEROS);
    return twiddles[2 * twiddle] == one && twiddles[2 * twiddle + 1] == zeros;
}

// True if values `first` to `last` are points times 1: they stay, and no sums are made for them.
bool all_ones(uint first, uint last)
{
    if (last >= push.n) // sums of two, or after the end
        return false;
    const uint twiddle = twiddle_of(push.first + first, 0, 0);
    return twiddle == twiddle_of(push.first + last, 0, 0) && is_one(twiddle);
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

#endif
