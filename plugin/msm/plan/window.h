/* SPDX-License-Identifier: Apache-2.0 */
/* The bits of a window, by a model of the work: additions of entries, and buckets. */
#ifndef PAIL_MSM_WINDOW_H
#define PAIL_MSM_WINDOW_H

#include "plan.h"

/* Inputs to the cost of a digit width. */
struct pail_msm_window_choice {
    const struct pail_msm_shape *shape;
    const struct pail_msm_sort_kernels *sort_kernels;
    bool serial;    /* kernels for software drivers */
    bool wide_top;  /* allowed where it saves a window */
    uint64_t again; /* times that chunks of segments add to buckets that there are */
    bool asked;     /* the caller wants windows of so many bits */
};

/* Windows of c bits that scalars of so many bits take. */
uint32_t pail_msm_windows(uint32_t scalar_bits, uint32_t window_bits);

/* Bits more in the top window with which the digits of halves take a window fewer, if one or two
 * are enough; else 0. Few points have no second one unless the window is asked for. */
uint32_t pail_msm_wide_top(const struct pail_msm_window_choice *choice, uint32_t c);

/* True if windows of c bits are better taken from halves of n scalars. */
bool pail_msm_splits(uint64_t n, const struct pail_msm_window_choice *choice, uint32_t c);

/* The window with the least work for n points. */
uint32_t pail_msm_choose_window(uint64_t n, const struct pail_msm_window_choice *choice);

#endif /* PAIL_MSM_WINDOW_H */
