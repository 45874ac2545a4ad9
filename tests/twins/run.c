/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

size_t pail_twin_place_of_piece(const struct msm_runs_push *push, uint32_t piece)
{
    return push->places_first + (size_t)push->places * piece;
}

pail_point pail_twin_sum_of_run(const struct msm_runs_push *push,
                                const struct pail_twin_variant *variant, const uint32_t *bases,
                                const uint32_t *handles, uint32_t *index, const uint32_t *points,
                                const uint32_t *run, uint32_t from, uint32_t count)
{
    const uint32_t bucket = run[MSM_RUN_BUCKET], piece = run[MSM_RUN_PIECE];
    pail_point sum = {{0}};
    if (push->resume && from == 0 &&
        (piece == MSM_KEY_NONE || piece == 0 ||
         index[push->keys + pail_twin_place_of_piece(push, piece) - 1] != bucket)) {
        sum = pail_twin_load(variant, points, push->buckets + bucket);
        index[push->adds] += !variant->ops->is_infinity(&sum);
    }
    for (uint32_t e = from; e < from + count; e++)
        pail_twin_add_base(variant, &sum, bases, push->base_first, handles[run[MSM_RUN_FIRST] + e]);
    index[push->adds] += count - 1;
    return sum;
}
