/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks from one queue. Rank 0 has it; a thread of rank 0 answers the other ranks while rank 0
 * works itself, so that the transport is used by one thread alone and answers come at once. A rank
 * sends what became of its task and gets the next one. */
#include "cluster.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include <formats/report.h>
#include <platform/thread.h>

static const uint64_t none = UINT64_MAX;

/* A rank's message: this header, and the result behind it. */
struct report {
    struct pail_verdict verdict;
    uint64_t index; /* none: it has done nothing yet */
};

enum command { WAIT, RUN, QUIT };

struct queue {
    struct pail_cluster *cluster;
    const pail_cluster_batch *batch;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t next;        /* the first task that nobody has been given */
    uint32_t *parked;     /* [size]: room for ranks that wait */
    uint64_t *again;      /* [n_again]: given back by ranks that lost their device */
    uint32_t n_again;     /* at most one for each rank */
    uint32_t out;         /* tasks that somebody has */
    uint32_t workers;     /* ranks that take tasks, rank 0 included */
    bool failed;          /* the transport has */
    bool has_thread;      /* there is a thread that answers */
    enum command command; /* for that thread */
    pthread_t thread;
    uint8_t *message;   /* buffer of that thread */
    pail_status status; /* status of that thread */
    char error[PAIL_CLUSTER_SENTENCE];
};

/* The next task, or none; with the lock held. */
static uint64_t take(struct queue *queue)
{
    if (queue->failed)
        return none;
    if (queue->n_again > 0) {
        queue->out++;
        return queue->again[--queue->n_again];
    }
    if (queue->next >= queue->batch->n)
        return none;
    queue->out++;
    return queue->next++;
}

/* Takes a task that has ended. True if its rank goes on. */
static bool put(struct queue *queue, uint32_t rank, uint64_t index, pail_status status,
                const void *result, const char *error)
{
    (void)pthread_mutex_lock(&queue->lock);
    queue->out--;
    const bool leaves = status == PAIL_ERR_DEVICE_LOST && queue->workers > 1;
    if (leaves) {
        queue->workers--;
        queue->again[queue->n_again++] = index;
    } else {
        queue->batch->done(queue->batch->user, index, rank, status, result, error);
    }
    (void)pthread_cond_broadcast(&queue->changed);
    (void)pthread_mutex_unlock(&queue->lock);
    return !leaves;
}

/* The next task; waits while another rank may still give one back. none: there will be no more. */
static uint64_t wait_for_task(struct queue *queue)
{
    (void)pthread_mutex_lock(&queue->lock);
    uint64_t index = take(queue);
    while (index == none && queue->out > 0 && !queue->failed) {
        (void)pthread_cond_wait(&queue->changed, &queue->lock);
        index = take(queue);
    }
    (void)pthread_mutex_unlock(&queue->lock);
    return index;
}

static pail_status answer(struct queue *queue, uint32_t to, uint64_t index)
{
    const pail_cluster_batch *const batch = queue->batch;
    const uint64_t bytes = sizeof(index) + batch->task_bytes;
    memset(queue->message, 0, bytes);
    memcpy(queue->message, &index, sizeof(index));
    if (index != none)
        batch->task(batch->user, index, queue->message + sizeof(index));
    return queue->cluster->transport->send(queue->cluster->link, to, queue->message, bytes,
                                           queue->error, sizeof(queue->error));
}

/* Receives one message of a rank. parked: [n_parked]: ranks that wait for a task that may be given
 * back. */
static pail_status hear(struct queue *queue, uint32_t *parked, uint32_t *n_parked, uint32_t *left)
{
    const uint64_t bytes = sizeof(struct report) + queue->batch->result_bytes;
    uint32_t from = PAIL_RANK_ANY;
    pail_status status = queue->cluster->transport->receive(
        queue->cluster->link, &from, queue->message, bytes, queue->error, sizeof(queue->error));
    if (status != PAIL_OK)
        return status;
    struct report report;
    memcpy(&report, queue->message, sizeof(report));
    report.verdict.sentence[sizeof(report.verdict.sentence) - 1] = '\0';
    bool goes_on = true;
    if (report.index != none)
        goes_on = put(queue, from, report.index, (pail_status)report.verdict.status,
                      queue->message + sizeof(report), report.verdict.sentence);
    if (goes_on) {
        parked[(*n_parked)++] = from;
        return PAIL_OK;
    }
    (*left)--;
    return answer(queue, from, none);
}

/* Gives waiting ranks what there is, and lets them go when nothing can come any more. */
static pail_status feed(struct queue *queue, uint32_t *parked, uint32_t *n_parked, uint32_t *left)
{
    pail_status status = PAIL_OK;
    while (*n_parked > 0 && status == PAIL_OK) {
        (void)pthread_mutex_lock(&queue->lock);
        const uint64_t index = take(queue);
        const bool over = index == none && queue->out == 0;
        const bool others = *left > *n_parked;
        if (index == none && !over && !others) {
            /* All are waiting for what rank 0 itself has, which may come back. */
            (void)pthread_cond_wait(&queue->changed, &queue->lock);
            (void)pthread_mutex_unlock(&queue->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&queue->lock);
        if (index == none && !over)
            return PAIL_OK; /* another rank will report */
        status = answer(queue, parked[--*n_parked], index);
        *left -= over ? 1 : 0;
    }
    return status;
}

static void *serve(void *given)
{
    struct queue *const queue = given;
    uint32_t left = queue->cluster->size - 1, n_parked = 0;
    pail_status status = PAIL_OK;
    (void)pthread_mutex_lock(&queue->lock);
    while (queue->command == WAIT)
        (void)pthread_cond_wait(&queue->changed, &queue->lock);
    left = queue->command == RUN ? left : 0;
    (void)pthread_mutex_unlock(&queue->lock);
    while (status == PAIL_OK && left > 0) {
        status = hear(queue, queue->parked, &n_parked, &left);
        if (status == PAIL_OK)
            status = feed(queue, queue->parked, &n_parked, &left);
    }
    (void)pthread_mutex_lock(&queue->lock);
    queue->status = status;
    queue->failed = status != PAIL_OK;
    (void)pthread_cond_broadcast(&queue->changed);
    (void)pthread_mutex_unlock(&queue->lock);
    return NULL;
}

/* All memory of a batch, so that ranks can agree that they have it before they depend on each
 * other.
 */
struct buffers {
    uint8_t *task, *message, *result;
    uint64_t *again;  /* at rank 0, [size] */
    uint32_t *parked; /* at rank 0, [size] */
};

static bool take_buffers(struct buffers *buffers, const struct pail_cluster *cluster,
                         const pail_cluster_batch *batch)
{
    /* Both kinds of messages go through one buffer at rank 0. */
    const size_t task_bytes = sizeof(uint64_t) + (size_t)batch->task_bytes;
    const size_t report_bytes = sizeof(struct report) + (size_t)batch->result_bytes;
    const bool leads = cluster->rank == 0;
    *buffers = (struct buffers){
        .task = malloc(task_bytes),
        .message = malloc(task_bytes > report_bytes ? task_bytes : report_bytes),
        .result = malloc((size_t)batch->result_bytes + 1),
        .again = leads ? calloc(cluster->size, sizeof(*buffers->again)) : NULL,
        .parked = leads ? calloc(cluster->size, sizeof(*buffers->parked)) : NULL,
    };
    return buffers->task && buffers->message && buffers->result &&
           (!leads || (buffers->again && buffers->parked));
}

static void give_buffers(struct buffers *buffers)
{
    free(buffers->task);
    free(buffers->message);
    free(buffers->result);
    free(buffers->again);
    free(buffers->parked);
}

/* The thread that answers, which waits for the command to run. */
static pail_status start_thread(struct queue *queue, char *error, size_t capacity)
{
    if (queue->cluster->rank != 0 || queue->cluster->size == 1)
        return PAIL_OK;
    const int failure =
        pail_thread_start(&queue->thread, "pail-queue", PAIL_STACK_FOREIGN, serve, queue);
    queue->has_thread = failure == 0;
    return failure == 0
               ? PAIL_OK
               : pail_report(error, capacity, PAIL_ERR_HOST_MEMORY,
                             "the thread of the queue cannot be started: %s", strerror(failure));
}

static void signal_thread(struct queue *queue, enum command command)
{
    (void)pthread_mutex_lock(&queue->lock);
    queue->command = command;
    (void)pthread_cond_broadcast(&queue->changed);
    (void)pthread_mutex_unlock(&queue->lock);
}

static void join_thread(struct queue *queue)
{
    if (queue->has_thread)
        (void)pthread_join(queue->thread, NULL);
    queue->has_thread = false;
}

/* task, result: room for one of each. */
static void work_here(struct queue *queue, void *task, void *result)
{
    const pail_cluster_batch *const batch = queue->batch;
    bool goes_on = true;
    for (uint64_t index; goes_on && (index = wait_for_task(queue)) != none;) {
        char error[PAIL_CLUSTER_SENTENCE] = "";
        memset(result, 0, batch->result_bytes);
        batch->task(batch->user, index, task);
        const pail_status status =
            batch->work(batch->user, index, task, result, error, sizeof(error));
        goes_on = put(queue, 0, index, status, result, error);
    }
}

static pail_status lead(struct queue *queue, const struct buffers *buffers, char *error,
                        size_t capacity)
{
    work_here(queue, buffers->task, buffers->result);
    join_thread(queue);
    return queue->status == PAIL_OK
               ? PAIL_OK
               : pail_report(error, capacity, queue->status, "%s", queue->error);
}

static pail_status follow(struct pail_cluster *cluster, const pail_cluster_batch *batch,
                          const struct buffers *buffers, char *error, size_t capacity)
{
    uint8_t *const message = buffers->message, *const task = buffers->task;
    const pail_transport *const transport = cluster->transport;
    struct report report = {.index = none};
    pail_verdict_set(&report.verdict, cluster, PAIL_OK, NULL);
    memset(message, 0, sizeof(report) + batch->result_bytes);
    for (;;) {
        memcpy(message, &report, sizeof(report));
        pail_status status = transport->send(cluster->link, 0, message,
                                             sizeof(report) + batch->result_bytes, error, capacity);
        uint32_t from = 0;
        if (status == PAIL_OK)
            status = transport->receive(cluster->link, &from, task,
                                        sizeof(report.index) + batch->task_bytes, error, capacity);
        if (status != PAIL_OK)
            return status;
        memcpy(&report.index, task, sizeof(report.index));
        if (report.index == none)
            return PAIL_OK;
        char why[PAIL_CLUSTER_SENTENCE] = "";
        memset(message, 0, sizeof(report) + batch->result_bytes);
        status = batch->work(batch->user, report.index, task + sizeof(report.index),
                             message + sizeof(report), why, sizeof(why));
        pail_verdict_set(&report.verdict, cluster, status, why);
    }
}

pail_status pail_cluster_run(pail_cluster *cluster, const pail_cluster_batch *batch, char *error,
                             size_t capacity)
{
    enum { BYTES_MAX = 1 << 30 };
    pail_clear_error(error, capacity);
    pail_cluster_batch ours;
    pail_status status = pail_take(&ours, sizeof(ours), batch, "batch", error, capacity);
    if (status == PAIL_OK &&
        (!cluster || ours.task_bytes >= BYTES_MAX || ours.result_bytes >= BYTES_MAX || !ours.work ||
         (cluster->rank == 0 && (!ours.task || !ours.done))))
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                             "cluster is NULL, or batch lacks a function or has tasks too large");
    if (!cluster)
        return status;
    status = pail_cluster_agree(cluster, status, error, capacity);
    if (status != PAIL_OK)
        return status;
    struct buffers buffers;
    if (!take_buffers(&buffers, cluster, &ours))
        status = pail_report(error, capacity, PAIL_ERR_HOST_MEMORY, "no memory for a task");
    struct queue queue = {.cluster = cluster,
                          .batch = &ours,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .changed = PTHREAD_COND_INITIALIZER,
                          .workers = cluster->size,
                          .message = buffers.message,
                          .again = buffers.again,
                          .parked = buffers.parked};
    if (status == PAIL_OK)
        status = start_thread(&queue, error, capacity);
    status = pail_cluster_agree(cluster, status, error, capacity);
    signal_thread(&queue, status == PAIL_OK ? RUN : QUIT);
    if (status == PAIL_OK)
        status = pail_cluster_sent(
            cluster, cluster->rank == 0 ? lead(&queue, &buffers, error, capacity)
                                        : follow(cluster, &ours, &buffers, error, capacity));
    join_thread(&queue);
    give_buffers(&buffers);
    return status;
}
