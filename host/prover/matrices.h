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

/* In: key: its coefficients are loaded.
 * Returns PAIL_OK, PAIL_ERR_DATA for a coefficient that is out of range or not below r (the
 * sentence has its index, byte and value), or PAIL_ERR_HOST_MEMORY; nothing is to be freed then. */
pail_status pail_matrices_sort(struct pail_rows matrices[PAIL_MATRICES],
                               const struct pail_zkey *key, char *error, size_t error_cap);

/* Legal on matrices that are zeroed or failed. */
void pail_matrices_free(struct pail_rows matrices[PAIL_MATRICES]);

#endif /* PAIL_PROVER_MATRICES_H */
