/* SPDX-License-Identifier: Apache-2.0 */
// Number of an invocation in its workgroup. Where neighbours exchange values (field/fp2_pair.glsl),
// subgroups are full, and invocations are numbered by them, so that neighbours are of one.
#ifndef LIB_LOCAL_GLSL
#define LIB_LOCAL_GLSL

uint local_number()
{
#ifdef PAIL_PAIRS
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
#else
    return gl_LocalInvocationIndex;
#endif
}

#endif
