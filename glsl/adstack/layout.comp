#version 460
// Lays out stacks: from their sizes to capacities, offsets, strides and bytes of heaps, in 64 bits,
// and to the words that generated code reads. First a workgroup for each task; then a thread for
// each says what came of it, because a heap that is too small stops all of them. The rules are
// those of the host (host/base/adstack/layout.c).
#define PAIL_ADDRESSES
#include "../lib/prelude.glsl"
#include "../shared/adstack_layout.h"

layout(local_size_x = AD_WORKGROUP) in;

layout(push_constant) uniform Push { ad_layout_push push; };

#include "words.glsl"
#include "value.glsl"

// The fault of a task: a stack whose tree cannot be computed comes before one that does not fit,
// then the first of them.
const uint nothing_wrong = 0xffffffffu;
const uint does_not_fit = 0x80000000u;

shared uvec4 parts[AD_WORKGROUP]; // bytes of what comes before a thread's stacks: float, int
shared uint wrong;

uint task; // offset of the record

I64 load64(uint at)
{
    return i64(arena[at], arena[at + 1]);
}

uvec2 address_at(uint member)
{
    return uvec2(arena[task + member], arena[task + member + 1]);
}

#define metadata Words(address_at(AD_TASK_METADATA)).words

// Bytes of a stack, at most 2^34: what is more does not fit 32 bits of any unit.
I64 size_of(uint stack, out I64 capacity, out uint trouble)
{
    const uint slot = arena[stack + AD_STACK_SLOT];
    const uint value = push.slots + AD_VALUE_WORDS * (slot == AD_NONE ? 0 : slot);
    const uint mask = max(arena[stack + AD_STACK_ALIGNMENT], 1u) - 1;
    bool over, over_header, over_mask;
    capacity = load64(slot == AD_NONE ? stack + AD_STACK_CAPACITY : value);
    if (i64_less(capacity, i64_from(1)))
        capacity = i64_from(1);
    I64 size = i64_mul_checked(capacity, load64(stack + AD_STACK_ENTRY), over);
    size = i64_add_checked(size, i64_from(arena[stack + AD_STACK_HEADER]), over_header);
    size = i64_add_checked(size, i64_from(mask), over_mask);
    const uvec2 words = i64_words(size);
    size = i64(words.x & ~mask, words.y);
    over =
        over || over_header || over_mask || i64_less(i64(0, 4), size) || i64_words(capacity).y != 0;
    trouble = slot != AD_NONE && arena[value + 2] != 0 ? 0 : over ? does_not_fit : nothing_wrong;
    if (trouble != nothing_wrong)
        size = i64_zero();
    return size;
}

// Converts bytes to units of the task; false: that does not fit a word.
bool narrow(I64 bytes, out uint units)
{
    const uvec2 words = i64_words(bytes);
    const uint unit = arena[task + AD_TASK_UNIT];
    units = unit == 0 ? words.x : words.x >> unit | words.y << (32 - unit);
    return words.y >> unit == 0;
}

void add_part(inout uvec4 sums, uint heap, I64 size)
{
    if (heap == 0)
        sums.xy = i64_words(i64_add(i64(sums.x, sums.y), size));
    else
        sums.zw = i64_words(i64_add(i64(sums.z, sums.w), size));
}

uint counted_value()
{
    return push.slots + AD_VALUE_WORDS * arena[task + AD_TASK_COUNTED];
}

I64 rows_of(uint heap)
{
    if (heap == 1 || arena[task + AD_TASK_COUNTED] == AD_NONE)
        return load64(task + AD_TASK_ROWS + 2 * heap);
    const I64 counted = load64(counted_value());
    return i64_less(counted, i64_zero()) ? i64_zero() : counted;
}

// One thread computes the bytes of a heap, and checks that there are as many.
void need(uint heap, uvec2 stride, inout uint status)
{
    bool over;
    const I64 bytes = i64_mul_checked(i64(stride.x, stride.y), rows_of(heap), over);
    const uvec2 words = i64_words(bytes);
    arena[task + AD_TASK_BYTES + 2 * heap] = words.x;
    arena[task + AD_TASK_BYTES + 2 * heap + 1] = words.y;
    if (over)
        status = AD_RECORD_RANGE;
    else if (status == AD_RECORD_OK && i64_less(load64(task + AD_TASK_HEAPS + 2 * heap), bytes))
        status = AD_RECORD_HEAP;
}

void finish_task(uvec4 strides)
{
    uint status = AD_RECORD_OK, place = 0, units;
    if (arena[task + AD_TASK_COUNTED] != AD_NONE && arena[counted_value() + 2] != 0)
        wrong = min(wrong, arena[task + AD_TASK_N]);
    if (wrong != nothing_wrong) {
        status = wrong < does_not_fit ? AD_RECORD_ERROR : AD_RECORD_RANGE;
        place = (wrong & ~does_not_fit) + 1;
    } else {
        need(0, strides.xy, status);
        need(1, strides.zw, status);
    }
    if (status == AD_RECORD_OK || status == AD_RECORD_HEAP) {
        narrow(i64(strides.x, strides.y), units);
        metadata[0] = units;
        narrow(i64(strides.z, strides.w), units);
        metadata[1] = units;
        metadata[2 + 2 * arena[task + AD_TASK_N]] = 0;
    } else {
        for (uint i = 0; i < 4; i++)
            arena[task + AD_TASK_BYTES + i] = 0;
    }
    if (status == AD_RECORD_HEAP)
        atomicAdd(arena[push.short_of], 1);
    arena[task + AD_TASK_STATUS] = status;
    arena[task + AD_TASK_PLACE] = place;
}

void lay_out()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint n = arena[task + AD_TASK_N], each = (n + AD_WORKGROUP - 1) / AD_WORKGROUP;
    const uint first = min(lane * each, n), last = min(first + each, n);
    const uint stacks = arena[task + AD_TASK_STACKS];
    I64 capacity;
    uint trouble;
    uvec4 sums = uvec4(0);
    if (lane == 0)
        wrong = nothing_wrong;
    for (uint i = first; i < last; i++) {
        const uint stack = stacks + AD_STACK_WORDS * i;
        add_part(sums, arena[stack + AD_STACK_HEAP], size_of(stack, capacity, trouble));
    }
    parts[lane] = sums;
    barrier();
    sums = uvec4(0);
    // Most tasks have few stacks: lanes that got none have nothing to add.
    const uint before = min(lane, (n + max(each, 1u) - 1) / max(each, 1u));
    for (uint i = 0; i < before; i++) {
        add_part(sums, 0, i64(parts[i].x, parts[i].y));
        add_part(sums, 1, i64(parts[i].z, parts[i].w));
    }
    for (uint i = first; i < last; i++) {
        const uint stack = stacks + AD_STACK_WORDS * i;
        const bool whole = arena[stack + AD_STACK_HEAP] == 0;
        const I64 size = size_of(stack, capacity, trouble);
        const I64 offset = whole ? i64(sums.x, sums.y) : i64(sums.z, sums.w);
        uint units, end;
        narrow(offset, units);
        if (!narrow(i64_add(offset, size), end))
            trouble = min(trouble, does_not_fit);
        if (trouble != nothing_wrong)
            atomicMin(wrong, trouble | i);
        metadata[2 + 2 * i] = units;
        metadata[3 + 2 * i] = i64_words(capacity).x;
        add_part(sums, whole ? 0 : 1, size);
    }
    barrier();
    if (lane == AD_WORKGROUP - 1) // its sums are the whole task's
        finish_task(sums);
}

void say(uint status)
{
    const bool runs = status == AD_RECORD_OK;
    // Clears the metadata where sizes are not known.
    const uint n = runs || status == AD_RECORD_HEAP ? 0 : 3 + 2 * arena[task + AD_TASK_N];
    for (uint i = 0; i < n; i++)
        metadata[i] = 0;
    Words dispatch = Words(address_at(AD_TASK_DISPATCH));
    dispatch.words[0] = runs ? arena[task + AD_TASK_GROUPS] : 0;
    dispatch.words[1] = runs ? 1 : 0;
    dispatch.words[2] = runs ? 1 : 0;
    Words needed = Words(address_at(AD_TASK_NEEDED));
    for (uint i = 0; i < 4; i++)
        needed.words[i] = arena[task + AD_TASK_BYTES + i];
    needed.words[4] = status;
    needed.words[5] = arena[task + AD_TASK_PLACE];
}

void main()
{
    if (push.last == 0) {
        task = push.tasks + AD_TASK_WORDS * gl_WorkGroupID.x;
        lay_out();
        return;
    }
    if (gl_GlobalInvocationID.x >= push.n)
        return;
    task = push.tasks + AD_TASK_WORDS * gl_GlobalInvocationID.x;
    uint status = arena[task + AD_TASK_STATUS];
    if (status == AD_RECORD_OK && arena[push.short_of] != 0)
        status = AD_RECORD_HEAP;
    say(status);
}
