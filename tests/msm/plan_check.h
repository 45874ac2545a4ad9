/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of MSMs, each checked against what every plan keeps to (plan_check.c). */
#ifndef PAIL_TESTS_UNIT_PLAN_CHECK_H
#define PAIL_TESTS_UNIT_PLAN_CHECK_H

#include <msm/plan/plan.h>

#include "support/test.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

enum { SCALAR_BITS = 254, POINT_BYTES = 64, XYZZ_BYTES = 128 };

/* Limits of a large device. */
extern const struct pail_msm_limits ample;

/* One vector of n scalars over one set of bases. */
struct pail_msm_shape shape_of(uint64_t n);

/* Plans and checks; on failure the sentence must be there and the plan zero. */
pail_status try_plan(struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                     const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs,
                     struct pail_error *err);

/* The same, for a plan that there is. */
void expect_plan(struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                 const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs);

#endif /* PAIL_TESTS_UNIT_PLAN_CHECK_H */
