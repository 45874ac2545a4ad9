/* SPDX-License-Identifier: Apache-2.0 */
#version 460
/* A thread with a stack for values and their adjoints, in a row of the heap or in what it claims:
 * row = entries that it claims for, pushes, then the sum of what it popped and its first unit. */
layout(local_size_x = 64) in;

#define PAIL_OVERFLOW_BINDING 0
#include "pail/overflow.glsl"
#define PAIL_CLAIM_BINDING 1
#define PAIL_CLAIM_FIRST   5u
#include "pail/claim.glsl"

layout(set = 0, binding = 2, std430) buffer rows_buffer
{
    uvec4 rows[];
};
layout(set = 0, binding = 3, std430) buffer heap_buffer
{
    uint heap[];
};
layout(push_constant) uniform push_block
{
    uint n, id, serial;
}
push;

void main()
{
    const uint thread = gl_GlobalInvocationID.x;
    if (thread >= push.n)
        return;
    const uvec4 row = rows[thread];
    uint first = thread * pail_claim_at[0] + pail_claim_at[2], capacity = pail_claim_at[3];
    if (pail_is_claimed()) {
        capacity = max(row.x, 1u);
        const uint part = pail_claim_part(capacity, 0u, 2u, 2u);
        if (!pail_claim(PAIL_CLAIM_FLOAT, part, 1u, push.id, push.serial, first)) {
            rows[thread].zw = uvec2(0u, 0xffffffffu);
            return;
        }
    }
    pail_stack stack = pail_stack_make(first, capacity, 0u);
    for (uint i = 0u; i < row.y; i++)
        heap[pail_stack_push(stack)] = thread * 2654435761u + i;
    uint sum = 0u;
    for (uint i = 0u; i < row.y; i++) {
        const uint at = pail_stack_pop(stack);
        sum += heap[at];
        heap[at + capacity] = sum;
    }
    rows[thread].zw = uvec2(sum, first);
    pail_stack_check(stack, 0u, push.id, push.serial);
}
