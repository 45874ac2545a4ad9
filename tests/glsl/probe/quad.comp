/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Additions by quads, with differences, for tests that compare them with the CPU's: some in a row,
// so that each takes what the one before has left in registers.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"
#include "../msm/points.glsl"

layout(local_size_x = PROBE_QUAD_WORKGROUP) in;

#define QUAD_DIFFERENCE
#include "../ec/quad.glsl"
#include "../lib/grid.glsl"
#include "operands.glsl"

void main()
{
    const uint item = grid_index() / QUAD_LANES, lane = quad_lane();
    const bool inside = item < push.n;
    FE sum = fe_zero(), b = fe_zero();
    if (inside) {
        sum = load_operand(2 * item, lane);
        b = load_operand(2 * item + 1, lane);
    }
    // Results are [n][PROBE_QUAD_ROUNDS][2]: the sum and the difference.
    for (uint round = 0; round < PROBE_QUAD_ROUNDS; round++) {
        const uint at = 2 * (PROBE_QUAD_ROUNDS * item + round);
        bool both;
        FE difference;
        uint part;
        sum = quad_add(sum, fe_select(round + 1 == PROBE_QUAD_ROUNDS, b, sum), both, difference,
                       part);
        if (inside) {
            store_lane(at, lane, sum);
            store_lane(at + 1, part, difference);
        }
    }
}
