/* A machine, a way of proving on it, and what slows down what: what a simulation is made of. */
#ifndef PAIL_TOOL_SIMULATE_SCENARIO_H
#define PAIL_TOOL_SIMULATE_SCENARIO_H

#include "error/error.h"

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
    /* Stages of a unit. */
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
};

/* Reads `name value` lines; `#` begins a comment. Every name above has to occur once. Fails with
 * the file, the line and the word. */
pail_status pail_scenario_read(struct pail_scenario *scenario, const char *path,
                               struct pail_error *error);

/* The number of that name; NULL: there is none. */
double *pail_scenario_number(struct pail_scenario *scenario, const char *name);

#endif /* PAIL_TOOL_SIMULATE_SCENARIO_H */
