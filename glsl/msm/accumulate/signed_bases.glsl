/* SPDX-License-Identifier: Apache-2.0 */
// Bases by the handle of an entry. The includer has the push block with `base_first`, and
// base_vector, which gives 16 bytes of the bases.
#ifndef MSM_SIGNED_BASES_GLSL
#define MSM_SIGNED_BASES_GLSL

FE load_base_coordinate(uint handle, uint coordinate)
{
    const uint base = push.base_first + (handle & ~MSM_HANDLE_SIGN);
    uvec4 v[FE_VECTORS];
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = base_vector(base * AFFINE_VECTORS + FE_PLACE(coordinate) + i);
    return unpack_coordinate(v);
}

// A base as it is in memory, where infinity is all zeros.
struct packed_affine {
    uvec4 v[2 * FE_VECTORS];
};

packed_affine load_packed_base(uint handle)
{
    const uint base = push.base_first + (handle & ~MSM_HANDLE_SIGN);
    packed_affine r;
    [[unroll]] for (uint i = 0; i < 2 * FE_VECTORS; i++)
        r.v[i] = base_vector(base * AFFINE_VECTORS + FE_PLACE(i / FE_VECTORS) + i % FE_VECTORS);
    return r;
}

bool is_infinity(packed_affine a)
{
    uvec4 any = a.v[0];
    [[unroll]] for (uint i = 1; i < 2 * FE_VECTORS; i++)
        any |= a.v[i];
    return fe_both((any.x | any.y | any.z | any.w) == 0);
}

affine unpack_base(packed_affine a, uint handle)
{
    uvec4 x[FE_VECTORS], y[FE_VECTORS];
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++) {
        x[i] = a.v[i];
        y[i] = a.v[FE_VECTORS + i];
    }
    return ec_negate_if((handle & MSM_HANDLE_SIGN) != 0,
                        affine(unpack_coordinate(x), unpack_coordinate(y)));
}

affine load_base(uint handle)
{
    return unpack_base(load_packed_base(handle), handle);
}

#endif
