/* Spans of a prover's jobs over time, out of the lines that `pail bench prove --trace` writes. */
#ifndef PAIL_TOOL_WATERFALL_WATERFALL_H
#define PAIL_TOOL_WATERFALL_WATERFALL_H

#include <stddef.h>
#include <stdint.h>

#include "error/error.h"
#include "prove/timeline.h"
#include <pail/prover.h>

/* ---- read.c --------------------------------------------------------------------------------- */
struct pail_waterfall {
    pail_prover_span *spans; /* [n], in the order of their begins */
    size_t n;
    size_t proofs; /* how many numbers there are */
    uint64_t begin_ns, end_ns;
};

/* Returns PAIL_OK; PAIL_ERR_IO; PAIL_ERR_DATA: the sentence has the line and what is wrong there;
 * or PAIL_ERR_HOST_MEMORY. To be freed in any case. */
pail_status pail_waterfall_read(struct pail_waterfall *waterfall, const char *path,
                                struct pail_error *error);
void pail_waterfall_free(struct pail_waterfall *waterfall);

/* ---- gaps.c --------------------------------------------------------------------------------- */
/* Why a device did nothing, the first that holds. */
enum pail_gap_cause {
    PAIL_GAP_UPLOAD = 0, /* a witness or a key was on its way */
    PAIL_GAP_BUDGET,     /* a proof waited for memory */
    PAIL_GAP_LOCK,       /* a proof was ready and had no slot */
    PAIL_GAP_WITNESS,    /* witnesses were read, or waited for that */
    PAIL_GAP_NO_WORK,    /* there was no proof to begin */
    PAIL_GAP_CAUSES
};

const char *pail_gap_name(enum pail_gap_cause cause);

struct pail_gap {
    uint64_t begin_ns, end_ns;
    enum pail_gap_cause cause;
};

struct pail_gaps {
    struct pail_gap *gaps; /* [n], in order; one where the cause changes ends there */
    size_t n;
    uint64_t busy_ns; /* that the device was not idle */
};

/* From the first begin to the last end. PAIL_OK or PAIL_ERR_HOST_MEMORY. To be freed in any case.
 */
pail_status pail_gaps_find(struct pail_gaps *gaps, const struct pail_waterfall *waterfall,
                           struct pail_error *error);
void pail_gaps_free(struct pail_gaps *gaps);

/* ---- lanes.c -------------------------------------------------------------------------------- */
enum { PAIL_WATERFALL_ROWS = 256, PAIL_WATERFALL_NAME = 32 };

/* Lanes, each of as many rows as it has spans at a time. */
struct pail_waterfall_lanes {
    struct pail_timeline timeline;
    struct pail_lane rows[PAIL_WATERFALL_ROWS];
    char row_names[PAIL_WATERFALL_ROWS][PAIL_WATERFALL_NAME];
    char (*span_names)[PAIL_WATERFALL_NAME];
    uint64_t *proofs; /* of the timeline's spans */
};

/* PAIL_OK or PAIL_ERR_HOST_MEMORY, or PAIL_ERR_UNSUPPORTED where more is done at a time than there
 * are rows. To be freed in any case. */
pail_status pail_waterfall_draw(struct pail_waterfall_lanes *lanes,
                                const struct pail_waterfall *waterfall, struct pail_error *error);
void pail_waterfall_lanes_free(struct pail_waterfall_lanes *lanes);

#endif /* PAIL_TOOL_WATERFALL_WATERFALL_H */
