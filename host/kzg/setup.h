/* Setups: reading, checks, tables. */
#ifndef PAIL_KZG_SETUP_H
#define PAIL_KZG_SETUP_H

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
};

/* Checks that points have order r, and that they are powers of one secret and its Lagrange points.
 * name: of the setup. */
pail_status pail_kzg_check_points(struct pail_kzg_work *work, const struct pail_kzg_points *points,
                                  const char *name, char *error, size_t capacity);

#endif /* PAIL_KZG_SETUP_H */
