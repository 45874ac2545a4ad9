/* SPDX-License-Identifier: Apache-2.0 */
// The tiles of a group, for the kernels of a sort's pass that see no entries. The includer has
// `counts`.
layout(push_constant) uniform Push { msm_sort_push push; };

// Tiles of a group: in the first pass all of a window's; later those of the group's segments.
void group_tiles(uint window, uint group, out uint first, out uint end)
{
    first = 0;
    end = push.tiles;
    if (push.first_pass != 0)
        return;
    const uint segments = push.groups * push.epochs / push.span;
    const uint at = push.first_tiles + window * (segments + 1) + group * push.epochs / push.span;
    first = counts[at];
    end = counts[at + push.epochs / push.span];
}
