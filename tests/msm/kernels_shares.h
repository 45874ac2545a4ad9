/* SPDX-License-Identifier: Apache-2.0 */
/* Any accumulator on a few windows of entries, and the joining of its pieces. */
#ifndef PAIL_TESTS_GPU_KERNELS_SHARES_H
#define PAIL_TESTS_GPU_KERNELS_SHARES_H

#include "kernels_support.h"

#include <curves/inputs.h>

/* How one of the accumulators that share inversions is specialised. */
struct walk_case {
    enum pail_kernel_id kernel; /* PAIL_KERNEL_MSM_WALKER, _COOP, _COOP_SUBGROUP */
    uint32_t slots, placement, group;
};

/* One accumulation of n entries in each window. */
struct share_case {
    uint32_t n, windows, buckets, threads, share;
    enum pail_base_kind kind;
    bool generic;    /* random bases in place of `kind`, no sums of which happen to cancel */
    uint32_t one_in; /* one in so many entries is in the hot bucket; 0: no hot bucket */
    bool regular;    /* entries are dealt out evenly to the buckets of the odd windows */
    uint32_t workgroup;
    uint32_t base_first;
    bool shared_sums; /* msm/accumulate/xyzz with a part of them in workgroup memory */
    bool serial;      /* msm/accumulate/xyzz_serial in place of msm/accumulate/xyzz */
    bool runs;        /* msm/accumulate/xyzz_runs in place of it; whole groups of threads */
    bool pairs;       /* with runs: two invocations for each thread */
    bool debug;       /* msm/accumulate/debug in place of msm/accumulate/xyzz */
    const struct walk_case *walk; /* or one of these, on slots * threads shares */
};

/* Runs the kernels next to their twins, and compares every bucket with the plain sum of its
 * entries. Returns how many pieces of cut buckets the accumulation left. */
uint32_t check_shares(const struct vk_fixture *f, const struct share_case *c,
                      enum pail_field_form form, uint64_t seed);

/* Runs the three kernels that find runs in order of their length, next to their twins. index: has
 * starts and window_offsets on the host, and room for the rest; everything is there afterwards, on
 * both sides, as the kernels have it. */
void check_order(const struct vk_fixture *f, const struct msm_order_push *push,
                 struct buffer *index);

/* The same with whole buckets, halves and fifths of them as shares, between empty windows, as far
 * as the case has shares enough: of it count the threads, the accumulator and the number of
 * entries, a multiple of 40. */
void check_edges(const struct vk_fixture *f, struct share_case c, enum pail_field_form form,
                 uint64_t seed);

#endif /* PAIL_TESTS_GPU_KERNELS_SHARES_H */
