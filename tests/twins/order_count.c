/* SPDX-License-Identifier: Apache-2.0 */
#include "order_shared.h"

void pail_twin_order_count(const struct msm_order_push *push, uint32_t *index)
{
    for (uint32_t window = 0; window < push->windows; window++) {
        for (uint32_t key = 0; key < push->window_buckets; key++) {
            const struct pail_twin_cut_bucket b = pail_twin_cut(push, index, window, key);
            for (uint32_t i = 0; i < b.pieces; i++)
                index[push->counts + pail_twin_order_bin(b.each + (i < b.rest))]++;
        }
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_order_count(c->push, c->bound[0]);
}

PAIL_TWIN(MSM_ORDER_COUNT, run)
