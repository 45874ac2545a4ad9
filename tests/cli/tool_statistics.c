/* SPDX-License-Identifier: Apache-2.0 */
/* tools/pail/measure/statistics: medians, spread, and that a verdict needs more than noise. */
#include "support/test.h"

#include <math.h>

#include <measure/statistics.h>

static void near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-12 * (1 + fabs(b)));
}

PAIL_TEST(summaries)
{
    const double odd[] = {5, 1, 3}, even[] = {8, 2, 4, 2}, same[] = {7, 7, 7, 7}, one[] = {9};
    struct pail_summary summary = pail_summarize(odd, 3);
    near(summary.median, 3);
    near(summary.min, 1);
    near(summary.max, 5);
    near(summary.mean, 3);
    near(summary.deviation, 2);
    summary = pail_summarize(even, 4);
    near(summary.median, 3);
    near(summary.mean, 4);
    near(summary.deviation, sqrt(8));
    near(pail_summarize(same, 4).median, 7);
    near(pail_summarize(same, 4).deviation, 0);
    near(pail_summarize(one, 1).median, 9);
    near(pail_summarize(one, 1).deviation, 0);
}

PAIL_TEST(verdicts)
{
    const double a[] = {10, 11, 10, 11, 10, 11}, slower[] = {13, 14, 13.1, 14, 13, 14.1},
                 noisy[] = {13, 9, 14, 10, 8, 15};
    struct pail_comparison comparison = pail_compare(a, slower, 6);
    assert_int_equal(comparison.verdict, PAIL_SLOWER);
    near(comparison.difference, 3);
    near(comparison.noise, 4 * comparison.error);
    comparison = pail_compare(slower, a, 6);
    assert_int_equal(comparison.verdict, PAIL_FASTER);
    near(comparison.difference, -3);
    assert_int_equal(pail_compare(a, noisy, 6).verdict, PAIL_WITHIN_NOISE);
    assert_int_equal(pail_compare(a, a, 6).verdict, PAIL_WITHIN_NOISE);
    /* Ratios that are as clear as can be, but too few. */
    assert_int_equal(pail_compare(a, slower, 3).verdict, PAIL_WITHIN_NOISE);
    assert_int_equal(pail_compare(a, slower, 4).verdict, PAIL_SLOWER);
}

/* sqrt(pi / 2) s / sqrt(n), of the differences of pairs: what both series share does not count. */
PAIL_TEST(errors)
{
    const double a[] = {100, 200, 300, 400}, b[] = {101, 203, 301, 403};
    const struct pail_comparison comparison = pail_compare(a, b, 4);
    near(comparison.difference, 2);
    near(comparison.error, sqrt(acos(-1) / 2) * sqrt(4.0 / 3) / 2);
}

/* Two series of the same distribution, many times: hardly ever a verdict. */
PAIL_TEST(false_alarms)
{
    uint64_t x = 88172645463325252U;
    size_t alarms = 0;
    for (int trial = 0; trial < 2000; trial++) {
        double a[10], b[10];
        for (size_t i = 0; i < 20; i++) {
            double normal = -6; /* nearly: the sum of twelve uniform numbers */
            for (int k = 0; k < 12; k++) {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                normal += (double)(x >> 11) / 9007199254740992.0;
            }
            (i < 10 ? a : b)[i % 10] = 100 + normal;
        }
        alarms += pail_compare(a, b, 10).verdict != PAIL_WITHIN_NOISE;
    }
    assert_true(alarms <= 10);
}

PAIL_TEST(hopeless)
{
    assert_true(pail_is_hopeless(401, 100, 4, 200));
    assert_false(pail_is_hopeless(400, 100, 4, 200)); /* not more */
    assert_false(pail_is_hopeless(190, 10, 4, 200));  /* not worth it */
    assert_true(pail_is_hopeless(201, 10, 4, 200));
    assert_false(pail_is_hopeless(1000, 0, 4, 200)); /* the least is unknown */
    assert_false(pail_is_hopeless(0, 100, 4, 0));
}

PAIL_TEST(names)
{
    assert_string_equal(pail_verdict_name(PAIL_FASTER), "faster");
    assert_string_equal(pail_verdict_name(PAIL_SLOWER), "slower");
    assert_string_equal(pail_verdict_name(PAIL_WITHIN_NOISE), "within the noise");
}
