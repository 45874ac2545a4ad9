/* SPDX-License-Identifier: Apache-2.0 */
#include "twins.h"

void pail_twin_order_windows(const struct msm_windows_push *push, uint32_t *index)
{
    const size_t pitch = (size_t)push->window_buckets + 1;
    uint32_t first = 0;
    for (uint32_t window = 0; window <= push->windows; window++) {
        index[push->window_offsets + window] = first;
        if (window < push->windows)
            first += index[push->starts + window * pitch + push->window_buckets];
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_order_windows(c->push, c->bound[0]);
}

PAIL_TWIN(MSM_ORDER_WINDOWS, run)
