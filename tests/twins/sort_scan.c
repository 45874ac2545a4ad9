/* SPDX-License-Identifier: Apache-2.0 */
#include "sort_shared.h"

void pail_twin_sort_scan(const struct msm_sort_push *push, uint32_t windows, uint32_t *counts)
{
    const uint32_t bins = (uint32_t)1 << push->bits;
    for (uint32_t window = 0; window < windows; window++) {
        for (uint32_t group = 0; group < push->groups; group++) {
            const uint32_t each = push->epochs / push->span; /* segments of a group */
            const uint32_t *first = counts + push->first_tiles +
                                    window * (pail_twin_segments(push) + 1) + (size_t)group * each;
            const uint32_t begin = push->first_pass ? 0 : first[0];
            const uint32_t end = push->first_pass ? push->tiles : first[each];
            for (uint32_t bin = 0; bin < bins; bin++) {
                uint32_t running = 0;
                for (uint32_t tile = begin; tile < end; tile++) {
                    uint32_t *at = counts + ((size_t)window * push->tiles + tile) * bins + bin;
                    const uint32_t count = *at;
                    *at = running;
                    running += count;
                }
                counts[push->totals + ((size_t)window * push->groups + group) * bins + bin] =
                    running;
            }
        }
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_sort_scan(c->push, c->grid[1], c->bound[0]);
}

PAIL_TWIN(MSM_SORT_SCAN, run)
PAIL_TWIN(MSM_SORT_SCAN_SERIAL, run)
