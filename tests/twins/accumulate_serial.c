/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

void pail_twin_accumulate_serial(const struct msm_runs_push *push,
                                 const struct pail_twin_variant *variant, const uint32_t *bases,
                                 const uint32_t *handles, uint32_t *index, uint32_t *points)
{
    for (uint32_t i = 0; i < index[push->counts + MSM_ORDER_RUNS]; i++) {
        const uint32_t *run = index + push->runs + MSM_RUN_WORDS * (size_t)i;
        const uint32_t piece = run[MSM_RUN_PIECE];
        const pail_point sum = pail_twin_sum_of_run(push, variant, bases, handles, index, points,
                                                    run, 0, run[MSM_RUN_COUNT]);
        pail_twin_store(variant, points,
                        piece == MSM_KEY_NONE
                            ? push->buckets + run[MSM_RUN_BUCKET]
                            : push->pieces + pail_twin_place_of_piece(push, piece),
                        &sum);
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_accumulate_serial(c->push, &c->variant, c->bound[0], c->bound[1], c->bound[2],
                                c->bound[3]);
}

PAIL_TWIN(MSM_ACCUMULATE_SERIAL, run)
