/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for vectors over the scalar field of a curve, one table for each curve and way of
 * computing.
 *
 * Elements in memory are host/base/curves's: x 2^256 mod r, four 64-bit words, least significant
 * first, reduced. Twiddles and other factors have a form of the kernels' own. Outputs may be the
 * same memory as inputs that begin at the same element.
 */
#ifndef PAIL_CPU_SCALARS_H
#define PAIL_CPU_SCALARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <curves/curve_ops.h>
#include <pail/vectors.h>

#include "adders.h"
#include "throttle.h"

/* Elements that are computed with side by side. */
#define PAIL_CPU_LANES 8

/* Words of an element in memory. */
#define PAIL_CPU_SCALAR_WORDS 4

/* Upper bound of a factor's size. */
#define PAIL_CPU_FACTOR_WORDS 8

/* One pass of a transform over up to PAIL_CPU_LANES sequences of 2^levels elements side by side.
 *
 * Forward: a sequence is a polynomial modulo x^(2^levels T) - s^(2^levels T), its elements being
 * polynomials of T terms of which others see to the rest. It is split `levels` times,
 *     f mod (x^2h - c^2)  ->  f mod (x^h - c),  f mod (x^h + c),
 * so that element i comes out modulo x^T - (s w^brev(i))^T. In level t, block i of 2^t has
 * c = table[i] s^(2^(levels - 1 - t) T) (docs/decisions/0049). Backward undoes that, without the
 * factor 2^-levels, with the inverses of w and s in the table and in `shifts`. */
struct pail_cpu_tile {
    const uint64_t *from; /* the first element of the first sequence */
    uint64_t *to;
    size_t step, lane_step; /* elements from one to the next, and from sequence to sequence */
    uint32_t lanes, levels;
    bool backward;
    /* Table in the kernels' form: [2^(levels - 1)]; or by_level, with the powers that `shifts`
     * would bring: that of level t and block i at 2^t + i. */
    const void *table;
    bool by_level;
    const pail_u256 *shifts; /* s of each sequence, as elements; NULL: 1 */
    size_t shift_step;       /* 0 or 1: elements from sequence to sequence */
    uint32_t log_t;          /* T is 2^log_t */
    const void *last;        /* optional: a factor for all that comes out */
    bool any;                /* elements may be any integers of 256 bits */
    bool settled;            /* the result must be reduced: no other pass follows */
    void *scratch;           /* [2^levels + levels] of value_bytes, aligned */
    struct pail_cpu_throttle *throttle;
};

struct pail_cpu_scalars {
    uint32_t curve;
    uint32_t radix_bits; /* factors are x 2^radix_bits */
    size_t value_bytes;  /* PAIL_CPU_LANES elements while they are computed with */
    size_t factor_bytes; /* a factor that all lanes have in common */

    /* A factor from an element. */
    void (*factor)(void *factor, const pail_u256 *element);

    void (*tile)(const struct pail_cpu_tile *tile);

    /* ADD, SUB, MUL, MUL_SUB of n elements. */
    void (*each)(enum pail_vector_op_kind kind, uint64_t *r, const uint64_t *a, const uint64_t *b,
                 const uint64_t *c, size_t n);
    /* r[i] = a[i] times the factor; a: any integers below 2^256. */
    void (*scale)(uint64_t *r, const uint64_t *a, const void *factor, size_t n);
    /* r[i] = a[i] first step^i; `first` and `step` are elements. */
    void (*powers)(uint64_t *r, const uint64_t *a, const pail_u256 *first, const pail_u256 *step,
                   size_t n);
    /* r[i] = the sum over the entries starts[i] to starts[i + 1] - 1 of values[which[e]]
     * a[columns[e]], values times 2^radix_bits. which: NULL: values[e]. */
    void (*rows)(uint64_t *r, const uint64_t *starts, const uint32_t *columns,
                 const uint64_t *values, const uint32_t *which, const uint64_t *a, size_t n_rows,
                 struct pail_cpu_throttle *throttle);
};

/* NULL if there is none. */
const struct pail_cpu_scalars *pail_cpu_scalars_find(enum pail_cpu_arithmetic arithmetic,
                                                     uint32_t curve);

/* The scalars that a context computes with; NULL if there are none. Fails as pail_cpu_arithmetic_of
 * does. */
pail_status pail_cpu_scalars_for(const struct pail_cpu_scalars **scalars,
                                 const struct pail_cpu_choice *choice, uint32_t curve,
                                 struct pail_error *err);

/* PAIL_OK if the table does what the portable one does, on fixed inputs and in all its functions;
 * PAIL_ERR_INTERNAL if not; PAIL_ERR_HOST_MEMORY. Less than a millisecond. */
pail_status pail_cpu_scalars_test(const struct pail_cpu_scalars *scalars);

/* The tables themselves. */
extern const struct pail_cpu_scalars pail_cpu_portable_bn254_fr, pail_cpu_portable_bls12_381_fr;
extern const struct pail_cpu_scalars pail_cpu_adx_bn254_fr, pail_cpu_adx_bls12_381_fr;
extern const struct pail_cpu_scalars pail_cpu_avx2_bn254_fr, pail_cpu_avx2_bls12_381_fr;
extern const struct pail_cpu_scalars pail_cpu_ifma_bn254_fr, pail_cpu_ifma_bls12_381_fr;

#endif /* PAIL_CPU_SCALARS_H */
