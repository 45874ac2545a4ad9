/* SPDX-License-Identifier: Apache-2.0 */
/* When doubles are taken for field arithmetic: the verdict over times, and over one that is kept.
 */
#include <math.h>

#include <msm/run/fp64.h>

#include "support/test.h"

/* Steps of a product in form x29 over those in form d51, 162 / 60: where the verdict turns. */
static const double even = 2.7;

PAIL_TEST(test_first)
{
    const enum pail_msm_doubles none = PAIL_MSM_DOUBLES_UNKNOWN;
    assert_int_equal(pail_msm_judge_doubles(1, 0.99 * even, none), PAIL_MSM_DOUBLES_FAST);
    assert_int_equal(pail_msm_judge_doubles(1, 1.01 * even, none), PAIL_MSM_DOUBLES_SLOW);
    assert_int_equal(pail_msm_judge_doubles(1, 32, none), PAIL_MSM_DOUBLES_SLOW);
}

/* A difference below a tenth, which a busy device makes, changes nothing. */
PAIL_TEST(test_kept)
{
    const enum pail_msm_doubles both[] = {PAIL_MSM_DOUBLES_SLOW, PAIL_MSM_DOUBLES_FAST};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pail_msm_judge_doubles(1, even / 1.09, both[i]), both[i]);
        assert_int_equal(pail_msm_judge_doubles(1, even * 1.09, both[i]), both[i]);
        assert_int_equal(pail_msm_judge_doubles(1, even / 1.11, both[i]), PAIL_MSM_DOUBLES_FAST);
        assert_int_equal(pail_msm_judge_doubles(1, even * 1.11, both[i]), PAIL_MSM_DOUBLES_SLOW);
    }
}

PAIL_TEST(test_no_time)
{
    for (int kept = PAIL_MSM_DOUBLES_UNKNOWN; kept <= PAIL_MSM_DOUBLES_FAST; kept++) {
        const enum pail_msm_doubles before = (enum pail_msm_doubles)kept;
        assert_int_equal(pail_msm_judge_doubles(0, 1, before), PAIL_MSM_DOUBLES_SLOW);
        assert_int_equal(pail_msm_judge_doubles(1, 0, before), PAIL_MSM_DOUBLES_SLOW);
        assert_int_equal(pail_msm_judge_doubles(INFINITY, 1, before), PAIL_MSM_DOUBLES_SLOW);
        assert_int_equal(pail_msm_judge_doubles(NAN, 1, before), PAIL_MSM_DOUBLES_SLOW);
    }
}
