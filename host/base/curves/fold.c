/* SPDX-License-Identifier: Apache-2.0 */
#include "fold.h"

bool pail_fold(const struct pail_curve_ops *ops, pail_point *result, size_t *bad_index,
               const uint32_t *words, size_t lists, size_t n_windows, uint32_t c, uint32_t parts,
               enum pail_field_form form)
{
    const size_t point_words = 4 * ops->coordinate_bytes / sizeof(uint32_t);
    pail_point sum = {{0}};
    for (size_t i = n_windows * parts; i-- > 0;) {
        const bool top = i % parts == parts - 1;
        ops->dbl_times(&sum, &sum,
                       top ? c - (parts - 1) * PAIL_FOLD_PART_BITS : PAIL_FOLD_PART_BITS);
        for (size_t list = 0; list < lists; list++) {
            const size_t index = list * n_windows * parts + i;
            pail_point part;
            if (!ops->from_words(&part, words + index * point_words, form)) {
                *bad_index = index;
                *result = (pail_point){{0}};
                return false;
            }
            ops->add(&sum, &sum, &part);
        }
    }
    *result = sum;
    return true;
}

void pail_fold_points(const struct pail_curve_ops *ops, pail_point *result, const pail_point *sums,
                      size_t lists, size_t n_windows, uint32_t c)
{
    pail_point sum = {{0}};
    for (size_t w = n_windows; w-- > 0;) {
        ops->dbl_times(&sum, &sum, c);
        for (size_t list = 0; list < lists; list++)
            ops->add(&sum, &sum, &sums[list * n_windows + w]);
    }
    *result = sum;
}
