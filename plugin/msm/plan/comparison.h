/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulators compared by the first uses of a device: which one the next multiplication of a group
 * and a size class takes, and which one it stays with. Pure: times come from outside. */
#ifndef PAIL_MSM_COMPARISON_H
#define PAIL_MSM_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

/* Milliseconds that candidates may take in all, on one device. */
#define PAIL_COMPARISON_MS 300u
/* Fewer points are not measured: a size class is floor(log2(n)). */
#define PAIL_COMPARISON_LOG2_MIN 12u
#define PAIL_COMPARISON_LOG2_END 32u
#define PAIL_COMPARISON_CLASSES  (PAIL_COMPARISON_LOG2_END - PAIL_COMPARISON_LOG2_MIN)
/* Candidates: accumulators 1 ... CANDIDATES of pail_accumulator. Sets of them have bit a - 1. */
#define PAIL_COMPARISON_CANDIDATES       3u
#define PAIL_COMPARISON_BIT(accumulator) (1u << ((accumulator)-1))

struct pail_candidate {
    uint32_t uses;
    bool out, closed; /* out: it has lost; closed: there is no time for another use */
    double ms;        /* least time of a use, for the comparison's number of additions */
};

/* State of one size class. All zero: nothing was measured. */
struct pail_comparison {
    uint32_t chosen;    /* pail_accumulator; 0: not settled */
    uint32_t shape;     /* hash of what makes uses comparable */
    uint32_t strangers; /* uses of another shape in a row */
    double adds;        /* additions that times are scaled to */
    struct pail_candidate candidates[PAIL_COMPARISON_CANDIDATES]; /* [accumulator - 1] */
};

struct pail_comparison_terms {
    uint32_t usual;                            /* the accumulator of the policy */
    uint32_t candidates;                       /* set of those to compare with it */
    bool ready;                                /* their pipelines are there */
    double left_ms;                            /* time that candidates may still take */
    uint32_t most[PAIL_COMPARISON_CANDIDATES]; /* times as long as the usual one, at most: assumed
                                                  of one that was not measured */
};

/* The accumulator of the next use, with this shape. Out: *measured: its time is to be noted. */
uint32_t pail_comparison_next(struct pail_comparison *c, const struct pail_comparison_terms *terms,
                              uint32_t shape, bool *measured);

/* Notes the time of a measured use. terms->left_ms: after it. */
void pail_comparison_note(struct pail_comparison *c, const struct pail_comparison_terms *terms,
                          uint32_t accumulator, double ms, double adds);

#endif /* PAIL_MSM_COMPARISON_H */
