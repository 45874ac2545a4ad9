#define _POSIX_C_SOURCE 200809L

#include "parallel.h"

#include <platform/thread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "output/progress.h"

enum { THREADS_MAX = 64 };

struct work {
    size_t n;
    void (*piece)(void *user, size_t i);
    void *user;
    atomic_size_t next;
};

static void *help(void *argument)
{
    struct work *const work = argument;
    for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < work->n;)
        work->piece(work->user, i);
    return NULL;
}

void pail_parallel(size_t n, void (*piece)(void *user, size_t i), void *user, uint32_t threads,
                   const char *label)
{
    struct work work = {.n = n, .piece = piece, .user = user};
    atomic_init(&work.next, 0);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = threads != 0 ? threads : processors > 0 ? (size_t)processors : 1;
    wanted = wanted < n ? wanted : n;
    wanted = wanted < THREADS_MAX ? wanted : THREADS_MAX;
    pthread_t helpers[THREADS_MAX];
    size_t n_helpers = 0;
    /* A thread that cannot be had is not missed: the others do its work. */
    while (n_helpers + 1 < wanted &&
           pail_thread_start(&helpers[n_helpers], "pail-input", PAIL_STACK_OWN, help, &work) == 0)
        n_helpers++;
    struct pail_progress progress;
    pail_progress_begin(&progress, label);
    for (size_t i; (i = atomic_fetch_add(&work.next, 1)) < n;) {
        piece(user, i);
        pail_progress_tick(&progress, (double)i / (double)n);
    }
    (void)pail_progress_end(&progress);
    while (n_helpers > 0)
        (void)pthread_join(helpers[--n_helpers], NULL);
}
