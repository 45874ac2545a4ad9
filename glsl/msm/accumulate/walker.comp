/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// The accumulator `walker`: batched affine additions, one inversion for each thread and round.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_ACCUMULATE_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;

#include "share.glsl"

bool any_busy(bool busy, uint round, FE product)
{
    return busy;
}

FE inverse_of(FE product)
{
    return fe_inv(product);
}

#include "walk.glsl"

void main()
{
    walk();
}
