/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <shared/msm_layout.h>

/* Cost of a bucket, in entries: 1.7 additions of 14 products against one of 10, a store, threads
 * that wait for one, and wider digits to sort by. By measurement on an H200 (docs/performance.md):
 * waiting weighs less beside the slow additions of coordinates above 32 bytes. Only picks the
 * window. */
#define BUCKET_WEIGHT       7u
#define BUCKET_WEIGHT_LARGE 4u
#define XYZZ_BYTES_LARGE    128u
/* Same, for windows from so many bits on below a wide top one, many of whose buckets are infinite:
 * by measurement of 2^21 to 2^24 points (docs/lab/windows.md). */
#define BUCKET_WEIGHT_WIDE       5u
#define BUCKET_WEIGHT_WIDE_LARGE 3u
#define WIDE                     18u
/* Same, for the kernels for software drivers, whose reduction has no more than its additions, on
 * lavapipe. */
#define BUCKET_WEIGHT_SERIAL 5u

/* A second bit more in the top window is for so many points: of 2^18, whose reduction it makes
 * longer, it loses 1 % on an H200. */
#define WIDE_TOP_MAX   2u
#define WIDE_TOP_LEAST ((uint64_t)1 << 20)

/* Scalars that are split in the time of an addition, on an H200. */
#define SPLITS_A_POINT 8u

/* So many points of first groups are few: what counts is how long the reduction is a chain. It is
 * shortest with windows of these bits, where its last level leaves two elements, by measurement on
 * an H200 (docs/lab/windows.md). */
#define FEW_LEAST     ((uint64_t)1 << 10)
#define FEW_MOST      ((uint64_t)1 << 16)
#define FEW_BITS      8u
#define FEW_BITS_MORE 11u
#define XYZZ_FIRST    192u

/* Booth digits carry out of the top window unless the bits of all windows exceed the scalar's. */
uint32_t pail_msm_windows(uint32_t scalar_bits, uint32_t window_bits)
{
    return scalar_bits / window_bits + 1;
}

uint32_t pail_msm_wide_top(const struct pail_msm_window_choice *choice, uint32_t c)
{
    const struct pail_msm_shape *shape = choice->shape;
    const uint32_t over = shape->half_bits % c;
    const uint32_t most = choice->asked || shape->n >= WIDE_TOP_LEAST ? WIDE_TOP_MAX : 1;
    return choice->wide_top && shape->half_bits > c && over < most && shape->vectors == 1 ? over + 1
                                                                                          : 0;
}

/* Entries of n scalars: in the top window, which has the bits that are left over, a digit is 0 more
 * often: where there are none, if nothing is carried. */
static uint64_t likely_entries(uint64_t n, uint32_t bits, uint32_t c)
{
    const uint64_t zeros = n >> (bits % c + 1);
    return n * (bits / c) + n - zeros;
}

/* Work of n points with windows of c bits: an addition for each entry, and what the buckets take.
 */
static uint64_t cost_of(uint64_t n, const struct pail_msm_window_choice *choice, uint32_t c,
                        bool split)
{
    const struct pail_msm_shape *shape = choice->shape;
    const bool large = shape->xyzz_bytes > XYZZ_BYTES_LARGE;
    const uint32_t whole = shape->likely_bits ? shape->likely_bits : shape->scalar_bits;
    const uint32_t wide = split ? pail_msm_wide_top(choice, c) : 0;
    const bool fewer = wide && c >= WIDE; /* buckets that are not infinite */
    const uint64_t weight = choice->serial ? BUCKET_WEIGHT_SERIAL
                            : large ? (fewer ? BUCKET_WEIGHT_WIDE_LARGE : BUCKET_WEIGHT_LARGE)
                            : fewer ? BUCKET_WEIGHT_WIDE
                                    : BUCKET_WEIGHT;
    uint32_t windows = pail_msm_windows(split ? shape->half_bits : shape->scalar_bits, c);
    /* Splitting a scalar takes as long as a fraction of an addition. */
    uint64_t entries = likely_entries(n, split ? shape->half_bits : whole, c);
    if (wide) {
        entries = n * (shape->half_bits / c);
        windows += PAIL_MSM_WIDE_ROWS(wide) - 2;
    }
    if (split)
        entries = 2 * entries + n / SPLITS_A_POINT;
    return entries + (weight + choice->again) * ((uint64_t)windows << (c - 1));
}

bool pail_msm_splits(uint64_t n, const struct pail_msm_window_choice *choice, uint32_t c)
{
    return choice->shape->half_bits && cost_of(n, choice, c, true) < cost_of(n, choice, c, false);
}

uint32_t pail_msm_choose_window(uint64_t n, const struct pail_msm_window_choice *choice)
{
    uint32_t best = PAIL_MSM_WINDOW_MIN;
    uint64_t best_cost = UINT64_MAX;
    const bool few = !choice->serial && choice->shape->vectors == 1 && n >= FEW_LEAST &&
                     n <= FEW_MOST && choice->shape->xyzz_bytes <= XYZZ_FIRST;
    for (uint32_t c = PAIL_MSM_WINDOW_MIN; c <= PAIL_MSM_WINDOW_MAX; c++) {
        if (pail_msm_sort_kernels_strained(choice->sort_kernels, c - 1))
            break;
        if (few && c != FEW_BITS && c != FEW_BITS_MORE)
            continue;
        const uint64_t cost = cost_of(n, choice, c, pail_msm_splits(n, choice, c));
        if (cost < best_cost) {
            best = c;
            best_cost = cost;
        }
    }
    return best;
}
