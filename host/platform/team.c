#include "team.h"

#include <stdatomic.h>

#include "thread.h"

enum { THREADS_MAX = 64 };

struct loop {
    uint32_t n;
    atomic_uint next; /* that no thread has taken */
    void (*one)(void *user, uint32_t i);
    void *user;
};

static void *run(void *argument)
{
    struct loop *const loop = argument;
    for (uint32_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->n;)
        loop->one(loop->user, i);
    return NULL;
}

void pail_team_run(uint32_t n, uint32_t threads, void (*one)(void *user, uint32_t i), void *user)
{
    struct loop loop = {.n = n, .one = one, .user = user};
    atomic_init(&loop.next, 0);
    pthread_t handles[THREADS_MAX];
    uint32_t wanted = threads < n ? threads : n, running = 0;
    wanted = wanted < THREADS_MAX ? wanted : THREADS_MAX;
    while (running + 1 < wanted && pail_thread_start(&handles[running], "pail-parallel",
                                                     PAIL_STACK_FOREIGN, run, &loop) == 0)
        running++;
    (void)run(&loop);
    for (uint32_t i = 0; i < running; i++)
        (void)pthread_join(handles[i], NULL);
}
