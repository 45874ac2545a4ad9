/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Folds the window sums of each vector to one point: Horner's rule from the top window down, after
// adding up the chunks' sums of each window. One quad for each vector: the time is that of one
// chain whatever their number. Where it is asked for, also the affine point in canonical integers.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_FOLD_WORKGROUP) in;

layout(push_constant) uniform Push { msm_fold_push push; };
layout(binding = 0, std430) readonly buffer Windows { uvec4 windows[]; };
layout(binding = 1, std430) writeonly buffer Folded { uvec4 folded[]; };

#include "../../ec/quad.glsl"

// This lane's coordinate.
FE load_sum(uint at)
{
    uvec4 v[FE_VECTORS];
    for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = windows[(at * 4 + quad_lane()) * FE_VECTORS + i];
    return unpack_coordinate(v);
}

void store_folded(uint at, FE a)
{
    uvec4 v[FE_VECTORS];
    pack_coordinate(a, v);
    for (uint i = 0; i < FE_VECTORS; i++)
        folded[at + i] = v[i];
}

// x = X/ZZ, y = Y/ZZZ with one inversion: 1/ZZ = (ZZ/ZZZ)^2, because ZZ^3 = ZZZ^2. Infinity becomes
// (0, 0). Multiplying by the integer 1 leaves Montgomery form. Lane 0 has x, lane 1 has y.
FE affine_coordinate(FE sum)
{
    quad_put(sum, false);
    const FE inverse = fe_inv(quad_get(QUAD_ZZZ));
    FE left = quad_get(QUAD_ZZ), right = inverse;
    for (uint step = 0; step < 4; step++) {
        const FE product = fe_mul(left, right);
        left = product;
        if (step == 0) { // ZZ/ZZZ
            right = product;
        } else if (step == 1) { // ZZ/ZZZ squared
            left = fe_select(quad_lane() == QUAD_Y, product, inverse);
            right = sum;
        } else {
            right = fe_raw_one();
        }
    }
    return left;
}

void main()
{
    const uint vector = gl_GlobalInvocationID.x / QUAD_LANES;
    const bool inside = vector < push.vectors;
    FE sum = fe_zero();
    // For each window but the first: window_bits doublings; then its sums. Where a table has all
    // digits in one window, window_bits are all bits of a scalar.
    const uint steps_each = push.window_bits + push.chunks;
    for (uint w = 0; w < push.windows; w++) {
        const uint window = push.windows - 1 - w;
        for (uint step = w == 0 ? push.window_bits : 0; step < steps_each; step++) {
            FE term = sum;
            if (step >= push.window_bits && inside) {
                const uint chunk = step - push.window_bits;
                term =
                    load_sum(push.sums + (chunk * push.vectors + vector) * push.windows + window);
            }
            bool both;
            sum = quad_add(sum, term, both);
        }
    }
    if (inside)
        store_folded(((push.points + vector) * 4 + quad_lane()) * FE_VECTORS, sum);
    if (push.affine == MSM_KEY_NONE)
        return;
    const FE coordinate = affine_coordinate(sum);
    if (inside && quad_lane() < 2)
        store_folded(push.affine + vector * AFFINE_VECTORS + quad_lane() * FE_VECTORS, coordinate);
}
