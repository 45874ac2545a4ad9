/* SPDX-License-Identifier: Apache-2.0 */
/* The most memory that a call takes, in advance: what its operation allocates, part by part. */
#include "call.h"

enum { SCALAR = PAIL_KZG_SCALAR_BYTES, SMALL_BYTES = 1 << 15 };

static uint64_t at_once(const struct pail_kzg_call *call)
{
    const uint64_t n = call->request.n;
    return n < PAIL_KZG_BLOBS_AT_ONCE ? n : PAIL_KZG_BLOBS_AT_ONCE;
}

/* Multiplications on a device that are started together. */
static uint64_t started_bytes(uint64_t n)
{
    return n * (sizeof(pail_msm_job) + sizeof(pail_msm_result));
}

/* Commitments, proofs at points and of blobs. */
static uint64_t blobs_bytes(const struct pail_kzg_call *call)
{
    const struct pail_kzg *const kzg = call->kzg;
    const uint64_t n = at_once(call);
    return n * kzg->n * SCALAR + UINT64_C(6) * kzg->threads * kzg->n * SCALAR +
           (kzg->on_host ? pail_kzg_commit_bytes(kzg, n) : started_bytes(n));
}

static uint64_t cells_bytes(const struct pail_kzg_call *call)
{
    const struct pail_kzg *const kzg = call->kzg;
    const uint64_t n = at_once(call), points = n * kzg->n_cells;
    uint64_t bytes = kzg->threads * (6 * kzg->n + 5 * kzg->n_cells) * SCALAR;
    if (!call->proofs)
        return bytes;
    bytes += n * 2 * kzg->n * SCALAR; /* multipliers of columns */
    if (kzg->device.table)            /* coefficients, and the proofs as they come */
        return bytes + n * 2 * kzg->n * SCALAR + points * 2 * kzg->g1->coordinate_bytes;
    return bytes + points * pail_kzg_point_bytes(kzg) + pail_kzg_columns_bytes(kzg, n) +
           pail_kzg_transform_bytes(kzg, n);
}

/* points: of the sum; words: of scratch of each thread. */
static uint64_t verified_bytes(const struct pail_kzg_call *call, uint64_t points, uint64_t words)
{
    const uint64_t n = call->request.n;
    return (points + 1) * sizeof(pail_affine) + (points + 3 * n + 1) * sizeof(pail_u256) +
           (2 * n + 1) * sizeof(size_t) + call->kzg->threads * words * sizeof(uint64_t) +
           pail_kzg_combine_bytes(call->kzg, (size_t)points);
}

/* Names of commitments, and sums of cells of each index. */
static uint64_t verified_cells_bytes(const struct pail_kzg_call *call)
{
    const struct pail_kzg *const kzg = call->kzg;
    const uint64_t n = call->request.n;
    return verified_bytes(call, 2 * n + kzg->cell_elements, 1) + (n + 1) * 3 * sizeof(void *) +
           (kzg->n_cells + kzg->threads + 1) * kzg->cell_elements * SCALAR +
           (kzg->n_cells + n) * sizeof(size_t);
}

static uint64_t host_bytes(const struct pail_kzg_call *call)
{
    switch (call->request.operation) {
    case PAIL_KZG_COMMIT:
    case PAIL_KZG_PROVE:
    case PAIL_KZG_PROVE_BLOB:
        return blobs_bytes(call);
    case PAIL_KZG_CELLS:
    case PAIL_KZG_RECOVER:
        return cells_bytes(call);
    case PAIL_KZG_VERIFY_CELLS:
        return verified_cells_bytes(call);
    default:
        return verified_bytes(call, 2 * call->request.n + 1,
                              UINT64_C(5) * call->kzg->n * PAIL_KZG_WORDS);
    }
}

static uint64_t device_bytes(const struct pail_kzg_call *call)
{
    const struct pail_kzg *const kzg = call->kzg;
    const uint32_t operation = call->request.operation;
    const bool proves = operation == PAIL_KZG_CELLS || operation == PAIL_KZG_RECOVER;
    if (kzg->on_host || operation == PAIL_KZG_VERIFY || operation == PAIL_KZG_VERIFY_BLOBS ||
        operation == PAIL_KZG_VERIFY_CELLS || (proves && !call->proofs))
        return 0;
    return proves && kzg->device.table ? pail_kzg_device_cells_bytes(kzg, at_once(call))
           : proves                    ? pail_kzg_device_columns_bytes(kzg)
                                       : pail_kzg_device_commit_bytes(kzg, at_once(call));
}

void pail_kzg_call_bytes(uint64_t *host, uint64_t *device, const struct pail_kzg_call *call)
{
    const bool any = call->request.n != 0;
    *host = SMALL_BYTES + pail_kzg_work_bytes(call->kzg) + (any ? host_bytes(call) : 0);
    *device = any ? device_bytes(call) : 0;
}
