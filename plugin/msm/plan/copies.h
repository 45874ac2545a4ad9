/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of points beyond themselves: tables, which are shifted copies, and GLV images.
 *
 * A table lets one window take several digits of a scalar. Copy j has 2^(j bits) times
 * each point, and digit i * factor + j of a scalar, which has `bits` bits, adds points of
 * copy j to the buckets of window i. The number of additions stays, the number of bucket sets to
 * reduce falls by the factor, and so wider windows pay.
 *
 * Ernest F. Brickell, Daniel M. Gordon, Kevin S. McCurley, David B. Wilson, "Fast exponentiation
 * with precomputation", EUROCRYPT '92. Pure. */
#ifndef PAIL_MSM_COPIES_H
#define PAIL_MSM_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include <pail/backend.h>

#include <core/error.h>

/* A piece or segment of points begins at a multiple of this many. A point is a multiple of 32
 * bytes, so these begin at multiples of 2048 bytes, which all alignments of bindings divide (they
 * are powers of two of at most 256: Vulkan, required limits). */
#define PAIL_PIECE_POINTS 64u

struct pail_msm_table {
    uint32_t factor; /* copies, the points themselves included; 1: there are no others */
    uint32_t bits;   /* bits of a window; 0: there is no table */
    bool glv;        /* factor is 2, bits 0 */
};

/* Refuses tables for PAIL_RESIDENCY_HOST: the struct's name, and its table_factor. */
#define PAIL_MSM_NO_TABLE                                                                          \
    "%s->table_factor is %u; points that stay in host memory have no tables, which would only be " \
    "more to send"

/* Chooses the table of a set of n points, with at most `most` copies (1 or less: none), for scalars
 * of so many bits on a device that binds and allocates binding_bytes at a time. factor 0: `most` is
 * too few for any table. */
struct pail_msm_table pail_msm_table_choose(uint64_t n, uint32_t scalar_bits, uint32_t most,
                                            uint32_t point_bytes, uint64_t binding_bytes);

/* The window bits of a multiplication with these bases: the table's, where there is one.
 * Errors: PAIL_ERR_ARGUMENT  the configuration asks for others */
pail_status pail_msm_table_window(uint32_t *window_bits, const struct pail_msm_table *table,
                                  const pail_msm_config *config, struct pail_error *err);

#endif /* PAIL_MSM_COPIES_H */
