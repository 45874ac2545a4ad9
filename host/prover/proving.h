/* State of a proof that the proving files share. */
#ifndef PAIL_PROVER_PROVING_H
#define PAIL_PROVER_PROVING_H

#include "assemble.h"
#include "b2/b2.h"
#include "prove.h"
#include "spread/place.h"
#include <prover/key/witness.h>

struct pail_proving {
    const pail_groth16_key *key;
    pail_groth16_options options;
    struct pail_witness source;
    pail_vector *witness; /* [n_vars] */
    pail_vector *abc;     /* [3 n], n the domain's size; at the end the scalars of H are in [n] */
    pail_msm_result results[PAIL_PLACE_DEVICES_MAX][PAIL_ZKEY_MSMS]; /* [n_parts] are in use */
    size_t n_parts;
    struct pail_spread *spread; /* devices that computed it, and keep its vectors; or NULL */
    struct pail_blinding blinding;
    pail_groth16_timings timings;
    pail_msm_config config;
    pail_pending *quotient, *multiplications; /* work under way */
    uint64_t scratch_bytes;                   /* allocated for work that has ended */
    double begin_ms, sent_ms, stage_began_ms, started_ms;
    struct pail_b2_turn b2;
    pail_pending *b2_pending; /* work under way on the processors */
    bool b2_given_up;         /* the processors took too long, and the device has B2 */
    char *error;              /* buffer for errors of the present part */
    size_t error_cap;
};

enum { PAIL_PROVING_LOOK_NS = 2000000 }; /* between two looks at the cancel of the options */

/* PAIL_OK, or PAIL_ERR_STOPPED with a sentence once the proof is cancelled. */
pail_status pail_proving_look(struct pail_proving *proving);

/* ---- prove_b2.c: B2 on the processors. PAIL_OK, or a status with a sentence in proving->error. */
pail_status pail_proving_start_b2(struct pail_proving *proving);
/* PAIL_OK once B2 is done; PAIL_NOT_READY at until_ms of pail_now_ms (0: never);
 * PAIL_ERR_STOPPED. */
pail_status pail_proving_wait_b2(struct pail_proving *proving, double until_ms);
/* Waits for B2. */
pail_status pail_proving_finish_b2(struct pail_proving *proving);

#endif /* PAIL_PROVER_PROVING_H */
