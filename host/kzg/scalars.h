/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars of blobs and cells: bytes, transforms, values of polynomials, quotients.
 *
 * Elements are those of cpu/scalars.h: four words, x 2^256 mod r. Single scalars are integers below
 * r. */
#ifndef PAIL_KZG_SCALARS_H
#define PAIL_KZG_SCALARS_H

#include "work.h"

/* Makes tables, for n, cell_elements and scalars of the setup. PAIL_OK or PAIL_ERR_HOST_MEMORY. */
pail_status pail_kzg_scalars_make(struct pail_kzg *kzg);
void pail_kzg_scalars_free(struct pail_kzg *kzg);

/* Elements from n scalars of 32 bytes, big-endian. Returns the index of the first that is not below
 * r, where it stops; n: none. */
size_t pail_kzg_read_scalars(const struct pail_kzg *kzg, uint64_t *elements, const uint8_t *bytes,
                             size_t n);
void pail_kzg_write_scalars(const struct pail_kzg *kzg, uint8_t *bytes, const uint64_t *elements,
                            size_t n);

/* One scalar; false if it is not below r. */
bool pail_kzg_read_scalar(const struct pail_kzg *kzg, pail_u256 *r, const uint8_t bytes[32]);
void pail_kzg_write_scalar(uint8_t bytes[32], const pail_u256 *a);

/* Integers from elements; r may be the elements. */
void pail_kzg_integers(const struct pail_kzg *kzg, pail_u256 *r, const uint64_t *elements,
                       size_t n);

/* r[i] = a[i] k */
void pail_kzg_scale(const struct pail_kzg *kzg, uint64_t *r, const uint64_t *a, const pail_u256 *k,
                    size_t n);

/* A transform of one polynomial, or of as many as the table has; r may be a. */
void pail_kzg_transform(const struct pail_kzg *kzg, enum pail_kzg_ntt which, uint64_t *r,
                        const uint64_t *a, void *scratch);

/* The value at z of the polynomial with values f[n] at the roots, and the quotient
 * (f - value) / (x - z) by its values. quotient: [n]; NULL: only the value. scratch: [4 n]. */
void pail_kzg_divide(const struct pail_kzg *kzg, pail_u256 *value, uint64_t *quotient,
                     const uint64_t *f, const pail_u256 *z, uint64_t *scratch);

/* Factors of the fixed points, from coefficients: to[k][c], integers: of column c, offset k in
 * a cell. scratch: [2 n]. */
void pail_kzg_columns_scalars(const struct pail_kzg *kzg, pail_u256 *to,
                              const uint64_t *coefficients, uint64_t *scratch, void *ntt_scratch);

/* Coefficients from values at the cells that are `there` ([n_cells]); others are not read. values:
 * [2 n], bit-reversed; clobbered. coefficients: [2 n]; those from n on are 0 if the cells are of
 * one polynomial of degree below n, which it returns. scratch: [2 n + 5 n_cells]. */
bool pail_kzg_recover(const struct pail_kzg *kzg, uint64_t *coefficients, uint64_t *values,
                      const bool *there, uint64_t *scratch, void *ntt_scratch);

#endif /* PAIL_KZG_SCALARS_H */
