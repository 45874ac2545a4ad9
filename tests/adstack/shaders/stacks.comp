/* SPDX-License-Identifier: Apache-2.0 */
#version 460
/* Every thread pushes 1, 2, 3... and pops all of it again: row = first, capacity, pushes, id. What
 * it popped is summed in place of `first`. */
layout(local_size_x = 64) in;

#define PAIL_OVERFLOW_BINDING 0
#include "pail/overflow.glsl"

layout(set = 0, binding = 1, std430) buffer rows_buffer
{
    uvec4 rows[];
};
layout(set = 0, binding = 2, std430) buffer heap_buffer
{
    uint heap[];
};

void main()
{
    const uint thread = gl_GlobalInvocationID.x;
    const uvec4 row = rows[thread];
    pail_stack stack = pail_stack_make(row.x, row.y, 0u);
    for (uint i = 1u; i <= row.z; i++)
        heap[pail_stack_push(stack)] = i;
    uint sum = 0u;
    for (uint i = 1u; i <= row.z; i++)
        sum += heap[pail_stack_pop(stack)];
    rows[thread].x = sum;
    pail_stack_check(stack, thread, row.w, 9u);
}
