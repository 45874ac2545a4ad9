/* SPDX-License-Identifier: Apache-2.0 */
// Last step of a sorting pass: every entry to its bin. Workgroup (tile, window); a tile goes
// through workgroup memory in equal parts, so that entries of a bin go to device memory together.
// An entry's place among those of its bin is the number that counting it there gave.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;
layout(constant_id = MSM_SPEC_BINS) const uint BINS = MSM_SORT_BINS;
layout(constant_id = MSM_SPEC_ITEMS) const uint ITEMS = MSM_SORT_ITEMS;

#ifdef SORT_LAST
layout(binding = 1, std430) readonly buffer Counts { uint counts[]; };
#else
layout(binding = 1, std430) buffer Counts { uint counts[]; };
#endif

#include "../../lib/group_scan.glsl"
#include "sort.glsl"

const uint threads = gl_WorkGroupSize.x;
const uint room = ITEMS * gl_WorkGroupSize.x; // entries of a part, at most
const uint rank_bits = 16;
const uint no_rank = 0xffffffffu;

shared uint items[room];
shared uint bin_count[BINS]; // entries of the part; then the place of the first one there
shared uint bin_base[BINS];  // added to places in the part
shared uint bin_next[BINS];  // next place of the bin in the window

uint window, lane, n_bins;
uint held[ITEMS], ranks[ITEMS];

// Bins of a thread that does something for each of them.
uint bins_first()
{
    return min(lane * ((n_bins + threads - 1) / threads), n_bins);
}

uint bins_end()
{
    return min(bins_first() + (n_bins + threads - 1) / threads, n_bins);
}

// Finds the starts of the tile's entries of each bin: behind those of the groups before, of lesser
// bins, and of earlier tiles.
void begin_bins(uint tile, sort_tile at)
{
    const uint totals = push.totals + (window * push.groups + group_of(at)) * n_bins;
    uint sum = 0;
    for (uint b = bins_first(); b < bins_end(); b++)
        sum += counts[totals + b];
    uint total;
    const uint group_start = segment_start(window, group_of(at) * push.epochs);
    uint running = group_start + group_scan(sum, total);
    for (uint b = bins_first(); b < bins_end(); b++) {
        bin_next[b] = running + counts[(window * push.tiles + tile) * n_bins + b];
        running += counts[totals + b];
        if (says_starts(at))
            say_start(window, at, b, bin_next[b]);
    }
    if (lane == 0)
        say_end(window, at, group_start + total);
}

// Asks for all entries before the first is looked at, and counts them.
void count_part(uint first, uint count)
{
    const uint from = window * push.n + first;
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        held[k] = words[from + min(k * threads + lane, count - 1)];
    [[unroll]] for (uint k = 0; k < ITEMS; k++) {
        const uint bin = bin_of(held[k]);
        ranks[k] = no_rank;
        if (k * threads + lane < count && bin < n_bins)
            ranks[k] = bin << rank_bits | atomicAdd(bin_count[bin], 1);
    }
}

// Returns the entries that the part places.
uint place_bins()
{
    uint sum = 0;
    for (uint b = bins_first(); b < bins_end(); b++)
        sum += bin_count[b];
    uint total;
    uint running = group_scan(sum, total);
    for (uint b = bins_first(); b < bins_end(); b++) {
        const uint count = bin_count[b];
        bin_count[b] = running;
        bin_base[b] = bin_next[b] - running;
        bin_next[b] += count;
        running += count;
    }
    return total;
}

// A digit waits with its place in the part, from which its number follows.
void order_part()
{
    if (push.first_pass != 0)
        [[unroll]] for (uint k = 0; k < ITEMS; k++)
            held[k] = held[k] & ~MSM_HANDLE_SIGN | held[k] >> 31 << push.key_bits |
                      k * threads + lane << push.key_bits + 1;
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        if (ranks[k] != no_rank)
            items[bin_count[ranks[k] >> rank_bits] + (ranks[k] & (1u << rank_bits) - 1)] = held[k];
}

void store_digits(sort_tile at, uint first, uint count)
{
    for (uint i = lane; i < count; i += threads) {
        const uint key = items[i] & (1u << push.key_bits) - 1;
        const uint digit = key | items[i] >> push.key_bits << 31;
        const uint number = first + (items[i] >> push.key_bits + 1);
        place_digit(window, bin_base[key >> push.down] + i, digit, number, at);
    }
}

void store_words(sort_tile at, uint count)
{
    for (uint i = lane; i < count; i += threads)
        place_word(window, bin_base[bin_of(items[i])] + i, items[i], at);
}

void main()
{
    lane = gl_LocalInvocationIndex;
    window = gl_WorkGroupID.y;
    n_bins = 1u << push.bits;
    sort_tile at;
    if (!find_tile(window, gl_WorkGroupID.x, at)) // the same for the whole workgroup
        return;
    begin_bins(gl_WorkGroupID.x, at);
    if (at.begin == at.end)
        return;
    // A digit leaves so many bits for its place.
    const uint most = push.first_pass != 0 ? min(room, 1u << 31 - push.key_bits) : room;
    const uint parts = (at.end - at.begin + most - 1) / most;
    const uint each = (at.end - at.begin + parts - 1) / parts;
    for (uint first = at.begin; first < at.end; first += each) {
        for (uint b = lane; b < n_bins; b += threads)
            bin_count[b] = 0;
        barrier();
        count_part(first, min(each, at.end - first));
        barrier();
        const uint count = place_bins();
        barrier();
        order_part();
        barrier();
        if (push.first_pass != 0)
            store_digits(at, first, count);
        else
            store_words(at, count);
    }
}
