/* SPDX-License-Identifier: Apache-2.0 */
/* The right buckets of a multiplication, by plain arithmetic on the CPU. */
#ifndef PAIL_TOOL_CHECK_BUCKET_ORACLE_H
#define PAIL_TOOL_CHECK_BUCKET_ORACLE_H

#include <stdbool.h>

#include <pail/backend.h>

#include "error/error.h"
#include <curves/curve_ops.h>

/* Adds up every bucket as `info` numbers them.
 * Out: points  [windows][buckets], as msm_buckets of backend.h gives them
 * In:  bases   [n], x then y, in Montgomery form
 *      scalars [n][32], little-endian
 * Returns PAIL_OK, PAIL_ERR_HOST_MEMORY, or PAIL_ERR_INTERNAL where `info` means nothing. */
pail_status pail_bucket_oracle(uint8_t *points, const pail_bucket_info *info,
                               const struct pail_curve_ops *ops, const uint8_t *bases,
                               const uint8_t *scalars, size_t n, struct pail_error *error);

/* Bits that the last digit has more than the others: 2^bits - 1 windows behind it have the buckets
 * of these. */
static inline uint32_t pail_bucket_wide_top(const pail_bucket_info *info)
{
    return (info->flags & PAIL_BUCKETS_WIDEST_TOP) != 0 ? 2
           : (info->flags & PAIL_BUCKETS_WIDE_TOP) != 0 ? 1
                                                        : 0;
}

#endif /* PAIL_TOOL_CHECK_BUCKET_ORACLE_H */
