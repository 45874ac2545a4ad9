/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: reports of overflows, for the kernels of users. GLSL; the layout of the words is that of
 * <pail/adstack.h>, and docs/adstack.md has the whole story.
 *
 * Say where the buffer is, and include this after local_size. A storage buffer, of set 0 unless
 * PAIL_OVERFLOW_SET is defined as well:
 *
 *     #define PAIL_OVERFLOW_BINDING 3
 *     #include <pail/overflow.glsl>
 *
 * Or an address, as a uvec2 that was declared before, low word first; this needs the extensions
 * GL_EXT_buffer_reference and GL_EXT_buffer_reference_uvec2:
 *
 *     #define PAIL_OVERFLOW_ADDRESS push.overflow
 *     #include <pail/overflow.glsl>
 *
 * Nothing here needs 64-bit integers, subgroups or more than relaxed atomics. */
#ifndef PAIL_OVERFLOW_GLSL
#define PAIL_OVERFLOW_GLSL

#ifdef PAIL_OVERFLOW_ADDRESS
layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer pail_overflow_words
{
    uint at[];
};
#define PAIL_OVERFLOW_WORD(i) pail_overflow_words(PAIL_OVERFLOW_ADDRESS).at[i]
#else
#ifndef PAIL_OVERFLOW_SET
#define PAIL_OVERFLOW_SET 0
#endif
layout(set = PAIL_OVERFLOW_SET, binding = PAIL_OVERFLOW_BINDING,
       std430) coherent buffer pail_overflow_words
{
    uint pail_overflow_at[];
};
#define PAIL_OVERFLOW_WORD(i) pail_overflow_at[i]
#endif

/* How often a thread looks whether the owner of a record has completed it, before it takes the next
 * one for itself. Without end it might wait for a thread that waits for it. */
const uint PAIL_OVERFLOW_PATIENCE = 64u;

/* A stack in place of that of pail_overflow_report: more threads passed the gate than rows were
 * counted; pushed is how many passed. */
const uint PAIL_OVERFLOW_GATE = 0xfffffffeu;

/* True if a record, which is or will be complete, is about this stack; its count is the largest
 * then. */
bool pail_overflow_merge(uint record, uint id, uint name, uint pushed, uint serial)
{
    uint of = 0u;
    for (uint turn = 0u; of == 0u && turn < PAIL_OVERFLOW_PATIENCE; turn++)
        of = atomicOr(PAIL_OVERFLOW_WORD(record + 3u), 0u);
    if (of != id || atomicOr(PAIL_OVERFLOW_WORD(record + 2u), 0u) != serial ||
        atomicOr(PAIL_OVERFLOW_WORD(record), 0u) != name)
        return false;
    atomicMax(PAIL_OVERFLOW_WORD(record + 1u), pushed);
    return true;
}

/* The record about this, or otherwise that of the earliest launch before this one; 0: none. */
uint pail_overflow_earliest(uint records, uint id, uint name, uint serial)
{
    uint earliest = 0u;
    int most = 0;
    for (uint i = 0u; i < records; i++) {
        const uint record = 4u + 4u * ((name % records + i) % records);
        const uint of = PAIL_OVERFLOW_WORD(record + 3u);
        const int age = int(serial - PAIL_OVERFLOW_WORD(record + 2u));
        if (of == id && age == 0 && PAIL_OVERFLOW_WORD(record) == name)
            return record;
        if (of != 0u && age > most) {
            most = age;
            earliest = record;
        }
    }
    return earliest;
}

/* Takes the place of a record of an earlier launch, which is then among the lost, unless the record
 * is about this. Whoever exchanges its id for 0 has it for himself. */
bool pail_overflow_replace(uint record, uint id, uint name, uint pushed, uint serial)
{
    const uint of = atomicOr(PAIL_OVERFLOW_WORD(record + 3u), 0u);
    const uint before = atomicOr(PAIL_OVERFLOW_WORD(record + 2u), 0u);
    bool done = false;
    if (of != 0u && int(serial - before) > 0 &&
        atomicCompSwap(PAIL_OVERFLOW_WORD(record + 3u), of, 0u) == of) {
        uint now = of;
        /* Another one may have been here between the two looks. */
        if (atomicOr(PAIL_OVERFLOW_WORD(record + 2u), 0u) == before) {
            const uint was = atomicOr(PAIL_OVERFLOW_WORD(record), 0u);
            uint zero = atomicExchange(PAIL_OVERFLOW_WORD(record), name) ^ was;
            zero |= atomicExchange(PAIL_OVERFLOW_WORD(record + 2u), serial) ^ before;
            atomicExchange(PAIL_OVERFLOW_WORD(record + 1u), pushed);
            zero |= uint(atomicOr(PAIL_OVERFLOW_WORD(record + 1u), 0u) < pushed);
            now = id | zero; /* last, as in pail_overflow_report */
            atomicAdd(PAIL_OVERFLOW_WORD(2), 1u);
            done = true;
        }
        atomicExchange(PAIL_OVERFLOW_WORD(record + 3u), now);
    }
    return done || pail_overflow_merge(record, id, name, pushed, serial);
}

/* Says that a stack of the task `id` (not 0) would have had `pushed` entries in the launch `serial`
 * (low word). One call for each thread and stack is enough, at the end. Threads that report the
 * same stack of the same launch share a record, which has the largest count; a storm of them takes
 * one record, hardly ever a few. Where all are taken, the earliest launch goes (by serials that are
 * less than 2^31 apart), so that the last ones are there. Records that went, and those that found
 * no room, are counted. */
void pail_overflow_report(uint id, uint stack, uint pushed, uint serial)
{
    const uint name = stack + 1u;
    atomicMax(PAIL_OVERFLOW_WORD(0), name);
    atomicCompSwap(PAIL_OVERFLOW_WORD(1), 0u, id);
    const uint records = PAIL_OVERFLOW_WORD(3);
    bool done = false;
    for (uint i = 0u; i < records && !done; i++) {
        const uint record = 4u + 4u * i;
        const uint owner = atomicCompSwap(PAIL_OVERFLOW_WORD(record), 0u, name);
        if (owner == 0u) {
            /* The id says that the record is complete. It is made with what the exchanges in front
             * of it gave, which is 0, and so cannot overtake them. A barrier would say it as well,
             * but some drivers make all threads of a workgroup meet there. */
            uint zero = atomicExchange(PAIL_OVERFLOW_WORD(record + 1u), pushed);
            zero |= atomicExchange(PAIL_OVERFLOW_WORD(record + 2u), serial);
            atomicExchange(PAIL_OVERFLOW_WORD(record + 3u), id | zero);
            done = true;
        }
        /* Not in an else: where threads run in step, the owner among them has written by now. */
        if (!done && owner == name)
            done = pail_overflow_merge(record, id, name, pushed, serial);
    }
    for (uint turn = 0u; turn < PAIL_OVERFLOW_PATIENCE && !done; turn++) {
        const uint record = pail_overflow_earliest(records, id, name, serial);
        if (record == 0u)
            break;
        done = pail_overflow_replace(record, id, name, pushed, serial);
    }
    if (!done)
        atomicAdd(PAIL_OVERFLOW_WORD(2), 1u);
}

/* A thread's stack: where its entries begin in the heap, in entries or whatever the kernel counts
 * in, and how many fit. Pushes beyond that are counted and land on the last entry, so that nothing
 * of another stack or thread is ever overwritten; results are wrong then, and reported. */
struct pail_stack {
    uint first, capacity;
    uint entries; /* now */
    uint most;    /* at any time */
};

pail_stack pail_stack_make(uint first, uint capacity, uint entries)
{
    return pail_stack(first, capacity, entries, entries);
}

/* Index of the topmost entry. In an empty stack that is its first. */
uint pail_stack_top(pail_stack stack)
{
    return stack.first + max(min(stack.entries, stack.capacity), 1u) - 1u;
}

/* Index at which the new entry is written. */
uint pail_stack_push(inout pail_stack stack)
{
    stack.entries++;
    stack.most = max(stack.most, stack.entries);
    return pail_stack_top(stack);
}

/* Index at which the topmost entry is read, which is gone then. */
uint pail_stack_pop(inout pail_stack stack)
{
    const uint top = pail_stack_top(stack);
    stack.entries -= min(stack.entries, 1u);
    return top;
}

/* Reports the stack if it was ever too small. */
void pail_stack_check(pail_stack stack, uint number, uint id, uint serial)
{
    if (stack.most > stack.capacity)
        pail_overflow_report(id, number, stack.most, serial);
}

#endif /* PAIL_OVERFLOW_GLSL */
