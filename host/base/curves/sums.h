/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of multiples of points, as glsl/shared/points_layout.h says: sizes of tables, and constants
 * of truncations, for both backends. */
#ifndef PAIL_CURVES_SUMS_H
#define PAIL_CURVES_SUMS_H

#include <shared/points_layout.h>

#include "curve_ops.h"

/* Windows of the signed digits of a number below the order. */
static inline uint32_t pail_sum_windows(const struct pail_curve_ops *ops, uint32_t bits)
{
    return ops->order_bits / bits + 1;
}

/* Windows of one copy of a table's points: copy c is of windows from c times that on. */
static inline uint32_t pail_sum_rows(const struct pail_curve_ops *ops, uint32_t bits,
                                     uint32_t copies)
{
    return (pail_sum_windows(ops, bits) + copies - 1) / copies;
}

/* Bytes of a table for each point. */
static inline uint64_t pail_sum_table_bytes(const struct pail_curve_ops *ops, uint32_t bits,
                                            uint32_t copies)
{
    return (uint64_t)2 * ops->coordinate_bytes * copies << (bits - 1);
}

/* Adds 2^(bits - 1) in each of so many windows. */
void pail_sum_bias(uint32_t bias[POINTS_NUMBER_WORDS], uint32_t bits, uint32_t windows);

/* ---- Truncations ---------------------------------------------------------------------------- */
/* The truncation of n = 2^log_n values is a product with a circulant, because it commutes with
 * shifts. Its entry j is 2 / (n (1 - root^j)) for odd j, 1 / 2 for j = 0, and 0 for others. With
 * X^n - 1 = (X^h - 1)(X^h + 1), h = n / 2, the sums p_j = u_j + u_(j + h) and the differences m_j
 * are multiplied each by itself, modulo X^h - 1 and X^h + 1:
 *
 *     s_e = p_e / 4 + sum over odd j < h of a_j p_(e - j),  a_j = 2 / (n (1 - root^(2 j)))
 *     d_e = m_e / 4 + sum over odd j < h of b_j m_(e - j),  b_j = root^j a_j, m_(-j) = -m_(h - j)
 *
 * and s_e + d_e, s_e - d_e are the results e and e + h. Constants are halved by the endomorphism.
 */

/* Terms of a sum: of both halves of each constant. log_n: at least 2. */
static inline uint32_t pail_truncation_terms(uint32_t log_n)
{
    return 2 * ((1u << (log_n - 2)) + 1);
}

static inline uint64_t pail_truncation_bytes(uint32_t log_n)
{
    return ((uint64_t)pail_truncation_terms(log_n) * POINTS_NUMBER_WORDS * sizeof(uint32_t))
           << log_n;
}

/* words: [terms][2^log_n][POINTS_NUMBER_WORDS]. root: of order 2^log_n. False: a half does not fit
 * the digits, which is so for no curve with tables here. */
bool pail_truncation_make(uint32_t *words, const struct pail_curve_ops *ops, uint32_t log_n,
                          const pail_u256 *root);

#endif /* PAIL_CURVES_SUMS_H */
