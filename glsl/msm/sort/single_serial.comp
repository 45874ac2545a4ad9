/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// The whole sort of windows that are one tile each and are sorted in one pass: counts, sums and
// places, of which a window takes one after the other, so that few entries take one dispatch and no
// barrier between three. Workgroup (1, window) of one thread; its counters are in device memory, as
// those of msm/sort/count_serial.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = 1) in;

layout(binding = 1, std430) buffer Counts { uint counts[]; };

#define SORT_LAST
#include "sort.glsl"

void main()
{
    const uint window = gl_WorkGroupID.y;
    const uint n_bins = 1u << push.bits, bins = window * n_bins;
    sort_tile at;
    find_tile(window, 0, at);
    for (uint b = 0; b < n_bins; b++)
        counts[bins + b] = 0;
    for (uint i = at.begin; i < at.end; i++) {
        const uint bin = bin_of(words[window * push.n + i]);
        if (bin < n_bins)
            counts[bins + bin]++;
    }
    uint next = 0;
    for (uint b = 0; b < n_bins; b++) {
        const uint count = counts[bins + b];
        counts[bins + b] = next;
        say_start(window, at, b, next);
        next += count;
    }
    say_end(window, at, next);
    for (uint i = at.begin; i < at.end; i++) {
        const uint word = words[window * push.n + i];
        const uint bin = bin_of(word);
        if (bin < n_bins)
            place_digit(window, counts[bins + bin]++, word, i, at);
    }
}
