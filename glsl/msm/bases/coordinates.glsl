/* SPDX-License-Identifier: Apache-2.0 */
// Coordinates of registered points. The includer has the buffer `bases` of uvec4, and defines
// BASES_ARE_WRITTEN where it may be.
#ifndef MSM_COORDINATES_GLSL
#define MSM_COORDINATES_GLSL

FE load_base(uint at)
{
    uvec4 v[FE_VECTORS];
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = bases[at + i];
    return unpack_coordinate(v);
}

#ifdef BASES_ARE_WRITTEN
void store_base(uint at, FE a)
{
    uvec4 v[FE_VECTORS];
    pack_coordinate(a, v);
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        bases[at + i] = v[i];
}
#endif

#endif
