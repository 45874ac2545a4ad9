/* Independent pieces of work in several threads. */
#ifndef PAIL_PLATFORM_TEAM_H
#define PAIL_PLATFORM_TEAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Calls one(user, i) for each i below n, in at most `threads` threads (and at most 64), the
 * caller's among them, and returns when all are done. Threads that cannot be made are done without.
 */
void pail_team_run(uint32_t n, uint32_t threads, void (*one)(void *user, uint32_t i), void *user);

/* Numbers below n, taken by several threads until none is left. */
struct pail_team_loop {
    uint32_t n;
    atomic_uint next; /* the next number that nobody has taken */
    void (*one)(void *user, uint32_t i);
    void *user;
};

/* The part of one thread. loop: struct pail_team_loop. */
void pail_team_take(void *loop);

/* memcpy and pail_wipe, of large memory by several threads. */
void pail_team_copy(void *to, const void *from, size_t bytes, uint32_t threads);
void pail_team_wipe(void *memory, size_t bytes, uint32_t threads);

/* Processors that the thread of the call may run on; at least 1. */
uint32_t pail_team_processors(void);

#endif /* PAIL_PLATFORM_TEAM_H */
