/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of accumulators and combine: bases, and what a share of entries leaves. For the
 * twins alone. */
#ifndef PAIL_TESTS_TWINS_SHARE_H
#define PAIL_TESTS_TWINS_SHARE_H

#include "point.h"

/* The two pieces of a thread: buckets at keys, sums at pieces. */
struct pail_twin_leavings {
    const struct pail_twin_variant *variant;
    uint32_t *keys, *points;
    size_t buckets, pieces;
};

static inline uint32_t pail_twin_max(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t pail_twin_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* sum += base, with the doubling of the kernel: of the sum, not of the affine point. */
void pail_twin_add_base(const struct pail_twin_variant *variant, pail_point *sum,
                        const uint32_t *bases, uint32_t first, uint32_t handle);
void pail_twin_no_pieces(const struct pail_twin_leavings *out);
void pail_twin_close_run(const struct pail_twin_leavings *out, uint32_t bucket,
                         const pail_point *sum, bool open_left, bool open_right);
/* All shares: of a kernel whose threads have one or several. `affine`: sums are left with ZZ = 1.
 */
void pail_twin_accumulate_shares(const struct msm_accumulate_push *push, uint32_t shares,
                                 bool affine, const struct pail_twin_variant *variant,
                                 const uint32_t *bases, const uint32_t *entries, uint32_t *index,
                                 uint32_t *points);

#endif /* PAIL_TESTS_TWINS_SHARE_H */
