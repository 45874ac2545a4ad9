/* SPDX-License-Identifier: Apache-2.0 */
#include "order_shared.h"

uint32_t pail_twin_order_bin(uint32_t count)
{
    uint32_t place = count, above = 0;
    while (count >> (MSM_ORDER_EXACT + above) > 1)
        above++;
    if (count >> MSM_ORDER_EXACT) {
        const uint32_t bins = 1u << MSM_ORDER_TOP;
        place = (1u << MSM_ORDER_EXACT) + above * bins +
                (count >> (above + MSM_ORDER_EXACT - MSM_ORDER_TOP)) % bins;
    }
    return MSM_ORDER_BINS - 1 - place;
}

uint32_t pail_twin_order_steps(uint32_t count)
{
    uint32_t steps = count;
    while (pail_twin_order_bin(steps + 1) == pail_twin_order_bin(count))
        steps++;
    return steps;
}

struct pail_twin_cut_bucket pail_twin_cut(const struct msm_order_push *push, const uint32_t *index,
                                          uint32_t window, uint32_t key)
{
    const uint32_t *start =
        index + push->starts + (size_t)window * (push->window_buckets + 1) + key;
    const uint32_t total = index[push->window_offsets + push->windows], count = start[1] - start[0];
    uint32_t most = (total + push->threads - 1) / push->threads;
    if (most < push->share)
        most = push->share;
    struct pail_twin_cut_bucket b = {.first = window * push->n + start[0],
                                     .pieces = (count + most - 1) / most};
    if (b.pieces) {
        b.each = count / b.pieces;
        b.rest = count % b.pieces;
    }
    return b;
}
