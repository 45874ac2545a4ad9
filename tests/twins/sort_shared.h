/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the passes of the sort: tiles, bins, and how words are placed. For the twins
 * alone. */
#ifndef PAIL_TESTS_TWINS_SORT_SHARED_H
#define PAIL_TESTS_TWINS_SORT_SHARED_H

#include "twins.h"

/* The twin of struct sort_tile in glsl/msm/sort/sort.glsl. */
struct pail_twin_tile {
    uint32_t group, epoch, part;
    size_t begin, end; /* entries of the window */
};

/* A pass: what its kernels know of it. */
struct pail_twin_scatter {
    const struct msm_sort_push *push;
    uint32_t *counts, *out, *starts; /* starts: NULL before the last pass */
};

size_t pail_twin_segments(const struct msm_sort_push *push); /* of a window */
bool pail_twin_find_tile(const struct msm_sort_push *push, const uint32_t *counts, uint32_t window,
                         uint32_t tile, struct pail_twin_tile *at);
/* 2^bits and more for the digit zero. */
uint32_t pail_twin_sort_bin(const struct msm_sort_push *push, uint32_t word);
/* Places the words of all tiles. */
void pail_twin_place_all(const struct pail_twin_scatter *s, uint32_t windows,
                         const uint32_t *words);

#endif /* PAIL_TESTS_TWINS_SORT_SHARED_H */
