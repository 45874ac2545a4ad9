/* SPDX-License-Identifier: Apache-2.0 */
/* Many multiples of one point. */
#ifndef PAIL_INSECURE_SETUP_FIXED_BASE_H
#define PAIL_INSECURE_SETUP_FIXED_BASE_H

#include <stdbool.h>
#include <stdint.h>

#include <curves/curve_ops.h>

/* points[i] = scalars[i] times the generator of a group, for i < n, in the encoding of .zkey files
 * (Montgomery form; all zero for infinity). Windows of signed digits with a table for each, and
 * affine additions that share inversions, by as many threads as the process has processors.
 *
 * Out: points: [n * 2 * coordinate_bytes]. In: scalars: [n], below r.
 * False: no memory. */
bool fixed_base_multiply(uint8_t *points, const struct pail_curve_ops *ops,
                         const pail_u256 *scalars, size_t n);

#endif /* PAIL_INSECURE_SETUP_FIXED_BASE_H */
