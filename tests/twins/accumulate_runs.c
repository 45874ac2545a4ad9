/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

void pail_twin_accumulate_runs(const struct msm_runs_push *push,
                               const struct pail_twin_variant *variant, const uint32_t *bases,
                               const uint32_t *handles, uint32_t *index, uint32_t *points)
{
    static const pail_point infinity;
    const uint32_t *const counts = index + push->counts;
    const uint32_t runs = counts[MSM_ORDER_RUNS], groups = push->threads / MSM_TASK;
    const uint32_t all = counts[MSM_ORDER_STEPS + MSM_ORDER_BINS];
    uint32_t each = (all + groups - 1) / groups, before = 0; /* steps of a group; of tasks before */
    for (uint32_t i = 0; i < runs; i++) {
        const uint32_t *run = index + push->runs + MSM_RUN_WORDS * (size_t)i;
        const uint32_t count = run[MSM_RUN_COUNT], bucket = run[MSM_RUN_BUCKET];
        const uint32_t longest =
            pail_twin_order_steps(run[MSM_RUN_COUNT - MSM_RUN_WORDS * (int)(i % MSM_TASK)]);
        each = i == 0 ? pail_twin_max(each, longest) : each;
        /* The next group's part may begin within the task. */
        const uint32_t next = before / each + 1, cut = pail_twin_min(next * each - before, count);
        const bool whole = run[MSM_RUN_PIECE] == MSM_KEY_NONE;
        const size_t place = whole ? 2 * ((size_t)MSM_TASK * next + i % MSM_TASK)
                                   : pail_twin_place_of_piece(push, run[MSM_RUN_PIECE]);
        pail_point sum =
            pail_twin_sum_of_run(push, variant, bases, handles, index, points, run, 0, cut);
        if (whole && cut == count) {
            pail_twin_store(variant, points, push->buckets + bucket, &sum);
        } else {
            index[push->keys + place] = index[push->keys + place + 1] = bucket;
            pail_twin_store(variant, points, push->pieces + place, &sum);
            sum = infinity;
            if (cut < count) {
                sum = pail_twin_sum_of_run(push, variant, bases, handles, index, points, run, cut,
                                           count - cut);
            }
            pail_twin_store(variant, points, push->pieces + place + 1, &sum);
        }
        before += i % MSM_TASK == MSM_TASK - 1 ? longest : 0;
    }
}

static void run(const struct pail_twin_call *c)
{
    pail_twin_accumulate_runs(c->push, &c->variant, c->bound[0], c->bound[1], c->bound[2],
                              c->bound[3]);
}

PAIL_TWIN(MSM_ACCUMULATE_RUNS, run)
