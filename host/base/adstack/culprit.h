/* SPDX-License-Identifier: Apache-2.0 */
/* Search for the index that was outside of an array. An error is a number that gives a place in the
 * trees alone; the index is looked for when somebody asks. */
#ifndef PAIL_ADSTACK_CULPRIT_H
#define PAIL_ADSTACK_CULPRIT_H

#include "eval.h"

struct pail_ad_culprit {
    uint32_t source, axis;
    int64_t first, last; /* the index; or, where they differ, among those from first to last */
};

/* error: of kind PAIL_AD_RANGE, the value of slot `root` with these arrays. Reads arrays in host
 * memory alone, and looks at no more than some thousands of cells. values: what is known, for what
 * that does not say; they stay. With values of a whole evaluation the answer is the same wherever
 * they were computed. NULL: none. Returns false where nothing says it. */
bool pail_ad_find_culprit(const struct pail_ad_program *program,
                          const struct pail_ad_array arrays[], const struct pail_ad_values *values,
                          uint32_t root, uint32_t error, const struct pail_alloc *alloc,
                          struct pail_ad_culprit *culprit);

#endif /* PAIL_ADSTACK_CULPRIT_H */
