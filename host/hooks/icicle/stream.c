/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: queues of work that run in order, each in a thread that is there while it has work.
 *
 * Work that the device does is started by the call, if all earlier work of the stream is: the
 * device has the order then, and starts it without a thread's waking up. Threads that wait for the
 * stream wait for its end.
 *
 * Work without a stream runs in the thread of the call, after the earlier work of all streams of
 * its device, and has ended when the call returns; so no later work can overtake it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/thread.h>

#include "state.h"

enum {
    STARTED_MAX = 16,    /* of a stream: started work keeps memory */
    IDLE_NS = 100000000, /* of a thread without work, until it leaves */
};

struct work {
    struct work *next;
    bool started;
    int (*run)(void *args); /* or the end of what was started */
    void (*drop)(void *args);
    max_align_t args[];
};

struct stream {
    struct stream *next;
    struct icicle_device *device;
    struct work *first, **last; /* the one that runs is the first until it has ended */
    pthread_t thread;
    bool threaded, leave;
    bool busy; /* the first work runs, without the lock */
    pthread_cond_t begun;
    size_t n_started, n_queued;
    uint32_t waiting; /* calls that wait for it: it is not released before they return */
    int status;       /* of the first work that failed and that no call has returned */
    char sentence[ICICLE_SENTENCE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static struct stream *streams;

/* The thread that left last: the next one that leaves joins it. */
static pthread_t left;
static bool any_left;

/* ---- The thread of a stream ------------------------------------------------------------------ */

/* Keeps the first failure, which this thread has just had. */
static void note(struct stream *stream, int status)
{
    if (stream->status != ICICLE_SUCCESS || status == ICICLE_SUCCESS)
        return;
    stream->status = status;
    memcpy(stream->sentence, pail_icicle_error(), sizeof(stream->sentence));
}

/* Runs the first work, which nobody else does. The lock is held, and let go meanwhile. */
static void run_first(struct stream *stream)
{
    struct work *const work = stream->first;
    stream->busy = true;
    (void)pthread_mutex_unlock(&lock);
    const int status = work->run(work->args);
    work->drop(work->args);
    (void)pthread_mutex_lock(&lock);
    stream->busy = false;
    stream->first = work->next;
    if (!stream->first)
        stream->last = &stream->first;
    if (work->started)
        stream->n_started--;
    else
        stream->n_queued--;
    note(stream, status);
    free(work);
    (void)pthread_cond_broadcast(&ended);
    if (stream->n_queued)
        (void)pthread_cond_signal(&stream->begun);
}

/* Waits for work. False: none came, and the stream is not about to be released. */
static bool wait_for_work(struct stream *stream)
{
    const uint64_t until = pail_clock_until(IDLE_NS);
    const bool idle = pail_clock_cond_wait(&stream->begun, &lock, until) != 0;
    return !idle || stream->n_queued || stream->leave;
}

/* A thread without work leaves: gnark makes streams for each proof, and destroys none. */
static void *serve(void *argument)
{
    struct stream *const stream = argument;
    bool stays = true;
    (void)pthread_mutex_lock(&lock);
    while (stays && (stream->n_queued || !stream->leave))
        if (stream->n_queued && !stream->busy)
            run_first(stream);
        else
            stays = wait_for_work(stream);
    const pthread_t before = left;
    const bool joins = !stays && any_left;
    if (!stays) {
        stream->threaded = false;
        left = pthread_self();
        any_left = true;
    }
    (void)pthread_mutex_unlock(&lock);
    if (joins)
        (void)pthread_join(before, NULL);
    return NULL;
}

/* ---- Waiting. The lock is held. -------------------------------------------------------------- */

static struct stream *find(const void *handle)
{
    struct stream *stream = streams;
    while (stream && stream != handle)
        stream = stream->next;
    return stream;
}

/* Ends work that was started, or waits for another thread to come nearer to the end. */
static void wait_once(struct stream *stream)
{
    if (stream->first && !stream->busy && stream->n_queued == 0)
        run_first(stream);
    else
        (void)pthread_cond_wait(&ended, &lock);
}

static void wait_for(struct stream *stream)
{
    stream->waiting++;
    while (stream->first)
        wait_once(stream);
    stream->waiting--;
    (void)pthread_cond_broadcast(&ended);
}

/* The list may change while one stream is waited for, so that it is begun anew then. */
static void wait_for_all(const struct icicle_device *device)
{
    struct stream *stream = streams;
    while (stream) {
        const bool busy = stream->device == device && stream->first;
        if (busy)
            wait_for(stream);
        stream = busy ? streams : stream->next;
    }
}

static int take_status(struct stream *stream)
{
    const int status = stream->status;
    if (status != ICICLE_SUCCESS)
        icicle_keep(stream->sentence);
    stream->status = ICICLE_SUCCESS;
    return status;
}

/* ---- Work ------------------------------------------------------------------------------------ */

static struct work *make_work(int (*run)(void *args), void (*drop)(void *args), const void *args,
                              size_t bytes)
{
    struct work *const work = malloc(sizeof(*work) + bytes);
    if (!work)
        return NULL;
    *work = (struct work){.run = run, .drop = drop};
    memcpy(work->args, args, bytes);
    return work;
}

static void append_work(struct stream *stream, struct work *work)
{
    *stream->last = work;
    stream->last = &work->next;
}

/* Appends work to a stream; false: out of memory, or no thread can be made. The lock is held. */
static bool append(struct stream *stream, int (*run)(void *args), void (*drop)(void *args),
                   const void *args, size_t bytes)
{
    struct work *const work = make_work(run, drop, args, bytes);
    if (!work)
        return false;
    if (!stream->threaded)
        stream->threaded = pail_thread_start(&stream->thread, "pail-icicle", PAIL_STACK_FOREIGN,
                                             serve, stream) == 0;
    if (!stream->threaded) {
        free(work);
        return false;
    }
    append_work(stream, work);
    stream->n_queued++;
    (void)pthread_cond_signal(&stream->begun);
    return true;
}

bool icicle_stream_start(const struct icicle_device *device, void *handle, int (*start)(void *args),
                         int (*finish)(void *args), void (*drop)(void *args), const void *args,
                         size_t bytes)
{
    (void)pthread_mutex_lock(&lock);
    struct stream *const stream = find(handle);
    const bool known = stream && stream->device == device && !stream->leave;
    if (known)
        stream->waiting++; /* it is not released meanwhile */
    while (known && stream->n_started >= STARTED_MAX && stream->n_queued == 0)
        wait_once(stream);
    struct work *const work =
        known && stream->n_queued == 0 ? make_work(finish, drop, args, bytes) : NULL;
    int status = ICICLE_SUCCESS;
    if (work) {
        /* With the lock: the device has to have the order of the list. */
        status = start(work->args);
        note(stream, status);
    }
    if (work && status == ICICLE_SUCCESS) {
        work->started = true;
        append_work(stream, work);
        stream->n_started++;
    }
    if (known)
        stream->waiting--;
    (void)pthread_cond_broadcast(&ended);
    (void)pthread_mutex_unlock(&lock);
    if (work && status != ICICLE_SUCCESS) {
        drop(work->args);
        free(work);
    }
    return work != NULL;
}

int icicle_stream_run(struct icicle_device *device, void *handle, bool async,
                      int (*run)(void *args), void (*drop)(void *args), const void *args,
                      size_t bytes)
{
    _Alignas(max_align_t) uint8_t copy[ICICLE_ARGS_MAX];
    (void)pthread_mutex_lock(&lock);
    struct stream *const stream = find(handle);
    const bool known = !handle || (stream && stream->device == device && !stream->leave);
    const bool queued = known && stream && async && append(stream, run, drop, args, bytes);
    if (known && !queued && stream)
        wait_for(stream);
    else if (known && !queued)
        wait_for_all(device);
    (void)pthread_mutex_unlock(&lock);
    if (queued)
        return ICICLE_SUCCESS;
    memcpy(copy, args, bytes);
    const int status = known ? run(copy)
                             : icicle_fail(ICICLE_INVALID_ARGUMENT,
                                           "%p is no stream of the active device", handle);
    drop(copy);
    return status;
}

/* ---- Streams --------------------------------------------------------------------------------- */

int pail_icicle_stream_create(void **handle)
{
    struct icicle_device *device = NULL;
    if (!handle)
        return icicle_fail(ICICLE_INVALID_POINTER, "create_stream: the pointer to set is NULL");
    *handle = NULL;
    const int status = icicle_device_active(&device);
    if (status != ICICLE_SUCCESS)
        return status;
    struct stream *const stream = calloc(1, sizeof(*stream));
    if (!stream || pail_clock_cond_init(&stream->begun) != 0) {
        free(stream);
        return icicle_fail(ICICLE_STREAM_CREATION_FAILED, "create_stream: out of host memory");
    }
    stream->device = device;
    stream->last = &stream->first;
    (void)pthread_mutex_lock(&lock);
    stream->next = streams;
    streams = stream;
    (void)pthread_mutex_unlock(&lock);
    *handle = stream;
    return ICICLE_SUCCESS;
}

/* Lets all work end, then releases the stream. The lock is held, and let go in between. */
static int release(struct stream *stream)
{
    stream->leave = true; /* new work is refused */
    (void)pthread_cond_signal(&stream->begun);
    while (stream->first || stream->waiting)
        wait_once(stream);
    struct stream **place = &streams;
    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    if (stream->threaded) {
        (void)pthread_mutex_unlock(&lock);
        (void)pthread_join(stream->thread, NULL);
        (void)pthread_mutex_lock(&lock);
    }
    const int status = take_status(stream);
    (void)pthread_cond_destroy(&stream->begun);
    free(stream);
    return status;
}

int pail_icicle_stream_destroy(void *handle)
{
    if (!handle) /* the default stream, which hosts of ICICLE's CPU device destroy */
        return ICICLE_SUCCESS;
    (void)pthread_mutex_lock(&lock);
    struct stream *const stream = find(handle);
    const bool known = stream && !stream->leave;
    const int status = known ? release(stream) : ICICLE_SUCCESS;
    (void)pthread_mutex_unlock(&lock);
    if (known)
        return status;
    return icicle_fail(ICICLE_STREAM_DESTRUCTION_FAILED, "destroy_stream: %p is no stream", handle);
}

int pail_icicle_stream_wait(void *handle)
{
    struct icicle_device *device = NULL;
    int status = icicle_device_active(&device);
    if (status != ICICLE_SUCCESS)
        return status;
    (void)pthread_mutex_lock(&lock);
    struct stream *const stream = find(handle);
    const bool known = !handle || (stream && !stream->leave);
    if (known && stream) {
        wait_for(stream);
        status = take_status(stream);
    } else if (known) {
        wait_for_all(device);
        for (struct stream *each = streams; each; each = each->next)
            if (each->device == device && status == ICICLE_SUCCESS)
                status = take_status(each);
    }
    (void)pthread_mutex_unlock(&lock);
    if (known)
        return status;
    return icicle_fail(ICICLE_SYNCHRONIZATION_FAILED, "stream_synchronize: %p is no stream",
                       handle);
}

void icicle_stream_clear(void)
{
    (void)pthread_mutex_lock(&lock);
    while (streams)
        (void)release(streams);
    const pthread_t last = left;
    const bool joins = any_left;
    any_left = false;
    (void)pthread_mutex_unlock(&lock);
    if (joins)
        (void)pthread_join(last, NULL);
}
