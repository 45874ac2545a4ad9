/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_MSM_INTEGERS_H
#define PAIL_MSM_INTEGERS_H

#include <stdint.h>

/* a + b - 1 must not overflow. */
static inline uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif /* PAIL_MSM_INTEGERS_H */
