/* SPDX-License-Identifier: Apache-2.0 */
/* The number of points of a section that are not at infinity, by a sample. */
#ifndef PAIL_FINITE_H
#define PAIL_FINITE_H

#include <stdbool.h>

#include <formats/zkey.h>

/* The share of finite points, as so many `parts` of one, rounded, by points that lie evenly in the
 * section. 0 where there are no points, or where they cannot be read: their registration fails with
 * a sentence. */
uint32_t pail_finite_share(const struct pail_zkey *zkey, enum pail_zkey_msm msm, uint32_t parts);

/* The same as a number above 0, by runs of points at even distances; 1 where there are no points.
 * False: they cannot be read. */
bool pail_finite_sample(double *share, const struct pail_zkey *zkey, enum pail_zkey_msm msm);

#endif /* PAIL_FINITE_H */
