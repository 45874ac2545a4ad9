/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices in device memory, and how their rows are added up.
 *
 * A row is cut into pieces of PAIL_MATRIX_PIECE values at most, each of which is a thread's. Where
 * rows have several pieces, these are added up likewise, and so on: levels, of which the first
 * takes values and the last leaves rows. */
#ifndef PAIL_FIELD_MATRIX_H
#define PAIL_FIELD_MATRIX_H

#include <stdatomic.h>

#include <pail/backend.h>

#include <core/error.h>

#include "scalar.h"
#include "vk/memory.h"

struct pail_vectors;

#define PAIL_MATRIX_PIECE      32u
#define PAIL_MATRIX_LEVELS_MAX 7u /* 32^7 is more than 2^32 */

/* Sums s = starts[i] to starts[i + 1] - 1 of what the level before has. */
struct pail_matrix_level {
    uint64_t starts; /* structure: word where they begin */
    uint64_t n;
};

/* Pieces of the first level from one on, whose values fit a binding. */
struct pail_matrix_part {
    uint64_t piece, value;
};

struct pail_matrix {
    struct pail_vectors *field;
    const struct pail_curve_ops *ops;
    uint32_t curve;
    uint64_t n_rows, n_columns, n_values;
    uint64_t columns; /* structure: word where they begin */
    uint32_t n_levels;
    struct pail_matrix_level levels[PAIL_MATRIX_LEVELS_MAX];
    uint32_t n_parts;
    struct pail_matrix_part *parts; /* [n_parts + 1] */
    struct pail_vk_buffer structure, values;
    atomic_uint refs;
};

/* See backend.h; the desc has been copied out of the caller's struct. */
pail_status pail_matrix_register(struct pail_vectors *field, struct pail_matrix **out,
                                 uint64_t *bad, const pail_matrix_desc *desc,
                                 struct pail_error *err);
void pail_matrix_retain(struct pail_matrix *matrix);
void pail_matrix_release(struct pail_matrix *matrix);

/* Elements of scratch that a product takes: the results of all levels but the last. */
uint64_t pail_matrix_scratch(const struct pail_matrix *matrix);

#endif /* PAIL_FIELD_MATRIX_H */
