/* SPDX-License-Identifier: Apache-2.0 */
// Last step of a sorting pass: every entry to its bin. Workgroup (tile, window); a tile goes
// through workgroup memory in equal parts, so that entries of a bin go to device memory together.
// An entry's place among those of its bin is the number that counting it there gave.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;
layout(constant_id = MSM_SPEC_BINS) const uint BINS = MSM_SORT_BINS;
layout(constant_id = MSM_SPEC_ITEMS) const uint ITEMS = MSM_SORT_ITEMS;
layout(constant_id = MSM_SPEC_TOP) const uint TOP_BITS = 0;

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

// Highest bits of a bin that an entry leaves out while it is in workgroup memory, for they follow
// from its place there. In their stead a digit has more bits for its place, and a word the number
// of its epoch, counted from that of the part's first entry.
const uint tops = 1u << TOP_BITS;
uint top_first[tops]; // first places of bins that have those bits
#ifdef SORT_LAST
uint epoch;                  // of the part's first entry
uint epoch_starts[tops + 1]; // of that one and the next ones
#endif

uint top_bits()
{
    return min(push.bits, TOP_BITS);
}

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
    const uint totals = push.totals + (window * push.groups + at.group) * n_bins;
    uint sum = 0;
    for (uint b = bins_first(); b < bins_end(); b++)
        sum += counts[totals + b];
    uint total;
    const uint group_start = epoch_start(window, at.group, 0);
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

void find_tops(uint count)
{
    [[unroll]] for (uint j = 1; j < tops; j++)
        top_first[j] = j < 1u << top_bits() ? bin_count[j << push.bits - top_bits()] : count;
}

// Highest bits of the bin at a place.
uint top_at(uint place)
{
    uint top = 0;
    [[unroll]] for (uint j = 1; j < tops; j++)
        top += place >= top_first[j] ? 1 : 0;
    return top;
}

// A digit waits with its place in the part, from which its number follows.
void order_digits()
{
    const uint below = push.key_bits - top_bits();
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        held[k] =
            held[k] & (1u << below) - 1 | held[k] >> 31 << below | k * threads + lane << below + 1;
}

#ifdef SORT_LAST
void order_words(uint first)
{
    const uint below = push.word_shift + push.bits - top_bits();
    [[unroll]] for (uint k = 0; k < ITEMS; k++) {
        uint next_epochs = 0;
        [[unroll]] for (uint j = 1; j < tops; j++)
            next_epochs += first + k * threads + lane >= epoch_starts[j] ? 1 : 0;
        held[k] = held[k] & (1u << below) - 1 | next_epochs << below;
    }
}
#endif

void order_part()
{
    [[unroll]] for (uint k = 0; k < ITEMS; k++)
        if (ranks[k] != no_rank)
            items[bin_count[ranks[k] >> rank_bits] + (ranks[k] & (1u << rank_bits) - 1)] = held[k];
}

void store_digits(sort_tile at, uint first, uint count)
{
    const uint below = push.key_bits - top_bits();
    for (uint i = lane; i < count; i += threads) {
        const uint key = items[i] & (1u << below) - 1 | top_at(i) << below;
        const uint digit = key | items[i] >> below << 31;
        const uint number = first + (items[i] >> below + 1);
        place_digit(window, bin_base[key >> push.down] + i, digit, number, at);
    }
}

void store_words(sort_tile at, uint count)
{
    for (uint i = lane; i < count; i += threads) {
        const uint word = items[i];
        uint bin = bin_of(word), of_word = at.epoch;
#ifdef SORT_LAST
        if (TOP_BITS != 0) {
            const uint below = push.word_shift + push.bits - top_bits();
            bin = (word & (1u << below) - 1) >> push.word_shift | top_at(i)
                                                                      << push.bits - top_bits();
            of_word = epoch + (word >> below);
        }
#endif
        place_word(window, bin_base[bin] + i, word, bin, of_word, at);
    }
}

#ifdef SORT_LAST
// Finds the epoch of a place, and the starts of the next ones.
void find_epochs(sort_tile at, uint first)
{
    for (uint e = lane; e < push.epochs; e += threads)
        if (epoch_start(window, at.group, e) <= first &&
            first < epoch_start(window, at.group, e + 1))
            scan_sums[0] = e; // free between scans
    barrier();
    epoch = scan_sums[0];
    [[unroll]] for (uint j = 1; j <= tops; j++)
        epoch_starts[j] = epoch_start(window, at.group, min(epoch + j, push.epochs));
}
#endif

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
    const uint places = MSM_SORT_PLACES(push.key_bits, top_bits());
    const uint most = push.first_pass != 0 ? min(room, places) : room;
    const uint parts = (at.end - at.begin + most - 1) / most;
    const uint each = (at.end - at.begin + parts - 1) / parts;
    uint end;
    for (uint first = at.begin; first < at.end; first = end) {
        end = min(first + each, at.end);
#ifdef SORT_LAST
        if (TOP_BITS != 0 && push.first_pass == 0) {
            find_epochs(at, first);
            end = min(end, epoch_starts[tops]);
        }
#endif
        for (uint b = lane; b < n_bins; b += threads)
            bin_count[b] = 0;
        barrier();
        count_part(first, end - first);
        barrier();
        const uint count = place_bins();
        barrier();
        if (push.first_pass != 0)
            order_digits();
#ifdef SORT_LAST
        else if (TOP_BITS != 0)
            order_words(first);
#endif
        order_part();
        find_tops(count);
        barrier();
        if (push.first_pass != 0)
            store_digits(at, first, count);
        else
            store_words(at, count);
    }
}
