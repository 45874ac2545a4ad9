/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include "buffers.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <platform/memory.h>

struct buffer {
    void *memory; /* NULL: no buffer */
    uint64_t capacity;
    bool taken;
};

struct pail_buffers {
    pthread_mutex_t mutex; /* guards all members below */
    struct pail_buffers_params params;
    struct pail_buffers_stats stats;
    uint64_t page;
    struct buffer list[]; /* [max_buffers] */
};

static void unmap(void *user, void *memory, uint64_t bytes)
{
    struct pail_buffers *const buffers = user;
    (void)munmap(memory, (size_t)bytes);
    pthread_mutex_lock(&buffers->mutex);
    buffers->stats.leaving_bytes -= bytes;
    pthread_mutex_unlock(&buffers->mutex);
    if (buffers->params.unmapped)
        buffers->params.unmapped(buffers->params.user);
}

pail_status pail_buffers_create(struct pail_buffers **out, const struct pail_buffers_params *params)
{
    *out = NULL;
    const size_t n = params->max_buffers != 0 ? params->max_buffers : 1;
    struct pail_buffers *const buffers = calloc(1, sizeof(*buffers) + n * sizeof(buffers->list[0]));
    if (!buffers)
        return PAIL_ERR_HOST_MEMORY;
    const long page = sysconf(_SC_PAGESIZE);
    buffers->params = *params;
    buffers->params.max_buffers = n;
    buffers->page = page > 0 ? (uint64_t)page : 4096;
    pthread_mutex_init(&buffers->mutex, NULL);
    *out = buffers;
    return PAIL_OK;
}

/* Gives up a buffer. Under the mutex. */
static void give_up(struct pail_buffers *buffers, struct buffer *buffer, struct pail_reclaim *what)
{
    *what = (struct pail_reclaim){.memory = buffer->memory,
                                  .bytes = buffer->capacity,
                                  .mapped = true,
                                  .release = unmap,
                                  .user = buffers};
    buffers->stats.leaving_bytes += buffer->capacity;
    buffers->stats.bytes -= buffer->capacity;
    buffers->stats.idle_bytes -= buffer->capacity;
    buffers->stats.buffers--;
    buffers->stats.idle--;
    buffers->stats.unmaps++;
    *buffer = (struct buffer){0};
}

void pail_buffers_destroy(struct pail_buffers **out)
{
    if (!*out)
        return;
    pail_buffers_shrink(*out, 0);
    (void)pail_reclaimer_drain((*out)->params.reclaimer, UINT64_MAX);
    pthread_mutex_destroy(&(*out)->mutex);
    free(*out);
    *out = NULL;
}

/* The smallest idle buffer that is large enough. Under the mutex, as the functions below. */
static struct buffer *best_fit(struct pail_buffers *buffers, uint64_t bytes)
{
    struct buffer *best = NULL;
    for (size_t i = 0; i < buffers->params.max_buffers; i++) {
        struct buffer *const b = &buffers->list[i];
        if (b->memory && !b->taken && b->capacity >= bytes &&
            (!best || b->capacity < best->capacity))
            best = b;
    }
    return best;
}

static struct buffer *largest_idle(struct pail_buffers *buffers)
{
    struct buffer *largest = NULL;
    for (size_t i = 0; i < buffers->params.max_buffers; i++) {
        struct buffer *const b = &buffers->list[i];
        if (b->memory && !b->taken && (!largest || b->capacity > largest->capacity))
            largest = b;
    }
    return largest;
}

static struct buffer *empty_place(struct pail_buffers *buffers)
{
    for (size_t i = 0; i < buffers->params.max_buffers; i++)
        if (!buffers->list[i].memory)
            return &buffers->list[i];
    return NULL;
}

static pail_status map(struct pail_buffers *buffers, struct buffer *place, uint64_t bytes)
{
    if (bytes > SIZE_MAX - buffers->page)
        return PAIL_ERR_HOST_MEMORY;
    const uint64_t capacity =
        bytes == 0 ? buffers->page : (bytes + buffers->page - 1) / buffers->page * buffers->page;
    void *const memory =
        mmap(NULL, (size_t)capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return PAIL_ERR_HOST_MEMORY;
    *place = (struct buffer){.memory = memory, .capacity = capacity, .taken = true};
    buffers->stats.maps++;
    buffers->stats.buffers++;
    buffers->stats.bytes += capacity;
    return PAIL_OK;
}

pail_status pail_buffers_take(struct pail_buffers *buffers, void **memory, uint64_t *capacity,
                              uint64_t bytes)
{
    *memory = NULL;
    *capacity = 0;
    struct pail_reclaim old = {0};
    pthread_mutex_lock(&buffers->mutex);
    struct buffer *b = best_fit(buffers, bytes);
    pail_status status = PAIL_OK;
    if (b) {
        b->taken = true;
        buffers->stats.idle--;
        buffers->stats.idle_bytes -= b->capacity;
        buffers->stats.reuses++;
    } else {
        b = empty_place(buffers);
        struct buffer *const idle = !b ? largest_idle(buffers) : NULL;
        if (!b && !idle) {
            status = PAIL_NOT_READY;
        } else {
            /* All places have buffers that are too small: one of them has to go. */
            if (!b) {
                give_up(buffers, idle, &old);
                b = idle;
            }
            status = map(buffers, b, bytes);
        }
    }
    if (status == PAIL_OK) {
        *memory = b->memory;
        *capacity = b->capacity;
    }
    pthread_mutex_unlock(&buffers->mutex);
    if (old.memory)
        pail_reclaim(buffers->params.reclaimer, &old);
    return status;
}

void pail_buffers_give(struct pail_buffers *buffers, void *memory, uint64_t used)
{
    pail_wipe(memory, (size_t)used);
    pthread_mutex_lock(&buffers->mutex);
    for (size_t i = 0; i < buffers->params.max_buffers; i++) {
        struct buffer *const b = &buffers->list[i];
        if (b->memory != memory)
            continue;
        b->taken = false;
        buffers->stats.idle++;
        buffers->stats.idle_bytes += b->capacity;
    }
    pthread_mutex_unlock(&buffers->mutex);
}

void pail_buffers_shrink(struct pail_buffers *buffers, uint64_t bytes)
{
    for (;;) {
        struct pail_reclaim old = {0};
        pthread_mutex_lock(&buffers->mutex);
        struct buffer *const largest = buffers->stats.bytes > bytes ? largest_idle(buffers) : NULL;
        if (largest)
            give_up(buffers, largest, &old);
        pthread_mutex_unlock(&buffers->mutex);
        if (!old.memory)
            return;
        pail_reclaim(buffers->params.reclaimer, &old);
    }
}

void pail_buffers_get_stats(struct pail_buffers *buffers, struct pail_buffers_stats *stats)
{
    pthread_mutex_lock(&buffers->mutex);
    *stats = buffers->stats;
    pthread_mutex_unlock(&buffers->mutex);
}
