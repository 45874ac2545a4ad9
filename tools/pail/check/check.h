/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of `pail check`, and their buckets. */
#ifndef PAIL_TOOL_CHECK_CHECK_H
#define PAIL_TOOL_CHECK_CHECK_H

#include "error/error.h"
#include "measure/rig.h"

/* Choices that need the backend's own plan. */
struct pail_check_choice {
    uint64_t batches_of;     /* 1 + this modulo the windows is the count of batches; 0: leave it */
    uint64_t budget_percent; /* of the memory of that plan; 0: no budget */
};

/* A pure function of options->seed, the number of the case, and what the options fix. */
void pail_check_choose(struct pail_setup *setup, struct pail_check_choice *choice,
                       const struct pail_instrument_options *options, uint64_t index);

/* Cases whose pipelines are built at a time: a multiplication builds its own in parallel as well,
 * so that few processors gain nothing from more. */
uint64_t pail_check_cases_at_once(const struct pail_rig *rig);

/* Builds the pipelines of cases, each with every accumulator of the list; 0: the case's own. */
void pail_check_warm(struct pail_rig *rig, uint64_t first, uint64_t cases,
                     const uint32_t *accumulators, size_t n);

/* Puts what was left open into the subject's knobs, by the backend's own plan. */
pail_status pail_check_settle(struct pail_subject *subject, const struct pail_check_choice *choice,
                              struct pail_error *error);

/* The command that runs these cases of the same run again. Returns text. */
const char *pail_check_again(char *text, size_t cap, const struct pail_instrument_options *options,
                             uint64_t first, uint64_t cases);

/* Probes the cases that the options choose, with every accumulator or the one that they name. What
 * differs is printed, and makes the exit status that of a check that failed. Returns a status with
 * a sentence where nothing can be probed. */
pail_status pail_check_buckets(struct pail_rig *rig, struct pail_error *error);

#endif /* PAIL_TOOL_CHECK_CHECK_H */
