/* SPDX-License-Identifier: Apache-2.0 */
#include "sort_shared.h"

#include <string.h>

void pail_twin_sort_count(const struct msm_sort_push *push, uint32_t windows, const uint32_t *words,
                          uint32_t *counts)
{
    const uint32_t bins = (uint32_t)1 << push->bits;
    for (uint32_t window = 0; window < windows; window++) {
        for (uint32_t tile = 0; tile < push->tiles; tile++) {
            struct pail_twin_tile at;
            if (!pail_twin_find_tile(push, counts, window, tile, &at))
                continue;
            uint32_t *of_tile = counts + ((size_t)window * push->tiles + tile) * bins;
            memset(of_tile, 0, bins * sizeof *of_tile);
            for (size_t i = at.begin; i < at.end; i++) {
                const uint32_t bin = pail_twin_sort_bin(push, words[(size_t)window * push->n + i]);
                if (bin < bins)
                    of_tile[bin]++;
            }
        }
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_sort_count(c->push, c->grid[1], c->bound[0], c->bound[1]);
}

PAIL_TWIN(MSM_SORT_COUNT, run)
PAIL_TWIN(MSM_SORT_COUNT_SERIAL, run)
