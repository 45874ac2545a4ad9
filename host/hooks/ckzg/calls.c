/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of EIP-4844 and EIP-7594 of ckzg.h: each is a request of <pail/kzg.h>. */
#include "internal.h"

/* Zeroes an output, which may be NULL. */
static void zero(void *output, size_t bytes)
{
    if (output)
        memset(output, 0, bytes);
}

C_KZG_RET ckzg_run(const KZGSettings *s, pail_kzg_result *result, pail_kzg_request *request)
{
    pail_kzg *const kzg = ckzg_setup(s);
    request->struct_size = sizeof(*request);
    result->struct_size = sizeof(*result);
    if (kzg)
        return ckzg_ret(pail_kzg_run(kzg, result, request, ckzg_begin(), CKZG_SENTENCE_BYTES));
    const bool all = request->operation == PAIL_KZG_CELLS || request->operation == PAIL_KZG_RECOVER;
    zero(result->commitments, sizeof(KZGCommitment));
    zero(result->values, sizeof(Bytes32));
    zero(result->proofs, (all ? CELLS_PER_EXT_BLOB : 1) * sizeof(KZGProof));
    zero(result->cells, CELLS_PER_EXT_BLOB * sizeof(Cell));
    return C_KZG_BADARGS;
}

/* Runs a verification. */
static C_KZG_RET verify(bool *ok, const KZGSettings *s, pail_kzg_request *request)
{
    pail_kzg_result result = {0};
    if (!ok)
        return ckzg_fail(C_KZG_BADARGS, "ok is NULL");
    const C_KZG_RET ret = ckzg_run(s, &result, request);
    *ok = ret == C_KZG_OK && result.valid == 1;
    return ret;
}

/* Runs a request for cells and proofs, one of which may be NULL. */
static C_KZG_RET all_cells(Cell *cells, KZGProof *proofs, const KZGSettings *s,
                           pail_kzg_request *request)
{
    pail_kzg_result result = {.cells = cells, .proofs = proofs};
    if (!cells && !proofs)
        return ckzg_fail(C_KZG_BADARGS, "neither cells nor proofs are wanted: both are NULL");
    request->want = (cells ? PAIL_KZG_WANT_CELLS : 0u) | (proofs ? PAIL_KZG_WANT_PROOFS : 0u);
    return ckzg_run(s, &result, request);
}

/* ---- EIP-4844 -------------------------------------------------------------------------------- */
C_KZG_RET blob_to_kzg_commitment(KZGCommitment *out, const Blob *blob, const KZGSettings *s)
{
    return ckzg_run(s, &(pail_kzg_result){.commitments = out},
                    &(pail_kzg_request){.operation = PAIL_KZG_COMMIT, .n = 1, .blobs = blob});
}

C_KZG_RET compute_kzg_proof(KZGProof *proof_out, Bytes32 *y_out, const Blob *blob,
                            const Bytes32 *z_bytes, const KZGSettings *s)
{
    return ckzg_run(
        s, &(pail_kzg_result){.proofs = proof_out, .values = y_out},
        &(pail_kzg_request){.operation = PAIL_KZG_PROVE, .n = 1, .blobs = blob, .points = z_bytes});
}

C_KZG_RET compute_blob_kzg_proof(KZGProof *out, const Blob *blob, const Bytes48 *commitment_bytes,
                                 const KZGSettings *s)
{
    return ckzg_run(s, &(pail_kzg_result){.proofs = out},
                    &(pail_kzg_request){.operation = PAIL_KZG_PROVE_BLOB,
                                        .n = 1,
                                        .blobs = blob,
                                        .commitments = commitment_bytes});
}

C_KZG_RET verify_kzg_proof(bool *ok, const Bytes48 *commitment_bytes, const Bytes32 *z_bytes,
                           const Bytes32 *y_bytes, const Bytes48 *proof_bytes, const KZGSettings *s)
{
    return verify(ok, s,
                  &(pail_kzg_request){.operation = PAIL_KZG_VERIFY,
                                      .n = 1,
                                      .commitments = commitment_bytes,
                                      .points = z_bytes,
                                      .values = y_bytes,
                                      .proofs = proof_bytes});
}

C_KZG_RET verify_blob_kzg_proof_batch(bool *ok, const Blob *blobs, const Bytes48 *commitments_bytes,
                                      const Bytes48 *proofs_bytes, uint64_t n, const KZGSettings *s)
{
    return verify(ok, s,
                  &(pail_kzg_request){.operation = PAIL_KZG_VERIFY_BLOBS,
                                      .n = n,
                                      .blobs = blobs,
                                      .commitments = commitments_bytes,
                                      .proofs = proofs_bytes});
}

C_KZG_RET verify_blob_kzg_proof(bool *ok, const Blob *blob, const Bytes48 *commitment_bytes,
                                const Bytes48 *proof_bytes, const KZGSettings *s)
{
    return verify_blob_kzg_proof_batch(ok, blob, commitment_bytes, proof_bytes, 1, s);
}

/* ---- EIP-7594 -------------------------------------------------------------------------------- */
C_KZG_RET compute_cells_and_kzg_proofs(Cell *cells, KZGProof *proofs, const Blob *blob,
                                       const KZGSettings *s)
{
    return all_cells(cells, proofs, s,
                     &(pail_kzg_request){.operation = PAIL_KZG_CELLS, .n = 1, .blobs = blob});
}

C_KZG_RET recover_cells_and_kzg_proofs(Cell *recovered_cells, KZGProof *recovered_proofs,
                                       const uint64_t *cell_indices, const Cell *cells,
                                       uint64_t num_cells, const KZGSettings *s)
{
    return all_cells(recovered_cells, recovered_proofs, s,
                     &(pail_kzg_request){.operation = PAIL_KZG_RECOVER,
                                         .n = 1,
                                         .starts = (const uint64_t[]){0, num_cells},
                                         .indices = cell_indices,
                                         .cells = cells});
}

C_KZG_RET verify_cell_kzg_proof_batch(bool *ok, const Bytes48 *commitments_bytes,
                                      const uint64_t *cell_indices, const Cell *cells,
                                      const Bytes48 *proofs_bytes, uint64_t num_cells,
                                      const KZGSettings *s)
{
    return verify(ok, s,
                  &(pail_kzg_request){.operation = PAIL_KZG_VERIFY_CELLS,
                                      .n = num_cells,
                                      .commitments = commitments_bytes,
                                      .indices = cell_indices,
                                      .cells = cells,
                                      .proofs = proofs_bytes});
}
