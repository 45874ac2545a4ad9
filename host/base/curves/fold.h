/* SPDX-License-Identifier: Apache-2.0 */
/* Window combination, the end of Pippenger's method: window sums to one point. */
#ifndef PAIL_CURVES_FOLD_H
#define PAIL_CURVES_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "curve_ops.h"

/* Bits from a part of a window's sum to the next. */
#define PAIL_FOLD_PART_BITS 3u

/* result = sum over windows w of 2^(c w) S_w, by Horner's rule: c doublings for each window, and an
 * addition for each part. S_w is the sum over `lists`, and over parts k of 2^(3 k) times each, of
 * words[list][w][k], each X, Y, ZZ, ZZZ as from_words takes them; a list is n_windows * parts
 * consecutive points (one list for each chunk of the bases). parts >= 1, 3 (parts - 1) <= c. Equal,
 * opposite and infinite sums are all right, and so is n_windows 0 or lists 0.
 *
 * Returns false, with the index (list * n_windows + w) * parts + k of the first bad point in
 * *bad_index and infinity as the result, if a coordinate is not below p. */
bool pail_fold(const struct pail_curve_ops *ops, pail_point *result, size_t *bad_index,
               const uint32_t *words, size_t lists, size_t n_windows, uint32_t c, uint32_t parts,
               enum pail_field_form form);

/* The same from sums in the CPU's own form: sums[list * n_windows + w]. */
void pail_fold_points(const struct pail_curve_ops *ops, pail_point *result, const pail_point *sums,
                      size_t lists, size_t n_windows, uint32_t c);

/* result = the sum of scalars[i] points[i], n <= PAIL_FOLD_MULTIPLES: both multiples share their
 * doublings. Every point and all integers of 256 bits are right. What it leaves behind on the
 * stack, pail_wipe_stack reaches. */
#define PAIL_FOLD_MULTIPLES 2
void pail_fold_multiples(const struct pail_curve_ops *ops, pail_point *result,
                         const pail_point *points, const pail_u256 *scalars, size_t n);

#endif /* PAIL_CURVES_FOLD_H */
