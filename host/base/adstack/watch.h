/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that a caller sets an evaluation: cells, time, and cancellation. */
#ifndef PAIL_ADSTACK_WATCH_H
#define PAIL_ADSTACK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <core/error.h>

struct pail_ad_program;

enum pail_ad_stop { PAIL_AD_GOES_ON, PAIL_AD_STOP_CELLS, PAIL_AD_STOP_TIME, PAIL_AD_STOP_CANCEL };

struct pail_ad_watch {
    uint64_t max_cells;     /* 0: any number */
    uint32_t max_ms;        /* 0: any time */
    const uint32_t *cancel; /* optional; not 0: the evaluation is to end */
    double began;           /* in the units of pail_now_ms */
    uint64_t cells;         /* so far: cells, and turns of loops in them */
    uint64_t work;          /* until the clock is looked at again: operations on cells */
    enum pail_ad_stop stop; /* once it has to end; nothing goes on after that */
};

void pail_ad_watch_begin(struct pail_ad_watch *watch, uint64_t max_cells, uint32_t max_ms,
                         const uint32_t *cancel);

/* Work between two looks at the clock and the flag: about a tenth of a millisecond. */
#define PAIL_AD_WATCH_WORK (UINT64_C(1) << 16)

/* Looks at the flag and the clock. */
bool pail_ad_watch_look(struct pail_ad_watch *watch);

/* Nanoseconds that may be waited before the flag and the clock are looked at again; UINT64_MAX: any
 * time. watch: may be NULL. */
uint64_t pail_ad_watch_patience(const struct pail_ad_watch *watch);

/* Counts cells that are looked at, with so many operations each. false: no more of them, whatever
 * is left is not to be computed. watch: NULL without limits. */
static inline bool pail_ad_watch_spend(struct pail_ad_watch *watch, uint64_t cells, uint64_t each)
{
    if (!watch)
        return true;
    watch->cells += cells;
    if (watch->max_cells && watch->cells > watch->max_cells && !watch->stop)
        watch->stop = PAIL_AD_STOP_CELLS;
    watch->work += cells * each;
    if (watch->work >= PAIL_AD_WATCH_WORK) {
        watch->work = 0;
        return pail_ad_watch_look(watch);
    }
    return !watch->stop;
}

/* True if so many more cells are within the limit. */
static inline bool pail_ad_watch_allows(const struct pail_ad_watch *watch, uint64_t cells)
{
    return !watch || !watch->max_cells ||
           (watch->cells <= watch->max_cells && cells <= watch->max_cells - watch->cells);
}

/* The failure, PAIL_ERR_STOPPED, of a watch that has stopped, or whose limit `cells` more are
 * beyond (UINT64_MAX or more: as many as 2^64). site: of the tree, in the program. */
pail_status pail_ad_watch_fail(const struct pail_ad_watch *watch,
                               const struct pail_ad_program *program, uint32_t site, uint64_t cells,
                               struct pail_error *err);

#endif /* PAIL_ADSTACK_WATCH_H */
