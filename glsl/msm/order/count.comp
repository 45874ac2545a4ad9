/* SPDX-License-Identifier: Apache-2.0 */
#version 460
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "order.glsl"

void main()
{
    count_runs();
    for (uint i = gl_LocalInvocationIndex; i < MSM_ORDER_BINS; i += MSM_ORDER_WORKGROUP)
        if (bins[i] != 0)
            atomicAdd(index[push.counts + i], bins[i]);
}
