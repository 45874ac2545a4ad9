/* SPDX-License-Identifier: Apache-2.0 */
#include "challenge.h"

#include <pail/kzg.h>

#include "sha256.h"

enum { NAME_BYTES = 16, SCALAR = PAIL_KZG_SCALAR_BYTES };

void pail_kzg_hash_blob(uint8_t digest[32], const struct pail_kzg_hashed *sizes, const void *blob,
                        const void *commitment)
{
    struct pail_sha256 sha;
    pail_sha256_begin(&sha);
    pail_sha256_add(&sha, "FSBLOBVERIFY_V1_", NAME_BYTES);
    pail_sha256_add_number(&sha, 0); /* the degree has 16 bytes */
    pail_sha256_add_number(&sha, sizes->n);
    pail_sha256_add(&sha, blob, (size_t)sizes->n * SCALAR);
    pail_sha256_add(&sha, commitment, sizes->point_bytes);
    pail_sha256_end(&sha, digest);
}

void pail_kzg_hash_cells(uint8_t digest[32], const struct pail_kzg_hashed *sizes,
                         const struct pail_kzg_hashed_cells *batch)
{
    const uint8_t *const commitments = batch->commitments, *const cells = batch->cells;
    const uint8_t *const proofs = batch->proofs;
    const size_t width = sizes->point_bytes, cell = (size_t)sizes->cell_elements * SCALAR;
    struct pail_sha256 sha;
    pail_sha256_begin(&sha);
    pail_sha256_add(&sha, "RCKZGCBATCH__V1_", NAME_BYTES);
    pail_sha256_add_number(&sha, sizes->n);
    pail_sha256_add_number(&sha, sizes->cell_elements);
    pail_sha256_add_number(&sha, batch->n_commitments);
    pail_sha256_add_number(&sha, batch->n);
    for (uint64_t i = 0; i < batch->n_commitments; i++)
        pail_sha256_add(&sha, commitments + (batch->firsts ? batch->firsts[i] : i) * width, width);
    for (uint64_t i = 0; i < batch->n; i++) {
        pail_sha256_add_number(&sha, batch->numbers[i]);
        pail_sha256_add_number(&sha, batch->indices[i]);
        pail_sha256_add(&sha, cells + i * cell, cell);
        pail_sha256_add(&sha, proofs + i * width, width);
    }
    pail_sha256_end(&sha, digest);
}
