/* SPDX-License-Identifier: Apache-2.0 */
/* Registered sparse matrices: checked, immutable, counted by reference. */
#ifndef PAIL_CPU_MATRIX_H
#define PAIL_CPU_MATRIX_H

#include <core/error.h>
#include <pail/backend.h>
#include <stdatomic.h>

#include "memory.h"
#include "scalars.h"

struct pail_matrix {
    pail_context *context;
    atomic_size_t references;
    const struct pail_cpu_scalars *scalars;
    uint32_t curve;
    uint64_t n_rows, n_columns, n_entries;
    uint64_t *row_starts; /* [n_rows + 1] */
    uint32_t *columns;    /* [n_entries] */
    uint64_t n_values;
    uint32_t *which;  /* [n_entries]: of the values; NULL: each entry has its own */
    uint64_t *values; /* [n_values], different ones, as scalars->rows takes them */
};

void pail_cpu_matrix_retain(const pail_matrix *matrix);
void pail_cpu_matrix_release(const pail_matrix *matrix);

/* Behind the front. */
pail_status pail_cpu_matrix_create(pail_context *context, pail_matrix **matrix, uint64_t *bad_index,
                                   const pail_matrix_desc *desc, struct pail_error *err);
void pail_cpu_matrix_destroy(pail_context *context, pail_matrix *matrix);

#endif /* PAIL_CPU_MATRIX_H */
