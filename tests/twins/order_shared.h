/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of kernels that order runs: bins of lengths, and how buckets are cut. For the twins
 * alone. */
#ifndef PAIL_TESTS_TWINS_ORDER_SHARED_H
#define PAIL_TESTS_TWINS_ORDER_SHARED_H

#include "twins.h"

struct pail_twin_cut_bucket {
    uint32_t first, pieces, each, rest; /* the first `rest` pieces have one entry more */
};

/* Runs of so many entries come after all longer ones. */
uint32_t pail_twin_order_bin(uint32_t count);
struct pail_twin_cut_bucket pail_twin_cut(const struct msm_order_push *push, const uint32_t *index,
                                          uint32_t window, uint32_t key);

#endif /* PAIL_TESTS_TWINS_ORDER_SHARED_H */
