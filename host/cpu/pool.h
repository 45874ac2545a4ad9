/* SPDX-License-Identifier: Apache-2.0 */
/* A fixed set of threads that works through queued work, each a number of independent tasks. */
#ifndef PAIL_CPU_POOL_H
#define PAIL_CPU_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

/* An object that work reads or writes, by its address. Work that was submitted later waits until it
 * has ended, where one of the two writes. */
struct pail_cpu_use {
    const void *object;
    bool writes;
};

/* Embedded in what the tasks work on; the owner fills the first part and keeps it until the work is
 * finished. At most max_running tasks run at a time, each with a slot below max_running that no
 * other running task has. */
struct pail_cpu_work {
    void (*run)(struct pail_cpu_work *work, size_t task, size_t slot);
    /* optional: after the last task, in the thread that ran it: the number of tasks that come next,
     * from 0 on; 0: none. */
    size_t (*more)(struct pail_cpu_work *work);
    /* optional: after the last task of all, in the thread that ran it, before waiters see the end.
     * Not called for cancelled work. */
    void (*done)(struct pail_cpu_work *work);
    /* optional: in place of `done` for work that was cancelled after its first task had begun. */
    void (*dropped)(struct pail_cpu_work *work);
    size_t n_tasks; /* at least 1 */
    size_t max_running;
    size_t *slots; /* [max_running] */
    const struct pail_cpu_use *uses;
    size_t n_uses;

    /* The pool's own. */
    size_t next, running;
    size_t waits_for; /* earlier work that has to end first */
    bool begun, ending, cancelled, finished;
    struct pail_cpu_work *link;
};

struct pail_cpu_pool;

/* Returns 0, ENOMEM, or what a pthread function failed with. */
int pail_cpu_pool_create(struct pail_cpu_pool **pool, const struct pail_alloc *memory,
                         size_t threads);

/* All work has to be finished. */
void pail_cpu_pool_destroy(struct pail_cpu_pool *pool, const struct pail_alloc *memory);

size_t pail_cpu_pool_threads(const struct pail_cpu_pool *pool);
void pail_cpu_pool_submit(struct pail_cpu_pool *pool, struct pail_cpu_work *work);

/* Waits until the work is finished, at most timeout_ns (UINT64_MAX: for ever); whether it is. */
bool pail_cpu_pool_wait(struct pail_cpu_pool *pool, const struct pail_cpu_work *work,
                        uint64_t timeout_ns);

/* Drops the tasks that have not begun and waits for those that have. */
void pail_cpu_pool_cancel(struct pail_cpu_pool *pool, struct pail_cpu_work *work);

#endif /* PAIL_CPU_POOL_H */
