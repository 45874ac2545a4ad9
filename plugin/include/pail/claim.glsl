/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: claims of heaps (PAIL_LAYOUT_CLAIMED), for the kernels of users. GLSL; the layout of the
 * words is that of adstack_metadata, and docs/adstack.md has the whole story.
 *
 * Include <pail/overflow.glsl> first, say which word of the task's metadata is the first of the
 * claims, 3 + 2 * stacks, and where the metadata are: a storage buffer, of set 0 unless
 * PAIL_CLAIM_SET is defined as well:
 *
 *     #define PAIL_CLAIM_BINDING 1
 *     #define PAIL_CLAIM_FIRST   7u
 *     #include <pail/claim.glsl>
 *
 * Or an address, as a uvec2 that was declared before, low word first, as in overflow.glsl:
 *
 *     #define PAIL_CLAIM_ADDRESS push.metadata
 *
 * This is for metadata of 32 bits. Nothing here needs 64-bit integers, subgroups or more than
 * relaxed atomics. */
#ifndef PAIL_CLAIM_GLSL
#define PAIL_CLAIM_GLSL

#ifdef PAIL_CLAIM_ADDRESS
layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer pail_claim_words
{
    uint at[];
};
#define PAIL_CLAIM_WORD(i) pail_claim_words(PAIL_CLAIM_ADDRESS).at[PAIL_CLAIM_FIRST + (i)]
#else
#ifndef PAIL_CLAIM_SET
#define PAIL_CLAIM_SET 0
#endif
layout(set = PAIL_CLAIM_SET, binding = PAIL_CLAIM_BINDING, std430) coherent buffer pail_claim_words
{
    uint pail_claim_at[];
};
#define PAIL_CLAIM_WORD(i) pail_claim_at[PAIL_CLAIM_FIRST + (i)]
#endif

/* pail_heap */
const uint PAIL_CLAIM_FLOAT = 0u;
const uint PAIL_CLAIM_INT = 1u;

/* True if the threads of this launch claim their parts of the heaps; otherwise they have rows. */
bool pail_is_claimed()
{
    return PAIL_CLAIM_WORD(0u) == 2u;
}

/* Units of a stack with so many entries, at least one: what pail_tree_part of
 * <pail/adstack_build.h> computes. header, entry and alignment in units as well; a power of two, or
 * 0. 2^32 - 1, which pail_claim refuses, if there would be more: parts must be added by
 * pail_claim_both, because a sum that wraps would be granted. */
uint pail_claim_part(uint entries, uint header, uint entry, uint alignment)
{
    const uint mask = max(alignment, 1u) - 1u;
    const uint most = (0xffffffffu - header - mask) / max(entry, 1u);
    return entries > most ? 0xffffffffu : (header + entry * max(entries, 1u) + mask) & ~mask;
}

/* Units of two parts together, at most 2^32 - 1. */
uint pail_claim_both(uint a, uint b)
{
    return a + min(b, 0xffffffffu - a);
}

/* Claims so many units of a heap for this thread, which calls it once for a heap: all of its stacks
 * there come one after the other in this part. at: the first unit. False if there are not that many
 * left: the thread then has no memory and must not push. That is reported for `stack`, the stack on
 * PAIL_HEAP_FLOAT_CLAIMS or PAIL_HEAP_INT_CLAIMS.
 *
 * Claims up to a size are added whether they fit or not, which is one atomic addition; what all
 * threads together can add cannot wrap. Larger ones are added only where they fit. */
bool pail_claim(uint heap, uint units, uint stack, uint id, uint serial, out uint at)
{
    const uint next = 1u + 2u * heap;
    const uint room = PAIL_CLAIM_WORD(next + 1u);
    const uvec3 threads = gl_NumWorkGroups * gl_WorkGroupSize;
    uint plane_high, plane, all_high, all;
    umulExtended(threads.x, threads.y, plane_high, plane);
    umulExtended(plane, threads.z, all_high, all);
    const bool many = plane_high != 0u || all_high != 0u;
    bool fits;
    if (!many && units <= (0xffffffffu - room) / all) {
        at = atomicAdd(PAIL_CLAIM_WORD(next), units);
        fits = at <= room && units <= room - at;
    } else {
        at = atomicOr(PAIL_CLAIM_WORD(next), 0u);
        bool taken = false;
        while (!taken && at <= room && units <= room - at) {
            const uint seen = atomicCompSwap(PAIL_CLAIM_WORD(next), at, at + units);
            taken = seen == at;
            at = seen;
        }
        fits = taken;
    }
    if (!fits)
        pail_overflow_report(id, stack, at + min(units, 0xffffffffu - at), serial);
    return fits;
}

#endif /* PAIL_CLAIM_GLSL */
