/* Findings of `pail tune`, as a table and as lines. */
#ifndef PAIL_TOOL_TUNE_TUNE_REPORT_H
#define PAIL_TOOL_TUNE_TUNE_REPORT_H

#include "measure/measure.h"
#include "tune_search.h"

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

/* The last row of a group: what was found. state: "stored", "measured" or "none". */
void pail_tune_put_finding(struct pail_rig *rig, const struct pail_tune_finding *finding,
                           const pail_tuning *tuning, const char *state);

/* The row of a group of which nothing was measured now. state: "stored", "none" or "forgotten". */
void pail_tune_put_kept(struct pail_rig *rig, const pail_tuning *tuning, const char *state);

#endif /* PAIL_TOOL_TUNE_TUNE_REPORT_H */
