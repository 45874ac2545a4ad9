/* Independent pieces of work in several threads. */
#ifndef PAIL_PLATFORM_TEAM_H
#define PAIL_PLATFORM_TEAM_H

#include <stdint.h>

/* Calls one(user, i) for each i below n, in at most `threads` threads (and at most 64), the
 * caller's among them, and returns when all are done. Threads that cannot be made are done without.
 */
void pail_team_run(uint32_t n, uint32_t threads, void (*one)(void *user, uint32_t i), void *user);

/* Processors that the thread of the call may run on; at least 1. */
uint32_t pail_team_processors(void);

#endif /* PAIL_PLATFORM_TEAM_H */
