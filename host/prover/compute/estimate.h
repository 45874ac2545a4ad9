/* Memory that proofs take where the context computes. */
#ifndef PAIL_PROVER_ESTIMATE_H
#define PAIL_PROVER_ESTIMATE_H

#include <prover/key/key.h>

/* Estimates the most bytes of memory where the context computes that a proof takes beside the key,
 * and the part of them that is scratch of the largest multiplication. threads: of each of them; 0:
 * the backend's own choice. Returns PAIL_OK or the backend's status. */
pail_status pail_prove_estimate(const pail_groth16_key *key, uint32_t threads, uint64_t *bytes,
                                uint64_t *largest);

/* Bytes of scratch that one more thread takes of the largest multiplication, where the context
 * computes on the host. Returns PAIL_OK or the backend's status. */
pail_status pail_prove_worker_bytes(const pail_groth16_key *key, uint64_t *bytes);

/* Bytes of memory where the context computes that a proof took: its vectors, and
 * scratch_bytes, which the backend counted. */
uint64_t pail_prove_taken_bytes(const pail_groth16_key *key, uint64_t scratch_bytes);

#endif /* PAIL_PROVER_ESTIMATE_H */
