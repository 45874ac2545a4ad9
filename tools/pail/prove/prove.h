/* SPDX-License-Identifier: Apache-2.0 */
/* `pail prove`: options, the choice of the backend, one proof, a batch, and reports. */
#ifndef PAIL_TOOL_PROVE_PROVE_H
#define PAIL_TOOL_PROVE_PROVE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include <pail/groth16.h>

#include <prover/cost.h>

#include "error/error.h"
#include "options/table.h"
#include "output/progress.h"
#include "process/session.h"
#include "timeline.h"
#include "witness/witness.h"

struct pail_prove_options {
    const char *key, *witness, *proof, *publics, *trace, *svg, *batch, *joined; /* paths */
    const char *circuit, *inputs; /* in place of a witness; NULL: there is one */
    struct pail_witness_limits limits;
    uint32_t cluster; /* pail_cluster_names; 0: none */
    struct pail_session_params session;
    uint32_t residency, validation, table_factor, b2;
    uint64_t repeat;
    bool check, no_check, fixed_blinding, stages, json;
};

/* Steps of the quotient, and pieces of five sections, of which each device has one of each at most.
 */
enum { PAIL_PROVE_PARTS_MAX = 4 + 5 * PAIL_SESSION_DEVICES_MAX };

/* Of a proof with points that are none, which a sound key cannot make. For the key's path. */
#define PAIL_PROVE_DAMAGED                                                                         \
    "%s: the key is damaged: a proof made with it is no point of the curve; --validation curve "   \
    "names the first bad point of the key"

struct pail_prove_choice;

struct pail_prove_outcome {
    const struct pail_prove_options *options;
    struct pail_prove_choice *choice;
    struct pail_session session;
    struct pail_timeline timeline;
    pail_groth16_key_info key;
    pail_groth16_proof proof;
    struct pail_calculated calculated;                    /* the witness of a circuit */
    uint8_t *publics;                                     /* [key.n_public * 32] */
    bool once;                                            /* the key was opened for one proof */
    pail_prover_device members[PAIL_SESSION_DEVICES_MAX]; /* of a key on several devices; */
    pail_groth16_spread spread;                           /* n_devices 0: it is on one */
    pail_groth16_part parts[PAIL_PROVE_PARTS_MAX];
    size_t n_parts;
    pail_groth16_timings best;      /* of the fastest proof */
    pail_groth16_timings pipelines; /* of the first proof, which made the pipelines */
    double begin_ms, open_ms, first_ms, mean_ms, max_ms, verify_ms,
        total_ms; /* verify_ms: of one proof */
};

/* Builds the pipelines of a proof with the open key, where the backend builds any, and shows how
 * many are left. Returns the time in ms. */
double pail_prove_warm(const struct pail_prove_outcome *outcome, struct pail_progress *progress);

/* "witness", "upload", "quotient", "A", ...; for people and for JSON. */
const char *pail_prove_stage_name(uint32_t stage);
/* The same of a time: without --stages the multiplications have one together. */
const char *pail_prove_time_name(const struct pail_prove_options *options, uint32_t stage);

void pail_prove_print(FILE *out, const struct pail_prove_outcome *outcome);
pail_status pail_prove_print_json(FILE *out, const struct pail_prove_outcome *outcome,
                                  struct pail_error *error);

/* ---- The choice of the backend --------------------------------------------------------------- */

struct pail_prove_choice {
    bool weighed; /* `choice` was made; otherwise somebody or something else decides */
    bool usual;   /* no option changes what is measured */
    bool noted;   /* measurements are kept: the job is known, and no option changes it */
    bool looked;  /* for a device that was not there */
    bool news;    /* the record is another one than the one that is kept */
    const char *dir;
    const struct pail_prove_options *options;
    uint64_t n; /* proofs */
    struct pail_cost_machine machine;
    struct pail_cost_record record;
    struct pail_cost_job job;
    struct pail_cost_choice choice;
    char reason[256];
};

/* Chooses the backend, before the session is opened.
 *
 * In:     n: proofs, at least 1.
 * In, out: params: of the session; backend is named where the CPU backend is taken. */
void pail_prove_choose(struct pail_prove_choice *choice, const struct pail_prove_options *options,
                       uint64_t n, struct pail_session_params *params);

/* Once the session is open: where no device is known to be there, it says so as one that looked. */
void pail_prove_begun(struct pail_prove_choice *choice, struct pail_session *session);

/* Times of the command, in ms: opening the session, closing it; opening the key; the first proof
 * and all of them, without verifying and writing them. */
struct pail_prove_times {
    double begin_ms, end_ms, open_ms, first_ms, all_ms;
};

/* The command did what it was asked for, and its session is still open. took_ms: to open the key
 * and to prove. */
void pail_prove_note_device(struct pail_prove_choice *choice, const struct pail_session *session,
                            double took_ms);
/* The session is closed. */
void pail_prove_note(struct pail_prove_choice *choice, const struct pail_prove_times *times);

/* "choice    cpu: ..."; {"backend", "reason", and where it was weighed "cpu_ms", "device_ms"}. */
void pail_prove_choice_print(FILE *out, const struct pail_prove_choice *choice,
                             const struct pail_session *session);
json_t *pail_prove_choice_object(const struct pail_prove_choice *choice,
                                 const struct pail_session *session);

/* Takes the first words, which may be in any order. Of a key and a witness that are not known by
 * their first bytes, the readers say what is wrong. */
pail_status pail_prove_take_files(struct pail_prove_options *options, const struct pail_call *call,
                                  size_t n, struct pail_error *error);

/* ---- A batch --------------------------------------------------------------------------------- */

/* The whole command, when it has --batch. */
void pail_prove_batch(struct pail_error *error, const struct pail_prove_options *options);

#endif /* PAIL_TOOL_PROVE_PROVE_H */
