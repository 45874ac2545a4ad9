/* SPDX-License-Identifier: Apache-2.0 */
/* The buckets of a window, as kernels that reduce see them. For the twins alone. */
#ifndef PAIL_TESTS_TWINS_WINDOW_H
#define PAIL_TESTS_TWINS_WINDOW_H

#include "point.h"

/* A window's buckets; element k of level l is number 8^l k - 1 of them. */
struct pail_twin_window {
    const struct pail_twin_variant *variant;
    uint32_t *points;
    size_t first;
    uint32_t window_buckets;
};

/* Infinity beyond the window. */
pail_point pail_twin_element(const struct pail_twin_window *window, uint32_t k, uint32_t level);
void pail_twin_set_element(const struct pail_twin_window *window, uint32_t k, uint32_t level,
                           const pail_point *p);
/* a += b, elements of a level. */
void pail_twin_add_elements(const struct pail_twin_window *window, uint32_t a, uint32_t b,
                            uint32_t level);

#endif /* PAIL_TESTS_TWINS_WINDOW_H */
