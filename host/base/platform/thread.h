/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that live inside somebody else's process, and work that several of them share. */
#ifndef PAIL_PLATFORM_THREAD_H
#define PAIL_PLATFORM_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stack of a thread, by what runs on it. The limit of the process (`ulimit -s`) does not matter. */
enum pail_thread_stack {
    PAIL_STACK_OWN,     /* 64 KiB: nothing but code of Pail */
    PAIL_STACK_FOREIGN, /* 8 MiB: drivers, compilers, callbacks of the host */
};

/* Starts a joinable thread that runs main(argument). The signals of the host do not arrive in it:
 * all are blocked but those that the thread causes itself (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
 * SIGTRAP, SIGSYS, SIGABRT). name: at most 15 bytes, for debuggers and `ps -L`; "pail-..." in all
 * of Pail, and another one for each kind. Returns 0, or an error number as pthread_create does;
 * *thread is set only on success. */
int pail_thread_start(pthread_t *thread, const char *name, enum pail_thread_stack stack,
                      void *(*main)(void *), void *argument);

/* Has the calling thread give way to others that want the processor, from now on. */
void pail_thread_lower(void);

/* Offers the processor to other threads. */
void pail_thread_yield(void);

/* ---- Independent pieces of work in several threads ------------------------------------------- */

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

/* memcpy and pail_wipe, of large memory by several threads. */
void pail_team_copy(void *to, const void *from, size_t bytes, uint32_t threads);
void pail_team_wipe(void *memory, size_t bytes, uint32_t threads);

/* Processors that the thread of the call may run on; at least 1. */
uint32_t pail_team_processors(void);

/* Threads that help the one that calls: made when they are first needed. In between they look for
 * more for half a millisecond, then they sleep. */

enum { PAIL_HELPERS_MAX = 63 };

struct pail_helpers {
    const char *name; /* name of the threads, as in pail_thread_start */
    uint32_t wanted;
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    pthread_t threads[PAIL_HELPERS_MAX];
    uint32_t n; /* made so far */
    bool tried; /* threads were to be made */
    atomic_bool leave;
    void (*work)(void *user); /* NULL: nobody wants help */
    bool open;                /* more helpers may begin it */
    void *user;
    /* Changed with the lock held, as `leave` is. */
    atomic_uint_fast64_t number; /* number of the work: each helper does it once */
    atomic_uint busy;            /* helpers in it */
};

/* wanted: threads besides the caller's, at most PAIL_HELPERS_MAX of which count. Makes none yet.
 * name lives as long. */
void pail_helpers_init(struct pail_helpers *helpers, uint32_t wanted, const char *name);

/* No help may be under way. */
void pail_helpers_destroy(struct pail_helpers *helpers);

/* Has each helper call work(user) once, and does not wait for them. Returns false, and nobody
 * helps, where there are none or they help somebody else. After true, call pail_helpers_end. */
bool pail_helpers_begin(struct pail_helpers *helpers, void (*work)(void *user), void *user);

/* Returns when no helper is in `work` any more; who has not begun it will not. */
void pail_helpers_end(struct pail_helpers *helpers);

/* Calls one(user, i) for each i below n, in the caller's thread and those of the helpers, and
 * returns when all are done. Returns false, and nothing is called, where there are no helpers or
 * they help somebody else. */
bool pail_helpers_try(struct pail_helpers *helpers, uint32_t n, void (*one)(void *user, uint32_t i),
                      void *user);

/* Same as pail_helpers_try; where that returns false, makes threads, at most as many as there are
 * helpers. */
void pail_helpers_run(struct pail_helpers *helpers, uint32_t n, void (*one)(void *user, uint32_t i),
                      void *user);

#endif /* PAIL_PLATFORM_THREAD_H */
