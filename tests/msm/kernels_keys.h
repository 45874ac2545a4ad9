/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of entries, as tests of sorting and of what follows it make them. */
#ifndef PAIL_TESTS_GPU_KERNELS_KEYS_H
#define PAIL_TESTS_GPU_KERNELS_KEYS_H

#include "kernels_support.h"

enum pattern { EQUAL, ZEROS, SORTED, REVERSED, EXTREMES, SPREAD, PATTERN_COUNT };

/* Key i of n. Keys run from 0 to window_buckets, which stands for the digit zero. */
uint32_t key_of(enum pattern pattern, uint64_t i, uint64_t n, uint32_t window_buckets,
                struct pail_rng *rng);

/* Starts of the keys' entries, by sorted entries: [window][window_buckets + 1]. */
void starts_of(const uint32_t *entries, uint32_t n, uint32_t windows, uint32_t window_buckets,
               uint32_t *starts);

#endif /* PAIL_TESTS_GPU_KERNELS_KEYS_H */
