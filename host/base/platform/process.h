/* Identity of the process: a child of fork has the memory of its parent, but none of its
 * threads. */
#ifndef PAIL_PLATFORM_PROCESS_H
#define PAIL_PLATFORM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* A number that is another one in a child of fork than in its parent; never 0. Costs a load. */
uint64_t pail_process(void);

/* True if this is the process that asked first. Each shared object asks for itself, so that one
 * that was loaded but not used before a fork can be used after it. In another process the parent's
 * objects are there, but not the threads, locks and devices behind them: nothing may be done with
 * them then, logging included. */
bool pail_process_is_first(void);

/* The sentence for callers in a child of fork. */
#define PAIL_PROCESS_FORKED                                                                        \
    "this process is a fork of the one that used Pail first: it may call exec or exit and "        \
    "nothing "                                                                                     \
    "of Pail"

#endif /* PAIL_PLATFORM_PROCESS_H */
