#include "twin.h"

#include <string.h>

/* The entries [*first, *end) of a row, and what a key counts as in this pass. */
static void tile_range(const struct msm_sort_push *push, uint32_t tile, size_t *first, size_t *end)
{
    *first = (size_t)tile * MSM_SORT_TILE;
    *end = *first + MSM_SORT_TILE < push->n ? *first + MSM_SORT_TILE : push->n;
}

static uint32_t digit(const struct msm_sort_push *push, uint32_t key)
{
    return key >> push->shift & (((uint32_t)1 << push->bits) - 1);
}

void pail_twin_sort_count(const struct msm_sort_push *push, uint32_t rows, const uint32_t *entries,
                          uint32_t *counts)
{
    const size_t bins = (size_t)1 << push->bits;
    for (uint32_t w = 0; w < rows; w++) {
        uint32_t *of_row = counts + w * bins * push->tiles;
        memset(of_row, 0, bins * push->tiles * sizeof *counts);
        for (uint32_t tile = 0; tile < push->tiles; tile++) {
            size_t i, end;
            for (tile_range(push, tile, &i, &end); i < end; i++) {
                const uint32_t key = entries[2 * ((size_t)w * push->n + i)];
                of_row[(size_t)digit(push, key) * push->tiles + tile]++;
            }
        }
    }
}

/* Exclusive prefix sums in place; returns the total. */
static uint32_t scan(uint32_t *counts, size_t n)
{
    uint32_t running = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t count = counts[i];
        counts[i] = running;
        running += count;
    }
    return running;
}

void pail_twin_sort_scan(const struct msm_sort_push *push, uint32_t rows, uint32_t *counts)
{
    const size_t length = (size_t)push->tiles << push->bits;
    for (uint32_t w = 0; w < rows; w++) {
        for (uint32_t block = 0; block < push->blocks; block++) {
            const size_t first = (size_t)block * MSM_SCAN_BLOCK;
            const size_t left = first < length ? length - first : 0;
            counts[push->totals + (size_t)w * push->blocks + block] =
                scan(counts + w * length + first, left < MSM_SCAN_BLOCK ? left : MSM_SCAN_BLOCK);
        }
    }
}

void pail_twin_sort_totals(const struct msm_sort_push *push, uint32_t rows, uint32_t *counts)
{
    for (uint32_t w = 0; w < rows; w++) {
        (void)scan(counts + push->totals + (size_t)w * push->blocks, push->blocks);
    }
}

void pail_twin_sort_scatter(const struct msm_sort_push *push, uint32_t rows,
                            const uint32_t *entries, const uint32_t *counts, uint32_t *sorted)
{
    const uint32_t bins = (uint32_t)1 << push->bits;
    for (uint32_t w = 0; w < rows; w++) {
        const uint32_t *of_row = counts + (size_t)w * bins * push->tiles;
        const uint32_t *totals = counts + push->totals + (size_t)w * push->blocks;
        const size_t row_first = (size_t)w * push->n;
        for (uint32_t tile = 0; tile < push->tiles; tile++) {
            uint32_t next[MSM_SORT_BINS_MAX];
            for (uint32_t b = 0; b < bins; b++) {
                const size_t at = (size_t)b * push->tiles + tile;
                next[b] = of_row[at] + totals[at / MSM_SCAN_BLOCK];
            }
            size_t i, end;
            for (tile_range(push, tile, &i, &end); i < end; i++) {
                const uint32_t *entry = entries + 2 * (row_first + i);
                uint32_t *place = sorted + 2 * (row_first + next[digit(push, entry[0])]++);
                place[0] = entry[0];
                place[1] = entry[1];
            }
        }
    }
}
