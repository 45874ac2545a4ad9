// What the accumulators have in common: bindings, bounds of buckets, signed bases, and the walk
// over the entries of a share.
#ifndef MSM_SHARE_GLSL
#define MSM_SHARE_GLSL

layout(push_constant) uniform Push { msm_accumulate_push push; };
layout(binding = 0, std430) readonly buffer Bases { uvec4 bases[]; };
layout(binding = 1, std430) readonly buffer Entries { uvec2 entries[]; };
layout(binding = 2, std430) buffer Index { uint index[]; };
layout(binding = 3, std430) buffer Points { uvec4 points[]; };

#include "points_rw.glsl"
#include "run.glsl"

uint start_of(uint row, uint key)
{
    return index[push.starts + row * (push.stride + 1) + key];
}

FE load_base_coordinate(uint handle, uint coordinate)
{
    const uint base = push.base_first + (handle & ~MSM_HANDLE_SIGN);
    uvec4 v[FE_VECTORS];
    [[unroll]] for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = bases[base * AFFINE_VECTORS + coordinate * FE_VECTORS + i];
    return unpack_coordinate(v);
}

// A base as it is in memory, where infinity is all zeros.
struct packed_affine {
    uvec4 v[AFFINE_VECTORS];
};

packed_affine load_packed_base(uint handle)
{
    const uint base = push.base_first + (handle & ~MSM_HANDLE_SIGN);
    packed_affine r;
    [[unroll]] for (uint i = 0; i < AFFINE_VECTORS; i++)
        r.v[i] = bases[base * AFFINE_VECTORS + i];
    return r;
}

bool is_infinity(packed_affine a)
{
    uvec4 any = a.v[0];
    [[unroll]] for (uint i = 1; i < AFFINE_VECTORS; i++)
        any |= a.v[i];
    return (any.x | any.y | any.z | any.w) == 0;
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

// A place in the sorted entries.
struct place {
    uint row, position;
};

place cut_at(uint share)
{
    return place(index[push.cuts + 2 * share], index[push.cuts + 2 * share + 1]);
}

// To the next entry that counts, of `count` in its row; false where the share has ended. Also where
// the cuts are not what the planner makes: every thread ends.
bool seek(inout place at, inout uint count, place end)
{
    while (at.row < push.rows && at.position >= count) {
        at = place(at.row + 1, 0);
        count = at.row < push.rows ? start_of(at.row, push.stride) : 0;
    }
    return at.row < push.rows &&
           (at.row < end.row || at.row == end.row && at.position < end.position);
}

// The same for who does not keep the count.
bool settle(inout place at, place end)
{
    uint count = at.row < push.rows ? start_of(at.row, push.stride) : 0;
    return seek(at, count, end);
}

#endif
