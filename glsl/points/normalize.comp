/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// XYZZ points to affine entries of a table: x = X (ZZ / ZZZ)^2, y = Y / ZZZ, infinity all zeros. A
// thread inverts the product of its points' ZZZ, from which each one's inverse follows, as in
// msm/bases/normalize. Until an entry is written its x is the product of the ZZZ before its own.
#include "../lib/prelude.glsl"
#include "../shared/points_layout.h"
#include "../msm/points.glsl"

layout(local_size_x = POINTS_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { points_normalize_push push; };
layout(binding = 0, std430) readonly buffer Points { uvec4 points[]; };
layout(binding = 1, std430) buffer Table { uvec4 bases[]; };

#define BASES_ARE_WRITTEN
#include "../msm/bases/coordinates.glsl"

FE load_coordinate(uint point, uint coordinate)
{
    uvec4 v[FE_VECTORS];
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = points[point * XYZZ_VECTORS + coordinate * FE_VECTORS + i];
    return unpack_coordinate_loose(v);
}

uint place_of(uint point)
{
    const uint behind = push.images != 0 ? point / push.multiples * push.multiples : 0;
    return push.first_table + (push.first + behind + point) * AFFINE_VECTORS;
}

void main()
{
    const uint thread = grid_index();
    if (thread >= min(push.threads, push.n))
        return;
    FE inverse = fe_one();
    for (uint point = thread; point < push.n; point += push.threads) {
        const FE zzz = load_coordinate(point, 3);
        store_base(place_of(point), inverse);
        inverse = fe_mul(inverse, fe_select(fe_is_zero(zzz), zzz, fe_one()));
    }
    inverse = fe_inv(inverse);
    const FE image = fe_unpack(FP_G1_IMAGE);
    for (uint i = (push.n - 1 - thread) / push.threads + 1; i-- > 0;) {
        const uint point = thread + i * push.threads, to = place_of(point);
        const FE zzz = load_coordinate(point, 3);
        const bool infinite = fe_is_zero(zzz);
        const FE own = fe_mul(inverse, load_base(to));
        inverse = fe_mul(inverse, fe_select(infinite, zzz, fe_one()));
        FE x = load_coordinate(point, 0);
        FE factor = fe_mul(load_coordinate(point, 2), own);
        // In a loop, so that the kernel holds few products: x times the factor twice, and beta.
        const uint products = push.images != 0 ? 3 : 2;
        for (uint k = 0; k < products; k++) {
            x = fe_mul(x, k < 2 ? factor : image);
            if (k > 0)
                store_base(to + (k - 1) * push.multiples * AFFINE_VECTORS,
                           fe_select(infinite, x, fe_zero()));
        }
        const FE y = fe_select(infinite, fe_mul(load_coordinate(point, 1), own), fe_zero());
        store_base(to + FE_VECTORS, y);
        if (push.images != 0)
            store_base(to + push.multiples * AFFINE_VECTORS + FE_VECTORS, y);
    }
}
