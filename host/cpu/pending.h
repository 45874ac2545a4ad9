/* Work that was started, of either kind: what pending_poll and its kin need to know. */
#ifndef PAIL_CPU_PENDING_H
#define PAIL_CPU_PENDING_H

#include <pail/backend.h>

#include "pool.h"

/* The first member of what is started. */
struct pail_pending {
    struct pail_cpu_work work; /* first, so that tasks find the rest */
    pail_context *context;
    const char *started_by;                 /* the slot's name */
    void (*destroy)(pail_pending *pending); /* nothing of it may run any more */
};

/* Takes what the caller handed in for the slot's finish function, and waits for its end.
 * PAIL_ERR_ARGUMENT, and whatever it is is destroyed, if it is of another slot; the caller may not
 * touch *pending then. */
pail_status pail_cpu_pending_take(pail_pending **pending, pail_pending **handle,
                                  const char *started_by);

/* Entries of the table. */
pail_status pail_cpu_pending_poll(pail_pending *pending);
pail_status pail_cpu_pending_wait(pail_pending *pending, uint64_t timeout_ns);
void pail_cpu_pending_abandon(pail_pending **pending);

#endif /* PAIL_CPU_PENDING_H */
