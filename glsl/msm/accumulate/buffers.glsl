/* SPDX-License-Identifier: Apache-2.0 */
// Bindings of the accumulators for GPUs besides entries, and the loads of bases from them.
#ifndef MSM_ACCUMULATE_BUFFERS_GLSL
#define MSM_ACCUMULATE_BUFFERS_GLSL

layout(binding = 0, std430) readonly buffer Bases { uvec4 bases[]; };
layout(binding = 2, std430) buffer Index { uint index[]; };
layout(binding = 3, std430) buffer Points { uvec4 points[]; };

uvec4 base_vector(uint at)
{
    return bases[at];
}

#include "../points_rw.glsl"

#endif
