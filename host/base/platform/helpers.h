/* Threads that help the one that calls: made when they are first needed. In between they look for
 * more for half a millisecond, then they sleep. */
#ifndef PAIL_PLATFORM_HELPERS_H
#define PAIL_PLATFORM_HELPERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif /* PAIL_PLATFORM_HELPERS_H */
