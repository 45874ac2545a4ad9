/* SPDX-License-Identifier: Apache-2.0 */
#include "share.h"

void pail_twin_debug(const struct msm_accumulate_push *push,
                     const struct pail_twin_variant *variant, const uint32_t *bases,
                     const uint32_t *entries, uint32_t *index, uint32_t *points)
{
    for (size_t bucket = 0; bucket < (size_t)push->windows * push->window_buckets; bucket++) {
        const size_t window = bucket / push->window_buckets;
        const uint32_t *starts =
            index + push->starts + bucket + window; /* each window has one more */
        pail_point sum = {{0}};
        for (uint32_t i = starts[0]; i < starts[1]; i++) {
            pail_twin_add_base(variant, &sum, bases, push->base_first,
                               entries[2 * (window * push->n + i) + 1]);
        }
        if (starts[0] < starts[1]) {
            index[push->adds] += starts[1] - starts[0] - 1;
            pail_twin_store(variant, points, push->buckets + bucket, &sum);
        }
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_debug(c->push, &c->variant, c->bound[0], c->bound[1], c->bound[2], c->bound[3]);
}

PAIL_TWIN(MSM_DEBUG, run)
