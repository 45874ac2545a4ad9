/* Independent pieces of work in several threads. */
#ifndef PAIL_PLUGIN_PARALLEL_H
#define PAIL_PLUGIN_PARALLEL_H

#include "alloc.h"

/* Calls one(user, i) for each i below n, in at most `threads` threads, the caller's among them, and
 * returns when all are done. Threads that cannot be made are done without. */
void pail_parallel(const struct pail_alloc *alloc, uint32_t n, uint32_t threads,
                   void (*one)(void *user, uint32_t i), void *user);

#endif /* PAIL_PLUGIN_PARALLEL_H */
