/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Encoded points of a first group to XYZZ points in the form's own representation, without an
// inversion: Jacobian (X, Y, Z) is (X, Y, Z^2, Z^3), projective (X, Y, Z) is (X Z, Y Z^2, Z^2,
// Z^3). One thread for each point.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"
#include "../msm/points.glsl"

layout(local_size_x = POINTS_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { points_load_push push; };
layout(binding = 0, std430) readonly buffer Raw { uvec4 raw[]; };
layout(binding = 1, std430) writeonly buffer Points { uvec4 points[]; };

#include "encoded.glsl"

void main()
{
    const uint point = grid_index();
    if (point >= push.n)
        return;
    const uint kind = push.encoding & ~uint(POINTS_MONTGOMERY);
    const uint coordinates = kind == POINTS_AFFINE ? 2 : 3;
    const uint from =
        push.first_raw + place_of(point, push.log_n, push.reversed) * coordinates * FE_VECTORS;
    uint factor_words[FP_WORDS] = FP_FROM_CANONICAL;
    if ((push.encoding & POINTS_MONTGOMERY) != 0)
        factor_words = FP_FROM_MONTGOMERY;
    const FE factor = fe_unpack(factor_words);
    FE c[5]; // x, y, z, and what follows from z
    c[2] = fe_one();
    for (uint i = 0; i < coordinates; i++) {
        uvec4 v[FE_VECTORS];
        uint words[FE_WORDS];
        [[unroll]] for (uint k = 0; k < FE_VECTORS; k++)
            v[k] = raw[from + i * FE_VECTORS + k];
        vectors_to_words(v, words);
        settle(words);
        c[i] = fe_mul(fe_unpack(words), factor);
    }
    const bool infinite =
        kind == POINTS_AFFINE ? fe_is_zero(c[0]) && fe_is_zero(c[1]) : fe_is_zero(c[2]);
    // In a loop, so that the kernel holds a product once: zz, zzz; then of projective points x, y.
    c[3] = c[2];
    c[4] = c[2];
    for (uint i = 0; i < 4 && kind != POINTS_AFFINE; i++) {
        const uint to = i == 0 ? 3 : i == 1 ? 4 : i - 2;
        if (i < 2 || kind == POINTS_PROJECTIVE)
            c[to] = fe_mul(i == 1 ? c[3] : c[to], i == 3 ? c[3] : c[2]);
    }
    for (uint i = 0; i < 4; i++) {
        uvec4 v[FE_VECTORS];
        // A sum brings values back as far as those of additions are.
        const FE brought = fe_add(c[i < 2 ? i : i + 1], fe_zero());
        pack_coordinate_loose(fe_select(infinite, brought, fe_zero()), v);
        [[unroll]] for (uint k = 0; k < FE_VECTORS; k++)
            points[point * XYZZ_VECTORS + i * FE_VECTORS + k] = v[k];
    }
}
