/* A machine, a way of proving on it, and what slows down what: what a simulation is made of. The
 * proof is a graph (prover/proof/graph.h): a scenario's own, or that of a key. */
#ifndef PAIL_TOOL_SIMULATE_SCENARIO_H
#define PAIL_TOOL_SIMULATE_SCENARIO_H

#include "error/error.h"
#include <prover/proof/graph.h>
#include <prover/schedule/schedule.h>

/* Times are in seconds, alone on the machine; memory is in GiB. */
struct pail_scenario {
    /* The machine. */
    double threads, cards, card_gib, host_gib;
    /* The way. Switches are 0 or 1. */
    double parts; /* units of a proof */
    double inflight, producers, finishers;
    double ledger;    /* reservations are waited for; 0: memory is taken and may not be there */
    double hold_slot; /* a slot is taken until the unit is finished */
    double any_order;
    double prepare_in_slot; /* points and scalars are prepared under the device's lock; 0: by the
                               producers */
    double stage_first; /* staged memory is taken before the lock of the device's work, where there
                           is room by then */
    double reclaimers;  /* 1: one thread frees; 0: one for each unit */
    double throttle;    /* sparse products yield to multiplications of the host */
    double together;    /* all cards compute a part of each unit; 0: a card computes all of it */
    /* Stages of a unit. A key has its own in their place, but for crowded, g2_threads, release. */
    double witness, sparse, sparse_crowded; /* crowded: as many at a time as there are producers */
    double staging;                         /* of what is staged first */
    double prepare, transforms, multiply;   /* preparing covers the transforms in a slot */
    double g2, g2_threads;
    double release;
    double host_unit_gib, staged_gib, working_gib; /* working: beside what is staged */
    /* The free numbers. */
    double slot_per_producer; /* slowdown of the host's part of a slot by each producer */
    double producer_per_g2;   /* slowdown of producers by a G2 multiplication on all threads */
    double stall_per_release; /* slowdown of everything on the host by each thread that frees */
    double spread;            /* witnesses take up to this part more or less */
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

/* Reads `name value` lines; `#` begins a comment. Every name above but `together` has to occur
 * once. Fails with the file, the line and the word. */
pail_status pail_scenario_read(struct pail_scenario *scenario, const char *path,
                               struct pail_error *err);

/* True if the file begins as a .zkey does. */
bool pail_scenario_is_key(const char *path);

/* Makes a scenario of a .zkey: one H200 with 16 processors, with usual rates. rates: optional: a
 * file that changes any of the numbers above, and with lines `rate KIND FIXED_MS UNIT_NS` rates. */
pail_status pail_scenario_read_key(struct pail_scenario *scenario, const char *path,
                                   const char *rates, struct pail_error *err);

/* The number of that name; NULL: there is none. */
double *pail_scenario_number(struct pail_scenario *scenario, const char *name);

void pail_scenario_graph(struct pail_scenario_graph *graph, const struct pail_scenario *scenario);

#endif /* PAIL_TOOL_SIMULATE_SCENARIO_H */
