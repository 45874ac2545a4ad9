/* SPDX-License-Identifier: Apache-2.0 */
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
/* Computes the loss, and pushes on the stacks all values that the backward pass needs. */
layout(local_size_x = 64) in;
#include "beads.glsl"

void main()
{
    const uint p = gl_GlobalInvocationID.x;
    if (p >= push.n)
        return;
    places of;
    if (!places_take(p, of))
        return;
    pail_stack xs = stack_make(of, STACK_X, 0), ends = stack_make(of, STACK_STEP, 0);
    pail_stack walls = stack_make(of, STACK_WALL, 0), counts = stack_make(of, STACK_SUBS, 0);

    float x = push.x.at[p], loss = 0;
    const float drive = push.drive.at[p];
    const int steps = push.steps.at[p];
    for (int step = 0; step < steps; step++) {
        const int substeps = push.substeps.at[(p + uint(step)) % push.n_substeps];
        for (int i = 0; i < substeps; i++) {
            HEAP_FLOAT.at[pail_stack_push(xs)] = x;
            x += H * (drive - x * x * x);
        }
        const bool hit = x > 1;
        if (hit)
            x = 1.5 - 0.5 * x;
        HEAP_INT.at[pail_stack_push(counts)] = substeps;
        HEAP_INT.at[pail_stack_push(walls)] = hit ? 1 : 0;
        HEAP_FLOAT.at[pail_stack_push(ends)] = x;
        loss += 0.5 * C * x * x;
    }
    const float miss = x - push.target.at[p];
    push.loss.at[p] = loss + 0.5 * miss * miss;
    push.end.at[p] = x;

    stack_keep(of, STACK_X, xs);
    stack_keep(of, STACK_STEP, ends);
    stack_keep(of, STACK_WALL, walls);
    stack_keep(of, STACK_SUBS, counts);
}
