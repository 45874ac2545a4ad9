/* The places where a key has the points of B2, and where each of its proofs multiplies them: on the
 * device with the others, or on the processors beside it. */
#ifndef PAIL_B2_B2_H
#define PAIL_B2_B2_H

#include "choice.h"
#include <prover/key/key.h>
#include <prover/key/witness.h>

/* Places that the points go to. */
struct pail_b2_places {
    bool has[PAIL_B2_PLACES];
};

/* Chooses from the key's file, before it is opened or measured. part: as for pail_key_open_part;
 * such keys have B2 on the device. */
void pail_b2_choose(struct pail_b2_places *places, const pail_backend *backend,
                    pail_context *context, const pail_groth16_key_params *params,
                    const struct pail_zkey *zkey, const struct pail_key_part *part);

/* Registers the points of B2 of a key that is being opened with the processors, where they belong
 * there; key->b2 is NULL where they do not. To be called before the key's other points are
 * registered. If the processors were not requested and there is no memory, B2 is on the device.
 * Returns PAIL_OK or as pail_key_open. */
pail_status pail_b2_open(pail_groth16_key *key, const pail_groth16_key_params *params,
                         const struct pail_key_part *part, const struct pail_zkey *zkey,
                         char *error, size_t error_cap);

/* True if the device needs the points. */
bool pail_b2_wants_device(const pail_groth16_key *key);

/* No proof may be under way. Legal where there is none. */
void pail_b2_close(pail_groth16_key *key);

/* Sets the most bytes of scratch for the threads of such a multiplication; 0: half of the L3
 * caches. UINT64_MAX: no bound. To be called before the first proof. */
void pail_b2_bound(const pail_groth16_key *key, uint64_t bytes);

/* Bytes of host memory that B2 of one proof takes; 0: it is on the device. */
uint64_t pail_b2_work_bytes(const pail_groth16_key *key);

/* Fills the members of B2 as pail_groth16_key_get_info does. */
void pail_b2_info(const pail_groth16_key *key, pail_groth16_key_info *info);

/* ---- A proof ----------------------------------------------------------------------------------*/
struct pail_b2_turn {
    enum pail_b2_place place;
    bool taken, counts;
    uint64_t number;
    double patience_ms; /* time from the beginning; 0: for ever */
};

/* Begins a proof. measured: its time can be measured. Safe, as are the functions below. */
void pail_b2_enter(const pail_groth16_key *key, struct pail_b2_turn *turn, bool measured);
/* Notes that the proof was made, in so many milliseconds. */
void pail_b2_note_proof(const pail_groth16_key *key, const struct pail_b2_turn *turn, double ms);
/* Moves B2 after a proof failed for memory of its place, and was left. Returns whether the key has
 * B2 in the other place, too: all further proofs with it use that one. The move is not kept:
 * another process may have the memory. */
bool pail_b2_moves(const pail_groth16_key *key, const struct pail_b2_turn *turn);
/* Ends a proof: none of its work is under way. Legal for a turn that was not taken. */
void pail_b2_leave(const pail_groth16_key *key, struct pail_b2_turn *turn);

/* Multiplies on the processors, for a witness in memory (pail_witness_keep). Returns PAIL_OK or
 * what the CPU backend says, with a sentence. */
pail_status pail_b2_start(const pail_groth16_key *key, pail_pending **pending,
                          const struct pail_witness *witness, char *error, size_t error_cap);
pail_status pail_b2_wait(const pail_groth16_key *key, pail_pending *pending, uint64_t timeout_ns);
/* Out: *ms: the duration. */
pail_status pail_b2_finish(const pail_groth16_key *key, pail_pending **pending,
                           pail_msm_result *result, double *ms, char *error, size_t error_cap);
/* Legal where nothing is under way. */
void pail_b2_abandon(const pail_groth16_key *key, pail_pending **pending);

#endif /* PAIL_B2_B2_H */
