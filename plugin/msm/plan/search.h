/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a plan, for what puts its failure into words. */
#ifndef PAIL_MSM_SEARCH_H
#define PAIL_MSM_SEARCH_H

#include "plan.h"

/* A search for a plan, with what it has found on its way. */
struct pail_msm_search {
    const struct pail_msm_shape *shape;
    const struct pail_msm_limits *limits;
    const struct pail_msm_knobs *knobs;
    uint64_t budget; /* bytes of scratch; 0: any number */
    uint64_t floor;  /* scratch of the smallest plan that only the budget forbids; initially the
                        largest number */
};

/* Looks for a plan. false: there is none, and *plan is the smallest one that was tried. */
bool pail_msm_search_find(struct pail_msm_plan *plan, struct pail_msm_search *s);

/* The window to ask for in place of that of the knobs, which could only be had with chunks of the
 * points, each with a reduction of its own, because the sort of all is strained: much more work
 * than with a window of a bit less. 0: that window will do. Uses *plan, which has the accumulator.
 */
uint32_t pail_msm_search_narrower(struct pail_msm_plan *plan, const struct pail_msm_search *s);

#endif /* PAIL_MSM_SEARCH_H */
