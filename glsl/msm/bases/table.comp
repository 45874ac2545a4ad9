/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// A shifted copy of points: 2^bits P from P, affine from affine, by doublings in XYZZ and one
// inversion. One thread for each point. The doublings may be shared among dispatches, with the
// point kept in memory in between, because a driver may end all loops of an invocation after 65535
// rounds; the last dispatch, with step = bits, may do the inversion alone.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_TABLE_WORKGROUP) in;

#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_table_push push; };
layout(binding = 0, std430) buffer Bases { uvec4 bases[]; };
layout(binding = 1, std430) buffer Sums { uvec4 points[]; };

#include "../points_rw.glsl"
#define BASES_ARE_WRITTEN
#include "coordinates.glsl"

void main()
{
    const uint point = grid_index();
    if (point >= push.n)
        return;
    xyzz sum;
    if (push.step != 0) {
        sum = load_point(point);
    } else {
        const uint at = (push.from + point) * AFFINE_VECTORS;
        const FE one = fe_one();
        const affine a = affine(load_base(at), load_base(at + FE_VECTORS));
        sum = ec_select(ec_is_infinity(a), xyzz(a.x, a.y, one, one), ec_infinity());
    }
    const uint end = min(push.bits, push.step + push.steps);
    // Infinity stays infinity: ZZ is 0 in every product.
    for (uint i = push.step; i < end; i++)
        sum = ec_double_or_add(sum, affine(sum.x, sum.y), false);
    if (push.last == 0) {
        store_point(point, sum);
        return;
    }
    // x = X/ZZ, y = Y/ZZZ, as in msm/fold/fold.
    const FE inverse = fe_inv(sum.zzz);
    FE factor = fe_sqr(fe_mul(sum.zz, inverse)), coordinate = sum.x;
    for (uint c = 0; c < 2; c++) {
        store_base((push.to + point) * AFFINE_VECTORS + c * FE_VECTORS, fe_mul(coordinate, factor));
        factor = inverse;
        coordinate = sum.y;
    }
}
