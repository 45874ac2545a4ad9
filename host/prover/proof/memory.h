/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a proof takes where the context computes, from its lane and the backend's estimates.
 */
#ifndef PAIL_PROOF_MEMORY_H
#define PAIL_PROOF_MEMORY_H

#include "graph.h"
#include <prover/key/key.h>

/* Estimates the most bytes that a lane takes beside the key, and the part of them that is scratch
 * of the largest multiplication. threads: of each of them; 0: the backend's own choice. Returns
 * PAIL_OK or the backend's status. */
pail_status pail_proof_estimate(const pail_groth16_key *key, const struct pail_proof_lane *lane,
                                uint32_t threads, uint64_t *bytes, uint64_t *largest);

/* Bytes of scratch that one more thread takes of the largest multiplication, where the context
 * computes on the host. Returns PAIL_OK or the backend's status. */
pail_status pail_proof_worker_bytes(const pail_groth16_key *key, uint64_t *bytes);

/* Bytes that a lane took: its vectors, and scratch_bytes, which the backend counted. */
uint64_t pail_proof_taken_bytes(const pail_groth16_key *key, const struct pail_proof_lane *lane,
                                uint64_t scratch_bytes);

#endif /* PAIL_PROOF_MEMORY_H */
