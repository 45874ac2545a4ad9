/* SPDX-License-Identifier: Apache-2.0 */
/* Groth16 proofs over the boundary's table. */
#ifndef PAIL_PROVER_PROVE_H
#define PAIL_PROVER_PROVE_H

#include <prover/key/key.h>

/* The source of a proof: one of the two, the other being NULL. */
struct pail_proof_source {
    const pail_groth16_witness *witness;
    const pail_groth16_assignment *assignment; /* for a key of bellman */
};

/* As pail_groth16_prove and pail_groth16_prove_assignment, for arguments that are known to be good.
 * Proof and timings are written whole, struct_size included; publics: [n_public * 32]; NULL: not
 * wanted. On failure they are zeroed. */
pail_status pail_prove(const pail_groth16_key *key, pail_groth16_proof *proof, uint8_t *publics,
                       pail_groth16_timings *timings, const struct pail_proof_source *source,
                       const pail_groth16_options *options, char *error, size_t error_cap);

/* As pail_groth16_h_scalars, for arguments that are known to be good; nothing is zeroed. */
pail_status pail_prove_h(void *scalars, uint64_t n, const pail_groth16_key_params *params,
                         const pail_groth16_witness *witness, void (*tick)(void *user, double part),
                         void *user, char *error, size_t error_cap);

/* ---- In parts ----------------------------------------------------------------------------------
 * The same as work that is started and finished, each part in any thread, one at a time. With
 * PAIL_GROTH16_STAGES the start computes all of it. */
struct pail_proving;

/* Reads and checks the source, which stays the caller's until it is destroyed, and draws r and s.
 * No device is used, and of the key only facts that keys of one file share. PAIL_ERR_ARGUMENT: the
 * key proves from the other kind of source. */
pail_status pail_proving_create(struct pail_proving **proving, const pail_groth16_key *key,
                                const struct pail_proof_source *source,
                                const pail_groth16_options *options, char *error, size_t error_cap);

/* Sets the key to go on with, of the same file, on the device that is to be used. Nothing is
 * started. */
void pail_proving_use_key(struct pail_proving *proving, const pail_groth16_key *key);

/* Has the next start call `wait`, which may block, before each step on the device, and begin a step
 * only once those before it are done, but for one on a device with a queue: others that use the
 * device come in between. */
void pail_proving_give_way(struct pail_proving *proving, void (*wait)(void *user), void *user);

/* Sends the witness and starts everything. On failure nothing is under way or held on the device,
 * and the proof may be started again, unless its key is for one proof and has begun to compute.
 * memory_budget: bytes for the multiplications on the device; threads: of each of them; 0: the
 * backend's own choice. */
pail_status pail_proving_start(struct pail_proving *proving, uint64_t memory_budget,
                               uint32_t threads, char *error, size_t error_cap);

/* Bytes of memory where the context computes that a finished proof took beside the key: its
 * vectors, and the bytes that the backend counted for the rest. */
uint64_t pail_proving_taken_bytes(const struct pail_proving *proving);

/* Time when the last start had sent the witness, in milliseconds of CLOCK_MONOTONIC; 0: it has
 * not. */
double pail_proving_sent_ms(const struct pail_proving *proving);

/* Returns PAIL_OK once the device is done, as pending_wait of the boundary. */
pail_status pail_proving_wait(struct pail_proving *proving, uint64_t timeout_ns);

/* Finishes as pail_prove does. */
pail_status pail_proving_finish(struct pail_proving *proving, pail_groth16_proof *proof,
                                uint8_t *publics, pail_groth16_timings *timings, char *error,
                                size_t error_cap);

/* Ends work under way, and frees its objects on the device. */
void pail_proving_reset(struct pail_proving *proving);

/* The same, and wipes and frees the rest. Legal in any state. */
void pail_proving_destroy(struct pail_proving **proving);

#endif /* PAIL_PROVER_PROVE_H */
