/* SPDX-License-Identifier: Apache-2.0 */
/* The cut of one multiplication into tasks. Pure: numbers in, numbers out. */
#ifndef PAIL_CPU_PLAN_H
#define PAIL_CPU_PLAN_H

#include <stddef.h>
#include <stdint.h>

#define PAIL_CPU_WINDOW_MAX 16

struct pail_cpu_plan {
    uint32_t c;            /* window bits */
    uint32_t task_windows; /* windows of a task; the last one of a chunk may have fewer */
    size_t chunks;         /* the points are cut into */
    size_t chunk_points;   /* points of each chunk but the last, which may have fewer */
    size_t block_points;   /* points that a task sorts and adds at a time */
};

/* n points, scalars below 2^bits. window_bits: 0, or what c has to be, at most PAIL_CPU_WINDOW_MAX.
 * threads: that tasks should keep busy. */
struct pail_cpu_plan pail_cpu_plan_make(size_t n, uint32_t bits, uint32_t window_bits,
                                        size_t threads);

/* Windows of c bits that scalars below 2^bits need with signed digits: one bit more than the scalar
 * has must fit, or the carry out of the top digit is lost. */
uint32_t pail_cpu_windows(uint32_t bits, uint32_t c);

#endif /* PAIL_CPU_PLAN_H */
