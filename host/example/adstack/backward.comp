/* SPDX-License-Identifier: Apache-2.0 */
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
/* The gradient of each bead's loss with respect to its x and its drive, popping what the forward
 * pass pushed. Beside each value on the float heap it leaves the value's adjoint. */
layout(local_size_x = 64) in;
#include "beads.glsl"

void main()
{
    const uint p = gl_GlobalInvocationID.x;
    if (p >= push.n)
        return;
    places of;
    if (!places_again(p, of))
        return;
    pail_stack xs = stack_again(of, STACK_X), ends = stack_again(of, STACK_STEP);
    pail_stack walls = stack_again(of, STACK_WALL), counts = stack_again(of, STACK_SUBS);

    float x_bar = push.end.at[p] - push.target.at[p], drive_bar = 0;
    const uint steps = counts.entries;
    for (uint step = 0; step < steps; step++) {
        const uint end = pail_stack_pop(ends);
        x_bar += C * HEAP_FLOAT.at[end];
        HEAP_FLOAT.at[end + ends.capacity] = x_bar;
        if (HEAP_INT.at[pail_stack_pop(walls)] != 0)
            x_bar *= -0.5;
        const int substeps = HEAP_INT.at[pail_stack_pop(counts)];
        for (int i = 0; i < substeps; i++) {
            const uint at = pail_stack_pop(xs);
            const float x = HEAP_FLOAT.at[at];
            drive_bar += H * x_bar;
            x_bar *= 1 - 3 * H * x * x;
            HEAP_FLOAT.at[at + xs.capacity] = x_bar;
        }
    }
    push.grad_x.at[p] = x_bar;
    push.grad_drive.at[p] = drive_bar;
}
