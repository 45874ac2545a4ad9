/* SPDX-License-Identifier: Apache-2.0 */
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

bool is_wide()
{
    return arena[task + AD_TASK_WIDE] != 0;
}

// Writes the metadata: float stride, int stride, then offset and capacity of each stack. Those of
// 64 bits have all offsets before all capacities, and no flag at the end.
void put(uint number, uvec2 value)
{
    if (!is_wide()) {
        metadata[number] = value.x;
        return;
    }
    const uint stack = (number - 2) / 2;
    const uint at = number < 2        ? number
                    : number % 2 == 0 ? 2 + stack
                                      : 2 + arena[task + AD_TASK_N] + stack;
    metadata[2 * at] = value.x;
    metadata[2 * at + 1] = value.y;
}

uint claims_of(uint heap)
{
    return task + AD_TASK_CLAIMS + AD_CLAIMS_WORDS * heap;
}

bool has_claims(uint heap)
{
    return arena[claims_of(heap) + AD_CLAIMS_STACK] != AD_NONE;
}

bool any_claims()
{
    return has_claims(0) || has_claims(1);
}

// Words of metadata in front of claims.
uint words_before_claims()
{
    const uint n = arena[task + AD_TASK_N];
    return is_wide() ? 4 + 4 * n : 3 + 2 * n;
}

void put_claim(uint number, uvec2 value)
{
    const uint at = words_before_claims() + number * (is_wide() ? 2 : 1);
    if (is_wide())
        metadata[at + 1] = value.y;
    metadata[at] = !is_wide() && value.y != 0 ? 0xffffffffu : value.x;
}

// Bytes of a stack. Of metadata of 32 bits at most 2^34: what is more does not fit any unit.
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
    over = over || over_header || over_mask;
    if (!is_wide())
        over = over || i64_less(i64(0, 4), size) || i64_words(capacity).y != 0;
    trouble = slot != AD_NONE && arena[value + 2] != 0 ? 0 : over ? does_not_fit : nothing_wrong;
    if (trouble != nothing_wrong)
        size = i64_zero();
    return size;
}

// Converts bytes to units of the task; false: that does not fit the metadata.
bool to_units(I64 bytes, out uvec2 units)
{
    const uvec2 words = i64_words(bytes);
    const uint unit = arena[task + AD_TASK_UNIT];
    units = unit == 0 ? words : uvec2(words.x >> unit | words.y << (32 - unit), words.y >> unit);
    return is_wide() || units.y == 0;
}

// The sum, at most what 64 bits hold: the stack that is beyond them says so.
uvec2 add_bytes(uvec2 sum, I64 size)
{
    bool over;
    const I64 both = i64_add_checked(i64(sum.x, sum.y), size, over);
    return over ? uvec2(0xffffffffu, 0x7fffffffu) : i64_words(both);
}

void add_part(inout uvec4 sums, uint heap, I64 size)
{
    if (heap == 0)
        sums.xy = add_bytes(sums.xy, size);
    else
        sums.zw = add_bytes(sums.zw, size);
}

uint counted_value()
{
    return push.slots + AD_VALUE_WORDS * arena[task + AD_TASK_COUNTED];
}

I64 rows_of(uint heap)
{
    const I64 given = load64(task + AD_TASK_ROWS + 2 * heap);
    if (heap == 1 || !i64_less(given, i64_zero()))
        return given;
    const I64 counted = load64(counted_value());
    return i64_less(counted, i64_zero()) ? i64_zero() : counted;
}

// The sum of claims, in units.
I64 total_of(uint heap)
{
    const uint claims = claims_of(heap), slot = arena[claims + AD_CLAIMS_SLOT];
    const I64 total =
        load64(slot == AD_NONE ? claims + AD_CLAIMS_TOTAL : push.slots + AD_VALUE_WORDS * slot);
    return i64_less(total, i64_zero()) ? i64_zero() : total;
}

I64 bytes_in_rows(uint heap, uvec4 strides, out bool over)
{
    const uvec2 stride = heap == 0 ? strides.xy : strides.zw;
    return i64_mul_checked(i64(stride.x, stride.y), rows_of(heap), over);
}

// A heap without claims has rows.
I64 bytes_claimed(uint heap, uvec4 strides, out bool over)
{
    if (!has_claims(heap))
        return bytes_in_rows(heap, strides, over);
    return i64_mul_checked(total_of(heap), i64_from(1u << arena[task + AD_TASK_UNIT]), over);
}

I64 weigh(I64 a, I64 b, bool over, uint time)
{
    bool over_sum, over_product;
    const I64 sum = i64_add_checked(a, b, over_sum);
    const I64 product = i64_mul_checked(sum, i64_from(time), over_product);
    if (over || over_sum || over_product)
        return i64(0xffffffffu, 0x7fffffffu);
    return product;
}

// True if the sum of a heap's claims fits the metadata.
bool claim_fits(uint heap)
{
    return is_wide() || !has_claims(heap) || i64_words(total_of(heap)).y == 0;
}

bool claims_fit()
{
    return claim_fits(0) && claim_fits(1);
}

bool are_claimed(uvec4 strides)
{
    const uint asked = arena[task + AD_TASK_LAYOUT];
    if (!any_claims() || asked == AD_LAYOUT_ROWS)
        return false;
    if (asked == AD_LAYOUT_CLAIMED)
        return true;
    bool over0, over1, over2, over3;
    const I64 row0 = bytes_in_rows(0, strides, over0), row1 = bytes_in_rows(1, strides, over1);
    const I64 claimed0 = bytes_claimed(0, strides, over2);
    const I64 claimed1 = bytes_claimed(1, strides, over3);
    return claims_fit() &&
           i64_less(weigh(claimed0, claimed1, over2 || over3, arena[task + AD_TASK_TIME]),
                    weigh(row0, row1, over0 || over1, AD_ROWS_TIME));
}

// One thread computes the bytes of a heap, and checks that there are as many.
void need(uint heap, uvec4 strides, bool claimed, inout uint status)
{
    bool over;
    I64 bytes;
    if (claimed)
        bytes = bytes_claimed(heap, strides, over);
    else
        bytes = bytes_in_rows(heap, strides, over);
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
    uint status = AD_RECORD_OK, place = 0;
    uvec2 units;
    bool claimed = false;
    uint number = arena[task + AD_TASK_N]; // of the stack that counts rows
    for (uint heap = 0; heap < 2; heap++) {
        if (!has_claims(heap))
            continue;
        const uint of = arena[claims_of(heap) + AD_CLAIMS_SLOT];
        if (of != AD_NONE && arena[push.slots + AD_VALUE_WORDS * of + 2] != 0)
            wrong = min(wrong, number);
        number++;
    }
    if (arena[task + AD_TASK_COUNTED] != AD_NONE && arena[counted_value() + 2] != 0)
        wrong = min(wrong, number);
    if (wrong != nothing_wrong) {
        status = wrong < does_not_fit ? AD_RECORD_ERROR : AD_RECORD_RANGE;
        place = (wrong & ~does_not_fit) + 1;
    } else {
        claimed = are_claimed(strides);
        need(0, strides, claimed, status);
        need(1, strides, claimed, status);
        if (claimed && !claims_fit()) {
            status = AD_RECORD_RANGE;
            place = arena[claims_of(claim_fits(0) ? 1 : 0) + AD_CLAIMS_STACK] + 1;
        }
    }
    if (status == AD_RECORD_OK || status == AD_RECORD_HEAP) {
        to_units(i64(strides.x, strides.y), units);
        put(0, units);
        to_units(i64(strides.z, strides.w), units);
        put(1, units);
        if (!is_wide())
            metadata[2 + 2 * arena[task + AD_TASK_N]] = 0;
        if (any_claims()) {
            put_claim(0, uvec2(claimed ? AD_LAYOUT_CLAIMED : AD_LAYOUT_ROWS, 0));
            for (uint heap = 0; heap < 2; heap++) {
                put_claim(1 + 2 * heap, uvec2(0));
                put_claim(2 + 2 * heap, has_claims(heap) ? i64_words(total_of(heap)) : uvec2(0));
            }
        }
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
        uvec2 units, end;
        bool over;
        to_units(offset, units);
        if (!to_units(i64_add_checked(offset, size, over), end) || over)
            trouble = min(trouble, does_not_fit);
        if (trouble != nothing_wrong)
            atomicMin(wrong, trouble | i);
        put(2 + 2 * i, units);
        put(3 + 2 * i, i64_words(capacity));
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
    const uint claims = any_claims() ? (is_wide() ? 10 : 5) : 0;
    const uint words = words_before_claims() + claims;
    const uint n = runs || status == AD_RECORD_HEAP ? 0 : words;
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
