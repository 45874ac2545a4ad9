/* SPDX-License-Identifier: Apache-2.0 */
/* Points by what the processor has: a table of struct pail_curve_ops with faster functions for what
 * the end of a multiplication takes. The plain table stays as it is, and is what this one is
 * compared with. */
#ifndef PAIL_CURVES_FAST_H
#define PAIL_CURVES_FAST_H

#include <stdbool.h>

#include "curve_ops.h"

/* True if the processor has BMI2 and ADX, and the build code for them. */
bool pail_fast_has_adx(void);

/* A table for the group of ops, which is the plain one: dbl, dbl_times, add and from_words may be
 * others, with the same promises but one. Sums and what comes from words are the same points, not
 * always the same coordinates. Where the processor or the build has nothing better, or it fails
 * its test, that is ops itself; `failed`, unless it is NULL, says whether a test did.
 *
 * Tested once for a group and process, which takes about a millisecond. Any threads. */
const struct pail_curve_ops *pail_fast_ops(const struct pail_curve_ops *ops, bool *failed);

/* That table where it has been tested and has passed, and ops otherwise: for work that is too short
 * to pay for the test. Any threads. */
const struct pail_curve_ops *pail_fast_known_ops(const struct pail_curve_ops *ops);

/* The test: whether a table does the same as the plain one with sums that are ordinary, equal,
 * opposite and infinite, with words of every radix, and with words that are not below p. */
bool pail_fast_test(const struct pail_curve_ops *fast, const struct pail_curve_ops *ops);

#endif /* PAIL_CURVES_FAST_H */
