/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Cuts the specs of a level into workgroups, for all batches, by one workgroup: lengths of axes,
// cells, lanes of a cell, partials, and the arguments of each batch's dispatch. Where a batch takes
// longer than a dispatch may, also how much of it is done in this portion.
#define PAIL_ADDRESSES
#include "../lib/prelude.glsl"
#include "../shared/adstack_layout.h"

layout(local_size_x = AD_WORKGROUP) in;

layout(push_constant) uniform Push { ad_prepare_push push; };

#include "../lib/group_scan.glsl"
#include "words.glsl"
#include "value.glsl"

I64 slot_value(uint number)
{
    const uint at = push.slots + AD_VALUE_WORDS * number;
    return i64(arena[at], arena[at + 1]);
}

uint slot_error(uint number)
{
    return arena[push.slots + AD_VALUE_WORDS * number + 2];
}

void put(uint at, I64 v)
{
    const uvec2 words = i64_words(v);
    arena[at] = words.x;
    arena[at + 1] = words.y;
}

bool too_many(I64 n)
{
    return i64_less_unsigned(i64(0, AD_CELLS_HIGH), n);
}

// Threads may take several cells along the last axis at a time. Where a stretch of them begins
// depends on the address of an array, so one more than the length says may be needed.
I64 stretches_of(uint spec, bool last, I64 size)
{
    const uint together = arena[spec + AD_SPEC_TOGETHER];
    if (!last || together == 1)
        return size;
    put(spec + AD_SPEC_LAST, size);
    I64 rest;
    const I64 most = i64_add(size, i64_from(2 * (together - 1)));
    return i64_divide_unsigned(most, i64_from(together), rest);
}

// Axis by axis from the outermost: an error of a bound, an empty range, one too long decide,
// whatever comes further inside; then the number of cells. units: what threads take, which is one
// or several cells.
I64 count_cells(uint spec, out I64 units, out uint error)
{
    const uint n = arena[spec + AD_SPEC_N_AXES], site = arena[spec + AD_SPEC_SITE];
    I64 cells = i64_from(1);
    I64 stretches = i64_from(1); // no more than cells
    bool over = false;
    units = i64_zero();
    error = 0;
    for (uint k = 0; k < n; k++) {
        const uint axis = spec + AD_SPEC_AXES + AD_AXIS_WORDS * k;
        const uint from = arena[axis + AD_AXIS_BEGIN_SLOT], to = arena[axis + AD_AXIS_END_SLOT];
        const I64 begin = slot_value(from), end = slot_value(to);
        const I64 size = i64_sub(end, begin);
        bool overflow;
        error = ad_least(slot_error(from), slot_error(to));
        if (error != 0 || !i64_less(begin, end))
            return i64_zero();
        if (too_many(size)) {
            error = site | AD_ERROR_CELLS;
            return i64_zero();
        }
        put(axis + AD_AXIS_BEGIN, begin);
        const I64 length = stretches_of(spec, k + 1 == n, size);
        put(axis + AD_AXIS_LENGTH, length);
        stretches = i64_mul(stretches, length);
        cells = i64_mul_checked(cells, size, overflow);
        over = over || overflow || too_many(cells);
        if (over)
            cells = i64_from(1);
    }
    if (over) {
        error = site | AD_ERROR_CELLS;
        return i64_zero();
    }
    units = stretches;
    return cells;
}

// Limits of a portion. ns: of a unit of work, 0 where nothing is limited; allowed: of the portion;
// wanted, most: workgroups of a spec; n: specs.
struct Limits {
    float ns, allowed;
    uint wanted, most, n;
};

// A round of threads that fill the device has at most so much of what a dispatch may take.
#define ROUNDS_OF_DISPATCH 8.0

// Lanes share the turns of a cell's last loop when cells are few and turns many: each lane finds
// all cells' bounds again, so with P threads the time is about cells * lanes / P + turns / lanes,
// which is least at lanes = sqrt(turns * P / cells). None of this changes a result. No lane has
// more turns than a portion can end between; there may be more lanes than threads for that.
uint log2_lanes(uint spec, float cells, float turns, Limits limits)
{
    if (arena[spec + AD_SPEC_TURNS] == AD_NONE)
        return 0;
    const float steps = float(arena[spec + AD_SPEC_STEPS]);
    const float threads = float(AD_WORKGROUP) * float(limits.wanted);
    float lanes = min(sqrt(turns * threads / cells), min(turns, threads));
    if (steps > 0)
        lanes = max(lanes, 8 * turns * float(arena[spec + AD_SPEC_TURN_COST]) / steps);
    lanes = min(lanes, float(AD_WORKGROUP) * float(limits.most));
    const float round = turns * float(arena[spec + AD_SPEC_TURN_UNITS]) * limits.ns *
                        float(AD_WORKGROUP) * float(push.fill);
    const float needed = round * ROUNDS_OF_DISPATCH / uintBitsToFloat(push.dispatch_ns);
    // Twice as many, for it is rounded down; and all items are counted in 62 bits.
    if (limits.ns > 0 && 2 * needed > lanes)
        lanes = min(min(2 * needed, turns), min(exp2(24.0), exp2(60.0) / cells));
    return uint(findMSB(uint(max(lanes, 1.0))));
}

// Ratio of the workgroups of a spec with many steps to those that are good for the device.
#define MORE_GROUPS 16.0

// Workgroups whose round has its part of what a dispatch may take. turns: of an item.
float round_groups(uint spec, float turns, Limits limits)
{
    const float units = float(arena[spec + AD_SPEC_UNITS]) +
                        max(turns, 1.0) * float(arena[spec + AD_SPEC_TURN_UNITS]);
    const float ns = units * limits.ns * float(AD_WORKGROUP);
    return floor(uintBitsToFloat(push.dispatch_ns) / (ns * ROUNDS_OF_DISPATCH));
}

uint workgroups(uint spec, float cells, float turns, uint lanes, Limits limits)
{
    const uint wanted = limits.wanted, most = limits.most;
    const float steps = float(arena[spec + AD_SPEC_STEPS]);
    const float each = float(AD_WORKGROUP);
    float n = min(ceil(cells * exp2(float(lanes)) / each), float(wanted));
    if (limits.ns > 0)
        n = min(n, max(round_groups(spec, turns * exp2(-float(lanes)), limits), float(push.fill)));
    if (steps > 0 && !(limits.ns > 0 && push.portions == 0)) {
        const float work = cells * (exp2(float(lanes)) * float(arena[spec + AD_SPEC_COST]) +
                                    turns * float(arena[spec + AD_SPEC_TURN_COST]));
        // Drivers that count turns take long to begin a workgroup, so the rest is more portions.
        const float some = min(float(most), MORE_GROUPS * float(wanted));
        const float needed = ceil(4 * work / (each * steps));
        n = max(n, min(needed, push.portions == 0 ? some : float(most)));
    }
    const uint together = max((1u << lanes) / AD_WORKGROUP, 1u);
    if (limits.ns > 0 && float(together) > n) // a thread has several lanes of a cell
        return max(uint(n), 1u);
    return max(uint(n) / together * together, together);
}

// The most turns of the loop that lanes share, which is but a hint: 1 where there is no such loop,
// or where it has so many that they are an error.
float turns_of(uint spec)
{
    const uint slot = arena[spec + AD_SPEC_TURNS];
    if (slot == AD_NONE || slot_error(slot) != 0 || too_many(slot_value(slot)))
        return 1;
    return max(i64_float(slot_value(slot)), 1.0);
}

// True if threads would reach the limit of their steps, however many there are.
bool hopeless(uint spec, float cells, float turns, uint most)
{
    const float steps = float(arena[spec + AD_SPEC_STEPS]) * float(AD_WORKGROUP) * float(most);
    return steps > 0 && (cells * float(arena[spec + AD_SPEC_COST]) > steps ||
                         turns * float(arena[spec + AD_SPEC_TURN_COST]) > steps);
}

// Puts the distance from a thread's item to its next, in digits of lanes and axes.
void put_steps(uint spec, uint threads, uint lanes)
{
    arena[spec + AD_SPEC_LANE_STEP] = threads & ((1u << lanes) - 1);
    uint further = threads >> lanes;
    for (uint k = arena[spec + AD_SPEC_N_AXES]; k-- > 0;) {
        const uint axis = spec + AD_SPEC_AXES + AD_AXIS_WORDS * k;
        const uint size = arena[axis + AD_AXIS_LENGTH];
        const bool wide = arena[axis + AD_AXIS_LENGTH + 1] != 0;
        arena[axis + AD_AXIS_STEP] = wide ? further : further % max(size, 1u);
        further = wide ? 0 : further / max(size, 1u);
    }
}

// Items of a spec, and the rounds that its threads take them in.
void put_rounds(uint spec, I64 units, uint threads, uint lanes)
{
    const I64 items = i64_mul(units, i64_from(1u << lanes));
    const uvec2 words = i64_words(i64_add(items, i64_from(threads - 1)));
    I64 rest, rounds;
    if (words.y == 0)
        rounds = i64_from(words.x / threads);
    else
        rounds = i64_divide_unsigned(i64(words.x, words.y), i64_from(threads), rest);
    put(spec + AD_SPEC_ITEMS, items);
    put(spec + AD_SPEC_LEFT, rounds);
}

// Before its first portion.
void begin(uint spec, Limits limits)
{
    uint error;
    I64 units;
    const I64 cells = count_cells(spec, units, error);
    uint lanes = 0, groups = 0;
    if (!i64_equal(cells, i64_zero())) {
        const float n = i64_float(units), turns = turns_of(spec);
        if (hopeless(spec, n, turns, limits.most)) {
            error = AD_GIVEN_BACK;
        } else {
            lanes = log2_lanes(spec, n, turns, limits);
            groups = workgroups(spec, n, turns, lanes, limits);
            put_steps(spec, groups * AD_WORKGROUP, lanes);
            put_rounds(spec, units, groups * AD_WORKGROUP, lanes);
        }
    }
    const uint report = arena[spec + AD_SPEC_REPORT];
    put(spec + AD_SPEC_CELLS, cells);
    put(report + AD_REPORT_CELLS, cells);
    arena[report + AD_REPORT_GROUPS] = groups;
    arena[report + AD_REPORT_LANES] = 1u << lanes;
    arena[spec + AD_SPEC_GROUPS] = groups;
    arena[spec + AD_SPEC_ERROR] = error;
    arena[spec + AD_SPEC_LANES] = lanes;
    arena[spec + AD_SPEC_STATE] = AD_BEGUN;
}

// True if it is complete, or an error of an earlier portion decides by now.
bool is_over(uint spec)
{
    return arena[spec + AD_SPEC_STATE] == AD_COMPLETE ||
           ad_decides(arena[spec + AD_SPEC_SUM + 4], arena[spec + AD_SPEC_LEAST]);
}

float left_of(uint spec)
{
    if (is_over(spec))
        return 0;
    return i64_float(i64(arena[spec + AD_SPEC_LEFT], arena[spec + AD_SPEC_LEFT + 1]));
}

// Units of work of an item.
float item_units(uint spec)
{
    const float turns = ceil(turns_of(spec) * exp2(-float(arena[spec + AD_SPEC_LANES])));
    return float(arena[spec + AD_SPEC_UNITS]) + turns * float(arena[spec + AD_SPEC_TURN_UNITS]);
}

// Steps of an item.
float item_steps(uint spec)
{
    const float turns = ceil(turns_of(spec) * exp2(-float(arena[spec + AD_SPEC_LANES])));
    return float(arena[spec + AD_SPEC_COST]) + turns * float(arena[spec + AD_SPEC_TURN_COST]);
}

float round_units(uint spec)
{
    return item_units(spec) * float(AD_WORKGROUP) * float(arena[spec + AD_SPEC_GROUPS]);
}

// Ratio of the time that a spec of few workgroups takes to its share of the device.
float thinness(uint spec)
{
    return max(float(push.fill) / max(float(arena[spec + AD_SPEC_GROUPS]), 1.0), 1.0);
}

// Rounds of a spec, as many as the whole portion may have of it; 0: it is complete, or empty.
uint rounds_of(uint spec, Limits limits)
{
    const float left = left_of(spec);
    if (left == 0)
        return 0;
    float n = left;
    if (limits.ns > 0 && push.portions != 1)
        n = min(n, floor(limits.allowed / (round_units(spec) * limits.ns * thinness(spec))));
    const float steps = float(arena[spec + AD_SPEC_STEPS]);
    if (push.portions == 0 && steps > 0)
        n = min(n, floor(steps / (2 * item_steps(spec))));
    const uint most = arena[spec + AD_SPEC_MOST];
    if (most != 0 && push.portions != 1)
        n = min(n, float(most));
    // Numbers beyond 2^24 are not exact as floats.
    const bool few = left < 16777216.0;
    const uint all = few ? arena[spec + AD_SPEC_LEFT] : 0x7fffffffu;
    return n >= left && few ? all : uint(clamp(n, 1.0, 2147483520.0));
}

// Steps that a thread may take before its portion has taken too long, whatever the estimate says: a
// body may have loops that nobody knows the turns of beforehand. The device's pace says how long a
// step of all that run at a time is.
uint allowed_of(uint spec, uint rounds, Limits limits)
{
    if (limits.ns == 0 || push.portions == 1 || arena[spec + AD_SPEC_FREE] != 0)
        return 0;
    const float groups =
        min(float(arena[spec + AD_SPEC_GROUPS]), float(limits.wanted)) * float(limits.n);
    const float together = float(AD_WORKGROUP) * max(groups, float(push.fill));
    const float turn = max(float(arena[spec + AD_SPEC_TURN_UNITS]), 1.0);
    const float steps = limits.allowed / (limits.ns * together * turn);
    return uint(min(max(steps, 2 * item_steps(spec) * float(rounds)), 2147483520.0));
}

// Returns the spec's workgroups.
uint put_portion(uint spec, uint rounds, Limits limits)
{
    const uint report = arena[spec + AD_SPEC_REPORT];
    const uint allowed = allowed_of(spec, rounds, limits), steps = arena[spec + AD_SPEC_STEPS];
    const bool soft = allowed != 0 && (steps == 0 || allowed < steps);
    arena[spec + AD_SPEC_ROUNDS] = rounds;
    arena[spec + AD_SPEC_ALLOWED] = soft ? allowed : steps;
    arena[spec + AD_SPEC_OVER] = soft ? AD_TOO_LONG : AD_GIVEN_BACK;
    arena[report + AD_REPORT_UNITS] = floatBitsToUint(round_units(spec) * float(rounds));
    arena[report + AD_REPORT_OVER] = 0;
    return rounds == 0 ? 0 : arena[spec + AD_SPEC_GROUPS];
}

shared float sums[AD_WORKGROUP];

// Sum over all threads; a barrier at its beginning and its end.
float group_sum(float value)
{
    const uint lane = gl_LocalInvocationIndex;
    sums[lane] = value;
    for (uint half_size = AD_WORKGROUP / 2; half_size > 0; half_size >>= 1) {
        barrier();
        if (lane < half_size)
            sums[lane] += sums[lane + half_size];
    }
    barrier();
    const float all = sums[0];
    barrier();
    return all;
}

// Parts of the time that a dispatch may take; they are added up without rounding.
#define PARTS 1048576.0

// Parts of a portion that rounds of a spec are; at most all of it, for a sum of them is a uint.
uint parts_of(uint spec, uint rounds, Limits limits)
{
    const float ns = float(rounds) * round_units(spec) * limits.ns;
    return uint(min(ceil(ns / limits.allowed * PARTS), PARTS));
}

void begin_all(uint list, Limits limits)
{
    for (uint i = gl_LocalInvocationIndex; i < limits.n; i += AD_WORKGROUP) {
        const uint spec = arena[list + AD_LIST_WORDS * i];
        if (arena[spec + AD_SPEC_STATE] == AD_NEW)
            begin(spec, limits);
    }
}

// Nanoseconds of all that is left of a batch.
float left_of_all(uint list, Limits limits)
{
    float ns = 0;
    for (uint i = gl_LocalInvocationIndex; i < limits.n; i += AD_WORKGROUP) {
        const uint spec = arena[list + AD_LIST_WORDS * i];
        ns += left_of(spec) * round_units(spec) * limits.ns;
    }
    return group_sum(ns);
}

// The rounds of a spec that are within the portion, when others before it have used some parts.
uint within(uint spec, uint rounds, uint parts, float used)
{
    if (used + float(parts) <= PARTS || parts == 0)
        return rounds;
    if (used >= PARTS)
        return 0;
    const uint n = uint(float(rounds) * ((PARTS - used) / float(parts)));
    return used == 0 ? max(n, 1u) : n; // at least one round goes on
}

// Distributes what the portion may take over the specs in their order: those that are complete make
// room for the next. used: parts that are not there. Returns all workgroups.
uint put_batch(uint batch, Limits limits, bool cut, float used)
{
    const uint list = arena[batch + AD_BATCH_LIST];
    uint first = 0;
    for (uint from = 0; from < limits.n; from += AD_WORKGROUP) {
        const uint i = from + gl_LocalInvocationIndex;
        const bool here = i < limits.n;
        const uint spec = here ? arena[list + AD_LIST_WORDS * i] : 0;
        uint rounds = here ? rounds_of(spec, limits) : 0, groups = 0, total;
        if (cut) {
            const uint parts = rounds == 0 ? 0 : parts_of(spec, rounds, limits);
            const uint before = group_scan(parts, total);
            rounds = within(spec, rounds, parts, used + float(before));
            used = min(used + float(total), 2 * PARTS);
        }
        if (here)
            groups = put_portion(spec, rounds, limits);
        const uint before = first + group_scan(groups, total);
        if (here) {
            arena[list + AD_LIST_WORDS * i + 1] = before;
            arena[spec + AD_SPEC_PARTIALS] =
                arena[batch + AD_BATCH_PARTIALS] + AD_PARTIAL_WORDS * before;
        }
        first += total;
    }
    return first;
}

void main()
{
    const uint pending = arena[push.state + AD_STATE_PENDING];
    const bool waits = pending < push.stage; // a level before is not complete
    float ns_left = uintBitsToFloat(arena[push.state + AD_STATE_NS]);
    barrier();
    for (uint b = 0; b < push.n_batches; b++) {
        const uint batch = push.batches + AD_BATCH_WORDS * b;
        const float dispatch = uintBitsToFloat(push.dispatch_ns);
        Limits limits;
        limits.ns = uintBitsToFloat(arena[batch + AD_BATCH_NS]);
        limits.wanted = arena[batch + AD_BATCH_WANTED];
        limits.most = arena[batch + AD_BATCH_MOST];
        limits.n = arena[batch + AD_BATCH_N];
        limits.allowed = dispatch;
        uint groups = 0;
        if (!waits) {
            begin_all(arena[batch + AD_BATCH_LIST], limits);
            bool cut = false;
            float used = 0;
            if (limits.ns > 0 && push.portions != 1) {
                const float all = left_of_all(arena[batch + AD_BATCH_LIST], limits);
                limits.allowed = push.portions == 0 ? min(dispatch, ns_left)
                                                    : max(dispatch, all / float(push.portions));
                cut = all > limits.allowed;
                // The rest of a submission may not be worth a dispatch.
                if (cut && limits.allowed < dispatch / 16)
                    used = PARTS;
                ns_left -= min(all, limits.allowed);
            }
            groups = put_batch(batch, limits, cut, used);
        }
        if (gl_LocalInvocationIndex == 0) {
            const uint indirect = arena[batch + AD_BATCH_INDIRECT];
            arena[indirect] = groups;
            arena[indirect + 1] = 1;
            arena[indirect + 2] = 1;
        }
    }
    if (gl_LocalInvocationIndex == 0 && !waits) {
        arena[push.state + AD_STATE_PENDING] = AD_NONE;
        arena[push.state + AD_STATE_NS] = floatBitsToUint(ns_left);
    }
}
