/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/thread.h"

#include <string.h>

#include "platform/clock.h"
#include "platform/memory.h"

enum { THREADS_MAX = 64 };

/* The part of one thread. loop: struct pail_team_loop. */
static void team_take(void *argument)
{
    struct pail_team_loop *const loop = argument;
    for (uint32_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->n;)
        loop->one(loop->user, i);
}

static void *run(void *argument)
{
    team_take(argument);
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
    team_take(&loop);
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

/* Waking up takes 0.05 to 0.4 ms, and helpers that began together end together. */
#define LOOK_MS 2.0
/* Data written by processors that then sleep is read by a device at a sixth of the speed of the
 * bus. So threads that have filled a staging ring stay awake until most of it is copied. */
#define AWAKE_MS 0.5

void pail_helpers_init(struct pail_helpers *helpers, uint32_t wanted, const char *name)
{
    *helpers = (struct pail_helpers){
        .name = name,
        .wanted = wanted < PAIL_HELPERS_MAX ? wanted : PAIL_HELPERS_MAX,
    };
    (void)pthread_mutex_init(&helpers->lock, NULL);
    (void)pthread_cond_init(&helpers->begun, NULL);
    (void)pthread_cond_init(&helpers->ended, NULL);
}

void pail_helpers_destroy(struct pail_helpers *helpers)
{
    pthread_mutex_lock(&helpers->lock);
    atomic_store(&helpers->leave, true);
    pthread_cond_broadcast(&helpers->begun);
    pthread_mutex_unlock(&helpers->lock);
    for (uint32_t i = 0; i < helpers->n; i++)
        pthread_join(helpers->threads[i], NULL);
    pthread_cond_destroy(&helpers->begun);
    pthread_cond_destroy(&helpers->ended);
    pthread_mutex_destroy(&helpers->lock);
}

/* True if there is something new to do. */
static bool is_called(const struct pail_helpers *helpers, uint64_t done)
{
    return atomic_load(&helpers->leave) || atomic_load(&helpers->number) != done;
}

static void stay_awake(const struct pail_helpers *helpers, uint64_t done)
{
    const double until = pail_now_ms() + AWAKE_MS;
    while (!is_called(helpers, done) && pail_now_ms() < until)
        pail_thread_yield();
}

static void *help(void *argument)
{
    struct pail_helpers *const helpers = argument;
    uint64_t done = 0;
    pthread_mutex_lock(&helpers->lock);
    while (!atomic_load(&helpers->leave)) {
        if (!helpers->open || !is_called(helpers, done)) {
            pthread_cond_wait(&helpers->begun, &helpers->lock);
            continue;
        }
        void (*const work)(void *user) = helpers->work;
        void *const user = helpers->user;
        done = atomic_load(&helpers->number);
        atomic_fetch_add(&helpers->busy, 1);
        pthread_mutex_unlock(&helpers->lock);
        work(user);
        pthread_mutex_lock(&helpers->lock);
        if (atomic_fetch_sub(&helpers->busy, 1) == 1)
            pthread_cond_broadcast(&helpers->ended);
        pthread_mutex_unlock(&helpers->lock);
        stay_awake(helpers, done);
        pthread_mutex_lock(&helpers->lock);
    }
    pthread_mutex_unlock(&helpers->lock);
    return NULL;
}

/* Called with the lock held. Threads that cannot be made are done without. */
static void hire(struct pail_helpers *helpers)
{
    helpers->tried = true;
    while (helpers->n < helpers->wanted &&
           pail_thread_start(&helpers->threads[helpers->n], helpers->name, PAIL_STACK_FOREIGN, help,
                             helpers) == 0)
        helpers->n++;
}

bool pail_helpers_begin(struct pail_helpers *helpers, void (*work)(void *user), void *user)
{
    pthread_mutex_lock(&helpers->lock);
    if (!helpers->tried)
        hire(helpers);
    const bool free = helpers->n && !helpers->work;
    if (free) {
        helpers->work = work;
        helpers->user = user;
        helpers->open = true;
        atomic_fetch_add(&helpers->number, 1);
        pthread_cond_broadcast(&helpers->begun);
    }
    pthread_mutex_unlock(&helpers->lock);
    return free;
}

/* Looks for a while before it sleeps; in between, the processor is offered to other threads. */
static void look(const struct pail_helpers *helpers)
{
    const double until = pail_now_ms() + LOOK_MS;
    while (atomic_load(&helpers->busy) && pail_now_ms() < until)
        pail_thread_yield();
}

void pail_helpers_end(struct pail_helpers *helpers)
{
    pthread_mutex_lock(&helpers->lock);
    helpers->open = false;
    pthread_mutex_unlock(&helpers->lock);
    look(helpers);
    pthread_mutex_lock(&helpers->lock);
    while (atomic_load(&helpers->busy))
        pthread_cond_wait(&helpers->ended, &helpers->lock);
    helpers->work = NULL;
    pthread_mutex_unlock(&helpers->lock);
}

bool pail_helpers_try(struct pail_helpers *helpers, uint32_t n, void (*one)(void *user, uint32_t i),
                      void *user)
{
    struct pail_team_loop loop = {.n = n, .one = one, .user = user};
    atomic_init(&loop.next, 0);
    const bool helped = pail_helpers_begin(helpers, team_take, &loop);
    if (helped) {
        team_take(&loop);
        pail_helpers_end(helpers);
    }
    return helped;
}

void pail_helpers_run(struct pail_helpers *helpers, uint32_t n, void (*one)(void *user, uint32_t i),
                      void *user)
{
    if (!pail_helpers_try(helpers, n, one, user))
        pail_team_run(n, helpers->wanted + 1, one, user);
}
