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
layout(constant_id = PAIL_SPEC_LANES) const uint LANES = PAIL_LANES_FEW;

const uint threads = gl_WorkGroupSize.x;
const uint subtile = ITEMS * gl_WorkGroupSize.x;
const uint crew_max = 32;
const bool certain = LANES > PAIL_LANES_MANY;
const bool wide = certain ? LANES > crew_max : LANES == PAIL_LANES_MANY;
const uint batch = ITEMS < 4 ? ITEMS : 4; // entries, or counters, that are looked at together

// Counters come in pairs, 16 bits each: with half as many words as digits, word w of a crew has
// those of digits w and w + half.
shared uint keys_at[subtile];    // counters, [crew][word]; later keys in order
shared uint handles_at[subtile]; // as they came in; later in order
shared uint bin_next[BINS];      // where a bin's next entry goes in the row
shared uint bin_base[BINS];      // what to add to places in the subtile

// Threads of the subgroup that run, and the own number in the workgroup. A driver may put fewer
// into a subgroup than it has room for, but equally many into all.
uint lanes, lane;
uint crews, crew, crew_size, member;

uint keys[ITEMS], places[ITEMS];

#include "../lib/group_scan_subgroup.glsl"
#include "sort.glsl"
#include "sort_bins.glsl"

void muster()
{
    lanes = certain ? LANES : subgroupBallotBitCount(subgroupBallot(true));
    const uint parts = wide ? (lanes + crew_max - 1) / crew_max : 1;
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
    return wide ? all[gl_SubgroupInvocationID / crew_max] : all.x;
}

uint place_of(uint item)
{
    return (crew * ITEMS + item) * crew_size + member;
}

// Asks for the keys of a subtile, all before the first is looked at.
void fetch(uint first, uint end)
{
    const uint from = row_first + first, last = end - first - 1;
    if (push.first_pass != 0)
        [[unroll]] for (uint k = 0; k < ITEMS; k++)
            keys[k] = digits[from + min(place_of(k), last)];
    else
        [[unroll]] for (uint k = 0; k < ITEMS; k++)
            keys[k] = entries[from + min(place_of(k), last)].x;
}

// Handles wait in workgroup memory until keys have found their places, for registers are what
// decides how many workgroups share a processor. Places behind the end get keys above all others,
// and so stay behind them.
void park(uint first, uint count)
{
    uint handles[ITEMS];
    if (push.first_pass != 0) {
        [[unroll]] for (uint k = 0; k < ITEMS; k++)
            handles[k] = row_handle + first + place_of(k) | keys[k] & MSM_HANDLE_SIGN;
        [[unroll]] for (uint k = 0; k < ITEMS; k++)
            keys[k] &= ~MSM_HANDLE_SIGN;
    } else {
        [[unroll]] for (uint k = 0; k < ITEMS; k++)
            handles[k] = entries[row_first + first + min(place_of(k), count - 1)].y;
    }
    [[unroll]] for (uint k = 0; k < ITEMS; k++) {
        handles_at[place_of(k)] = handles[k];
        keys[k] = place_of(k) < count ? keys[k] : MSM_KEY_NONE;
    }
    // A division for each, which few sorts need: in a loop that is none of the compiler's to
    // unroll.
    if (push.first_pass != 0 && push.skip != 0)
        for (uint k = 0; k < ITEMS + (gl_NumWorkGroups.z >> 24); k++)
            handles_at[place_of(k)] += skipped_before(first + place_of(k));
}

// Where the counter of a key's digit is, and by how many bits it is shifted there.
uint counter_of(uint key, uint shift, uint bits, out uint up)
{
    const uint half_bits = bits - 1, digit = key >> shift;
    up = digit >> half_bits << 4 & 16;
    return crew << half_bits | digit & (1u << half_bits) - 1;
}

// Counts a batch of entries by digit, one after the other. Out: ranks, the entries of the same
// digit that the crew has counted before.
void count_batch(uint batch_keys[batch], uint shift, uint bits, out uint ranks[batch])
{
    uint differ[batch];
    [[unroll]] for (uint j = 0; j < batch; j++)
        differ[j] = 0;
    for (uint mask = 1u << shift; mask < 1u << shift + bits; mask <<= 1)
        [[unroll]] for (uint j = 0; j < batch; j++) {
            const bool one = (batch_keys[j] & mask) != 0;
            differ[j] |= crew_ballot(one) ^ (one ? ~0u : 0u);
        }
    const uint everyone = crew_ballot(true), below = (1u << member) - 1;
    [[unroll]] for (uint j = 0; j < batch; j++) {
        const uint peers = everyone & ~differ[j];
        uint up;
        const uint at = counter_of(batch_keys[j], shift, bits, up);
        ranks[j] = 0;
        if ((peers & below) == 0)
            ranks[j] = atomicAdd(keys_at[at], bitCount(peers) << up);
        subgroupMemoryBarrierShared(); // the next entry's count comes after this one's
    }
    [[unroll]] for (uint j = 0; j < batch; j++) {
        const uint peers = everyone & ~differ[j];
        const uint leader = gl_SubgroupInvocationID - member + findLSB(peers);
        uint up;
        counter_of(batch_keys[j], shift, bits, up);
        ranks[j] = (subgroupShuffle(ranks[j], leader) >> up & 0xffff) + bitCount(peers & below);
    }
}

// Sets places[k] to the rank of entry k. A loop over batches that is none of the compiler's to
// unroll, for all batches at once take twice the registers; each takes the first keys, and puts
// them and their ranks behind all others.
void rank_entries(uint shift, uint bits)
{
    const uint batches = ITEMS / batch + (gl_NumWorkGroups.z >> 24);
    for (uint b = 0; b < batches; b++) {
        uint batch_keys[batch], ranks[batch];
        [[unroll]] for (uint j = 0; j < batch; j++)
            batch_keys[j] = keys[j];
        count_batch(batch_keys, shift, bits, ranks);
        [[unroll]] for (uint k = 0; k < ITEMS; k++) {
            const bool last = k + batch >= ITEMS;
            keys[k] = last ? batch_keys[k % batch] : keys[min(k + batch, ITEMS - 1)];
            places[k] = last ? ranks[k % batch] : places[min(k + batch, ITEMS - 1)];
        }
    }
}

// Counters become the places where their entries begin: behind those of lesser digits and, of the
// same, of earlier crews. `whole`: the digit is the bin, so that bins are known with it.
void place_digits(uint bits, bool whole)
{
    const uint half_bits = bits - 1, words = 1u << half_bits;
    const uint each = (words + threads - 1) / threads;
    const uint first = min(lane * each, words), end = min(first + each, words);
    uint sum = 0;
    for (uint w = first; w < end; w++)
        for (uint c = 0; c < crews; c += batch) {
            uint counts_of[batch];
            [[unroll]] for (uint j = 0; j < batch; j++)
                counts_of[j] = c + j < crews ? keys_at[c + j << half_bits | w] : 0;
            [[unroll]] for (uint j = 0; j < batch; j++)
                sum += counts_of[j];
        }
    uint total;
    uint running = group_scan(sum, total);
    running += total << 16; // all of the lower half come before the upper one
    for (uint w = first; w < end; w++) {
        const uint start = running;
        for (uint c = 0; c < crews; c += batch) {
            uint counts_of[batch];
            [[unroll]] for (uint j = 0; j < batch; j++)
                counts_of[j] = c + j < crews ? keys_at[c + j << half_bits | w] : 0;
            [[unroll]] for (uint j = 0; j < batch; j++) {
                if (c + j < crews)
                    keys_at[c + j << half_bits | w] = running;
                running += counts_of[j];
            }
        }
        if (!whole)
            continue;
        [[unroll]] for (uint upper = 0; upper < 2; upper++) {
            const uint bin = upper << half_bits | w, up = 16 * upper;
            const uint next = bin_next[bin];
            bin_base[bin] = next - (start >> up & 0xffff);
            bin_next[bin] = next + (running >> up & 0xffff) - (start >> up & 0xffff);
        }
    }
}

// Orders the subtile by some bits of the keys.
void sort_round(uint shift, uint bits, bool whole)
{
    for (uint i = lane; i < crews << bits - 1; i += threads)
        keys_at[i] = 0;
    barrier();
    rank_entries(shift, bits);
    barrier();
    place_digits(bits, whole);
    barrier();
    [[unroll]] for (uint k = 0; k < ITEMS; k++) {
        uint up;
        const uint at = counter_of(keys[k], shift, bits, up);
        places[k] += keys_at[at] >> up & 0xffff;
    }
    barrier();
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        keys_at[places[k]] = keys[k];
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        keys[k] = handles_at[place_of(k)];
    barrier();
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        handles_at[places[k]] = keys[k];
    barrier();
}

void take_back()
{
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        keys[k] = keys_at[place_of(k)];
    barrier();
}

// What sort_round does of a whole digit: bins begin and end where neighbours differ.
void place_found_bins(uint count)
{
    for (uint i = lane; i < count; i += threads) {
        const uint bin = bin_of(keys_at[i]);
        if (i == 0 || bin_of(keys_at[i - 1]) != bin)
            bin_base[bin] = bin_next[bin] - i;
    }
    barrier();
    for (uint i = lane; i < count; i += threads) {
        const uint bin = bin_of(keys_at[i]);
        if (i + 1 == count || bin_of(keys_at[i + 1]) != bin)
            bin_next[bin] = bin_base[bin] + i + 1;
    }
    barrier();
}

// The sorted subtile to its places: one number for each bin turns places here into places there.
void store(uint count)
{
    [[unroll]] for (uint first = 0; first < ITEMS; first += batch) {
        uvec2 entry[batch];
        uint to[batch];
        [[unroll]] for (uint j = 0; j < batch; j++) {
            const uint i = (first + j) * threads + lane;
            entry[j] = uvec2(keys_at[i], handles_at[i]);
        }
        [[unroll]] for (uint j = 0; j < batch; j++)
            to[j] = bin_base[bin_of(entry[j].x)] + (first + j) * threads + lane;
        [[unroll]] for (uint j = 0; j < batch; j++)
            if ((first + j) * threads + lane < count)
                sorted[row_first + to[j]] = entry[j];
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
    uint first = tile * push.tile;
    fetch(first, end);
    for (; first < end; first += subtile) {
        const uint count = min(end - first, subtile);
        park(first, count);
        for (uint bit = 0; bit < push.bits; bit += step) {
            if (bit > 0)
                take_back();
            sort_round(push.shift + bit, min(step, push.bits - bit), rounds == 1);
        }
        if (rounds > 1)
            place_found_bins(count);
        // The next keys are on their way while these are stored.
        if (first + subtile < end)
            fetch(first + subtile, end);
        store(count);
    }
}
