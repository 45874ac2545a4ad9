/* SPDX-License-Identifier: Apache-2.0 */

#include "sort_shared.h"
#include "support/test.h"

/* The three kernels that it stands for, one after the other. `counts` are the kernel's own, and as
 * they were here. */
static void run(const struct pail_twin_call *c)
{
    struct msm_sort_push push = *(const struct msm_sort_push *)c->push;
    const uint32_t windows = c->grid[1];
    push.totals = windows << push.bits;
    uint32_t *counts = malloc(2 * sizeof(*counts) * push.totals);
    assert_non_null(counts);
    pail_twin_sort_count(&push, windows, c->bound[0], counts);
    pail_twin_sort_scan(&push, windows, counts);
    pail_twin_sort_finish(&push, windows, c->bound[0], counts, c->bound[2], c->bound[3]);
    free(counts);
}

PAIL_TWIN(MSM_SORT_SINGLE_SERIAL, run)
