#include "parallel.h"

#include <platform/thread.h>
#include <stdatomic.h>

struct loop {
    uint32_t n;
    atomic_uint next; /* that no thread has taken */
    void (*one)(void *user, uint32_t i);
    void *user;
};

static void *run(void *argument)
{
    struct loop *loop = argument;
    uint32_t i;
    while ((i = atomic_fetch_add(&loop->next, 1)) < loop->n)
        loop->one(loop->user, i);
    return NULL;
}

void pail_parallel(const struct pail_alloc *alloc, uint32_t n, uint32_t threads,
                   void (*one)(void *user, uint32_t i), void *user)
{
    struct loop loop = {.n = n, .one = one, .user = user};
    atomic_init(&loop.next, 0);
    const uint32_t helpers = (threads < n ? threads : n) - (threads && n ? 1 : 0);
    pthread_t *handles = helpers ? pail_calloc(alloc, helpers, sizeof(*handles)) : NULL;
    uint32_t running = 0;
    while (handles && running < helpers &&
           pail_thread_start(&handles[running], "pail-parallel", PAIL_STACK_FOREIGN, run, &loop) ==
               0)
        running++;
    (void)run(&loop);
    for (uint32_t i = 0; i < running; i++)
        pthread_join(handles[i], NULL);
    pail_free(alloc, handles);
}
