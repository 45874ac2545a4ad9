/* SPDX-License-Identifier: Apache-2.0 */
/* Batched affine addition: many independent additions of points that share an inversion by
 * Montgomery's trick. There is an adder for each group and instruction set, with its own form of
 * points. */
#ifndef PAIL_CPU_ADDER_H
#define PAIL_CPU_ADDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <curves/curve_ops.h>

/* Points in an adder's form begin at multiples of this many bytes. */
#define PAIL_CPU_ALIGNMENT 64

/* One addition. p and q: twice the index of an operand, plus 1 if it is to be negated. */
struct pail_cpu_pair {
    uint32_t p, q;
    uint32_t to; /* index of the sum */
};

struct pail_cpu_adder {
    uint32_t curve, group;
    size_t point_bytes, batch, scratch_bytes; /* scratch: aligned like points */

    /* n points of the CPU's form (host/base/curves) into this adder's, where infinity is all zeros
     * and nothing else is; and one back. */
    void (*import)(void *points, const void *affine, size_t n);
    /* optional: the first of n points in its form that is neither on the curve nor infinity; n:
     * there is none. NULL: the curve's own functions tell. */
    size_t (*off_curve)(const void *points, size_t n);
    void (*export)(pail_affine *affine, const void *point);
    void (*negate)(void *point); /* in place */
    /* First groups; elsewhere NULL. In place of each of n points of order r, lambda times it. */
    void (*image)(void *points, size_t n);
    /* First groups; elsewhere NULL. n points of the CPU's form by their x; what y is before does
     * not matter, but it is read. found[i]: 0: the curve has no such point; 1 or 2: y is one of
     * both, and 2 says that the point has order r, which is found out if `order` is true. */
    void (*lift)(void *affine, uint8_t *found, size_t n, bool order);

    /* to[pair.to] = +-p[pair.p] +- q[pair.q] for n <= batch pairs. Every operand may be equal,
     * opposite or infinite. All operands are read before the first sum is written. */
    void (*add)(void *to, const void *p, const void *q, const struct pail_cpu_pair *pairs, size_t n,
                void *scratch);
    /* optional: the same where each pair's operands are the same, not negated, which add takes for
     * an exception. NULL: add is as good. */
    void (*twice)(void *to, const void *p, const struct pail_cpu_pair *pairs, size_t n,
                  void *scratch);
};

/* The first multiple of the alignment in a block. */
static inline unsigned char *pail_cpu_aligned(void *block)
{
    const size_t beyond = (uintptr_t)block % PAIL_CPU_ALIGNMENT;
    return (unsigned char *)block + (beyond == 0 ? 0 : PAIL_CPU_ALIGNMENT - beyond);
}

/* True if a point in an adder's form is infinity. */
static inline bool pail_cpu_is_infinity(const void *point, size_t point_bytes)
{
    const unsigned char *bytes = point;
    uint64_t any = 0;
    for (size_t i = 0; i < point_bytes && any == 0; i += sizeof any)
        memcpy(&any, bytes + i, sizeof any);
    return any == 0;
}

#endif /* PAIL_CPU_ADDER_H */
