/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Asks of points on the curve whether they are in the subgroup of order r: an endomorphism acts on
// the subgroup as multiplication by a number k, and a point whose image is k times itself is in it.
//
//   G1  phi(x, y) = (beta x, y) with beta^3 = 1: phi^2 + phi + 1 = 0, and k^2 + k + 1 is r times a
//       number that shares no factor with the cofactor
//   G2  psi, Frobenius seen from the twist: psi^2 - t psi + p = 0, k = t - 1, and k^2 - t k + p is
//       r times such a number
//
// so that k P = image(P) makes r P infinity. Michael Scott, "A note on group membership tests for
// G1, G2 and GT on BLS pairing-friendly curves", ePrint 2021/1130; Youssef El Housni, Aurore
// Guillevic, Thomas Piellard, "Co-factor clearing and subgroup membership testing on
// pairing-friendly curves", ePrint 2022/352. tools/gen_curves.py chooses k and asserts all of this;
// the sign of k is in the factor of y.
//
// One thread for each point. k P is computed by doubling and adding, some steps to a dispatch, with
// the sum kept in memory in between: a driver may end all loops of an invocation after 65535
// rounds.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_CHECK_WORKGROUP) in;

#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_check_push push; };
layout(binding = 0, std430) readonly buffer Bases { uvec4 bases[]; };
layout(binding = 1, std430) buffer Sums { uvec4 points[]; };
layout(binding = 2, std430) buffer Status { uint status[]; };

#include "../points_rw.glsl"

#if PAIL_GROUP == 1
#define CHECK_BITS   G1_CHECK_BITS
#define CHECK_SCALAR G1_CHECK_SCALAR
#define CHECK_X      FP_G1_CHECK_X
#define CHECK_Y      FP_G1_CHECK_Y

fp conjugate(fp a)
{
    return a;
}
#else
#define CHECK_BITS   G2_CHECK_BITS
#define CHECK_SCALAR G2_CHECK_SCALAR
#define CHECK_X      FP_G2_CHECK_X
#define CHECK_Y      FP_G2_CHECK_Y

fp2 conjugate(fp2 a)
{
    return fp2(a.c0, fe_neg(a.c1));
}
#endif

#if CHECK_BITS > MSM_CHECK_BITS_MAX
#error "MSM_CHECK_BITS_MAX is too small for this curve"
#endif

#include "coordinates.glsl"

// The steps first ... first + count - 1 of k a, from the top bit down: twice the sum, and at once a
// more where the bit is one. Both are one addition whose other operand is chosen.
xyzz multiply(xyzz sum, affine a, uint first, uint count)
{
    const uint k[8] = CHECK_SCALAR;
    for (uint i = 2 * first; i < 2 * (first + count); i++) {
        const uint bit = CHECK_BITS - 1 - (i >> 1);
        const bool adding = (i & 1) != 0;
        if (!adding || (k[bit >> 5] >> (bit & 31) & 1u) != 0)
            sum = ec_double_or_add(sum, a, adding);
    }
    return sum;
}

void main()
{
    const uint point = grid_index();
    if (point >= push.n || push.step >= CHECK_BITS)
        return;
    const uint at = point * AFFINE_VECTORS;
    const affine a = affine(load_base(at), load_base(at + FE_VECTORS));
    xyzz sum = ec_infinity();
    if (push.step != 0)
        sum = load_point(point);
    sum = multiply(sum, a, push.step, min(push.steps, CHECK_BITS - push.step));
    if (push.step + push.steps < CHECK_BITS) {
        store_point(point, sum);
        return;
    }
    const FE x = fe_mul(conjugate(a.x), fe_unpack(CHECK_X));
    const FE y = fe_mul(conjugate(a.y), fe_unpack(CHECK_Y));
    const FE dx = fe_sub_wide(fe_mul(x, sum.zz), sum.x);
    const FE dy = fe_sub_wide(fe_mul(y, sum.zzz), sum.y);
    const bool image = !ec_is_infinity(sum) && fe_is_zero(dx) && fe_is_zero(dy);
    if (!image && !ec_is_infinity(a))
        atomicMin(status[MSM_STATUS_NOT_IN_SUBGROUP], push.first + point);
}
