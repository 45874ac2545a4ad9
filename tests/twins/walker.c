/* SPDX-License-Identifier: Apache-2.0 */
#include "share.h"

void pail_twin_walk(const struct msm_accumulate_push *push, uint32_t slots,
                    const struct pail_twin_variant *variant, const uint32_t *bases,
                    const uint32_t *entries, uint32_t *index, uint32_t *points)
{
    pail_twin_accumulate_shares(push, push->threads * slots, true, variant, bases, entries, index,
                                points);
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_walk(c->push, c->specs[MSM_SPEC_SLOTS], &c->variant, c->bound[0], c->bound[1],
                   c->bound[2], c->bound[3]);
}

PAIL_TWIN(MSM_WALKER, run)
PAIL_TWIN(MSM_COOP, run)
PAIL_TWIN(MSM_COOP_SUBGROUP, run)
