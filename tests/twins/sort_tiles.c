/* SPDX-License-Identifier: Apache-2.0 */
#include "sort_shared.h"

void pail_twin_sort_tiles(const struct msm_sort_push *push, uint32_t windows, uint32_t *counts)
{
    const uint32_t segments = (uint32_t)pail_twin_segments(push), span = push->span;
    const size_t epochs = (size_t)segments * span;
    for (uint32_t window = 0; window < windows; window++) {
        const uint32_t *starts = counts + push->starts_in + window * (epochs + 1);
        uint32_t *first_tiles = counts + push->first_tiles + window * ((size_t)segments + 1);
        uint32_t *list = counts + push->list + (size_t)window * push->tiles;
        uint32_t tile = 0;
        for (uint32_t segment = 0; segment < segments; segment++) {
            const uint32_t count = starts[(segment + 1) * span] - starts[segment * span];
            first_tiles[segment] = tile;
            for (uint32_t done = 0; done == 0 || done < count; done += push->tile)
                list[tile++] = segment;
        }
        first_tiles[segments] = tile;
        for (; tile < push->tiles; tile++)
            list[tile] = MSM_KEY_NONE;
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_sort_tiles(c->push, c->grid[0], c->bound[0]);
}

PAIL_TWIN(MSM_SORT_TILES, run)
