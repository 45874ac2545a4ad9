/* SPDX-License-Identifier: Apache-2.0 */
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
    uvec2 claims;               /* the first words of a bead's parts that it claimed */
    uvec2 metadata;             /* in the layout of adstack_metadata */
    uvec2 overflow;
    uint n, n_substeps;
    uint id, serial; /* a compiler bakes the id in */
}
push;

/* Addresses become references where they are used: SwiftShader ends the process at a cast from one
 * reference to another. */
#define HEAP_FLOAT floats(push.heap_float)
#define HEAP_INT   ints(push.heap_int)

#define METADATA words(push.metadata)

#define PAIL_OVERFLOW_ADDRESS push.overflow
#include "pail/overflow.glsl"
#define PAIL_CLAIM_ADDRESS push.metadata
#define PAIL_CLAIM_FIRST   11u /* 3 + 2 * 4 stacks */
#include "pail/claim.glsl"

/* The stacks, as they are registered. The first entry of each is its count (header_bytes), those of
 * the float heap have a block of adjoints behind the values. */
const uint STACK_X = 0;    /* float: x before each substep */
const uint STACK_STEP = 1; /* float: x at the end of each step */
const uint STACK_WALL = 2; /* int: whether the wall was hit */
const uint STACK_SUBS = 3; /* int: substeps of each step */

/* Sums of what all threads claim of the heaps. */
const uint STACK_FLOATS = 4;
const uint STACK_INTS = 5;

/* A thread's stacks: where they begin in their heaps, and entries that fit. */
struct places {
    uvec4 first, capacity;
};

places in_row(uint thread)
{
    places p;
    for (uint stack = 0; stack < 4; stack++) {
        const uint stride = METADATA.at[stack < STACK_WALL ? 0 : 1];
        p.first[stack] = thread * stride + METADATA.at[2 + 2 * stack];
        p.capacity[stack] = METADATA.at[3 + 2 * stack];
    }
    return p;
}

/* Words of each stack with these entries: a count, and floats with adjoints or ints. */
uvec4 sizes_of(uvec4 entries)
{
    uvec4 sizes;
    for (uint stack = 0; stack < 4; stack++)
        sizes[stack] = pail_claim_part(entries[stack], 1, stack < STACK_WALL ? 2 : 1, 0);
    return sizes;
}

/* Stacks in parts of the heaps that begin at these words, as large as the bead needs them. */
places in_parts(uint bead, uvec2 at, out uvec4 sizes)
{
    const uint steps = uint(push.steps.at[bead]);
    uint substeps = 0;
    for (uint step = 0; step < steps; step++)
        substeps += uint(push.substeps.at[(bead + step) % push.n_substeps]);
    places p;
    p.capacity = max(uvec4(substeps, steps, steps, steps), uvec4(1));
    sizes = sizes_of(p.capacity);
    p.first = uvec4(at.x, at.x + sizes[STACK_X], at.y, at.y + sizes[STACK_WALL]);
    return p;
}

/* False if the bead has no memory, because the heaps are too small for what all claim. */
bool places_take(uint bead, out places p)
{
    if (!pail_is_claimed()) {
        p = in_row(bead);
        return true;
    }
    uvec4 sizes;
    uvec2 at;
    p = in_parts(bead, uvec2(0), sizes);
    bool there = pail_claim(PAIL_CLAIM_FLOAT, pail_claim_both(sizes[STACK_X], sizes[STACK_STEP]),
                            STACK_FLOATS, push.id, push.serial, at.x);
    if (there)
        there = pail_claim(PAIL_CLAIM_INT, pail_claim_both(sizes[STACK_WALL], sizes[STACK_SUBS]),
                           STACK_INTS, push.id, push.serial, at.y);
    words(push.claims).at[2 * bead] = there ? at.x : 0xffffffffu;
    words(push.claims).at[2 * bead + 1] = at.y;
    p.first += uvec4(at.xx, at.yy);
    return there;
}

/* The same places in the backward pass. */
bool places_again(uint bead, out places p)
{
    if (!pail_is_claimed()) {
        p = in_row(bead);
        return true;
    }
    uvec4 sizes;
    const uint first = words(push.claims).at[2 * bead];
    p = in_parts(bead, uvec2(first, words(push.claims).at[2 * bead + 1]), sizes);
    return first != 0xffffffffu;
}

pail_stack stack_make(places p, uint stack, uint entries)
{
    return pail_stack_make(p.first[stack] + 1, p.capacity[stack], entries);
}

/* Keeps the count for the backward pass, and reports a stack that had no room. */
void stack_keep(places p, uint stack, pail_stack made)
{
    if (stack < STACK_WALL)
        words(push.heap_float).at[p.first[stack]] = made.entries;
    else
        words(push.heap_int).at[p.first[stack]] = made.entries;
    pail_stack_check(made, stack, push.id, push.serial);
}

pail_stack stack_again(places p, uint stack)
{
    uint entries;
    if (stack < STACK_WALL)
        entries = words(push.heap_float).at[p.first[stack]];
    else
        entries = words(push.heap_int).at[p.first[stack]];
    return stack_make(p, stack, entries);
}

#endif /* BEADS_GLSL */
