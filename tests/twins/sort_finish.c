/* SPDX-License-Identifier: Apache-2.0 */
#include "sort_shared.h"

void pail_twin_sort_finish(const struct msm_sort_push *push, uint32_t windows,
                           const uint32_t *words, uint32_t *counts, uint32_t *sorted,
                           uint32_t *starts)
{
    const struct pail_twin_scatter s = {push, counts, sorted, starts};
    pail_twin_place_all(&s, windows, words);
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_sort_finish(c->push, c->grid[1], c->bound[0], c->bound[1], c->bound[2], c->bound[3]);
}

PAIL_TWIN(MSM_SORT_FINISH, run)
PAIL_TWIN(MSM_SORT_FINISH_SERIAL, run)
