/* How measurements become choices: which candidate, which window, how the time is shared. Nothing
 * here measures. docs/decisions/0014-tuning.md has the reasons. */
#ifndef PAIL_TOOL_TUNE_TUNE_SEARCH_H
#define PAIL_TOOL_TUNE_TUNE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include <pail/backend.h>

#include "error/error.h"
#include "measure/statistics.h"
#include "options/lists.h"

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

#endif /* PAIL_TOOL_TUNE_TUNE_SEARCH_H */
