#version 460
// One point operation for each thread, for tests that compare it with the CPU's.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "../msm/points.glsl"

layout(local_size_x = PROBE_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { probe_push push; };
layout(binding = 0, std430) readonly buffer Operands { uvec4 operands[]; }; // [n][2] XYZZ
layout(binding = 1, std430) buffer Results { uvec4 points[]; };             // [n] XYZZ

#include "../msm/points_rw.glsl"

xyzz load_operand(uint at)
{
    FE c[4];
    for (uint k = 0; k < 4; k++) {
        uvec4 v[FE_VECTORS];
        for (uint i = 0; i < FE_VECTORS; i++)
            v[i] = operands[(at * 4 + k) * FE_VECTORS + i];
        c[k] = unpack_coordinate(v);
    }
    return xyzz(c[0], c[1], c[2], c[3]);
}

// The sum of two affine points as an XYZZ point.
xyzz add_affine(affine a, affine b)
{
    uint which;
    const FE inverse = fe_inv(ec_denominator(a, b, which));
    const affine sum = ec_add_with_inverse(a, b, inverse, which);
    const bool infinite = ec_is_infinity(sum);
    const FE scale = fe_select(infinite, fe_one(), fe_zero());
    return xyzz(sum.x, sum.y, scale, scale);
}

void main()
{
    const uint item = grid_index();
    if (item >= push.n)
        return;
    const xyzz a = load_operand(2 * item), b = load_operand(2 * item + 1);
    xyzz r;
    if (push.operation == PROBE_POINT_MIXED)
        r = ec_add_mixed(a, affine(b.x, b.y));
    else if (push.operation == PROBE_POINT_FULL)
        r = ec_add(a, b);
    else
        r = add_affine(affine(a.x, a.y), affine(b.x, b.y));
    store_point(item, r);
}
