/* SPDX-License-Identifier: Apache-2.0 */
#include "sort_shared.h"

size_t pail_twin_segments(const struct msm_sort_push *push)
{
    return (size_t)push->groups * push->epochs / push->span;
}

/* Start of an epoch of a group in the window. */
static uint32_t epoch_start(const struct msm_sort_push *push, const uint32_t *counts,
                            uint32_t window, uint32_t group, uint32_t epoch)
{
    const size_t epochs = (size_t)push->groups * push->epochs;
    return push->first_pass ? 0
                            : counts[push->starts_in + window * (epochs + 1) +
                                     (size_t)group * push->epochs + epoch];
}

bool pail_twin_find_tile(const struct msm_sort_push *push, const uint32_t *counts, uint32_t window,
                         uint32_t tile, struct pail_twin_tile *at)
{
    if (push->first_pass) {
        const size_t begin = (size_t)tile * push->tile;
        const size_t end = begin + push->tile;
        *at = (struct pail_twin_tile){0, tile / push->epoch_tiles, tile % push->epoch_tiles, begin,
                                      end < push->n ? end : push->n};
        return true;
    }
    const uint32_t segment = counts[push->list + (size_t)window * push->tiles + tile];
    if (segment == MSM_KEY_NONE)
        return false;
    const uint32_t *first =
        counts + push->first_tiles + window * (pail_twin_segments(push) + 1) + segment;
    const uint32_t parts = first[1] - first[0], part = tile - first[0];
    const uint32_t group = segment * push->span / push->epochs;
    const uint32_t epoch = segment * push->span % push->epochs;
    const size_t start = epoch_start(push, counts, window, group, epoch);
    const size_t count = epoch_start(push, counts, window, group, epoch + push->span) - start;
    const size_t each = (count + parts - 1) / parts, begin = part * each;
    *at = (struct pail_twin_tile){group, epoch, part, start + (begin < count ? begin : count),
                                  start + (begin + each < count ? begin + each : count)};
    return true;
}

uint32_t pail_twin_sort_bin(const struct msm_sort_push *push, uint32_t word)
{
    return (word & push->mask) >> push->down;
}

static void say_start(const struct pail_twin_scatter *s, uint32_t window,
                      const struct pail_twin_tile *at, uint32_t bin, uint32_t start)
{
    const size_t bins = (size_t)s->push->groups << s->push->bits;
    const size_t to = ((size_t)at->group << s->push->bits) + bin, epochs = s->push->epochs;
    if (s->starts) {
        s->starts[s->push->starts_out + window * (bins + 1) + to] = start;
    } else {
        s->counts[s->push->starts_out + window * (bins * epochs + 1) + to * epochs + at->epoch] =
            start;
    }
}

/* Finds where the tile's entries of each bin begin in the window. */
static void begin_bins(const struct pail_twin_scatter *s, uint32_t window, uint32_t tile,
                       const struct pail_twin_tile *at, uint32_t *next)
{
    const struct msm_sort_push *push = s->push;
    const uint32_t bins = (uint32_t)1 << push->bits;
    const bool leads = at->part == 0 && at->epoch == 0;
    uint32_t running = epoch_start(push, s->counts, window, at->group, 0);
    for (uint32_t bin = 0; bin < bins; bin++) {
        next[bin] = running + s->counts[((size_t)window * push->tiles + tile) * bins + bin];
        running +=
            s->counts[push->totals + ((size_t)window * push->groups + at->group) * bins + bin];
        if (s->starts ? leads : at->part == 0)
            say_start(s, window, at, bin, next[bin]);
    }
    if (leads && at->group + 1 == push->groups)
        say_start(s, window, at, bins, running);
}

static uint32_t handle_of(const struct msm_sort_push *push, uint32_t window, uint32_t number)
{
    const uint32_t skipped = push->skip ? number / push->copy * push->skip : 0;
    return (push->first_window + window) / push->vector_windows * push->handle_stride + number +
           skipped;
}

/* Puts what is at `i` of the window to `to`. */
static void place(const struct pail_twin_scatter *s, uint32_t window,
                  const struct pail_twin_tile *at, uint32_t word, size_t i, size_t to)
{
    const struct msm_sort_push *push = s->push;
    uint32_t epoch = at->epoch;
    while (push->span > 1 && i >= epoch_start(push, s->counts, window, at->group, epoch + 1))
        epoch++;
    const uint32_t epoch_first = epoch * push->epoch_tiles * push->tile;
    uint32_t key = word & ~MSM_HANDLE_SIGN, sign = word >> 31, number = (uint32_t)i;
    if (!push->first_pass) {
        const uint32_t below = push->word_shift - 1;
        key = at->group << push->bits | pail_twin_sort_bin(push, word);
        sign = word >> below & 1;
        number = epoch_first + (word & (((uint32_t)1 << below) - 1));
    }
    if (s->starts && push->keyless) {
        s->out[to] = handle_of(push, window, number) | sign << 31;
    } else if (s->starts) {
        s->out[2 * to] = key;
        s->out[2 * to + 1] = handle_of(push, window, number) | sign << 31;
    } else if (push->first_pass) {
        s->out[to] =
            key << push->word_shift | sign << (push->word_shift - 1) | (number - epoch_first);
    } else {
        s->out[to] = word;
    }
}

void pail_twin_place_all(const struct pail_twin_scatter *s, uint32_t windows, const uint32_t *words)
{
    const struct msm_sort_push *push = s->push;
    for (uint32_t window = 0; window < windows; window++) {
        for (uint32_t tile = 0; tile < push->tiles; tile++) {
            static _Thread_local uint32_t next[1 << MSM_SORT_BITS_SERIAL]; /* 16 KiB */
            struct pail_twin_tile at;
            if (!pail_twin_find_tile(push, s->counts, window, tile, &at))
                continue;
            begin_bins(s, window, tile, &at, next);
            for (size_t i = at.begin; i < at.end; i++) {
                const size_t first = (size_t)window * push->n;
                const uint32_t word = words[first + i], bin = pail_twin_sort_bin(push, word);
                if (bin < (uint32_t)1 << push->bits)
                    place(s, window, &at, word, i, first + next[bin]++);
            }
        }
    }
}
