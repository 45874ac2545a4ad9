/* SPDX-License-Identifier: Apache-2.0 */
/* A machine, a way of proving on it, and what slows down what: what a simulation is made of. The
 * proof is a graph (prover/proof/graph.h): a scenario's own, or that of a key. */
#ifndef PAIL_TOOL_SIMULATE_SCENARIO_H
#define PAIL_TOOL_SIMULATE_SCENARIO_H

#include "error/error.h"
#include <prover/proof/graph.h>
#include <prover/schedule/schedule.h>

struct pail_scenario {
#define NUMBER(name, least, usual) double name;
#define RATE(name, work, member)
#include "scenario_rows.h"
#undef NUMBER
#undef RATE
    /* Set with a key: the facts of its proofs, and rates of the machine. */
    bool has_key;
    struct pail_proof_facts facts;
    struct pail_place_job job;
    struct pail_rates rates;
};

/* The graph of a unit: a lane for each stage in which it computes. */
struct pail_scenario_graph {
    struct pail_proof_lane lanes[PAIL_STAGES];
    struct pail_rates rates;
    double finite[PAIL_ZKEY_MSMS];
    uint64_t host_bytes;                 /* of the witness and what is made of it */
    uint64_t staged_bytes, device_bytes; /* device: the peak, with what is staged */
    uint32_t cards;                      /* that have slots: all together are one */
    double together_s;                   /* of the device stage on all cards; 0: on one */
};

/* Reads `name value` lines; `#` begins a comment. Every name of scenario_rows.h but `together`
 * has to occur once. Fails with the file, the line and the word. */
pail_status pail_scenario_read(struct pail_scenario *scenario, const char *path,
                               struct pail_error *err);

/* True if the file begins as a .zkey does. */
bool pail_scenario_is_key(const char *path);

/* Makes a scenario of a .zkey: one H200 with 16 processors, with usual rates. rates: optional: a
 * file that changes any of its numbers. */
pail_status pail_scenario_read_key(struct pail_scenario *scenario, const char *path,
                                   const char *rates, struct pail_error *err);

/* The number of that name; NULL: there is none. */
double *pail_scenario_number(struct pail_scenario *scenario, const char *name);

void pail_scenario_graph(struct pail_scenario_graph *graph, const struct pail_scenario *scenario);

#endif /* PAIL_TOOL_SIMULATE_SCENARIO_H */
