/* Where a key has the points of B2, and where each of its proofs multiplies them: on the device
 * with the others, or on the processors beside it. */
#ifndef PAIL_B2_B2_H
#define PAIL_B2_B2_H

#include "choice.h"
#include <prover/key/key.h>
#include <prover/key/witness.h>

enum { PAIL_B2_STARTS_MAX = 16 }; /* proofs in one start */

/* Whether the points go to each place. */
struct pail_b2_places {
    bool has[PAIL_B2_PLACES];
};

/* Before a key is opened or measured, out of its file. part: as of pail_key_open_part; such keys
 * have B2 on the device. */
void pail_b2_choose(struct pail_b2_places *places, const pail_backend *backend,
                    pail_context *context, const pail_groth16_key_params *params,
                    const struct pail_zkey *zkey, const struct pail_key_part *part);

/* Of a key that is being opened, before its points are registered: registers those of B2 with the
 * processors where they belong there; key->b2 is NULL where they do not. Where that was not asked
 * for and there is no memory, B2 is on the device. Returns PAIL_OK or as pail_key_open. */
pail_status pail_b2_open(pail_groth16_key *key, const pail_groth16_key_params *params,
                         const struct pail_key_part *part, const struct pail_zkey *zkey,
                         char *error, size_t error_cap);

/* Whether the device is to have them. */
bool pail_b2_wants_device(const pail_groth16_key *key);

/* No proof may be under way. Legal where there is none. */
void pail_b2_close(pail_groth16_key *key);

/* Most bytes that the threads of such a multiplication may have as scratch; 0: half of the L3
 * caches. UINT64_MAX: nothing is bounded. Before the first proof. */
void pail_b2_bound(const pail_groth16_key *key, uint64_t bytes);

/* Bytes of the host's memory that B2 of one proof takes; 0: it is on the device. */
uint64_t pail_b2_work_bytes(const pail_groth16_key *key);

/* As pail_groth16_key_get_info. */
void pail_b2_info(const pail_groth16_key *key, pail_groth16_key_info *info);

/* ---- A proof, or several in one start ---------------------------------------------------------*/
struct pail_b2_turn {
    enum pail_b2_place place;
    bool taken, counts;
    uint64_t number;
    double patience_ms; /* from the beginning; 0: for ever */
};

/* measured: it is one that could be. Safe, as are those that follow. */
void pail_b2_enter(const pail_groth16_key *key, struct pail_b2_turn *turn, bool measured);
/* It was made, in so many milliseconds. */
void pail_b2_note_proof(const pail_groth16_key *key, const struct pail_b2_turn *turn, double ms);
/* The proof failed for memory of its place, and has been left. Whether the key has B2 in the other
 * place, too: then all proofs of it have from here on. Nothing of that is kept: another process may
 * have the memory. */
bool pail_b2_moves(const pail_groth16_key *key, const struct pail_b2_turn *turn);
/* Nothing of it is under way. Legal for a turn that was not taken. */
void pail_b2_leave(const pail_groth16_key *key, struct pail_b2_turn *turn);

/* Multiplies on the processors, for n witnesses, which are in memory (pail_witness_keep). Returns
 * PAIL_OK or what the CPU backend says, with a sentence. */
pail_status pail_b2_start(const pail_groth16_key *key, pail_pending **pending,
                          const struct pail_witness *const witnesses[], size_t n, char *error,
                          size_t error_cap);
pail_status pail_b2_wait(const pail_groth16_key *key, pail_pending *pending, uint64_t timeout_ns);
/* Out: results: [n]; *ms: that it took. */
pail_status pail_b2_finish(const pail_groth16_key *key, pail_pending **pending,
                           pail_msm_result *results, size_t n, double *ms, char *error,
                           size_t error_cap);
/* Legal where nothing is under way. */
void pail_b2_abandon(const pail_groth16_key *key, pail_pending **pending);

#endif /* PAIL_B2_B2_H */
