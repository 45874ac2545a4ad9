/* SPDX-License-Identifier: Apache-2.0 */
/* Points in the buffers of twins. For the twins alone. */
#ifndef PAIL_TESTS_TWINS_POINT_H
#define PAIL_TESTS_TWINS_POINT_H

#include "twins.h"

/* Words of an affine point; an XYZZ point has twice as many. */
size_t pail_twin_affine_words(const struct pail_twin_variant *variant);
/* Point number `at`. Points in device memory are reduced: what is not is a fault of whoever wrote
 * it, and counts as infinity. */
pail_point pail_twin_load(const struct pail_twin_variant *variant, const uint32_t *points,
                          size_t at);
void pail_twin_store(const struct pail_twin_variant *variant, uint32_t *points, size_t at,
                     const pail_point *p);

#endif /* PAIL_TESTS_TWINS_POINT_H */
