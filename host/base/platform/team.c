#include "team.h"

#include <string.h>

#include "thread.h"
#include "wipe.h"

enum { THREADS_MAX = 64 };

void pail_team_take(void *argument)
{
    struct pail_team_loop *const loop = argument;
    for (uint32_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->n;)
        loop->one(loop->user, i);
}

static void *run(void *argument)
{
    pail_team_take(argument);
    return NULL;
}

void pail_team_run(uint32_t n, uint32_t threads, void (*one)(void *user, uint32_t i), void *user)
{
    struct pail_team_loop loop = {.n = n, .one = one, .user = user};
    atomic_init(&loop.next, 0);
    pthread_t handles[THREADS_MAX];
    uint32_t wanted = threads < n ? threads : n, running = 0;
    wanted = wanted < THREADS_MAX ? wanted : THREADS_MAX;
    while (running + 1 < wanted && pail_thread_start(&handles[running], "pail-parallel",
                                                     PAIL_STACK_FOREIGN, run, &loop) == 0)
        running++;
    pail_team_take(&loop);
    for (uint32_t i = 0; i < running; i++)
        (void)pthread_join(handles[i], NULL);
}

/* ---- Memory ---------------------------------------------------------------------------------- */
#define PIECE_BYTES ((size_t)8 << 20) /* copied by one thread at a time */

struct memory {
    unsigned char *to;
    const unsigned char *from; /* NULL: wiped */
    size_t bytes;
};

static void do_piece(void *user, uint32_t i)
{
    const struct memory *const all = user;
    const size_t at = i * PIECE_BYTES, left = all->bytes - at;
    const size_t bytes = left < PIECE_BYTES ? left : PIECE_BYTES;
    if (all->from)
        memcpy(all->to + at, all->from + at, bytes);
    else
        pail_wipe(all->to + at, bytes);
}

static void do_pieces(struct memory *all, uint32_t threads)
{
    pail_team_run((uint32_t)((all->bytes + PIECE_BYTES - 1) / PIECE_BYTES), threads, do_piece, all);
}

void pail_team_copy(void *to, const void *from, size_t bytes, uint32_t threads)
{
    struct memory all = {to, from, bytes};
    do_pieces(&all, threads);
}

void pail_team_wipe(void *memory, size_t bytes, uint32_t threads)
{
    struct memory all = {memory, NULL, bytes};
    do_pieces(&all, threads);
}
