/* SPDX-License-Identifier: Apache-2.0 */
/* Setups: reading, checks, tables. */
#ifndef PAIL_KZG_SETUP_H
#define PAIL_KZG_SETUP_H

#include <formats/kzg_setup.h>
#include <formats/ptau.h>

#include "call.h"

/* As pail_kzg_open, for params that were taken. */
pail_status pail_kzg_setup_make(struct pail_kzg **kzg, const pail_backend *backend,
                                pail_context *context, const pail_kzg_params *params, char *error,
                                size_t capacity);
void pail_kzg_setup_close(struct pail_kzg *kzg);

/* The points of a setup, affine and in the CPU's form. */
struct pail_kzg_points {
    unsigned char *powers;   /* [n] of G1 */
    unsigned char *lagrange; /* [n] of G1, bit-reversed */
    unsigned char *g2;       /* [n_g2] */
    bool derive;             /* the Lagrange points are still to be made, of the powers */
};

/* Makes the Lagrange points. PAIL_OK, PAIL_ERR_HOST_MEMORY or PAIL_ERR_INTERNAL. */
pail_status pail_kzg_lagrange_make(struct pail_kzg_work *work, struct pail_kzg_points *points);

/* True for a setup that is a file of powers of tau, by its first bytes. */
bool pail_kzg_is_ptau(const pail_kzg_params *params);

/* Opens that file, to be closed also after failures.
 *
 * Out: sizes: its curve, and the numbers of points that are wanted or that there are. */
pail_status pail_kzg_ptau_open(struct pail_ptau *ptau, struct pail_kzg_setup *sizes,
                               const pail_kzg_params *params, const char *name, char *error,
                               size_t capacity);

/* Reads kzg->n and kzg->n_g2 of its powers, and no others; the Lagrange points are missing then. */
pail_status pail_kzg_ptau_read(struct pail_kzg_points *points, const struct pail_kzg *kzg,
                               const struct pail_ptau *ptau, const char *name, char *error,
                               size_t capacity);

/* Checks that points have order r, and that they are powers of one secret and its Lagrange points.
 * name: of the setup. */
pail_status pail_kzg_check_points(struct pail_kzg_work *work, const struct pail_kzg_points *points,
                                  const char *name, char *error, size_t capacity);

#endif /* PAIL_KZG_SETUP_H */
