/* The end of a multi-scalar multiplication: window sums to one point. */
#ifndef PAIL_REF_FOLD_H
#define PAIL_REF_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "curve_ops.h"

/* result = sum over windows w of 2^(c w) S_w, by Horner's rule: c doublings and an addition for
 * each window. S_w is the sum over `lists` of the window sums words[list][w], each X, Y, ZZ, ZZZ as
 * from_words takes them; a list is n_windows consecutive points (one list for each chunk of the
 * bases). Equal, opposite and infinite sums are all right, and so is n_windows 0 or lists 0.
 *
 * Returns false, with the index list * n_windows + w of the first bad point in *bad_index and
 * infinity as the result, if a coordinate is not below p. */
bool pail_fold(const struct pail_curve_ops *ops, pail_point *result, size_t *bad_index,
               const uint32_t *words, size_t lists, size_t n_windows, uint32_t c,
               enum pail_radix radix);

/* The same from sums in the CPU's own form: sums[list * n_windows + w]. */
void pail_fold_points(const struct pail_curve_ops *ops, pail_point *result, const pail_point *sums,
                      size_t lists, size_t n_windows, uint32_t c);

#endif /* PAIL_REF_FOLD_H */
