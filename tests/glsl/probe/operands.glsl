/* SPDX-License-Identifier: Apache-2.0 */
// Operands of the probes of points, in memory as XYZZ points: [n][2], coordinates one after the
// other.
#ifndef PROBE_OPERANDS_GLSL
#define PROBE_OPERANDS_GLSL

layout(push_constant) uniform Push { probe_push push; };
layout(binding = 0, std430) readonly buffer Operands { uvec4 operands[]; };
layout(binding = 1, std430) buffer Results { uvec4 points[]; };

#include "../msm/points_rw.glsl"

FE load_operand(uint at, uint coordinate)
{
    uvec4 v[FE_VECTORS];
    for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = operands[(at * 4 + coordinate) * FE_VECTORS + i];
    return unpack_coordinate(v);
}

#endif
