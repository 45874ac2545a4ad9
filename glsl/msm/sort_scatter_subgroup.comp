#version 460
// As msm/sort_scatter, ranked by ballots. A subtile is dealt out to crews, which are subgroups or
// their parts of 32 threads: each has consecutive entries, a thread every crew_size-th of them. For
// each entry in turn a crew finds the threads whose entry has the same digit (one ballot for each
// bit), and counts on the crew's counter of that digit. Prefix sums of the counters over digits
// and, within a digit, over crews then give each entry its place in the subtile, in a stable order;
// there it waits in workgroup memory, so that entries of a bin go to device memory together. Any
// size of subgroup will do: where counters of all crews do not fit, digits are cut into rounds.
#define PAIL_SUBGROUP
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;
layout(constant_id = MSM_SPEC_BINS) const uint BINS = MSM_SORT_BINS;
layout(constant_id = MSM_SPEC_ITEMS) const uint ITEMS = MSM_SORT_ITEMS;
layout(constant_id = MSM_SPEC_WIDE) const uint WIDE = 0;

const uint threads = gl_WorkGroupSize.x;
const uint subtile = ITEMS * gl_WorkGroupSize.x;
const uint crew_max = 32;

shared uint words[2 * subtile]; // counters, [crew][digit]; later keys, then handles
shared uint bin_next[BINS];     // where a bin's next entry goes in the row
shared uint bin_base[BINS];     // what to add to places in the subtile

// Threads of the subgroup that run, and the own number in the workgroup. A driver may put fewer
// into a subgroup than it has room for, but equally many into all.
uint lanes, lane;
uint crews, crew, crew_size, member;

uint keys[ITEMS], handles[ITEMS], places[ITEMS];

#include "../lib/group_scan_subgroup.glsl"
#include "sort.glsl"
#include "sort_bins.glsl"

void muster()
{
    lanes = subgroupBallotBitCount(subgroupBallot(true));
    const uint parts = WIDE != 0 ? (lanes + crew_max - 1) / crew_max : 1;
    lane = gl_SubgroupID * lanes + gl_SubgroupInvocationID;
    crews = gl_NumSubgroups * parts;
    crew_size = min(lanes, crew_max);
    crew = lane / crew_size;
    member = lane % crew_size;
}

// Members of the crew for whom it holds, a bit for each.
uint crew_ballot(bool holds)
{
    const uvec4 all = subgroupBallot(holds);
    return WIDE != 0 ? all[gl_SubgroupInvocationID / crew_max] : all.x;
}

uint place_of(uint item)
{
    return (crew * ITEMS + item) * crew_size + member;
}

// Places behind the end get keys above all others, and so stay behind them. All words are asked for
// before the first is looked at.
void load(uint first, uint count)
{
    const uint from = row_first + first, last = count - 1;
    if (push.first_pass != 0) {
        [[unroll]] for (uint k = 0; k < ITEMS; k++)
            keys[k] = digits[from + min(place_of(k), last)];
        [[unroll]] for (uint k = 0; k < ITEMS; k++)
            handles[k] = handle_at(first + place_of(k)) | keys[k] & MSM_HANDLE_SIGN;
        [[unroll]] for (uint k = 0; k < ITEMS; k++)
            keys[k] &= ~MSM_HANDLE_SIGN;
    } else {
        [[unroll]] for (uint k = 0; k < ITEMS; k++) {
            const uvec2 entry = entries[from + min(place_of(k), last)];
            keys[k] = entry.x;
            handles[k] = entry.y;
        }
    }
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        keys[k] = place_of(k) > last ? MSM_KEY_NONE : keys[k];
}

void take_back()
{
    [[unroll]] for (uint k = 0; k < ITEMS; k++) {
        keys[k] = words[place_of(k)];
        handles[k] = words[subtile + place_of(k)];
    }
    barrier();
}

// Orders the subtile by some bits of the keys.
void sort_round(uint shift, uint bits)
{
    const uint values = 1u << bits;
    for (uint i = lane; i < crews << bits; i += threads)
        words[i] = 0;
    const uint everyone = crew_ballot(true);
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        places[k] = everyone;
    for (uint bit = shift; bit < shift + bits; bit++)
        [[unroll]] for (uint k = 0; k < ITEMS; k++) {
            const bool one = (keys[k] >> bit & 1) != 0;
            const uint same = crew_ballot(one);
            places[k] &= one ? same : ~same;
        }
    barrier();
    [[unroll]] for (uint k = 0; k < ITEMS; k++) {
        const uint peers = places[k];
        const uint before = bitCount(peers & (1u << member) - 1);
        uint count = 0;
        if (before == 0)
            count = atomicAdd(words[crew << bits | keys[k] >> shift & values - 1], bitCount(peers));
        count = subgroupShuffle(count, gl_SubgroupInvocationID - member + findLSB(peers));
        places[k] = count + before;
        subgroupMemoryBarrierShared(); // the next entry's count comes after this one's
    }
    barrier();
    for (uint v = lane; v < values; v += threads) {
        uint running = 0;
        for (uint c = 0; c < crews; c++) {
            const uint count = words[c << bits | v];
            words[c << bits | v] = running;
            running += count;
        }
        bin_base[v] = running;
    }
    barrier();
    const uint each = (values + threads - 1) / threads;
    const uint first = min(lane * each, values), end = min(first + each, values);
    uint sum = 0;
    for (uint v = first; v < end; v++)
        sum += bin_base[v];
    uint total;
    uint running = group_scan(sum, total);
    for (uint v = first; v < end; v++) {
        const uint count = bin_base[v];
        bin_base[v] = running;
        running += count;
    }
    barrier();
    [[unroll]] for (uint k = 0; k < ITEMS; k++) {
        const uint value = keys[k] >> shift & values - 1;
        places[k] += words[crew << bits | value] + bin_base[value];
    }
    barrier();
    [[unroll]] for (uint k = 0; k < ITEMS; k++) {
        words[places[k]] = keys[k];
        words[subtile + places[k]] = handles[k];
    }
    barrier();
}

// The sorted subtile to its places: one number for each bin turns places here into places there.
void store(uint count)
{
    [[unroll]] for (uint k = 0; k < ITEMS; k++) {
        const uint i = k * threads + lane;
        keys[k] = words[i];
        handles[k] = words[subtile + i];
        const uint bin = bin_of(keys[k]);
        if (i < count && (i == 0 || bin_of(words[i - 1]) != bin))
            bin_base[bin] = bin_next[bin] - i;
    }
    barrier();
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        places[k] = bin_base[bin_of(keys[k])] + k * threads + lane;
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        if (k * threads + lane < count)
            sorted[row_first + places[k]] = uvec2(keys[k], handles[k]);
    [[unroll]] for (uint k = 0; k < ITEMS; k++) {
        const uint i = k * threads + lane, bin = bin_of(keys[k]);
        if (i < count && (i + 1 == count || bin_of(words[i + 1]) != bin))
            bin_next[bin] = places[k] + 1;
    }
    barrier();
}

void main()
{
    const uint tile = gl_WorkGroupID.x, row = gl_WorkGroupID.y;
    muster();
    enter_row(row);
    place_bins(row, tile, lane);
    // Bits of a round: as many as there is room for the counters of.
    const uint most = findMSB(2 * subtile / crews);
    const uint rounds = (push.bits + most - 1) / most;
    const uint step = (push.bits + rounds - 1) / rounds;
    const uint end = min(push.n, (tile + 1) * push.tile);
    for (uint first = tile * push.tile; first < end; first += subtile) {
        const uint count = min(end - first, subtile);
        load(first, count);
        for (uint bit = 0; bit < push.bits; bit += step) {
            if (bit > 0)
                take_back();
            sort_round(push.shift + bit, min(step, push.bits - bit));
        }
        store(count);
    }
}
