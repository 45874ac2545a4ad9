/* Candidates of `pail tune`: every accumulator, field form and place of prefix products that a
 * backend tells apart. */
#ifndef PAIL_TOOL_TUNE_TUNE_CANDIDATES_H
#define PAIL_TOOL_TUNE_TUNE_CANDIDATES_H

#include "measure/rig.h"

enum { PAIL_TUNE_CANDIDATES_MAX = 128 };

struct pail_tune_candidate {
    struct pail_variant variant; /* with the accumulator and the field form named */
    bool built_in;               /* the backend's own choice where nothing is said or kept */
};

/* For n points of the group of the options with that number. What the options set is the same in
 * all of them, but for what an accumulator does not have. The built-in one comes first. A
 * combination that the backend refuses is one of them all the same: that it is refused is for a row
 * to say. Returns how many there are. The backend has an account of its memory. */
size_t pail_tune_candidates(struct pail_tune_candidate list[PAIL_TUNE_CANDIDATES_MAX],
                            const struct pail_rig *rig, size_t group, uint64_t n);

#endif /* PAIL_TOOL_TUNE_TUNE_CANDIDATES_H */
