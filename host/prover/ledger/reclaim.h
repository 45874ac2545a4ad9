/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that gives memory back, in the order in which it came and little at a time.
 *
 * Unmapping a large region interrupts every thread of the process on every processor. Threads that
 * do so by themselves pile up, and each holds its memory meanwhile; so there is one, with a bound
 * on the waiting memory. Beyond the bound the caller frees by itself, which is counted. */
#ifndef PAIL_LEDGER_RECLAIM_H
#define PAIL_LEDGER_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pail/status.h>

struct pail_reclaimer_params {
    uint64_t max_bytes;   /* most bytes that wait, with those being freed */
    size_t max_entries;   /* at least 1 */
    uint64_t slice_bytes; /* slice of a mapping that is given back at a time; 0: 64 MiB */
    bool off; /* every caller frees by itself: the switch to measure the thread's benefit */
};

/* Memory to free. */
struct pail_reclaim {
    void *memory;
    uint64_t bytes;
    bool mapped; /* memory and bytes are whole pages of a private mapping: given back in slices
                    before release */
    void (*release)(void *user, void *memory, uint64_t bytes);
    /* optional: called after release, when the memory is really free: the end of a reservation */
    void (*released)(void *user);
    void *user;
};

struct pail_reclaimer_stats {
    uint64_t queued_bytes, peak_bytes; /* with the memory that is being freed */
    size_t queued_entries, peak_entries;
    uint64_t frees, inline_frees; /* frees: by the thread */
    uint64_t slices;
    uint64_t busy_ns; /* time that the thread worked */
};

struct pail_reclaimer;

/* Returns PAIL_OK or PAIL_ERR_HOST_MEMORY, also for a thread that cannot be started. */
pail_status pail_reclaimer_create(struct pail_reclaimer **reclaimer,
                                  const struct pail_reclaimer_params *params);

/* Frees the waiting memory, then ends the thread. */
void pail_reclaimer_destroy(struct pail_reclaimer **reclaimer);

/* Hands the memory over; or frees it here, when there is no room. Takes no memory. Any thread. */
void pail_reclaim(struct pail_reclaimer *reclaimer, const struct pail_reclaim *what);

/* Waits timeout_ns at most until all memory that was handed over is free; returns whether it is. */
bool pail_reclaimer_drain(struct pail_reclaimer *reclaimer, uint64_t timeout_ns);

void pail_reclaimer_get_stats(struct pail_reclaimer *reclaimer, struct pail_reclaimer_stats *stats);

#endif /* PAIL_LEDGER_RECLAIM_H */
