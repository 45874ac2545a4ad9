/* Options of `pail prove`, and the outcome. */
#ifndef PAIL_TOOL_PROVE_PROVE_H
#define PAIL_TOOL_PROVE_PROVE_H

#include <stdbool.h>
#include <stdio.h>

#include <pail/groth16.h>

#include "process/session.h"
#include "timeline.h"

enum pail_prove_lane {
    PAIL_LANE_FILE,
    PAIL_LANE_HOST, /* work of this thread */
    PAIL_LANE_UPLOAD,
    PAIL_LANE_DEVICE,   /* by the device's timestamps */
    PAIL_LANE_CPU_POOL, /* work of the CPU backend */
    PAIL_LANES
};

struct pail_prove_options {
    const char *key, *witness, *proof, *publics, *trace, *svg, *batch; /* paths */
    uint32_t cluster; /* pail_cluster_names; 0: none */
    struct pail_session_params session;
    uint32_t residency, validation, table_factor, b2;
    uint64_t repeat;
    bool check, no_check, fixed_blinding, stages, json, verbose;
};

/* Steps of the quotient, and pieces of five sections, of which each device has one of each at most.
 */
enum { PAIL_PROVE_PARTS_MAX = 4 + 5 * PAIL_SESSION_DEVICES_MAX };

struct pail_prove_choice;

struct pail_prove_outcome {
    const struct pail_prove_options *options;
    struct pail_prove_choice *choice;
    struct pail_session session;
    struct pail_timeline timeline;
    pail_groth16_key_info key;
    pail_groth16_proof proof;
    uint8_t *publics;                                     /* [key.n_public * 32] */
    bool once;                                            /* the key was opened for one proof */
    pail_prover_device members[PAIL_SESSION_DEVICES_MAX]; /* of a key on several devices; */
    pail_groth16_spread spread;                           /* n_devices 0: it is on one */
    pail_groth16_part parts[PAIL_PROVE_PARTS_MAX];
    size_t n_parts;
    pail_groth16_timings best; /* of the fastest proof */
    double begin_ms, open_ms, first_ms, mean_ms, max_ms, verify_ms,
        total_ms; /* verify_ms: of one proof */
};

/* "witness", "upload", "quotient", "A", ...; for people and for JSON. */
const char *pail_prove_stage_name(uint32_t stage);
/* The same of a time: without --stages the multiplications have one together. */
const char *pail_prove_time_name(const struct pail_prove_options *options, uint32_t stage);

void pail_prove_print(FILE *out, const struct pail_prove_outcome *outcome);
pail_status pail_prove_print_json(FILE *out, const struct pail_prove_outcome *outcome,
                                  struct pail_error *error);

#endif /* PAIL_TOOL_PROVE_PROVE_H */
