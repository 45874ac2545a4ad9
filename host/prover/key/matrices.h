/* SPDX-License-Identifier: Apache-2.0 */
/* The constraint matrices A and B of a proving key, sorted by rows. */
#ifndef PAIL_PROVER_MATRICES_H
#define PAIL_PROVER_MATRICES_H

#include <pail/backend.h>

#include <formats/zkey.h>

/* The arrays of a pail_matrix_desc. */
struct pail_rows {
    uint64_t *row_starts; /* [n_rows + 1] */
    uint32_t *columns;    /* [row_starts[n_rows]] */
    uint8_t *values;      /* [row_starts[n_rows] * 32], PAIL_ENCODING_MONTGOMERY */
};

enum { PAIL_MATRIX_A, PAIL_MATRIX_B, PAIL_MATRICES };

/* All coefficients, checked, in a fifth of the memory that they take in a file where many of them
 * are equal. */
struct pail_coefficients;

/* In: key: must stay open until they are freed. Where its coefficients are not loaded, they are
 * read from the file piece by piece. Returns PAIL_OK, PAIL_ERR_DATA for a coefficient that is out
 * of range or not below r (the sentence has its index, byte and value), PAIL_ERR_IO, or
 * PAIL_ERR_HOST_MEMORY; *coefficients is NULL then. */
pail_status pail_coefficients_read(struct pail_coefficients **coefficients,
                                   const struct pail_zkey *key, char *error, size_t error_cap);

/* Gets one of the matrices; entries within a row are in the order of the file.
 *
 * Out: rows: to be freed by pail_rows_free.
 * Returns PAIL_OK or PAIL_ERR_HOST_MEMORY; nothing is to be freed then. */
pail_status pail_coefficients_rows(struct pail_rows *rows,
                                   const struct pail_coefficients *coefficients, uint32_t matrix,
                                   char *error, size_t error_cap);

/* Legal on NULL. */
void pail_coefficients_free(struct pail_coefficients **coefficients);

/* Legal on rows that are zeroed or failed. */
void pail_rows_free(struct pail_rows *rows);

#endif /* PAIL_PROVER_MATRICES_H */
