#version 460
// How the specs of a level are cut into workgroups, for all batches, by one workgroup: lengths of
// axes, cells, lanes of a cell, partials, and the arguments of each batch's dispatch.
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

// Lanes share the turns of a cell's last loop when cells are few and turns many: each lane finds
// all cells' bounds again, so with P threads the time is about cells * lanes / P + turns / lanes,
// which is least at lanes = sqrt(turns * P / cells). None of this changes a result.
uint log2_lanes(uint spec, float cells, float turns, uint wanted, uint most)
{
    if (arena[spec + AD_SPEC_TURNS] == AD_NONE)
        return 0;
    const float steps = float(arena[spec + AD_SPEC_STEPS]);
    const float threads = float(AD_WORKGROUP) * float(wanted);
    float lanes = min(sqrt(turns * threads / cells), min(turns, threads));
    if (steps > 0)
        lanes = max(lanes, 8 * turns * float(arena[spec + AD_SPEC_TURN_COST]) / steps);
    lanes = min(lanes, float(AD_WORKGROUP) * float(most));
    return uint(findMSB(uint(max(lanes, 1.0))));
}

uint workgroups(uint spec, float cells, float turns, uint lanes, uint wanted, uint most)
{
    const float steps = float(arena[spec + AD_SPEC_STEPS]);
    const float each = float(AD_WORKGROUP);
    float n = min(ceil(cells * exp2(float(lanes)) / each), float(wanted));
    if (steps > 0) {
        const float work = cells * (exp2(float(lanes)) * float(arena[spec + AD_SPEC_COST]) +
                                    turns * float(arena[spec + AD_SPEC_TURN_COST]));
        n = max(n, min(ceil(4 * work / (each * steps)), float(most)));
    }
    const uint together = max((1u << lanes) / AD_WORKGROUP, 1u);
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

// Whether threads would come to the end of what they may take, however many there are.
bool hopeless(uint spec, float cells, float turns, uint most)
{
    const float steps = float(arena[spec + AD_SPEC_STEPS]) * float(AD_WORKGROUP) * float(most);
    return steps > 0 && (cells * float(arena[spec + AD_SPEC_COST]) > steps ||
                         turns * float(arena[spec + AD_SPEC_TURN_COST]) > steps);
}

// By how much the next cell of a thread is further, in digits of the axes.
void put_steps(uint spec, uint further)
{
    for (uint k = arena[spec + AD_SPEC_N_AXES]; k-- > 0;) {
        const uint axis = spec + AD_SPEC_AXES + AD_AXIS_WORDS * k;
        const uint size = arena[axis + AD_AXIS_LENGTH];
        const bool wide = arena[axis + AD_AXIS_LENGTH + 1] != 0;
        arena[axis + AD_AXIS_STEP] = wide ? further : further % max(size, 1u);
        further = wide ? 0 : further / max(size, 1u);
    }
    arena[spec + AD_SPEC_SINGLE] = further != 0 ? 1 : 0;
}

// Returns the spec's workgroups.
uint prepare(uint spec, uint wanted, uint most)
{
    uint error;
    I64 units;
    const I64 cells = count_cells(spec, units, error);
    uint lanes = 0, groups = 0;
    if (!i64_equal(cells, i64_zero())) {
        const float n = i64_float(units), turns = turns_of(spec);
        if (hopeless(spec, n, turns, most)) {
            error = AD_GIVEN_BACK;
        } else {
            lanes = log2_lanes(spec, n, turns, wanted, most);
            groups = workgroups(spec, n, turns, lanes, wanted, most);
            put_steps(spec, groups * AD_WORKGROUP >> lanes);
        }
    }
    const uint report = arena[spec + AD_SPEC_REPORT];
    put(spec + AD_SPEC_CELLS, cells);
    put(report, cells);
    arena[report + 2] = groups;
    arena[report + 3] = 1u << lanes;
    arena[spec + AD_SPEC_GROUPS] = groups;
    arena[spec + AD_SPEC_ERROR] = error;
    arena[spec + AD_SPEC_LANES] = lanes;
    return groups;
}

void main()
{
    for (uint b = 0; b < push.n_batches; b++) {
        const uint batch = push.batches + AD_BATCH_WORDS * b;
        const uint list = arena[batch + AD_BATCH_LIST], n = arena[batch + AD_BATCH_N];
        uint first = 0;
        for (uint from = 0; from < n; from += AD_WORKGROUP) {
            const uint i = from + gl_LocalInvocationIndex;
            const uint spec = i < n ? arena[list + AD_LIST_WORDS * i] : 0;
            uint groups = 0, total;
            if (i < n)
                groups =
                    prepare(spec, arena[batch + AD_BATCH_WANTED], arena[batch + AD_BATCH_MOST]);
            const uint before = first + group_scan(groups, total);
            if (i < n) {
                arena[list + AD_LIST_WORDS * i + 1] = before;
                arena[spec + AD_SPEC_PARTIALS] =
                    arena[batch + AD_BATCH_PARTIALS] + AD_PARTIAL_WORDS * before;
            }
            first += total;
        }
        if (gl_LocalInvocationIndex == 0) {
            const uint indirect = arena[batch + AD_BATCH_INDIRECT];
            arena[indirect] = first;
            arena[indirect + 1] = 1;
            arena[indirect + 2] = 1;
        }
    }
}
