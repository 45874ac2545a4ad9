#include "twin.h"

#include <string.h>

/* The entries [*first, *end) of a tile, numbered from the row's first. */
static void tile_range(const struct msm_sort_push *push, uint32_t tile, size_t *first, size_t *end)
{
    *first = (size_t)tile * push->tile;
    *end = *first + push->tile < push->n ? *first + push->tile : push->n;
}

static uint32_t bin_of(const struct msm_sort_push *push, uint32_t key)
{
    return key >> push->shift & (((uint32_t)1 << push->bits) - 1);
}

void pail_twin_sort_count(const struct msm_sort_push *push, uint32_t rows, const uint32_t *words,
                          uint32_t *counts)
{
    const size_t bins = (size_t)1 << push->bits;
    memset(counts, 0, rows * push->tiles * bins * sizeof *counts);
    for (uint32_t w = 0; w < rows; w++) {
        for (uint32_t tile = 0; tile < push->tiles; tile++) {
            uint32_t *of_tile = counts + ((size_t)w * push->tiles + tile) * bins;
            size_t i, end;
            for (tile_range(push, tile, &i, &end); i < end; i++) {
                const size_t at = (size_t)w * push->n + i;
                of_tile[bin_of(push, words[push->first_pass ? at : 2 * at])]++;
            }
        }
    }
}

void pail_twin_sort_scan(const struct msm_sort_push *push, uint32_t rows, uint32_t *counts)
{
    const size_t bins = (size_t)1 << push->bits;
    for (uint32_t w = 0; w < rows; w++) {
        uint32_t *of_row = counts + w * bins * push->tiles;
        for (size_t b = 0; b < bins; b++) {
            uint32_t running = 0;
            for (uint32_t tile = 0; tile < push->tiles; tile++) {
                const uint32_t count = of_row[tile * bins + b];
                of_row[tile * bins + b] = running;
                running += count;
            }
            counts[push->totals + w * bins + b] = running;
        }
    }
}

/* Where each bin's entries of a tile begin in the row. */
static void place_bins(const struct msm_sort_push *push, uint32_t row, uint32_t tile,
                       const uint32_t *counts, uint32_t *next)
{
    const size_t bins = (size_t)1 << push->bits;
    uint32_t running = 0;
    for (size_t b = 0; b < bins; b++) {
        next[b] = running + counts[((size_t)row * push->tiles + tile) * bins + b];
        running += counts[push->totals + row * bins + b];
    }
}

void pail_twin_sort_scatter(const struct msm_sort_push *push, uint32_t rows, const uint32_t *digits,
                            const uint32_t *entries, const uint32_t *counts, uint32_t *sorted)
{
    for (uint32_t w = 0; w < rows; w++) {
        const size_t row_first = (size_t)w * push->n;
        const uint32_t handle = (push->first_row + w) / push->windows * push->handle_stride;
        for (uint32_t tile = 0; tile < push->tiles; tile++) {
            uint32_t next[1 << MSM_SORT_BITS_MAX];
            place_bins(push, w, tile, counts, next);
            size_t i, end;
            for (tile_range(push, tile, &i, &end); i < end; i++) {
                const size_t at = row_first + i;
                const uint32_t word = push->first_pass ? digits[at] : entries[2 * at];
                const uint32_t key = word & ~MSM_HANDLE_SIGN;
                uint32_t *place = sorted + 2 * (row_first + next[bin_of(push, key)]++);
                place[0] = key;
                const uint32_t skipped = push->skip ? (uint32_t)i / push->copy * push->skip : 0;
                place[1] = push->first_pass
                               ? (handle + (uint32_t)i + skipped) | (word & MSM_HANDLE_SIGN)
                               : entries[2 * at + 1];
            }
        }
    }
}
