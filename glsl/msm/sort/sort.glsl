/* SPDX-License-Identifier: Apache-2.0 */
// Common part of the kernels of a sorting pass.
//
// Entries go by the leading bits of their keys first, and then, bin by bin, by the bits that
// follow. A *group* is what has gone to one bin so far; the order within it is of no account, for
// it will be a bucket, whose sum is the same in any order. Between passes an entry is one word: the
// key bits below those of the first pass, the sign, and the entry's number in its window. Where the
// number is too long for the word, a window is cut into *epochs*, of so many tiles of the first
// pass that numbers within one are short enough; in a group entries stay ordered by epochs. A
// *segment* is `span` epochs of a group: one, or, in a last pass of many bins, all of them, so that
// its tiles have some entries for each bin. A tile is part of one segment.
//
// The digit zero, whose key is 2^key_bits, goes nowhere.
//
// The includer has `counts`. Kernels of the last pass define SORT_LAST, and with that or
// SORT_PLACES, of the passes before it, there is what they write.
#ifndef MSM_SORT_GLSL
#define MSM_SORT_GLSL

layout(push_constant) uniform Push { msm_sort_push push; };
layout(binding = 0, std430) readonly buffer Words { uint words[]; }; // digits at first

#ifdef SORT_LAST
layout(binding = 2, std430) writeonly buffer Sorted { uint sorted[]; };
layout(binding = 3, std430) writeonly buffer Starts { uint starts[]; };
#elif defined(SORT_PLACES)
layout(binding = 2, std430) writeonly buffer Placed { uint placed[]; };
#endif

struct sort_tile {
    uint group, epoch; // the segment's first epoch
    uint part;         // number of the tile among the segment's
    uint begin, end;   // entries of the window
};

// Number of an epoch's first entry.
uint epoch_first(uint epoch)
{
    return epoch * push.epoch_tiles * push.tile;
}

// Start of a group's epoch in the window.
uint epoch_start(uint window, uint group, uint epoch)
{
    const uint epochs = push.groups * push.epochs;
    return push.first_pass != 0
               ? 0
               : counts[push.starts_in + window * (epochs + 1) + group * push.epochs + epoch];
}

// False: there is no such tile.
bool find_tile(uint window, uint tile, out sort_tile at)
{
    if (push.first_pass != 0) {
        const uint begin = tile * push.tile;
        at = sort_tile(0, tile / push.epoch_tiles, tile % push.epoch_tiles, begin,
                       min(begin + push.tile, push.n));
        return true;
    }
    const uint segment = counts[push.list + window * push.tiles + tile];
    if (segment == MSM_KEY_NONE)
        return false;
    const uint epoch = segment * push.span;
    at = sort_tile(epoch / push.epochs, epoch % push.epochs, 0, 0, 0);
    // A segment's tiles are of one size, but for the last one.
    const uint segments = push.groups * push.epochs / push.span;
    const uint at_tiles = push.first_tiles + window * (segments + 1) + segment;
    const uint first = counts[at_tiles], parts = counts[at_tiles + 1] - first;
    const uint start = epoch_start(window, at.group, at.epoch);
    const uint count = epoch_start(window, at.group, at.epoch + push.span) - start;
    const uint each = (count + parts - 1) / parts;
    at.part = tile - first;
    at.begin = start + min(at.part * each, count);
    at.end = start + min(at.part * each + each, count);
    return true;
}

// True if the tile is the first of its group.
bool leads_group(sort_tile at)
{
    return at.epoch == 0 && at.part == 0;
}

// Bin of what is read; beyond all bins for the digit zero.
uint bin_of(uint word)
{
    return (word & push.mask) >> push.down;
}

#if defined(SORT_LAST) || defined(SORT_PLACES)
// True if the tile is the one that writes the starts of its bins.
bool says_starts(sort_tile at)
{
#ifdef SORT_LAST
    return leads_group(at);
#else
    return at.part == 0;
#endif
}

// A bin of the tile's group is a bucket, or becomes a group: here it begins, or its segment of the
// tile's epoch.
void say_start(uint window, sort_tile at, uint bin, uint start)
{
    const uint bins = push.groups << push.bits, to = (at.group << push.bits) + bin;
#ifdef SORT_LAST
    starts[push.starts_out + window * (bins + 1) + to] = start;
#else
    counts[push.starts_out + window * (bins * push.epochs + 1) + to * push.epochs + at.epoch] =
        start;
#endif
}

// Same, for the end of all bins of all groups: `end`, where those of the tile's group end.
void say_end(uint window, sort_tile at, uint end)
{
    if (leads_group(at) && at.group + 1 == push.groups)
        say_start(window, at, 1u << push.bits, end);
}
#endif

#ifdef SORT_LAST
// Handle of the entry with that number in its window, without sign.
uint handle_of(uint window, uint number)
{
    // A division, which few sorts need: bases that are left out between its copy and the first.
    const uint skipped = push.skip != 0 ? number / push.copy * push.skip : 0;
    return (push.first_window + window) / push.vector_windows * push.handle_stride + number +
           skipped;
}

void put(uint to, uint key, uint handle)
{
    if (push.keyless != 0) {
        sorted[to] = handle;
    } else {
        sorted[2 * to] = key;
        sorted[2 * to + 1] = handle;
    }
}

// Puts an entry that has come in as a digit, or as a word, to a place of its window.
void place_digit(uint window, uint to, uint digit, uint number, sort_tile at)
{
    put(window * push.n + to, digit & ~MSM_HANDLE_SIGN,
        handle_of(window, number) | (digit & MSM_HANDLE_SIGN));
}

void place_word(uint window, uint to, uint word, uint bin, uint epoch, sort_tile at)
{
    const uint sign = (word >> (push.word_shift - 1)) << 31;
    const uint number = (word & ((1u << (push.word_shift - 1)) - 1)) + epoch_first(epoch);
    put(window * push.n + to, (at.group << push.bits) | bin, handle_of(window, number) | sign);
}
#elif defined(SORT_PLACES)
// Same, between passes: the digit packed as a word. From the top: key bits, sign, number.
void place_digit(uint window, uint to, uint digit, uint number, sort_tile at)
{
    placed[window * push.n + to] = (digit << push.word_shift) |
                                   ((digit >> 31) << (push.word_shift - 1)) |
                                   (number - epoch_first(at.epoch));
}

void place_word(uint window, uint to, uint word, uint bin, uint epoch, sort_tile at)
{
    placed[window * push.n + to] = word;
}
#endif

#endif
