/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// XYZZ points of a first group to encoded ones: Jacobian (X ZZ, Y ZZZ, ZZ), projective (X ZZZ, Y
// ZZ, ZZ ZZZ), or affine with an inversion for each. Infinity is (0, 1, 0) where it is projective,
// otherwise all zeros. One thread for each point.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"
#include "../msm/points.glsl"

layout(local_size_x = POINTS_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { points_load_push push; };
layout(binding = 0, std430) readonly buffer Points { uvec4 points[]; };
layout(binding = 1, std430) writeonly buffer Raw { uvec4 raw[]; };

#include "encoded.glsl"

FE load_coordinate(uint at)
{
    uvec4 v[FE_VECTORS];
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = points[at + i];
    return unpack_coordinate_loose(v);
}

void main()
{
    const uint point = grid_index();
    if (point >= push.n)
        return;
    const uint kind = push.encoding & ~uint(POINTS_MONTGOMERY);
    const uint coordinates = kind == POINTS_AFFINE ? 2 : 3;
    const uint from = place_of(point, push.log_n, push.reversed) * XYZZ_VECTORS;
    const uint to = push.first_raw + point * coordinates * FE_VECTORS;
    const FE zz = load_coordinate(from + 2 * FE_VECTORS);
    const FE zzz = load_coordinate(from + 3 * FE_VECTORS);
    FE factors[3]; // of x, of y, and the third coordinate
    factors[0] = kind == POINTS_JACOBIAN ? zz : zzz;
    factors[1] = kind == POINTS_JACOBIAN ? zzz : zz;
    factors[2] = zz;
    const bool infinite = fe_is_zero(zz);
    if (kind == POINTS_AFFINE) { // 1/ZZ = (ZZ/ZZZ)^2, because ZZ^3 = ZZZ^2
        factors[1] = fe_inv(zzz);
        factors[0] = fe_mul(zz, factors[1]);
        factors[0] = fe_mul(factors[0], factors[0]);
    } else if (kind == POINTS_PROJECTIVE) {
        factors[2] = fe_mul(zz, zzz);
    }
    // The number 2^(32 words), or 1, that is not in Montgomery form: a product with it leaves the
    // form.
    FE leave = fe_raw_one();
    if ((push.encoding & POINTS_MONTGOMERY) != 0)
        leave = fe_unpack(FP32_ONE);
    for (uint i = 0; i < coordinates; i++) {
        FE a = factors[i];
        if (i < 2)
            a = fe_mul(load_coordinate(from + i * FE_VECTORS), a);
        if (infinite)
            a = fe_select(i == 1 && kind == POINTS_PROJECTIVE, fe_zero(), fe_one());
        uvec4 v[FE_VECTORS];
        pack_coordinate(fe_mul(a, leave), v);
        [[unroll]] for (uint k = 0; k < FE_VECTORS; k++)
            raw[to + i * FE_VECTORS + k] = v[k];
    }
}
