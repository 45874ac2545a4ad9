/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a prover. */
#include <stdlib.h>

#include "jobs.h"
#include <platform/clock.h>
#include <platform/thread.h>

enum { TICK_NS = 100000000 };

static void *work(void *argument)
{
    struct pail_crew *const crew = argument;
    pail_prover *const prover = crew->prover;
    pthread_mutex_lock(&prover->mutex);
    for (;;) {
        while (!crew->first && !prover->stopping)
            (void)pail_clock_cond_wait(&crew->arrived, &prover->mutex, UINT64_MAX);
        struct pail_task *const task = crew->first;
        if (!task)
            break;
        crew->first = task->next;
        pthread_mutex_unlock(&prover->mutex);
        task->run(task);
        pthread_mutex_lock(&prover->mutex);
    }
    pthread_mutex_unlock(&prover->mutex);
    return NULL;
}

pail_status pail_crew_start(struct pail_crew *crew, pail_prover *prover, uint32_t n_threads)
{
    *crew = (struct pail_crew){.prover = prover};
    if (pail_clock_cond_init(&crew->arrived) != 0)
        return PAIL_ERR_HOST_MEMORY;
    crew->threads = calloc(n_threads, sizeof(crew->threads[0]));
    if (!crew->threads) {
        pthread_cond_destroy(&crew->arrived);
        return PAIL_ERR_HOST_MEMORY;
    }
    while (crew->n_threads < n_threads &&
           pail_thread_start(&crew->threads[crew->n_threads], "pail-prove", PAIL_STACK_FOREIGN,
                             work, crew) == 0)
        crew->n_threads++;
    return crew->n_threads == n_threads ? PAIL_OK : PAIL_ERR_HOST_MEMORY;
}

void pail_crew_add(struct pail_crew *crew, struct pail_task *task)
{
    struct pail_task **at = &crew->first;
    while (*at)
        at = &(*at)->next;
    task->next = NULL;
    *at = task;
    pthread_cond_signal(&crew->arrived);
}

void pail_crew_end(struct pail_crew *crew)
{
    if (!crew->threads)
        return;
    pthread_mutex_lock(&crew->prover->mutex);
    pthread_cond_broadcast(&crew->arrived);
    pthread_mutex_unlock(&crew->prover->mutex);
    for (uint32_t i = 0; i < crew->n_threads; i++)
        pthread_join(crew->threads[i], NULL);
    pthread_cond_destroy(&crew->arrived);
    free(crew->threads);
    crew->threads = NULL;
}

/* Looks at deadlines, and at memory that other processes free, of which nothing tells. */
static void *tick(void *argument)
{
    pail_prover *const prover = argument;
    pthread_mutex_lock(&prover->mutex);
    while (!prover->stopping) {
        const uint64_t now = pail_clock_ns();
        uint64_t until = pail_schedule_next(prover->schedule);
        if (pail_schedule_waits_for_memory(prover->schedule) && now + TICK_NS < until)
            until = now + TICK_NS;
        if (until <= now)
            pail_schedule_tick(prover->schedule);
        /* A submission wakes it; it looks as often in any case. */
        const uint64_t latest = now + TICK_NS;
        (void)pail_clock_cond_wait(&prover->tick, &prover->mutex,
                                   until > now && until < latest ? until : latest);
        if (!prover->stopping &&
            (prover->idle_is_in_the_way || pail_schedule_waits_for_host(prover->schedule))) {
            /* Unmapping takes long, and nobody has to wait for it. */
            pthread_mutex_unlock(&prover->mutex);
            pail_buffers_shrink(prover->buffers, 0);
            pthread_mutex_lock(&prover->mutex);
        }
        if (!prover->stopping && pail_schedule_waits_for_memory(prover->schedule))
            pail_schedule_tick(prover->schedule);
    }
    pthread_mutex_unlock(&prover->mutex);
    return NULL;
}

pail_status pail_ticker_start(pail_prover *prover)
{
    prover->ticks =
        pail_thread_start(&prover->ticker, "pail-tick", PAIL_STACK_FOREIGN, tick, prover) == 0;
    return prover->ticks ? PAIL_OK : PAIL_ERR_HOST_MEMORY;
}

void pail_ticker_end(pail_prover *prover)
{
    if (!prover->ticks)
        return;
    pthread_mutex_lock(&prover->mutex);
    pthread_cond_broadcast(&prover->tick);
    pthread_mutex_unlock(&prover->mutex);
    pthread_join(prover->ticker, NULL);
    prover->ticks = false;
}
