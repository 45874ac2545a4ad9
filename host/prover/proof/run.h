/* SPDX-License-Identifier: Apache-2.0 */
/* The executor: runs one lane of a proof's graph on its device. It starts all that may start, waits
 * only if data goes through the host or memory is to be freed first, and frees objects after their
 * last node, whatever comes of it. */
#ifndef PAIL_PROOF_RUN_H
#define PAIL_PROOF_RUN_H

#include "assemble.h"
#include "exchange.h"
#include <prover/key/assignment.h>
#include <prover/key/key.h>
#include <prover/key/witness.h>

struct pail_lane_run {
    /* Set by the caller; they outlast the run. */
    const struct pail_proof_lane *lane;
    const pail_groth16_key *key;
    pail_groth16_key *taken; /* the same key, if it is for this proof alone; else NULL */
    struct pail_witness *witness;
    struct pail_assigned *assigned;      /* instead of the witness; NULL: there is none */
    struct pail_exchange *exchange;      /* of several lanes; NULL: there is one */
    uint32_t device;                     /* index among several, for errors */
    const pail_groth16_options *options; /* cancel and stage; NULL: none */
    void (*give_way)(void *user);        /* optional: called before each step on the device */
    void *give_way_user;
    bool one_ahead; /* then a step may begin beside one that is not done: a queue is never empty */
    pail_msm_config config;
    pail_msm_result *results; /* out: [PAIL_PROOF_RESULTS]; secret. ASSEMBLE: in, of all n_lanes */
    /* WITNESS: what the caller has; ASSEMBLE: the proof, and what hides the witness. */
    const pail_groth16_witness *given;
    const pail_groth16_assignment *given_assignment; /* instead */
    const struct pail_blinding *blinding;
    pail_groth16_proof *proof;
    uint32_t n_lanes;
    char *error; /* buffer for errors of the present call */
    size_t error_cap;

    /* Zeroed by the caller. */
    pail_vector *vectors[PAIL_OBJECT_VECTORS];
    pail_pending *pending[PAIL_LANE_NODES_MAX];          /* work under way, by node */
    uint32_t stage;                                      /* the latest that was told of */
    double begun_ms, done_ms[PAIL_GROTH16_STAGES_COUNT]; /* ends of stages; 0: no end yet */
    double device_ms[PAIL_GROTH16_STAGES_COUNT];         /* times by the device's clock */
    double start_ms[PAIL_LANE_NODES_MAX];                /* of the call that started the node */
    double pipelines_ms[PAIL_GROTH16_STAGES_COUNT];      /* in these calls, of making pipelines */
    double pool_ms;                                      /* time of the processors' part */
    uint64_t scratch_bytes;                              /* allocated for work that has ended */
    uint64_t multiplied_bytes; /* of points that were registered for their multiplication */
    uint64_t first, n_points;  /* range of points of the multiplication that is started; 0: all */
};

/* Starts all nodes. On failure the run is to be reset. Returns PAIL_OK, a backend's status with a
 * sentence, or PAIL_ERR_STOPPED: cancelled, or another lane has failed. */
pail_status pail_lane_start(struct pail_lane_run *run);

/* Waits for the work under way, as pending_wait of the boundary. */
pail_status pail_lane_wait(const struct pail_lane_run *run, uint64_t timeout_ns);

/* Ends all nodes. Returns as pail_lane_start. */
pail_status pail_lane_finish(struct pail_lane_run *run);

/* Ends work under way, and frees the lane's vectors. Legal in any state. */
void pail_lane_reset(struct pail_lane_run *run);

/* The facts of a key that lanes of its proofs are made from. */
struct pail_proof_facts pail_proof_facts_of(const pail_groth16_key *key);
/* Makes the only lane of a proof with a key on one device. */
void pail_proof_lane_of(struct pail_proof_lane *lane, const pail_groth16_key *key, bool staged,
                        bool apart);

/* PAIL_OK, or PAIL_ERR_STOPPED with a sentence once the proof is cancelled. options: optional. */
pail_status pail_proof_look(const pail_groth16_options *options, char *error, size_t error_cap);

#endif /* PAIL_PROOF_RUN_H */
