/* SPDX-License-Identifier: Apache-2.0 */
#include "order_shared.h"

void pail_twin_order_place(const struct msm_order_push *push, uint32_t *index)
{
    uint32_t *const pieces = index + push->counts + MSM_ORDER_PIECES;
    for (uint32_t window = 0; window < push->windows; window++) {
        for (uint32_t key = 0; key < push->window_buckets; key++) {
            const struct pail_twin_cut_bucket b = pail_twin_cut(push, index, window, key);
            const uint32_t bucket = window * push->window_buckets + key;
            uint32_t first = b.first;
            for (uint32_t i = 0; i < b.pieces; i++) {
                const uint32_t count = b.each + (i < b.rest);
                const uint32_t number = index[push->counts + pail_twin_order_bin(count)]++;
                uint32_t *run = index + push->runs + MSM_RUN_WORDS * (size_t)number;
                run[MSM_RUN_FIRST] = first;
                run[MSM_RUN_COUNT] = count;
                run[MSM_RUN_BUCKET] = bucket;
                run[MSM_RUN_PIECE] = b.pieces > 1 ? (*pieces)++ : MSM_KEY_NONE;
                for (uint32_t k = 0; k < push->places && b.pieces > 1; k++) {
                    index[push->keys + push->places_first + push->places * run[MSM_RUN_PIECE] + k] =
                        bucket;
                }
                first += count;
            }
        }
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_order_place(c->push, c->bound[0]);
}

PAIL_TWIN(MSM_ORDER_PLACE, run)
