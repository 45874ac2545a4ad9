/* SPDX-License-Identifier: Apache-2.0 */
/* Runs as msm/order/place puts them. For the twins alone. */
#ifndef PAIL_TESTS_TWINS_RUN_H
#define PAIL_TESTS_TWINS_RUN_H

#include "share.h"

/* Places of a run that is a piece of its bucket. */
size_t pail_twin_place_of_piece(const struct msm_runs_push *push, uint32_t piece);
/* The sum of so many entries of a run from `from` on, and of what a chunk before has left. */
pail_point pail_twin_sum_of_run(const struct msm_runs_push *push,
                                const struct pail_twin_variant *variant, const uint32_t *bases,
                                const uint32_t *handles, uint32_t *index, const uint32_t *points,
                                const uint32_t *run, uint32_t from, uint32_t count);

#endif /* PAIL_TESTS_TWINS_RUN_H */
