// Linear numbering of invocations over a two-dimensional grid of workgroups: one dimension alone
// ends at 65535 workgroups.
uint grid_index()
{
    return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x +
           gl_LocalInvocationIndex;
}
