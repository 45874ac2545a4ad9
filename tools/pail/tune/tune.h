/* SPDX-License-Identifier: Apache-2.0 */
/* How measurements become choices: which candidate, which window, how the time is shared. The
 * search measures nothing itself. docs/decisions/0014-tuning.md has the reasons. */
#ifndef PAIL_TOOL_TUNE_TUNE_H
#define PAIL_TOOL_TUNE_TUNE_H

#include <stdbool.h>
#include <stdint.h>

#include <pail/backend.h>

#include "error/error.h"
#include "measure/measure.h"
#include "measure/rig.h"
#include "measure/statistics.h"
#include "options/number.h"

/* ---- Sizes ---------------------------------------------------------------------------------- */

/* Sorts them. Each must have a place of its own among the windows of pail_tuning. Returns PAIL_OK,
 * or PAIL_ERR_ARGUMENT with a sentence. */
pail_status pail_tune_order_sizes(struct pail_list *sizes, struct pail_error *error);

/* floor(log2(n)), n > 0: the place among the windows. */
uint32_t pail_tune_place(uint64_t n);

/* Until when the first of some groups may take, for all to have the same of what is left. end_ms 0:
 * there is no end, 0 is returned. now_ms and end_ms are of one clock; left > 0. */
double pail_tune_share(double now_ms, double end_ms, size_t left);

/* ---- Candidates ----------------------------------------------------------------------------- */
struct pail_tune_entry {
    const double *ms; /* [n]: the same index was measured in the same round */
    size_t n;         /* 0: not measured, or not right */
    bool built_in;    /* the backend's own choice; at most one */
};

/* The least median of those that are faster than the built-in one beyond the noise; the built-in
 * one where there are none; the least median where the built-in one was not measured. SIZE_MAX:
 * nothing was measured. */
size_t pail_tune_choose(const struct pail_tune_entry *entries, size_t n);

/* ---- Windows -------------------------------------------------------------------------------- */
enum { PAIL_TUNE_WINDOWS = 3 };

/* Results of windows measured in turn; window 0 is the model's choice. */
struct pail_tune_round {
    bool measured[PAIL_TUNE_WINDOWS]; /* with right results */
    double median[PAIL_TUNE_WINDOWS];
    enum pail_verdict verdict[PAIL_TUNE_WINDOWS]; /* against the first of the round */
};

/* n <= PAIL_TUNE_WINDOWS. Anything but PAIL_OK ends the search. */
typedef pail_status pail_tune_measure(void *user, struct pail_tune_round *round,
                                      const uint32_t *windows, size_t n);

struct pail_tune_window {
    bool measured;  /* the model's choice was */
    uint32_t model; /* bits that the model chooses */
    uint32_t bits;  /* bits to store: 0 for the model's */
    double model_ms, ms;
};

/* Climbs from the model's choice: to the faster of its neighbours, on in that direction as long as
 * each step is faster than the one before, and then once more against the model. Every step needs a
 * verdict beyond the noise; a window that was not measured is the end of the way. Returns what
 * `measure` returned; window->bits is 0 unless all of it went well. */
pail_status pail_tune_climb(struct pail_tune_window *window, uint32_t model,
                            pail_tune_measure *measure, void *user);

/* One group. */
struct pail_tune_finding {
    uint32_t curve, group;
    uint64_t n;                  /* of the comparison of accumulators */
    bool chosen;                 /* otherwise nothing below counts */
    bool built_in;               /* the choice is the backend's own as well */
    struct pail_variant variant; /* the choice */
    double ms, built_in_ms;      /* medians at n; the latter 0 where it was not measured */
    struct pail_tune_window windows[PAIL_LIST_MAX]; /* in the order of --sizes */
};

/* The purpose of a group's measurements. */
enum pail_tune_stage { PAIL_TUNE_ACCUMULATORS, PAIL_TUNE_WINDOW };

/* A case that was measured; built_in: of accumulators only. */
void pail_tune_put_candidate(struct pail_rig *rig, const struct pail_case *c, size_t index,
                             enum pail_tune_stage stage, bool best, bool built_in);

/* finding: in: curve, group and n; out: the choice. Results that are wrong and cases that fail are
 * told to the rig. Returns PAIL_OK whatever was found, or a status with a sentence. */
pail_status pail_tune_accumulators(struct pail_rig *rig, struct pail_tune_finding *finding,
                                   size_t group, struct pail_error *error);

/* finding: in: the choice; out: the windows of all sizes. A choice that is wrong or fails with
 * the model's window is none any more. Returns as above. */
pail_status pail_tune_windows(struct pail_rig *rig, struct pail_tune_finding *finding, size_t group,
                              struct pail_error *error);

#endif /* PAIL_TOOL_TUNE_TUNE_H */
