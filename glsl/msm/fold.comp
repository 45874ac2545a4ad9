#version 460
// Folds the window sums of each vector to one point: Horner's rule from the top window down, after
// adding up the chunks' sums of each window. One thread for each vector: the time is that of one
// chain whatever their number. Where it is asked for, also the affine point in canonical integers.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "points.glsl"

layout(local_size_x = MSM_FOLD_WORKGROUP) in;

layout(push_constant) uniform Push { msm_fold_push push; };
layout(binding = 0, std430) readonly buffer Windows { uvec4 windows[]; };
layout(binding = 1, std430) writeonly buffer Folded { uvec4 folded[]; };

xyzz load_sum(uint at)
{
    FE coordinate[4];
    for (uint c = 0; c < 4; c++) {
        uvec4 v[FE_VECTORS];
        for (uint i = 0; i < FE_VECTORS; i++)
            v[i] = windows[(at * 4 + c) * FE_VECTORS + i];
        coordinate[c] = unpack_coordinate(v);
    }
    return xyzz(coordinate[0], coordinate[1], coordinate[2], coordinate[3]);
}

void store_folded(uint at, FE a)
{
    uvec4 v[FE_VECTORS];
    pack_coordinate(a, v);
    for (uint i = 0; i < FE_VECTORS; i++)
        folded[at + i] = v[i];
}

// x = X/ZZ, y = Y/ZZZ with one inversion: 1/ZZ = (ZZ/ZZZ)^2, because ZZ^3 = ZZZ^2. Infinity becomes
// (0, 0). Multiplying by the integer 1 leaves Montgomery form.
void store_affine(uint at, xyzz a)
{
    const FE inverse = fe_inv(a.zzz);
    const FE root = fe_mul(a.zz, inverse);
    FE factor = fe_sqr(root), coordinate = a.x;
    for (uint c = 0; c < 2; c++) {
        FE x = coordinate;
        for (uint step = 0; step < 2; step++)
            x = fe_mul(x, fe_select(step == 1, factor, fe_raw_one()));
        store_folded(at + c * FE_VECTORS, x);
        factor = inverse;
        coordinate = a.y;
    }
}

void main()
{
    const uint vector = gl_GlobalInvocationID.x;
    if (vector >= push.vectors)
        return;
    xyzz sum = ec_infinity();
    // For each window: window_bits doublings (the first window's double infinity), then its sums.
    const uint steps_each = push.window_bits + push.chunks;
    for (uint w = 0; w < push.windows; w++) {
        const uint window = push.windows - 1 - w;
        for (uint step = 0; step < steps_each; step++) {
            xyzz term = sum;
            if (step >= push.window_bits) {
                const uint chunk = step - push.window_bits;
                term =
                    load_sum(push.sums + (chunk * push.vectors + vector) * push.windows + window);
            }
            sum = ec_add(sum, term);
        }
    }
    const FE coordinate[4] = FE[](sum.x, sum.y, sum.zz, sum.zzz);
    for (uint c = 0; c < 4; c++)
        store_folded(((push.points + vector) * 4 + c) * FE_VECTORS, coordinate[c]);
    if (push.affine != MSM_KEY_NONE)
        store_affine(push.affine + vector * AFFINE_VECTORS, sum);
}
