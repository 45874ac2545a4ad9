/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <errno.h>
#include <platform/clock.h>
#include <platform/thread.h>

struct pail_cpu_pool {
    pthread_mutex_t mutex;     /* guards everything below, and the pool's part of queued work */
    pthread_cond_t work_ready; /* for the threads */
    pthread_cond_t work_done;  /* for waiters */
    struct pail_cpu_work *first;
    bool stopping;
    size_t n_threads; /* threads that were started */
    pthread_t threads[];
};

/* The first work that a thread may take a task of; NULL if there is none. Under the mutex. */
static struct pail_cpu_work *runnable(const struct pail_cpu_pool *pool)
{
    struct pail_cpu_work *work = pool->first;
    while (work && (work->next == work->n_tasks || work->running == work->max_running ||
                    work->waits_for > 0))
        work = work->link;
    return work;
}

static bool conflict(const struct pail_cpu_work *a, const struct pail_cpu_work *b)
{
    for (size_t i = 0; i < a->n_uses; i++)
        for (size_t k = 0; k < b->n_uses; k++)
            if (a->uses[i].object == b->uses[k].object && (a->uses[i].writes || b->uses[k].writes))
                return true;
    return false;
}

/* Called with the mutex held. */
static void finish(struct pail_cpu_pool *pool, struct pail_cpu_work *work)
{
    struct pail_cpu_work **at = &pool->first;
    while (*at != work)
        at = &(*at)->link;
    *at = work->link;
    bool released = false;
    for (struct pail_cpu_work *later = work->link; later; later = later->link) {
        if (conflict(work, later)) {
            later->waits_for--;
            released = true;
        }
    }
    work->finished = true;
    pthread_cond_broadcast(&pool->work_done);
    if (released)
        pthread_cond_broadcast(&pool->work_ready);
}

/* After the last task of a stage: begins the next, or ends the work. Under the mutex, which is not
 * held during the work's own functions. */
static void conclude(struct pail_cpu_pool *pool, struct pail_cpu_work *work)
{
    work->ending = true;
    size_t n_more = 0;
    if (work->more && !work->cancelled) {
        pthread_mutex_unlock(&pool->mutex);
        n_more = work->more(work);
        pthread_mutex_lock(&pool->mutex);
    }
    if (n_more > 0 && !work->cancelled) {
        work->ending = false;
        work->next = 0;
        work->n_tasks = n_more;
        pthread_cond_broadcast(&pool->work_ready);
        return;
    }
    void (*const last)(struct pail_cpu_work *) = work->cancelled ? work->dropped : work->done;
    if (last && work->begun) {
        pthread_mutex_unlock(&pool->mutex);
        last(work);
        pthread_mutex_lock(&pool->mutex);
    }
    finish(pool, work);
}

static void *thread_main(void *argument)
{
    struct pail_cpu_pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        struct pail_cpu_work *work = runnable(pool);
        if (!work) {
            if (pool->stopping)
                break;
            pthread_cond_wait(&pool->work_ready, &pool->mutex);
            continue;
        }
        const size_t task = work->next++, slot = work->slots[work->running++];
        work->begun = true;
        pthread_mutex_unlock(&pool->mutex);
        work->run(work, task, slot);
        pthread_mutex_lock(&pool->mutex);
        work->slots[--work->running] = slot;
        if (work->running == 0 && work->next == work->n_tasks)
            conclude(pool, work);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

int pail_cpu_pool_create(struct pail_cpu_pool **out, const struct pail_alloc *memory,
                         size_t threads)
{
    *out = NULL;
    struct pail_cpu_pool *pool =
        pail_cpu_alloc(memory, 1, sizeof *pool + threads * sizeof pool->threads[0]);
    if (!pool)
        return ENOMEM;
    *pool = (struct pail_cpu_pool){0};
    int error = pail_clock_cond_init(&pool->work_done);
    if (error != 0) {
        pail_cpu_free(memory, pool);
        return error;
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work_ready, NULL);

    while (error == 0 && pool->n_threads < threads) {
        /* Tasks may call a host's reader of points. */
        error = pail_thread_start(&pool->threads[pool->n_threads], "pail-cpu", PAIL_STACK_FOREIGN,
                                  thread_main, pool);
        pool->n_threads += error == 0;
    }
    if (error != 0) {
        pail_cpu_pool_destroy(pool, memory);
        return error;
    }
    *out = pool;
    return 0;
}

void pail_cpu_pool_destroy(struct pail_cpu_pool *pool, const struct pail_alloc *memory)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);
    for (size_t i = 0; i < pool->n_threads; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->work_done);
    pthread_cond_destroy(&pool->work_ready);
    pthread_mutex_destroy(&pool->mutex);
    pail_cpu_free(memory, pool);
}

size_t pail_cpu_pool_threads(const struct pail_cpu_pool *pool)
{
    return pool->n_threads;
}

void pail_cpu_pool_submit(struct pail_cpu_pool *pool, struct pail_cpu_work *work)
{
    work->next = work->running = work->waits_for = 0;
    work->begun = work->ending = work->cancelled = work->finished = false;
    work->link = NULL;
    for (size_t i = 0; i < work->max_running; i++)
        work->slots[i] = i;
    pthread_mutex_lock(&pool->mutex);
    struct pail_cpu_work **end = &pool->first;
    for (; *end; end = &(*end)->link)
        work->waits_for += conflict(*end, work);
    *end = work;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);
}

bool pail_cpu_pool_wait(struct pail_cpu_pool *pool, const struct pail_cpu_work *work,
                        uint64_t timeout_ns)
{
    const uint64_t until_ns = pail_clock_until(timeout_ns);
    pthread_mutex_lock(&pool->mutex);
    int error = 0;
    while (!work->finished && error == 0 && timeout_ns != 0)
        error = pail_clock_cond_wait(&pool->work_done, &pool->mutex, until_ns);
    const bool finished = work->finished;
    pthread_mutex_unlock(&pool->mutex);
    return finished;
}

void pail_cpu_pool_cancel(struct pail_cpu_pool *pool, struct pail_cpu_work *work)
{
    pthread_mutex_lock(&pool->mutex);
    if (!work->finished) {
        work->cancelled = true;
        work->next = work->n_tasks;
        if (work->running == 0 && !work->ending)
            conclude(pool, work);
    }
    pthread_mutex_unlock(&pool->mutex);
    pail_cpu_pool_wait(pool, work, UINT64_MAX);
}
