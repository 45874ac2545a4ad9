/* SPDX-License-Identifier: Apache-2.0 */
#include "order_shared.h"

void pail_twin_order_scan(const struct msm_order_push *push, uint32_t *index)
{
    uint32_t *const counts = index + push->counts, *const steps = counts + MSM_ORDER_STEPS;
    uint32_t before = 0;
    for (uint32_t i = 0; i < MSM_ORDER_BINS; i++) {
        const uint32_t count = counts[i];
        counts[i] = before;
        before += count;
    }
    counts[MSM_ORDER_RUNS] = before;
    uint32_t bin = 0, task = 0, sum = 0;
    for (; bin < MSM_ORDER_BINS; bin++) {
        const uint32_t end = bin + 1 < MSM_ORDER_BINS ? counts[bin + 1] : before;
        steps[bin] = sum;
        if (MSM_TASK * task >= end) /* none begins there */
            continue;
        uint32_t longest = 0;
        while (pail_twin_order_bin(longest) != bin)
            longest++;
        longest = pail_twin_order_steps(longest);
        for (; MSM_TASK * task < end; task++)
            sum += longest;
    }
    steps[MSM_ORDER_BINS] = sum;
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_order_scan(c->push, c->bound[0]);
}

PAIL_TWIN(MSM_ORDER_SCAN, run)
