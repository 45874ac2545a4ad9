/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Additions of accumulators, one for each thread, for tests that compare them with the CPU's.
// Without inversions some run in a row, so that each takes what the one before has left in
// registers.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "../msm/points.glsl"

layout(local_size_x = PROBE_WORKGROUP) in;

#include "../lib/grid.glsl"
#include "operands.glsl"

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
    const uint item = grid_index(); // results are [n]
    if (item >= push.n)
        return;
    const uint operation = push.operation, at = 2 * item;
    xyzz r =
        xyzz(load_operand(at, 0), load_operand(at, 1), load_operand(at, 2), load_operand(at, 3));
    const affine b = ec_negate_if(operation == PROBE_POINT_LESS,
                                  affine(load_operand(at + 1, 0), load_operand(at + 1, 1)));
    if (operation == PROBE_POINT_AFFINE) {
        r = add_affine(affine(r.x, r.y), b);
    } else {
        bool empty = ec_is_infinity(r);
        const bool finite = !ec_is_infinity(b);
        for (uint i = 0; i < PROBE_POINT_TIMES && finite; i++)
            ec_accumulate(r, empty, b);
        if (empty)
            r = ec_infinity();
    }
    store_point(item, r);
}
