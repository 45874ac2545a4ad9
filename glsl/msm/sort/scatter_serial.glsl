/* SPDX-License-Identifier: Apache-2.0 */
// Same as scatter.glsl, a thread for each tile, that takes one entry after the other. It counts on
// in `counts`.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_SORT_SERIAL) in;

layout(binding = 1, std430) buffer Counts { uint counts[]; };

#include "sort.glsl"

void main()
{
    const uint tile = gl_GlobalInvocationID.x, window = gl_WorkGroupID.y;
    sort_tile at;
    if (tile >= push.tiles || !find_tile(window, tile, at))
        return;
    const uint n_bins = 1u << push.bits;
    const uint bins = (window * push.tiles + tile) * n_bins;
    const uint totals = push.totals + (window * push.groups + at.group) * n_bins;
    uint running = epoch_start(window, at.group, 0);
    for (uint b = 0; b < n_bins; b++) {
        const uint next = running + counts[bins + b];
        counts[bins + b] = next;
        running += counts[totals + b];
        if (says_starts(at))
            say_start(window, at, b, next);
    }
    say_end(window, at, running);
    for (uint i = at.begin; i < at.end; i++) {
        const uint word = words[window * push.n + i];
        const uint bin = bin_of(word);
        if (bin >= n_bins)
            continue;
        const uint to = counts[bins + bin];
        counts[bins + bin] = to + 1;
        if (push.first_pass != 0)
            place_digit(window, to, word, i, at);
        else
            place_word(window, to, word, bin, at.epoch, at);
    }
}
