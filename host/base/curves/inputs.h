/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up inputs of a multi-scalar multiplication, and the answer by closed form.
 *
 * Base i is d_i G + e_i T with known d_i and e_i; T is a point that is on the curve, but not in the
 * group. So the multiplication must give (the sum of k_i d_i modulo r) G + (the sum of k_i e_i) T:
 * an oracle that costs one field multiplication for each point. e_i is 0 but for two kinds.
 */
#ifndef PAIL_CURVES_INPUTS_H
#define PAIL_CURVES_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "curve_ops.h"

enum pail_scalar_dist {
    PAIL_SCALARS_UNIFORM, /* "uniform": below r */
    PAIL_SCALARS_ZERO,    /* "zero" */
    PAIL_SCALARS_ONE,     /* "one" */
    PAIL_SCALARS_EQUAL,   /* "equal": one uniform scalar */
    PAIL_SCALARS_BITS01,  /* "01": zeros and ones */
    PAIL_SCALARS_SMALL,   /* "small": below 16 */
    PAIL_SCALARS_BITS256, /* "bits256": any 256-bit integer */
    PAIL_SCALARS_EDGE,    /* "edge": 0, 1, r - 1, r, r + 1, 2^254, 2^255, 2^256 - 1 */
    PAIL_SCALARS_HOT,     /* "hot": every other one, by chance, the same uniform scalar */
    PAIL_SCALARS_SHA,     /* "sha": 57 % zero, 43 % one, as in the witness of a hash circuit */
    PAIL_SCALARS_COUNT
};

enum pail_base_kind {
    PAIL_BASES_DISTINCT,   /* "distinct": d_i = s + i t, with s and t from the seed */
    PAIL_BASES_EQUAL,      /* "equal": d_i = s */
    PAIL_BASES_PAIRS,      /* "pairs": P, -P, Q, -Q, ...: d_i = +-(s + (i / 2) t) */
    PAIL_BASES_INFINITY,   /* "infinity": as distinct, but d_i = 0 where i mod 3 is 1 */
    PAIL_BASES_MULTIPLES,  /* "multiples": d_i = i + 1 */
    PAIL_BASES_DUPLICATES, /* "duplicates": d_i = s + (i mod 7) t */
    /* "outside": as distinct, with e_i = 1 and T of an order that r does not divide. None of these
     * bases is in the group. Where the cofactor is 1, T is infinity: there are no such points. */
    PAIL_BASES_OUTSIDE,
    /* "small-order": d_i = 0 and e_i = i + 1, with T of the least order that there is: 10069, 3 or
     * 13. All are infinity where the cofactor is 1. */
    PAIL_BASES_SMALL_ORDER,
    PAIL_BASES_COUNT
};

/* Names as above; NULL past the end. */
const char *pail_scalar_dist_name(enum pail_scalar_dist dist);
const char *pail_base_kind_name(enum pail_base_kind kind);

/* Scalars are made in blocks, of which each has numbers of its own, so that several threads can
 * make the scalars of one seed. */
#define PAIL_SCALARS_BLOCK ((size_t)1 << 16)

/* Writes the first n <= PAIL_SCALARS_BLOCK scalars of a block, canonical, 32 bytes each. */
void pail_make_scalar_block(const struct pail_curve_ops *ops, uint8_t *scalars, size_t block,
                            size_t n, enum pail_scalar_dist dist, uint64_t seed);

/* Writes the first n scalars: blocks 0, 1, ... */
void pail_make_scalars(const struct pail_curve_ops *ops, uint8_t *scalars, size_t n,
                       enum pail_scalar_dist dist, uint64_t seed);

/* Writes bases first, ..., first + n - 1 of the endless sequence of the kind and seed, encoded as
 * ops->encode does. */
void pail_make_bases(const struct pail_curve_ops *ops, uint8_t *points, bool montgomery,
                     uint64_t first, size_t n, enum pail_base_kind kind, uint64_t seed);

/* True if every base of the kind is in the group. */
bool pail_base_kind_in_group(const struct pail_curve_ops *ops, enum pail_base_kind kind);

/* d_i of base i. */
void pail_base_log(const struct pail_curve_ops *ops, pail_u256 *log, uint64_t i,
                   enum pail_base_kind kind, uint64_t seed);

/* result = the sum of scalars[i] times base first + i, i < n, first + n < 2^64. Scalars as
 * pail_make_scalars. */
void pail_expected_msm(const struct pail_curve_ops *ops, pail_point *result, const uint8_t *scalars,
                       uint64_t first, size_t n, enum pail_base_kind kind, uint64_t seed);

#endif /* PAIL_CURVES_INPUTS_H */
