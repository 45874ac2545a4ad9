/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// The accumulator `coop` with an inversion for each round of a subgroup: products meet by
// shuffles, and every thread inverts the same whole product, which takes no longer than one that
// does while the others wait.
#define PAIL_SUBGROUP
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_ACCUMULATE_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;

#include "share.glsl"

// Threads of the subgroup that run: a driver may put fewer into it than it has room for. A power
// of two, as workgroups are.
uint lanes;

bool any_busy(bool busy, uint round, FE product)
{
    return subgroupAny(busy);
}

FE of_lane_across(FE a, uint mask)
{
    uvec4 v[FE_VECTORS];
    pack_coordinate(a, v);
    for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = subgroupShuffleXor(v[i], mask);
    return unpack_coordinate(v);
}

// `all` becomes the product over all lanes, `others` that without the own.
FE inverse_of(FE product)
{
    FE all = product, others = fe_one();
    for (uint mask = 1; mask < lanes; mask <<= 1) {
        const FE across = of_lane_across(all, mask);
        all = fe_mul(all, across);
        others = fe_mul(others, across);
    }
    return fe_mul(fe_inv(all), others);
}

#include "walk.glsl"

void main()
{
    lanes = subgroupBallotBitCount(subgroupBallot(true));
    walk();
}
