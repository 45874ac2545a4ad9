/* SPDX-License-Identifier: Apache-2.0 */
#include "share.h"

void pail_twin_accumulate(const struct msm_accumulate_push *push,
                          const struct pail_twin_variant *variant, const uint32_t *bases,
                          const uint32_t *entries, uint32_t *index, uint32_t *points)
{
    pail_twin_accumulate_shares(push, push->threads, false, variant, bases, entries, index, points);
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_accumulate(c->push, &c->variant, c->bound[0], c->bound[1], c->bound[2], c->bound[3]);
}

PAIL_TWIN(MSM_ACCUMULATE, run)
