/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of points of G1, and points between encodings: what vector_start does to memory at
 * addresses.
 *
 * Points are affine, in the form of an adder, so that the additions of a task share inversions. A
 * butterfly is a multiplication by a twiddle in GLV form (curves/twiddles.h): 4 doublings for each
 * digit of 4 bits, and an addition for each half, out of the point's multiples. */
#ifndef PAIL_CPU_POINT_NTT_H
#define PAIL_CPU_POINT_NTT_H

#include <core/error.h>
#include <pail/backend.h>

#include "adder.h"
#include "memory.h"
#include "point_sums.h"

struct pail_cpu_points {
    const struct pail_curve_ops *ops;
    const struct pail_cpu_adder *adder; /* NULL: a conversion */
    struct pail_point_encoding from_encoding, to_encoding;
    const unsigned char *from;
    unsigned char *to;
    uint64_t n; /* points in all */
    uint32_t log_n;
    bool has_table; /* `sums` is all there is to do */
    struct pail_cpu_point_sums sums;
    bool backward, from_reversed, to_reversed;
    uint32_t batch;        /* butterflies of a task */
    uint32_t *twiddles;    /* [2^log_n] */
    uint32_t *forward;     /* [2^log_n] of the way back, of a truncation; otherwise NULL */
    unsigned char *points; /* [n] in the adder's form, aligned, in the block */
    void *block;
    size_t block_bytes, twiddles_bytes;
};

/* op: a POINTS_ operation as the front lets it through, of some points; from, to: its places. NULL
 * members of *points may be freed after any failure. threads: that share the work. *held: bytes of
 * the budget that other operations of the work take; what this one takes is added.
 * Errors: PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY beyond the budget (0: none). */
pail_status pail_cpu_points_make(struct pail_cpu_points *points, const pail_vector_op *op,
                                 const unsigned char *from, unsigned char *to,
                                 const struct pail_cpu_adder *adder, size_t threads,
                                 const struct pail_alloc *memory, uint64_t budget, uint64_t *held,
                                 struct pail_error *err);
void pail_cpu_points_free(struct pail_cpu_points *points, const struct pail_alloc *memory);

/* Bytes of a running task's scratch memory, which is aligned. */
size_t pail_cpu_points_scratch(const struct pail_cpu_points *points);

/* Stages follow one another; the tasks of one are independent. */
uint32_t pail_cpu_points_stages(const struct pail_cpu_points *points);
size_t pail_cpu_points_tasks(const struct pail_cpu_points *points, uint32_t stage);
void pail_cpu_points_run(const struct pail_cpu_points *points, uint32_t stage, size_t task,
                         void *scratch);

/* Bytes that an operation on points reads, and that it writes. */
uint64_t pail_cpu_points_read(const pail_vector_op *op);
uint64_t pail_cpu_points_written(const pail_vector_op *op);

#endif /* PAIL_CPU_POINT_NTT_H */
