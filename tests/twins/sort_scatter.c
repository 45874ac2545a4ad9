/* SPDX-License-Identifier: Apache-2.0 */
#include "sort_shared.h"

void pail_twin_sort_scatter(const struct msm_sort_push *push, uint32_t windows,
                            const uint32_t *words, uint32_t *counts, uint32_t *placed)
{
    const struct pail_twin_scatter s = {push, counts, placed, NULL};
    pail_twin_place_all(&s, windows, words);
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_sort_scatter(c->push, c->grid[1], c->bound[0], c->bound[1], c->bound[2]);
}

PAIL_TWIN(MSM_SORT_SCATTER, run)
PAIL_TWIN(MSM_SORT_SCATTER_SERIAL, run)
