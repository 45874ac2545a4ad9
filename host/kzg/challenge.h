/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of which the challenges of EIP-4844 and EIP-7594 are made. */
#ifndef PAIL_KZG_CHALLENGE_H
#define PAIL_KZG_CHALLENGE_H

#include <stddef.h>
#include <stdint.h>

/* Sizes of what is hashed. */
struct pail_kzg_hashed {
    uint64_t n, cell_elements; /* of the setup */
    size_t point_bytes;
};

/* The hash of a blob and its commitment (compute_challenge). */
void pail_kzg_hash_blob(uint8_t digest[32], const struct pail_kzg_hashed *sizes, const void *blob,
                        const void *commitment);

/* Cells and what belongs to each. firsts: [n_commitments]: places of the different commitments
 * among those at `commitments`; NULL: they are packed. numbers: [n]: which of them a cell has. */
struct pail_kzg_hashed_cells {
    uint64_t n_commitments, n;
    const void *commitments;
    const uint64_t *firsts, *numbers, *indices;
    const void *cells, *proofs;
};

/* The hash of a batch of cells (verify_cell_kzg_proof_batch). */
void pail_kzg_hash_cells(uint8_t digest[32], const struct pail_kzg_hashed *sizes,
                         const struct pail_kzg_hashed_cells *batch);

#endif /* PAIL_KZG_CHALLENGE_H */
