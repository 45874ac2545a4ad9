/* SPDX-License-Identifier: Apache-2.0 */
/* Work that was started, of either kind: what pending_poll and its kin need to know. */
#ifndef PAIL_CPU_PENDING_H
#define PAIL_CPU_PENDING_H

#include <core/error.h>
#include <pail/backend.h>

#include "pool.h"

/* The first member of what is started. */
struct pail_pending {
    struct pail_cpu_work work; /* first, so that tasks find the rest */
    pail_context *context;
    size_t n_jobs;                          /* multiplications; 0: operations on vectors */
    void (*destroy)(pail_pending *pending); /* nothing of it may run any more */
};

/* Behind the front. */
pail_status pail_cpu_pending_wait(pail_pending *pending, uint64_t timeout_ns,
                                  struct pail_error *err);
size_t pail_cpu_pending_jobs(const pail_pending *pending);
void pail_cpu_pending_drop(pail_pending *pending);

#endif /* PAIL_CPU_PENDING_H */
