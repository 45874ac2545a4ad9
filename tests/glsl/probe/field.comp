/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// One field operation for each thread, for tests that compare it with the CPU's. Operands and
// results are packed and in the form's own Montgomery representation.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "../msm/points.glsl"

layout(local_size_x = PROBE_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { probe_push push; };
layout(binding = 0, std430) readonly buffer Operands { uvec4 operands[]; }; // [n][2]
layout(binding = 1, std430) writeonly buffer Results { uvec4 results[]; };  // [n]

FE load_operand(uint at)
{
    uvec4 v[FE_VECTORS];
    for (uint i = 0; i < FE_VECTORS; i++)
        v[i] = operands[at * FE_VECTORS + i];
    return unpack_coordinate(v);
}

void main()
{
    const uint item = grid_index();
    if (item >= push.n)
        return;
    const FE a = load_operand(2 * item), b = load_operand(2 * item + 1);
    FE r = fe_zero();
    switch (push.operation) {
    case PROBE_FIELD_MUL:
        r = fe_mul(a, b);
        break;
    case PROBE_FIELD_SQR:
        r = fe_sqr(a);
        break;
    case PROBE_FIELD_ADD:
        r = fe_add(a, b);
        break;
    case PROBE_FIELD_SUB:
        r = fe_sub(a, b);
        break;
    case PROBE_FIELD_NEG:
        r = fe_neg(a);
        break;
    case PROBE_FIELD_INV:
        r = fe_inv(a);
        break;
#if FE_DEGREE == 1
    case PROBE_FIELD_LESS:
        r = fe_less(a, b, b);
        break;
    case PROBE_FIELD_DOT_LESS:
        r = fe_dot_less(fe_sub_lazy(a, b), b, a, a);
        break;
#endif
    default:
        r = fe_select(fe_is_zero(fe_sub(a, b)), fe_zero(), fe_one());
        break;
    }
    uvec4 v[FE_VECTORS];
    pack_coordinate(r, v);
    for (uint i = 0; i < FE_VECTORS; i++)
        results[item * FE_VECTORS + i] = v[i];
}
