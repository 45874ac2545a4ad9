/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler over virtual time: how long a number of proofs takes on a machine that may not
 * exist. */
#ifndef PAIL_TOOL_SIMULATE_MODEL_H
#define PAIL_TOOL_SIMULATE_MODEL_H

#include <stdint.h>

#include "scenario.h"

struct pail_load {
    uint32_t count;    /* proofs */
    uint32_t jobs;     /* of them that are under way at a time */
    uint32_t inflight; /* 0: the scenario's */
    uint64_t seed;     /* of the spread; not 0 */
};

struct pail_simulated {
    double wall_s, s_per_proof;
    double slot_s;         /* of a proof: sum over its parts of the time that they had a slot */
    double busy_percent;   /* of the wall: some slot was taken */
    double device_percent; /* devices worked */
    double producing_s;    /* of a part */
    double in_slots;       /* parts in slots, over time */
    double by_little;      /* the same by Little's law: rate times time in a slot */
    double idle_gaps, longest_gap_s;
    double peak_card_gib, peak_host_gib;
    uint32_t out_of_memory; /* times that a device or the host lacked the memory for a unit */
    uint32_t failed;        /* units */
};

/* Runs it. Returns PAIL_OK, PAIL_ERR_HOST_MEMORY or PAIL_ERR_ARGUMENT (more cards, or units, than
 * there may be). */
pail_status pail_simulate(struct pail_simulated *simulated, const struct pail_scenario *scenario,
                          const struct pail_load *load, struct pail_error *error);

#endif /* PAIL_TOOL_SIMULATE_MODEL_H */
