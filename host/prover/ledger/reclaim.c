/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MADV_DONTNEED */

#include "reclaim.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <platform/clock.h>
#include <platform/thread.h>

enum { SLICE_BYTES = 64 << 20 };

struct pail_reclaimer {
    pthread_mutex_t mutex; /* guards all members below */
    pthread_cond_t arrived, freed;
    struct pail_reclaimer_params params;
    struct pail_reclaimer_stats stats;
    pthread_t thread;
    bool started, stopping;
    size_t first;               /* of the ring; queued_entries from there on */
    struct pail_reclaim ring[]; /* [max_entries] */
};

/* Gives pages back, slice by slice. Returns the number of slices. */
static uint64_t give_back(const struct pail_reclaim *what, uint64_t slice)
{
    uint64_t slices = 0;
    for (uint64_t at = 0; what->mapped && at < what->bytes; at += slice, slices++) {
        const uint64_t left = what->bytes - at;
        /* Fails for locked memory, which release gives back all the same. */
        (void)madvise((char *)what->memory + at, left < slice ? left : slice, MADV_DONTNEED);
    }
    what->release(what->user, what->memory, what->bytes);
    if (what->released)
        what->released(what->user);
    return slices;
}

static void *free_all(void *argument)
{
    struct pail_reclaimer *const reclaimer = argument;
    struct pail_reclaimer_stats *const stats = &reclaimer->stats;
    pthread_mutex_lock(&reclaimer->mutex);
    for (;;) {
        while (stats->queued_entries == 0 && !reclaimer->stopping)
            (void)pail_clock_cond_wait(&reclaimer->arrived, &reclaimer->mutex, UINT64_MAX);
        if (stats->queued_entries == 0)
            break;
        const struct pail_reclaim what = reclaimer->ring[reclaimer->first];
        pthread_mutex_unlock(&reclaimer->mutex);
        const uint64_t begin_ns = pail_clock_ns();
        const uint64_t slices = give_back(&what, reclaimer->params.slice_bytes);
        const uint64_t end_ns = pail_clock_ns();
        pthread_mutex_lock(&reclaimer->mutex);
        reclaimer->first = (reclaimer->first + 1) % reclaimer->params.max_entries;
        stats->queued_entries--;
        stats->queued_bytes -= what.bytes;
        stats->frees++;
        stats->slices += slices;
        stats->busy_ns += end_ns - begin_ns;
        pthread_cond_broadcast(&reclaimer->freed);
    }
    pthread_mutex_unlock(&reclaimer->mutex);
    return NULL;
}

pail_status pail_reclaimer_create(struct pail_reclaimer **out,
                                  const struct pail_reclaimer_params *params)
{
    *out = NULL;
    if (params->max_entries == 0)
        return PAIL_ERR_ARGUMENT;
    struct pail_reclaimer *reclaimer =
        calloc(1, sizeof(*reclaimer) + params->max_entries * sizeof(reclaimer->ring[0]));
    if (!reclaimer)
        return PAIL_ERR_HOST_MEMORY;
    reclaimer->params = *params;
    if (reclaimer->params.slice_bytes == 0)
        reclaimer->params.slice_bytes = SLICE_BYTES;
    pthread_mutex_init(&reclaimer->mutex, NULL);
    if (pail_clock_cond_init(&reclaimer->arrived) != 0 ||
        pail_clock_cond_init(&reclaimer->freed) != 0) {
        free(reclaimer);
        return PAIL_ERR_HOST_MEMORY;
    }
    if (!params->off) {
        reclaimer->started = pail_thread_start(&reclaimer->thread, "pail-reclaim",
                                               PAIL_STACK_FOREIGN, free_all, reclaimer) == 0;
        if (!reclaimer->started) {
            pail_reclaimer_destroy(&reclaimer);
            return PAIL_ERR_HOST_MEMORY;
        }
    }
    *out = reclaimer;
    return PAIL_OK;
}

void pail_reclaimer_destroy(struct pail_reclaimer **out)
{
    struct pail_reclaimer *const reclaimer = *out;
    if (!reclaimer)
        return;
    pthread_mutex_lock(&reclaimer->mutex);
    reclaimer->stopping = true;
    pthread_cond_broadcast(&reclaimer->arrived);
    pthread_mutex_unlock(&reclaimer->mutex);
    if (reclaimer->started)
        pthread_join(reclaimer->thread, NULL);
    pthread_cond_destroy(&reclaimer->freed);
    pthread_cond_destroy(&reclaimer->arrived);
    pthread_mutex_destroy(&reclaimer->mutex);
    free(reclaimer);
    *out = NULL;
}

static bool has_room(const struct pail_reclaimer *reclaimer, uint64_t bytes)
{
    const struct pail_reclaimer_stats *const stats = &reclaimer->stats;
    return reclaimer->started && !reclaimer->stopping &&
           stats->queued_entries < reclaimer->params.max_entries &&
           stats->queued_bytes <= reclaimer->params.max_bytes &&
           bytes <= reclaimer->params.max_bytes - stats->queued_bytes;
}

void pail_reclaim(struct pail_reclaimer *reclaimer, const struct pail_reclaim *what)
{
    struct pail_reclaimer_stats *const stats = &reclaimer->stats;
    pthread_mutex_lock(&reclaimer->mutex);
    const bool room = has_room(reclaimer, what->bytes);
    if (room) {
        const size_t at =
            (reclaimer->first + stats->queued_entries) % reclaimer->params.max_entries;
        reclaimer->ring[at] = *what;
        stats->queued_bytes += what->bytes;
        if (++stats->queued_entries > stats->peak_entries)
            stats->peak_entries = stats->queued_entries;
        if (stats->queued_bytes > stats->peak_bytes)
            stats->peak_bytes = stats->queued_bytes;
        pthread_cond_signal(&reclaimer->arrived);
    } else {
        stats->inline_frees++;
    }
    pthread_mutex_unlock(&reclaimer->mutex);
    if (!room)
        (void)give_back(what, reclaimer->params.slice_bytes);
}

bool pail_reclaimer_drain(struct pail_reclaimer *reclaimer, uint64_t timeout_ns)
{
    const uint64_t now = pail_clock_ns();
    const uint64_t until = timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
    pthread_mutex_lock(&reclaimer->mutex);
    int error = 0;
    while (reclaimer->stats.queued_entries != 0 && error != ETIMEDOUT)
        error = pail_clock_cond_wait(&reclaimer->freed, &reclaimer->mutex, until);
    const bool drained = reclaimer->stats.queued_entries == 0;
    pthread_mutex_unlock(&reclaimer->mutex);
    return drained;
}

void pail_reclaimer_get_stats(struct pail_reclaimer *reclaimer, struct pail_reclaimer_stats *stats)
{
    pthread_mutex_lock(&reclaimer->mutex);
    *stats = reclaimer->stats;
    pthread_mutex_unlock(&reclaimer->mutex);
}
