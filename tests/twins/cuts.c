/* SPDX-License-Identifier: Apache-2.0 */
#include "twins.h"

void pail_twin_cuts(const struct msm_cuts_push *push, uint32_t *index)
{
    const size_t pitch = (size_t)push->window_buckets + 1;
    const uint32_t *starts = index + push->starts;
    uint32_t total = 0;
    for (uint32_t window = 0; window < push->windows; window++)
        total += starts[window * pitch + push->window_buckets];
    uint32_t sharers = total / push->share;
    if (sharers > push->threads)
        sharers = push->threads;
    if (sharers == 0)
        sharers = 1;
    uint32_t position = 0;
    for (uint32_t cut = 0; cut <= push->threads; cut++) {
        uint32_t window = 0, local = position;
        while (window < push->windows && local >= starts[window * pitch + push->window_buckets]) {
            local -= starts[window * pitch + push->window_buckets];
            window++;
        }
        index[push->cuts + 2 * (size_t)cut] = window;
        index[push->cuts + 2 * (size_t)cut + 1] = local;
        if (cut < sharers)
            position += total / sharers + (cut < total % sharers);
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_cuts(c->push, c->bound[0]);
}

PAIL_TWIN(MSM_CUTS, run)
