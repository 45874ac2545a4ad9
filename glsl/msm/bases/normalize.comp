/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Registers Jacobian points: from packed Montgomery (R = 2^(32 words)) coordinates X, Y, Z to the
// affine point (X / Z^2, Y / Z^3) in the field form's own representation, with the checks of
// msm/bases/convert. Z = 0 is infinity. A thread has several points and inverts the product of
// their Z, from which each one's inverse follows: Peter Montgomery, "Speeding the Pollard and
// elliptic curve methods of factorization", 1987, section 10.3.1. Until a point is written its
// place has the product of the Z before its own in x, and its Z in y.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_NORMALIZE_WORKGROUP) in;

#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_normalize_push push; };
layout(binding = 0, std430) readonly buffer Raw { uvec4 raw[]; };
layout(binding = 1, std430) buffer Bases { uvec4 bases[]; };
layout(binding = 2, std430) buffer Status { uint status[]; };

#include "below_modulus.glsl"

#if FE_DEGREE == 1
FE scale(FE a, fp factor)
{
    return fe_mul(a, factor);
}
#else
FE scale(FE a, fp factor)
{
    return fe_scale(a, factor);
}
#endif

// Loads a coordinate in the caller's encoding.
FE load_raw(uint at, out bool in_range)
{
    uvec4 v[FE_VECTORS];
    uint words[FE_WORDS], part[FP_WORDS];
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = raw[at + i];
    vectors_to_words(v, words);
    in_range = true;
    for (uint c = 0; c < FE_DEGREE; c++) {
        [[unroll]] for (uint i = 0; i < FP_WORDS; i++)
            part[i] = words[c * FP_WORDS + i];
        in_range = in_range && below_modulus(part);
    }
    return fe_unpack(words);
}

bool raw_is_zero(uint at)
{
    uvec4 any = uvec4(0);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        any |= raw[at + i];
    return any == uvec4(0);
}

bool is_none(uint at)
{
    uvec4 any = uvec4(0);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        any |= bases[at + i];
    return any == uvec4(0);
}

#define BASES_ARE_WRITTEN
#include "coordinates.glsl"

// The inverse of the product of all Z. Points without one, at infinity or not below p, get all
// zeros: no Z of another point is 0.
FE invert_all(uint thread, fp factor)
{
    FE product = fe_one();
    for (uint point = thread; point < push.n; point += push.threads) {
        const uint from = 3 * point * FE_VECTORS + 2 * FE_VECTORS, to = point * AFFINE_VECTORS;
        bool in_range;
        const FE z = scale(load_raw(from, in_range), factor);
        if (!in_range)
            atomicMin(status[MSM_STATUS_RANGE], push.first + point);
        if (!in_range || raw_is_zero(from)) {
            for (uint i = 0; i < AFFINE_VECTORS; i++)
                bases[to + i] = uvec4(0);
            continue;
        }
        store_base(to, product);
        store_base(to + FE_VECTORS, z);
        product = fe_mul(product, z);
    }
    return fe_inv(product);
}

void main()
{
    const uint thread = grid_index();
    if (thread >= min(push.threads, push.n))
        return;
    const fp factor = fe_unpack(FP_FROM_MONTGOMERY);
    FE inverse = invert_all(thread, factor);
    for (uint i = (push.n - 1 - thread) / push.threads + 1; i-- > 0;) {
        const uint point = thread + i * push.threads;
        const uint from = 3 * point * FE_VECTORS, to = point * AFFINE_VECTORS;
        if (is_none(to + FE_VECTORS))
            continue;
        const FE own = fe_mul(inverse, load_base(to));
        inverse = fe_mul(inverse, load_base(to + FE_VECTORS));
        bool x_in_range, y_in_range;
        const FE square = scale(fe_sqr(own), factor);
        const affine a =
            affine(fe_mul(load_raw(from, x_in_range), square),
                   fe_mul(load_raw(from + FE_VECTORS, y_in_range), fe_mul(square, own)));
        store_base(to, a.x);
        store_base(to + FE_VECTORS, a.y);
        if (!x_in_range || !y_in_range)
            atomicMin(status[MSM_STATUS_RANGE], push.first + point);
        else if (push.validation != 0 && !ec_on_curve(a)) // (0, 0) with Z != 0 is off the curve too
            atomicMin(status[MSM_STATUS_OFF_CURVE], push.first + point);
    }
}
