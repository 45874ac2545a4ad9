/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobian points of tests. */
#ifndef PAIL_TESTS_JACOBIAN_H
#define PAIL_TESTS_JACOBIAN_H

#include <curves/curve_ops.h>

/* Writes the point, which is x, y in Montgomery form, as x z^2, y z^3 and z, with a z that follows
 * from the seed: one for some, in G2 with a zero in either half for others. Where the point is
 * infinity z is 0, and x and y are not even below p for odd seeds. jacobian: [3 *
 * coordinate_bytes], affine: [2 * coordinate_bytes]. */
void test_jacobian(uint8_t *jacobian, const uint8_t *affine, const struct pail_curve_ops *ops,
                   uint64_t seed);

/* n of them, packed, with seeds from `seed` on. */
void test_jacobians(uint8_t *jacobian, const uint8_t *affine, size_t n,
                    const struct pail_curve_ops *ops, uint64_t seed);

#endif /* PAIL_TESTS_JACOBIAN_H */
