#include "twins.h"

#include <string.h>

/* As struct sort_tile of glsl/msm/sort/sort.glsl. */
struct tile {
    uint32_t group, epoch, part;
    size_t begin, end; /* entries of the row */
};

static size_t segment_at(const struct msm_sort_push *push, uint32_t row, uint32_t segment)
{
    return (size_t)row * ((size_t)push->groups * push->epochs + 1) + segment;
}

static uint32_t segment_start(const struct msm_sort_push *push, const uint32_t *counts,
                              uint32_t row, uint32_t segment)
{
    return push->first_pass ? 0 : counts[push->starts_in + segment_at(push, row, segment)];
}

static bool find_tile(const struct msm_sort_push *push, const uint32_t *counts, uint32_t row,
                      uint32_t tile, struct tile *at)
{
    if (push->first_pass) {
        const size_t begin = (size_t)tile * push->tile;
        const size_t end = begin + push->tile;
        *at = (struct tile){0, tile / push->epoch_tiles, tile % push->epoch_tiles, begin,
                            end < push->n ? end : push->n};
        return true;
    }
    const uint32_t segment = counts[push->list + (size_t)row * push->tiles + tile];
    if (segment == MSM_KEY_NONE) {
        return false;
    }
    const uint32_t *first = counts + push->first_tiles + segment_at(push, row, segment);
    const uint32_t parts = first[1] - first[0], part = tile - first[0];
    const size_t start = segment_start(push, counts, row, segment);
    const size_t count = segment_start(push, counts, row, segment + 1) - start;
    const size_t each = (count + parts - 1) / parts, begin = part * each;
    *at = (struct tile){segment / push->epochs, segment % push->epochs, part,
                        start + (begin < count ? begin : count),
                        start + (begin + each < count ? begin + each : count)};
    return true;
}

/* 2^bits and more for the digit zero. */
static uint32_t bin_of(const struct msm_sort_push *push, uint32_t word)
{
    return (word & push->mask) >> push->down;
}

void pail_twin_sort_tiles(const struct msm_sort_push *push, uint32_t rows, uint32_t *counts)
{
    const uint32_t segments = push->groups * push->epochs;
    for (uint32_t row = 0; row < rows; row++) {
        const uint32_t *starts = counts + push->starts_in + segment_at(push, row, 0);
        uint32_t *first_tiles = counts + push->first_tiles + segment_at(push, row, 0);
        uint32_t *list = counts + push->list + (size_t)row * push->tiles;
        uint32_t tile = 0;
        for (uint32_t segment = 0; segment < segments; segment++) {
            const uint32_t count = starts[segment + 1] - starts[segment];
            first_tiles[segment] = tile;
            for (uint32_t done = 0; done == 0 || done < count; done += push->tile) {
                list[tile++] = segment;
            }
        }
        first_tiles[segments] = tile;
        for (; tile < push->tiles; tile++) {
            list[tile] = MSM_KEY_NONE;
        }
    }
}

void pail_twin_sort_count(const struct msm_sort_push *push, uint32_t rows, const uint32_t *words,
                          uint32_t *counts)
{
    const uint32_t bins = (uint32_t)1 << push->bits;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t tile = 0; tile < push->tiles; tile++) {
            struct tile at;
            if (!find_tile(push, counts, row, tile, &at)) {
                continue;
            }
            uint32_t *of_tile = counts + ((size_t)row * push->tiles + tile) * bins;
            memset(of_tile, 0, bins * sizeof *of_tile);
            for (size_t i = at.begin; i < at.end; i++) {
                const uint32_t bin = bin_of(push, words[(size_t)row * push->n + i]);
                if (bin < bins) {
                    of_tile[bin]++;
                }
            }
        }
    }
}

void pail_twin_sort_scan(const struct msm_sort_push *push, uint32_t rows, uint32_t *counts)
{
    const uint32_t bins = (uint32_t)1 << push->bits;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t group = 0; group < push->groups; group++) {
            const uint32_t *first =
                counts + push->first_tiles + segment_at(push, row, group * push->epochs);
            const uint32_t begin = push->first_pass ? 0 : first[0];
            const uint32_t end = push->first_pass ? push->tiles : first[push->epochs];
            for (uint32_t bin = 0; bin < bins; bin++) {
                uint32_t running = 0;
                for (uint32_t tile = begin; tile < end; tile++) {
                    uint32_t *at = counts + ((size_t)row * push->tiles + tile) * bins + bin;
                    const uint32_t count = *at;
                    *at = running;
                    running += count;
                }
                counts[push->totals + ((size_t)row * push->groups + group) * bins + bin] = running;
            }
        }
    }
}

/* A pass: what its kernels know of it. */
struct scatter {
    const struct msm_sort_push *push;
    uint32_t *counts, *out, *starts; /* starts: NULL before the last pass */
};

static void say_start(const struct scatter *s, uint32_t row, const struct tile *at, uint32_t bin,
                      uint32_t start)
{
    const size_t bins = (size_t)s->push->groups << s->push->bits;
    const size_t to = ((size_t)at->group << s->push->bits) + bin, epochs = s->push->epochs;
    if (s->starts) {
        s->starts[s->push->starts_out + row * (bins + 1) + to] = start;
    } else {
        s->counts[s->push->starts_out + row * (bins * epochs + 1) + to * epochs + at->epoch] =
            start;
    }
}

/* Where the tile's entries of each bin begin in the row. */
static void begin_bins(const struct scatter *s, uint32_t row, uint32_t tile, const struct tile *at,
                       uint32_t *next)
{
    const struct msm_sort_push *push = s->push;
    const uint32_t bins = (uint32_t)1 << push->bits;
    const bool leads = at->part == 0 && at->epoch == 0;
    uint32_t running = segment_start(push, s->counts, row, at->group * push->epochs);
    for (uint32_t bin = 0; bin < bins; bin++) {
        next[bin] = running + s->counts[((size_t)row * push->tiles + tile) * bins + bin];
        running += s->counts[push->totals + ((size_t)row * push->groups + at->group) * bins + bin];
        if (s->starts ? leads : at->part == 0) {
            say_start(s, row, at, bin, next[bin]);
        }
    }
    if (leads && at->group + 1 == push->groups) {
        say_start(s, row, at, bins, running);
    }
}

static uint32_t handle_of(const struct msm_sort_push *push, uint32_t row, uint32_t number)
{
    const uint32_t skipped = push->skip ? number / push->copy * push->skip : 0;
    return (push->first_row + row) / push->vector_rows * push->handle_stride + number + skipped;
}

/* Puts what is at `i` of the row to `to`. */
static void place(const struct scatter *s, uint32_t row, const struct tile *at, uint32_t word,
                  size_t i, size_t to)
{
    const struct msm_sort_push *push = s->push;
    const uint32_t epoch_first = at->epoch * push->epoch_tiles * push->tile;
    uint32_t key = word & ~MSM_HANDLE_SIGN, sign = word >> 31, number = (uint32_t)i;
    if (!push->first_pass) {
        const uint32_t below = push->word_shift - 1;
        key = at->group << push->bits | bin_of(push, word);
        sign = word >> below & 1;
        number = epoch_first + (word & (((uint32_t)1 << below) - 1));
    }
    if (s->starts && push->keyless) {
        s->out[to] = handle_of(push, row, number) | sign << 31;
    } else if (s->starts) {
        s->out[2 * to] = key;
        s->out[2 * to + 1] = handle_of(push, row, number) | sign << 31;
    } else if (push->first_pass) {
        s->out[to] =
            key << push->word_shift | sign << (push->word_shift - 1) | (number - epoch_first);
    } else {
        s->out[to] = word;
    }
}

static void scatter(const struct scatter *s, uint32_t rows, const uint32_t *words)
{
    const struct msm_sort_push *push = s->push;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t tile = 0; tile < push->tiles; tile++) {
            static _Thread_local uint32_t next[1 << MSM_SORT_BITS_SERIAL]; /* 16 KiB */
            struct tile at;
            if (!find_tile(push, s->counts, row, tile, &at)) {
                continue;
            }
            begin_bins(s, row, tile, &at, next);
            for (size_t i = at.begin; i < at.end; i++) {
                const size_t first = (size_t)row * push->n;
                const uint32_t word = words[first + i], bin = bin_of(push, word);
                if (bin < (uint32_t)1 << push->bits) {
                    place(s, row, &at, word, i, first + next[bin]++);
                }
            }
        }
    }
}

void pail_twin_sort_scatter(const struct msm_sort_push *push, uint32_t rows, const uint32_t *words,
                            uint32_t *counts, uint32_t *placed)
{
    const struct scatter s = {push, counts, placed, NULL};
    scatter(&s, rows, words);
}

void pail_twin_sort_finish(const struct msm_sort_push *push, uint32_t rows, const uint32_t *words,
                           uint32_t *counts, uint32_t *sorted, uint32_t *starts)
{
    const struct scatter s = {push, counts, sorted, starts};
    scatter(&s, rows, words);
}
