/* SPDX-License-Identifier: Apache-2.0 */
// Linear numbering of invocations over a two-dimensional grid of workgroups: one dimension alone
// ends at 65535 workgroups. Include it after the layout that sets the workgroup's size: before it,
// glslang takes gl_WorkGroupSize to be 1.
#include "local.glsl"

uint grid_index()
{
    return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x +
           local_number();
}
