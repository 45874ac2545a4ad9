/* SPDX-License-Identifier: Apache-2.0 */
/* The program that is differentiated, in double precision on the CPU (beads.glsl has the formula),
 * and its arrays. */
#ifndef EXAMPLE_BEADS_H
#define EXAMPLE_BEADS_H

#include "gpu.h"

enum { N_BEADS = 256, N_SUBSTEPS = 37 };

/* Push constants of both kernels; push_block of beads.glsl. */
struct push {
    uint64_t x, drive, target;
    uint64_t steps, substeps;
    uint64_t loss, end, grad_x, grad_drive;
    uint64_t heap_float, heap_int, claims, metadata, overflow;
    uint32_t n, n_substeps;
    uint32_t id, serial;
};

struct beads {
    struct memory x, drive, target;   /* float[N_BEADS] */
    struct memory steps;              /* int32_t[N_BEADS] */
    struct memory substeps;           /* int32_t[N_SUBSTEPS] */
    struct memory loss, end;          /* float[N_BEADS] */
    struct memory grad_x, grad_drive; /* float[N_BEADS] */
};

/* Made-up numbers, always the same. */
void beads_make(const struct gpu *gpu, struct beads *beads);
void beads_free(const struct gpu *gpu, struct beads *beads);

/* Writes steps from 0 to `most` and substeps from 0 to `most_sub`. */
void beads_set_counts(struct beads *beads, int32_t most, int32_t most_sub, uint32_t seed);

/* Entries that the deepest stack of x needs, and those of steps: the depths that Pail must find. */
void beads_depths(const struct beads *beads, int64_t *deepest_x, int64_t *deepest_step);

/* Compares loss and gradient of the kernels with the loss in double precision and its central
 * finite differences. Returns the largest relative error and clears the kernels' results. */
double beads_check(struct beads *beads);

#endif /* EXAMPLE_BEADS_H */
