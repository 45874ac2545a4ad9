/* SPDX-License-Identifier: Apache-2.0 */
/* The free numbers of a scenario by what was measured. */
#ifndef PAIL_TOOL_SIMULATE_FIT_H
#define PAIL_TOOL_SIMULATE_FIT_H

#include "model.h"

enum { PAIL_FIT_ROWS = 16 };

/* A row that somebody measured. 0: not known. */
struct pail_measured_row {
    struct pail_load load;
    double s_per_proof, slot_s, busy_percent;
};

struct pail_measured_rows {
    struct pail_measured_row rows[PAIL_FIT_ROWS];
    size_t n;
};

/* Reads lines of five numbers: proofs, jobs, seconds a proof, slot seconds a proof, busy percent.
 */
pail_status pail_measured_read(struct pail_measured_rows *rows, const char *path,
                               struct pail_error *error);

/* Sets the four free numbers so that the rows come out; the seconds a proof count four times as
 * much as the rest. *left: the root of the mean of the squares of what is left, relative. Takes
 * `tries` simulations of each row; the same rows give the same numbers. */
pail_status pail_fit(struct pail_scenario *scenario, double *left,
                     const struct pail_measured_rows *rows, uint32_t tries,
                     struct pail_error *error);

#endif /* PAIL_TOOL_SIMULATE_FIT_H */
