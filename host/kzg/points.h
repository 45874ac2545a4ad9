/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a job in the adder's form: multiplications by points of the setup, and transforms. */
#ifndef PAIL_KZG_POINTS_H
#define PAIL_KZG_POINTS_H

#include "work.h"

/* ---- Constants times points ------------------------------------------------------------------ */
void pail_kzg_constant(const struct pail_kzg *kzg, struct pail_kzg_constant *constant,
                       const pail_u256 *k);

/* points[places[i]] = constants[which[i]] points[places[i]]. places: NULL: i. PAIL_OK or
 * PAIL_ERR_HOST_MEMORY. */
pail_status pail_kzg_multiply(struct pail_kzg_work *work, unsigned char *points,
                              const uint32_t *places, const uint32_t *which,
                              const struct pail_kzg_constant *constants, size_t n);

/* ---- Transforms of n_cells points, of n polynomials one after the other ---------------------- */

/* Values are in bit-reversed order. The upper half of the coefficients is 0: forward takes the
 * lower half, and backward gives nothing but the lower half, times n_cells. */
pail_status pail_kzg_points_forward(struct pail_kzg_work *work, unsigned char *points, size_t n);
pail_status pail_kzg_points_backward(struct pail_kzg_work *work, unsigned char *points, size_t n);

/* ---- Columns: the sums of FK20 --------------------------------------------------------------- */

/* Makes the constants of transforms. */
pail_status pail_kzg_constants_make(struct pail_kzg *kzg);

/* fixed: [cell_elements][n_cells] points of the adder's form: row k is the transform of the powers
 * tau^(k + cell_elements c). powers: affine, [n]. */
pail_status pail_kzg_columns_points(struct pail_kzg_work *work, unsigned char *fixed,
                                    const unsigned char *powers);

/* Makes the table of their multiples, for kzg->table_bits. */
pail_status pail_kzg_columns_make(struct pail_kzg_work *work, const unsigned char *fixed);

/* sums[b][column], for n blobs, from the integers of pail_kzg_columns_scalars: scalars[b][2 n]. */
pail_status pail_kzg_columns_run(struct pail_kzg_work *work, unsigned char *sums,
                                 const pail_u256 *scalars, size_t n);

/* ---- Sums over many points ------------------------------------------------------------------- */

/* Makes the shifted copies of the Lagrange points, for kzg->commit_bits. lagrange: affine, [n]. */
pail_status pail_kzg_shifted_make(struct pail_kzg_work *work, const unsigned char *lagrange);

/* sums[b] = the sum over i of scalars[b][i] times Lagrange point i; integers, for n blobs. */
pail_status pail_kzg_commit_run(struct pail_kzg_work *work, pail_affine *sums,
                                const pail_u256 *scalars, size_t n);

/* sum = the sum of scalars[i] points[i], affine points in the CPU's form. PAIL_OK,
 * PAIL_ERR_HOST_MEMORY, or PAIL_ERR_STOPPED: the work is cancelled, and there is no sum. */
pail_status pail_kzg_combine(struct pail_kzg_work *work, pail_point *sum,
                             const unsigned char *points, const pail_u256 *scalars, size_t n);

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The most bytes that these take beside their arguments: pail_kzg_columns_run and both transforms
 * of n blobs, pail_kzg_commit_run of n, and pail_kzg_combine of n points. */
uint64_t pail_kzg_columns_bytes(const struct pail_kzg *kzg, uint64_t n);
uint64_t pail_kzg_transform_bytes(const struct pail_kzg *kzg, uint64_t n);
uint64_t pail_kzg_commit_bytes(const struct pail_kzg *kzg, uint64_t n);
uint64_t pail_kzg_combine_bytes(const struct pail_kzg *kzg, size_t n);

/* True if e(p0, q0) = e(p1, q1). q0, q1: affine, of G2. */
bool pail_kzg_pairings_equal(const struct pail_kzg *kzg, const pail_point *p0, const void *q0,
                             const pail_point *p1, const void *q1);

/* The same for points of which the setup has lines. */
bool pail_kzg_fixed_pairings_equal(const struct pail_kzg *kzg, const pail_point *p0,
                                   enum pail_kzg_fixed_g2 q0, const pail_point *p1,
                                   enum pail_kzg_fixed_g2 q1);

#endif /* PAIL_KZG_POINTS_H */
