#include "team.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

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

uint32_t pail_team_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
    const long online = sysconf(_SC_NPROCESSORS_ONLN); /* more than cpu_set_t holds, perhaps */
    return online > 0 ? (uint32_t)online : 1;
}
