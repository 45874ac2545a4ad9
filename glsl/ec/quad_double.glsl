/* SPDX-License-Identifier: Apache-2.0 */
// Doublings of XYZZ points by quads (quad.glsl) in three rounds: what quad_add does in four, where
// it is known beforehand that both points are the same. Infinity, ZZ = 0, stays infinity.
#ifndef EC_QUAD_DOUBLE_GLSL
#define EC_QUAD_DOUBLE_GLSL

#include "quad.glsl"

#define QUAD_DOUBLE_ROUNDS 3u

// Straight code pays where elements are small, by measurement, as in xyzz.glsl.
#if EC_SMALL
#define QUAD_DOUBLE_LOOP [[unroll]]
#else
#define QUAD_DOUBLE_LOOP
#endif

// This lane's coordinate of 2 a. U = 2 Y, V = U^2, W = U V, S = X V, M = 3 X^2.
FE quad_double(FE a)
{
    const uint lane = quad_lane();
    FE left = fe_select(lane == QUAD_Y, a, fe_twice(a)), right = left;
    const FE u = left;
    FE m = a, result = a, x = a;
    QUAD_DOUBLE_LOOP for (uint round = 0; round < QUAD_DOUBLE_ROUNDS; round++)
    {
        const FE product = fe_mul(left, right);
        quad_put_value(product);
        if (round == 0) { // X^2, V, -, -
            m = fe_thrice(quad_get(QUAD_X));
            left = fe_select(lane == QUAD_ZZZ, fe_select(lane == QUAD_Y, a, u), m);
            right = fe_select(lane == QUAD_ZZZ, quad_get(QUAD_Y), m);
        } else if (round == 1) { // S, W, V ZZ, M^2
            const FE s = quad_get(QUAD_X);
            x = fe_less(quad_get(QUAD_ZZZ), fe_zero(), s); // M^2 - 2 S
            result = fe_select(lane == QUAD_X, product, x);
            left = fe_select(lane == QUAD_X, a, m);
            right = fe_select(lane == QUAD_X, quad_get(QUAD_Y), fe_sub_lazy(s, x));
        } else { // M (S - X3), W Y, -, W ZZZ
            const FE y = fe_sub(quad_get(QUAD_X), product);
            if (lane == QUAD_Y)
                result = y;
            else if (lane == QUAD_ZZZ)
                result = product;
        }
    }
    return result;
}

#endif
