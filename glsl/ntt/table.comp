/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// All powers of a number, for transforms, from those by the low and by the high bits of exponents:
// one product each, where a host would make them one after the other and send them.
#include "../lib/prelude.glsl"
#include "../shared/vector_layout.h"
#include "../vector/element.glsl"
#include "butterfly.glsl"

layout(local_size_x = VECTOR_WORKGROUP) in;

#include "../lib/grid.glsl"

layout(push_constant) uniform Push { ntt_table_push push; };
#ifdef PAIL_FORM_D51
layout(binding = 0, std430) buffer Table { dvec2 table[]; };
#else
layout(binding = 0, std430) buffer Table { uvec4 table[]; };
#endif
#include "table.glsl"

// Stores an element as pass.comp takes it: within p / 2 in form d51, below p in the others.
void set_table(uint i, fp a)
{
#if defined(PAIL_FORM_D51)
    a = fp_fit(a);
    table[3 * i] = dvec2(a.v[0], a.v[1]);
    table[3 * i + 1] = dvec2(a.v[2], a.v[3]);
    table[3 * i + 2] = dvec2(a.v[4], 0);
#elif defined(PAIL_FORM_X29)
    a = fp_less_once(a);
    table[3 * i] = uvec4(a.v[0], a.v[1], a.v[2], a.v[3]);
    table[3 * i + 1] = uvec4(a.v[4], a.v[5], a.v[6], a.v[7]);
    table[3 * i + 2] = uvec4(a.v[8], 0, 0, 0);
#else
    element_pack(a, table[2 * i], table[2 * i + 1]);
#endif
}

void main()
{
    const uint i = grid_index();
    if (i >= push.n)
        return;
    const uint low = push.low + (i & (1u << push.low_bits) - 1);
    const uint high = push.high + (i >> push.low_bits);
    set_table(push.first + i, fe_mul(table_at(low), table_at(high)));
}
