/* SPDX-License-Identifier: Apache-2.0 */
/* Bucket accumulation and bucket reduction of one task: some windows of the scalars over one chunk
 * of the points. */
#ifndef PAIL_CPU_BUCKETS_H
#define PAIL_CPU_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

#include "adder.h"
#include <curves/curve_ops.h>

struct pail_cpu_task {
    const struct pail_cpu_adder *adder;
    const struct pail_curve_ops *ops; /* operations of the same group */
    const void *bases;                /* [n] points in the adder's form */
    const pail_u256 *scalars;         /* scalar of base i: number i, or kept[i] - kept_from */
    const uint32_t *kept;             /* [n]; NULL: there is none */
    size_t kept_from;
    size_t n;
    size_t block_points;              /* points that are sorted and added at a time */
    uint32_t first_window, n_windows; /* windows of c bits */
    uint32_t c;
    bool infinities; /* bases may be infinite */
};

/* Bytes of scratch that a task of n_windows windows needs. Any alignment will do. */
size_t pail_cpu_buckets_bytes(const struct pail_cpu_adder *adder, size_t block_points,
                              uint32_t n_windows, uint32_t c);

/* sum = the sum of 2^(c w) digit(scalars[i], first_window + w) * bases[i]; *adds grows by the
 * additions that brought points into buckets. Returns how many bytes of the scratch were written,
 * from its first on. */
size_t pail_cpu_buckets_run(pail_point *sum, uint64_t *adds, const struct pail_cpu_task *task,
                            void *scratch);

#endif /* PAIL_CPU_BUCKETS_H */
