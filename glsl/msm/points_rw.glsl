/* SPDX-License-Identifier: Apache-2.0 */
// Loads and stores of XYZZ points in the buffer `points`, which the including kernel declares as
// `uvec4 points[]`: scratch of kernels, packed loosely. `at` counts points.
#ifndef MSM_POINTS_RW_GLSL
#define MSM_POINTS_RW_GLSL

// Loads a coordinate packed: loading it early costs less registers than unpacking it early.
void fetch_coordinate(uint at, out uvec4 v[FE_VECTORS])
{
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = points[at + i];
}

FE load_coordinate(uint at)
{
    uvec4 v[FE_VECTORS];
    fetch_coordinate(at, v);
    return unpack_coordinate_loose(v);
}

void store_coordinate(uint at, FE a)
{
    uvec4 v[FE_VECTORS];
    pack_coordinate_loose(a, v);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        points[at + i] = v[i];
}

xyzz load_point(uint at)
{
    const uint v = at * XYZZ_VECTORS;
    return xyzz(load_coordinate(v + FE_PLACE(0)), load_coordinate(v + FE_PLACE(1)),
                load_coordinate(v + FE_PLACE(2)), load_coordinate(v + FE_PLACE(3)));
}

void store_point(uint at, xyzz a)
{
    const uint v = at * XYZZ_VECTORS;
    store_coordinate(v + FE_PLACE(0), a.x);
    store_coordinate(v + FE_PLACE(1), a.y);
    store_coordinate(v + FE_PLACE(2), a.zz);
    store_coordinate(v + FE_PLACE(3), a.zzz);
}

// One coordinate of a point, as a lane of a quad holds it.
FE load_lane(uint at, uint lane)
{
    return load_coordinate(at * XYZZ_VECTORS + FE_PLACE(lane));
}

void store_lane(uint at, uint lane, FE a)
{
    store_coordinate(at * XYZZ_VECTORS + FE_PLACE(lane), a);
}

void store_infinity(uint at)
{
    for (uint i = 0; i < XYZZ_OWN; i++)
        points[at * XYZZ_VECTORS + XYZZ_PLACE(i)] = uvec4(0);
}

#endif
