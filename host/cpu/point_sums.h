/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of multiples of points and sums by them: POINTS_TABLE and POINTS_SUMS of vector_start.
 *
 * A table has affine points in the form of curve_ops.h, [copies][points][multiples]. A sum goes
 * through its windows from the top one down, in XYZZ coordinates. */
#ifndef PAIL_CPU_POINT_SUMS_H
#define PAIL_CPU_POINT_SUMS_H

#include <pail/backend.h>

#include "adder.h"
#include "scalars.h"

struct pail_cpu_point_sums {
    const struct pail_curve_ops *ops;
    const struct pail_cpu_adder *adder;     /* a table's */
    const struct pail_cpu_scalars *scalars; /* of sums; NULL: a table */
    const uint64_t *elements;               /* of sums: [n / columns][rows][columns] */
    uint64_t factor[PAIL_CPU_FACTOR_WORDS];
    struct pail_point_encoding encoding; /* of points of a table, and of sums */
    const unsigned char *from;
    unsigned char *to;
    uint64_t n, columns;
    uint32_t rows, bits, copies;
};

void pail_cpu_point_sums_make(struct pail_cpu_point_sums *sums, const pail_vector_op *op,
                              const unsigned char *from, unsigned char *to,
                              const struct pail_cpu_adder *adder);

/* The scalars of sums, from the first one's element on. */
void pail_cpu_point_sums_scalars(struct pail_cpu_point_sums *sums,
                                 const struct pail_cpu_scalars *scalars, const uint64_t *elements);

/* Bytes of the table of an operation, and of a running task's scratch memory, which is aligned. */
uint64_t pail_cpu_point_sums_table(const pail_vector_op *op);
size_t pail_cpu_point_sums_scratch(const struct pail_cpu_point_sums *sums);

size_t pail_cpu_point_sums_tasks(const struct pail_cpu_point_sums *sums);
void pail_cpu_point_sums_run(const struct pail_cpu_point_sums *sums, size_t task, void *scratch);

#endif /* PAIL_CPU_POINT_SUMS_H */
