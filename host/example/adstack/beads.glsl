/* Code that both passes share: the places of arrays, and a thread's stacks.
 *
 * A bead p moves along a line: steps[p] steps, each of substeps[(p + step) % n_substeps] substeps
 *     x += H * (drive[p] - x^3)
 * and at the end of a step a wall at 1 throws it back by half. Its loss is
 *     sum over steps of C / 2 * x^2  +  1/2 * (x_end - target[p])^2. */
#ifndef BEADS_GLSL
#define BEADS_GLSL

#define H 0.05
#define C 0.02

layout(buffer_reference, std430, buffer_reference_align = 4) buffer floats
{
    float at[];
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer ints
{
    int at[];
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer words
{
    uint at[];
};

/* The same as struct push of beads.h. */
layout(push_constant) uniform push_block
{
    floats x, drive, target;
    ints steps, substeps;
    floats loss, end, grad_x, grad_drive;
    uvec2 heap_float, heap_int; /* floats and ints, and in front of each stack a word */
    words metadata;             /* in the layout of adstack_metadata */
    uvec2 overflow;
    uint n, n_substeps;
    uint id, serial; /* a compiler bakes the id in */
}
push;

/* Addresses become references where they are used: SwiftShader ends the process at a cast from one
 * reference to another. */
#define HEAP_FLOAT floats(push.heap_float)
#define HEAP_INT   ints(push.heap_int)

#define PAIL_OVERFLOW_ADDRESS push.overflow
#include "pail/overflow.glsl"

/* The stacks, as they are registered. The first entry of each is its count (header_bytes), those of
 * the float heap have a block of adjoints behind the values. */
const uint STACK_X = 0;    /* float: x before each substep */
const uint STACK_STEP = 1; /* float: x at the end of each step */
const uint STACK_WALL = 2; /* int: whether the wall was hit */
const uint STACK_SUBS = 3; /* int: substeps of each step */

/* Element of the heap where the thread's part of the stack begins. */
uint stack_base(uint thread, uint stack)
{
    const uint stride = push.metadata.at[stack < STACK_WALL ? 0 : 1];
    return thread * stride + push.metadata.at[2 + 2 * stack];
}

uint stack_capacity(uint stack)
{
    return push.metadata.at[3 + 2 * stack];
}

pail_stack stack_make(uint thread, uint stack, uint entries)
{
    return pail_stack_make(stack_base(thread, stack) + 1, stack_capacity(stack), entries);
}

/* Keeps the count for the backward pass, and reports a stack that had no room. */
void stack_keep(uint thread, uint stack, pail_stack made)
{
    const uint base = stack_base(thread, stack);
    if (stack < STACK_WALL)
        words(push.heap_float).at[base] = made.entries;
    else
        words(push.heap_int).at[base] = made.entries;
    pail_stack_check(made, stack, push.id, push.serial);
}

pail_stack stack_again(uint thread, uint stack)
{
    const uint base = stack_base(thread, stack);
    uint entries;
    if (stack < STACK_WALL)
        entries = words(push.heap_float).at[base];
    else
        entries = words(push.heap_int).at[base];
    return stack_make(thread, stack, entries);
}

#endif /* BEADS_GLSL */
