/* SPDX-License-Identifier: Apache-2.0 */
/* Medians and spread of measured times, and when two series differ. */
#ifndef PAIL_TOOL_MEASURE_STATISTICS_H
#define PAIL_TOOL_MEASURE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct pail_summary {
    double median, min, max, mean;
    double deviation; /* standard deviation of the sample, with n - 1; 0 below two values */
};

/* n > 0. The order of the values does not matter and is kept. */
struct pail_summary pail_summarize(const double *values, size_t n);

enum pail_verdict { PAIL_WITHIN_NOISE, PAIL_FASTER, PAIL_SLOWER };

/* "within the noise", "faster", "slower" */
const char *pail_verdict_name(enum pail_verdict verdict);

/* Pairs that a verdict needs. Of fewer, the spread says too little. */
enum { PAIL_PAIRS_MIN = 4 };

/* The second series against the first. */
struct pail_comparison {
    double difference; /* median of b[i] - a[i] */
    double error;      /* standard error of that median */
    double noise;      /* 4 * error: a smaller difference is none */
    enum pail_verdict verdict;
};

/* a[i] and b[i] were measured one right after the other, so that what changes slowly (clocks,
 * temperature, other work) cancels out in their difference. The standard error of a median of n
 * values with standard deviation s is sqrt(pi / 2) s / sqrt(n) when they are normal; outliers only
 * make it larger. n > 0. */
struct pail_comparison pail_compare(const double *a, const double *b, size_t n);

/* True for a time beyond hope against the least of several: more than `factor` times as long, and
 * more than worth_ms, below which a hiccup of the machine may have been all of it. False where
 * least_ms <= 0, which means unknown. */
bool pail_is_hopeless(double ms, double least_ms, double factor, double worth_ms);

#endif /* PAIL_TOOL_MEASURE_STATISTICS_H */
