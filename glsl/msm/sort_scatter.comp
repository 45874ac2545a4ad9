#version 460
// Last step of a sorting pass: every entry to its place, entries with equal key bits in the order
// they came (stable, so that the result is the same in every run and on every device). Workgroup
// (tile, row); a tile is ranked in subtiles, each sorted by the pass's bits in workgroup memory
// with rounds of four bits.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_WORKGROUP, local_size_x_id = MSM_SPEC_WORKGROUP) in;

#include "../lib/group_scan.glsl"
#include "sort.glsl"

const uint threads = gl_WorkGroupSize.x;
const uint items_each = MSM_SORT_SUBTILE / gl_WorkGroupSize.x;
const uint nibble_bins = 16;
const uint digit_shift = 16; // an item: place in the subtile, digit above
const uint no_digit = 0xffff;

shared uint items[MSM_SORT_SUBTILE];
shared uint places[nibble_bins * gl_WorkGroupSize.x]; // [nibble][thread]
shared uint bin_first[MSM_SORT_BINS];                 // place of a digit's first item
shared uint bin_next[MSM_SORT_BINS];                  // where a digit's next item goes in the row

#include "sort_bins.glsl"

// Orders `items` by four bits of the digit. Each thread owns consecutive items, and counters are
// summed nibble by nibble and, within it, thread by thread: that is what keeps the order.
void sort_nibble(uint shift)
{
    const uint lane = gl_LocalInvocationIndex;
    uint mine[items_each];
    for (uint b = 0; b < nibble_bins; b++)
        places[b * threads + lane] = 0;
    for (uint k = 0; k < items_each; k++) {
        mine[k] = items[lane * items_each + k];
        const uint nibble = mine[k] >> shift & (nibble_bins - 1);
        places[nibble * threads + lane]++;
    }
    barrier();
    uint sum = 0;
    for (uint i = 0; i < nibble_bins; i++)
        sum += places[lane * nibble_bins + i];
    uint total;
    uint running = group_scan(sum, total);
    for (uint i = 0; i < nibble_bins; i++) {
        const uint count = places[lane * nibble_bins + i];
        places[lane * nibble_bins + i] = running;
        running += count;
    }
    barrier();
    for (uint k = 0; k < items_each; k++) {
        const uint nibble = mine[k] >> shift & (nibble_bins - 1);
        items[places[nibble * threads + lane]++] = mine[k];
    }
    barrier();
}

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint tile = gl_WorkGroupID.x, row = gl_WorkGroupID.y;
    enter_row(row);
    place_bins(row, tile, lane);
    for (uint s = 0; s < push.tile / MSM_SORT_SUBTILE; s++) {
        const uint first = tile * push.tile + s * MSM_SORT_SUBTILE;
        if (first >= push.n) // the same for the whole workgroup
            break;
        // Places past the end get a digit above all others and so stay behind them.
        for (uint i = lane; i < MSM_SORT_SUBTILE; i += threads) {
            uint digit = no_digit;
            if (first + i < push.n)
                digit = bin_of(entry_at(first + i).x);
            items[i] = i | digit << digit_shift;
        }
        barrier();
        for (uint bit = 0; bit < push.bits; bit += 4)
            sort_nibble(digit_shift + bit);
        const uint count = min(push.n - first, MSM_SORT_SUBTILE);
        for (uint i = lane; i < count; i += threads) {
            const uint digit = items[i] >> digit_shift;
            if (i == 0 || items[i - 1] >> digit_shift != digit)
                bin_first[digit] = i;
        }
        barrier();
        for (uint i = lane; i < count; i += threads) {
            const uint digit = items[i] >> digit_shift;
            const uint from = items[i] & (1u << digit_shift) - 1;
            sorted[row_first + bin_next[digit] + i - bin_first[digit]] = entry_at(first + from);
        }
        barrier();
        for (uint i = lane; i < count; i += threads) {
            const uint digit = items[i] >> digit_shift;
            if (i + 1 == count || items[i + 1] >> digit_shift != digit)
                bin_next[digit] += i + 1 - bin_first[digit];
        }
        barrier();
    }
}
