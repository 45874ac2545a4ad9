/* Streams: queues of work that run in order, each in a thread of its own.
 *
 * Work without a stream runs in the thread of the call, after the earlier work of all streams of
 * its device, and has ended when the call returns; so no later work can overtake it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <platform/thread.h>

#include "state.h"

struct work {
    struct work *next;
    int (*run)(void *args);
    void (*drop)(void *args);
    max_align_t args[];
};

struct stream {
    struct stream *next;
    struct icicle_device *device;
    struct work *first, **last; /* the one that runs is the first until it has ended */
    pthread_t thread;
    bool threaded, leave;
    uint32_t waiting; /* calls that wait for it: it is not released before they return */
    int status;       /* of the first work that failed and that no call has returned */
    char sentence[ICICLE_SENTENCE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER, ended = PTHREAD_COND_INITIALIZER;
static struct stream *streams;

/* ---- The thread of a stream ------------------------------------------------------------------ */

static void *serve(void *argument)
{
    struct stream *const stream = argument;
    (void)pthread_mutex_lock(&lock);
    while (stream->first || !stream->leave) {
        struct work *const work = stream->first;
        if (!work) {
            (void)pthread_cond_wait(&begun, &lock);
            continue;
        }
        (void)pthread_mutex_unlock(&lock);
        const int status = work->run(work->args);
        work->drop(work->args);
        (void)pthread_mutex_lock(&lock);
        stream->first = work->next;
        if (!stream->first)
            stream->last = &stream->first;
        if (stream->status == ICICLE_SUCCESS && status != ICICLE_SUCCESS) {
            stream->status = status;
            memcpy(stream->sentence, pail_icicle_error(), sizeof(stream->sentence));
        }
        free(work);
        (void)pthread_cond_broadcast(&ended);
    }
    (void)pthread_mutex_unlock(&lock);
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

static void wait_for(struct stream *stream)
{
    stream->waiting++;
    while (stream->first)
        (void)pthread_cond_wait(&ended, &lock);
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

/* Appends work to a stream; false: out of memory, or no thread can be made. The lock is held. */
static bool append(struct stream *stream, int (*run)(void *args), void (*drop)(void *args),
                   const void *args, size_t bytes)
{
    struct work *const work = malloc(sizeof(*work) + bytes);
    if (!work)
        return false;
    if (!stream->threaded)
        stream->threaded = pail_thread_start(&stream->thread, "pail-icicle", PAIL_STACK_FOREIGN,
                                             serve, stream) == 0;
    if (!stream->threaded) {
        free(work);
        return false;
    }
    *work = (struct work){.run = run, .drop = drop};
    memcpy(work->args, args, bytes);
    *stream->last = work;
    stream->last = &work->next;
    (void)pthread_cond_broadcast(&begun);
    return true;
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
    if (!stream)
        return icicle_fail(ICICLE_STREAM_CREATION_FAILED, "create_stream: out of host memory");
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
    (void)pthread_cond_broadcast(&begun);
    while (stream->first || stream->waiting)
        (void)pthread_cond_wait(&ended, &lock);
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
    (void)pthread_mutex_unlock(&lock);
}
