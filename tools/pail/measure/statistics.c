/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

#include <math.h>

static const double sqrt_half_pi = 1.2533141373155003;
static const double errors_of_noise = 4;

/* The k-th smallest value of those that a function of i gives, by counting: series are short, and
 * nothing has to be allocated. */
static double nth(const double *a, const double *b, size_t n, size_t k)
{
    for (size_t i = 0; i < n; i++) {
        const double value = b ? b[i] - a[i] : a[i];
        size_t below = 0, equal = 0;
        for (size_t j = 0; j < n; j++) {
            const double other = b ? b[j] - a[j] : a[j];
            below += other < value;
            equal += !(other < value) && !(other > value);
        }
        if (below <= k && k < below + equal)
            return value;
    }
    return NAN; /* only for values that are no numbers */
}

static double median(const double *a, const double *b, size_t n)
{
    return n % 2 == 1 ? nth(a, b, n, n / 2) : (nth(a, b, n, n / 2 - 1) + nth(a, b, n, n / 2)) / 2;
}

static double deviation_of(const double *a, const double *b, size_t n, double *mean)
{
    *mean = 0;
    for (size_t i = 0; i < n; i++)
        *mean += (b ? b[i] - a[i] : a[i]) / (double)n;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double distance = (b ? b[i] - a[i] : a[i]) - *mean;
        squares += distance * distance;
    }
    return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

struct pail_summary pail_summarize(const double *values, size_t n)
{
    struct pail_summary summary = {.median = median(values, NULL, n)};
    summary.deviation = deviation_of(values, NULL, n, &summary.mean);
    summary.min = summary.max = values[0];
    for (size_t i = 1; i < n; i++) {
        summary.min = values[i] < summary.min ? values[i] : summary.min;
        summary.max = values[i] > summary.max ? values[i] : summary.max;
    }
    return summary;
}

const char *pail_verdict_name(enum pail_verdict verdict)
{
    static const char *const names[] = {"within the noise", "faster", "slower"};
    return names[verdict];
}

struct pail_comparison pail_compare(const double *a, const double *b, size_t n)
{
    double mean;
    const double deviation = deviation_of(a, b, n, &mean);
    struct pail_comparison comparison = {
        .difference = median(a, b, n),
        .error = sqrt_half_pi * deviation / sqrt((double)n),
    };
    comparison.noise = errors_of_noise * comparison.error;
    if (n >= PAIL_PAIRS_MIN && fabs(comparison.difference) > comparison.noise)
        comparison.verdict = comparison.difference < 0 ? PAIL_FASTER : PAIL_SLOWER;
    return comparison;
}

bool pail_is_hopeless(double ms, double least_ms, double factor, double worth_ms)
{
    return least_ms > 0 && ms > factor * least_ms && ms > worth_ms;
}
