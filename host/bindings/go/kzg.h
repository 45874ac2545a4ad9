/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of <pail/kzg.h>, for kzg.go: Go may not hand over structs with pointers to its memory. */
#ifndef PAIL_GO_KZG_H
#define PAIL_GO_KZG_H

#include "bridge.h"
#include <pail/kzg.h>

/* Numbers of a request. */
typedef struct bridge_kzg_operation {
    uint32_t operation, want;
    uint64_t n;
} bridge_kzg_operation;

static inline pail_status bridge_kzg_open(const bridge_context *in, pail_kzg **kzg,
                                          pail_kzg_info *info, const char *path,
                                          const uint8_t *bytes, uint64_t n_bytes,
                                          uint64_t memory_budget, uint32_t trusted, char *error)
{
    const pail_kzg_params params = {.struct_size = sizeof params,
                                    .flags = trusted ? PAIL_KZG_TRUSTED : 0,
                                    .path = path,
                                    .bytes = bytes,
                                    .n_bytes = n_bytes,
                                    .memory_budget = memory_budget};
    pail_kzg *made = NULL;
    const pail_status status =
        pail_kzg_open(&made, in->backend, in->context, &params, error, BRIDGE_SENTENCE);
    *kzg = made;
    info->struct_size = sizeof *info;
    return status == PAIL_OK ? pail_kzg_get_info(made, info) : status;
}

static inline pail_kzg_request bridge_kzg_request(bridge_kzg_operation of, const uint8_t *blobs,
                                                  const uint8_t *commitments, const uint8_t *points,
                                                  const uint8_t *values, const uint8_t *proofs,
                                                  const uint64_t *starts, const uint64_t *indices,
                                                  const uint8_t *cells)
{
    return (pail_kzg_request){.struct_size = sizeof(pail_kzg_request),
                              .operation = of.operation,
                              .want = of.want,
                              .n = of.n,
                              .blobs = blobs,
                              .commitments = commitments,
                              .points = points,
                              .values = values,
                              .proofs = proofs,
                              .starts = starts,
                              .indices = indices,
                              .cells = cells};
}

static inline pail_kzg_result bridge_kzg_result(uint8_t *commitments, uint8_t *values,
                                                uint8_t *proofs, uint8_t *cells)
{
    return (pail_kzg_result){.struct_size = sizeof(pail_kzg_result),
                             .commitments = commitments,
                             .values = values,
                             .proofs = proofs,
                             .cells = cells};
}

static inline pail_status
bridge_kzg_run(pail_kzg *kzg, bridge_kzg_operation of, const uint8_t *blobs,
               const uint8_t *commitments, const uint8_t *points, const uint8_t *values,
               const uint8_t *proofs, const uint64_t *starts, const uint64_t *indices,
               const uint8_t *cells, uint32_t *valid, uint8_t *to_commitments, uint8_t *to_values,
               uint8_t *to_proofs, uint8_t *to_cells, char *error)
{
    const pail_kzg_request request =
        bridge_kzg_request(of, blobs, commitments, points, values, proofs, starts, indices, cells);
    pail_kzg_result result = bridge_kzg_result(to_commitments, to_values, to_proofs, to_cells);
    const pail_status status = pail_kzg_run(kzg, &result, &request, error, BRIDGE_SENTENCE);
    *valid = result.valid;
    return status;
}

static inline pail_status bridge_kzg_start(pail_kzg *kzg, pail_kzg_job **job,
                                           bridge_kzg_operation of, const uint8_t *blobs,
                                           const uint8_t *commitments, const uint8_t *points,
                                           const uint8_t *values, const uint8_t *proofs,
                                           const uint64_t *starts, const uint64_t *indices,
                                           const uint8_t *cells, char *error)
{
    const pail_kzg_request request =
        bridge_kzg_request(of, blobs, commitments, points, values, proofs, starts, indices, cells);
    pail_kzg_job *made = NULL;
    const pail_status status = pail_kzg_start(kzg, &made, &request, error, BRIDGE_SENTENCE);
    *job = made;
    return status;
}

static inline int bridge_kzg_wait(const pail_kzg_job *job, uint64_t ns)
{
    return pail_kzg_wait(job, ns) != PAIL_NOT_READY;
}

static inline pail_status bridge_kzg_finish(pail_kzg_job *job, uint32_t *valid,
                                            uint8_t *to_commitments, uint8_t *to_values,
                                            uint8_t *to_proofs, uint8_t *to_cells, char *error)
{
    pail_kzg_result result = bridge_kzg_result(to_commitments, to_values, to_proofs, to_cells);
    const pail_status status = pail_kzg_finish(&job, &result, error, BRIDGE_SENTENCE);
    *valid = result.valid;
    return status;
}

static inline void bridge_kzg_abandon(pail_kzg_job *job)
{
    pail_kzg_abandon(&job);
}

static inline void bridge_kzg_close(pail_kzg *kzg)
{
    pail_kzg_close(&kzg);
}

#endif /* PAIL_GO_KZG_H */
