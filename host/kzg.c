/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of <pail/kzg.h>: arguments, and jobs in the background. */
#include <pail/kzg.h>

#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include <formats/report.h>
#include <kzg/request.h>
#include <kzg/setup.h>
#include <platform/clock.h>
#include <platform/memory.h>

struct pail_kzg_job {
    struct pail_kzg_call call;
    void *inputs; /* copies of the request's arrays */
    uint8_t *outputs;
    atomic_bool cancelled;
    bool running, ended; /* under the queue's lock */
    struct pail_kzg_job *next;
};

/* Jobs of a setup, in the order of their starts, and the thread that carries them out. */
struct pail_kzg_queue {
    struct pail_kzg *kzg;
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    struct pail_kzg_job *first;
    pthread_t thread;
    bool has_thread, stopping;
};

/* ---- The queue ------------------------------------------------------------------------------- */
static void *carry_out(void *argument)
{
    struct pail_kzg_queue *const queue = argument;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        struct pail_kzg_job *const job = queue->first;
        if (!job && queue->stopping)
            break;
        if (!job) {
            pthread_cond_wait(&queue->begun, &queue->lock);
            continue;
        }
        queue->first = job->next;
        job->running = true;
        pthread_mutex_unlock(&queue->lock);
        pail_kzg_execute(&job->call, &job->cancelled);
        pthread_mutex_lock(&queue->lock);
        job->running = false;
        job->ended = true;
        pthread_cond_broadcast(&queue->ended);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static struct pail_kzg_queue *queue_create(struct pail_kzg *kzg)
{
    struct pail_kzg_queue *const queue = calloc(1, sizeof(*queue));
    if (!queue || pail_clock_cond_init(&queue->ended) != 0) {
        free(queue);
        return NULL;
    }
    queue->kzg = kzg;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->begun, NULL);
    return queue;
}

static void queue_destroy(struct pail_kzg_queue *queue)
{
    if (!queue)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->stopping = true;
    pthread_cond_broadcast(&queue->begun);
    pthread_mutex_unlock(&queue->lock);
    if (queue->has_thread)
        pthread_join(queue->thread, NULL);
    pthread_cond_destroy(&queue->begun);
    pthread_cond_destroy(&queue->ended);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

/* Adds a job; false: no thread can be started. */
static bool queue_add(struct pail_kzg_queue *queue, struct pail_kzg_job *job)
{
    pthread_mutex_lock(&queue->lock);
    if (!queue->has_thread)
        queue->has_thread = pail_thread_start(&queue->thread, "pail-cells", PAIL_STACK_FOREIGN,
                                              carry_out, queue) == 0;
    const bool good = queue->has_thread;
    struct pail_kzg_job **end = &queue->first;
    while (*end)
        end = &(*end)->next;
    if (good)
        *end = job;
    pthread_cond_broadcast(&queue->begun);
    pthread_mutex_unlock(&queue->lock);
    return good;
}

static bool queue_wait(struct pail_kzg_queue *queue, const struct pail_kzg_job *job,
                       uint64_t timeout_ns)
{
    const uint64_t until_ns = pail_clock_until(timeout_ns);
    int error = 0;
    pthread_mutex_lock(&queue->lock);
    while (!job->ended && error == 0 && timeout_ns != 0)
        error = pail_clock_cond_wait(&queue->ended, &queue->lock, until_ns);
    const bool ended = job->ended;
    pthread_mutex_unlock(&queue->lock);
    return ended;
}

/* Takes a job out that has not begun; waits for one that runs. */
static void queue_remove(struct pail_kzg_queue *queue, struct pail_kzg_job *job)
{
    atomic_store(&job->cancelled, true);
    pthread_mutex_lock(&queue->lock);
    for (struct pail_kzg_job **at = &queue->first; *at; at = &(*at)->next) {
        if (*at == job) {
            *at = job->next;
            job->ended = true;
            break;
        }
    }
    pthread_mutex_unlock(&queue->lock);
    (void)queue_wait(queue, job, UINT64_MAX);
}

/* ---- Setups ---------------------------------------------------------------------------------- */
static pail_status check_params(const pail_kzg_params *params, char *error, size_t capacity)
{
    const int ways = (params->path != NULL) + (params->bytes != NULL) + (params->g1_powers != NULL);
    if ((params->flags & ~(uint32_t)PAIL_KZG_TRUSTED) != 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "params->flags is 0x%x: there is no such flag", params->flags);
    if (params->curve != 0 && params->curve != PAIL_CURVE_BLS12_381 &&
        params->curve != PAIL_CURVE_BN254)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "params->curve is %u: there is no such curve", params->curve);
    if (ways != 1)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "the setup is given in %d ways: set one of path, bytes and g1_powers",
                           ways);
    if (params->g1_powers && !params->g2_powers)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "params->g2_powers is NULL");
    if (params->bytes && params->n_bytes > SIZE_MAX)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "params->n_bytes does not fit the address space");
    return PAIL_OK;
}

pail_status pail_kzg_open(pail_kzg **kzg, const pail_backend *backend, pail_context *context,
                          const pail_kzg_params *their_params, char *error, size_t capacity)
{
    pail_kzg_params params;
    pail_clear_error(error, capacity);
    if (kzg)
        *kzg = NULL;
    if (!kzg || !backend || !context || !their_params)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s is NULL",
                           !kzg       ? "kzg"
                           : !backend ? "backend"
                           : !context ? "context"
                                      : "params");
    pail_status status = pail_check_process(error, capacity);
    if (status == PAIL_OK)
        status = pail_take(&params, sizeof(params), their_params, "params", error, capacity);
    if (status == PAIL_OK)
        status = check_params(&params, error, capacity);
    struct pail_kzg *made = NULL;
    if (status == PAIL_OK)
        status = pail_kzg_setup_make(&made, backend, context, &params, error, capacity);
    if (status != PAIL_OK)
        return status;
    made->queue = queue_create(made);
    if (!made->queue) {
        pail_kzg_setup_close(made);
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY, "no memory for a queue of jobs");
    }
    *kzg = made;
    return PAIL_OK;
}

void pail_kzg_close(pail_kzg **kzg)
{
    if (!kzg || !*kzg)
        return;
    struct pail_kzg *const closed = *kzg;
    *kzg = NULL;
    if (pail_check_process(NULL, 0) != PAIL_OK)
        return;
    queue_destroy(closed->queue);
    pail_kzg_setup_close(closed);
}

pail_status pail_kzg_get_info(const pail_kzg *kzg, pail_kzg_info *info)
{
    if (!kzg || pail_check_out(info, sizeof(uint32_t), "info", NULL, 0) != PAIL_OK)
        return PAIL_ERR_ARGUMENT;
    pail_struct_deliver(info, &kzg->info, sizeof(kzg->info));
    return PAIL_OK;
}

/* ---- Requests -------------------------------------------------------------------------------- */
pail_status pail_kzg_run(pail_kzg *kzg, pail_kzg_result *their_result,
                         const pail_kzg_request *request, char *error, size_t capacity)
{
    pail_kzg_result result;
    struct pail_kzg_call call = {.kzg = kzg};
    pail_clear_error(error, capacity);
    const pail_status status =
        pail_kzg_take_call(&call, &result, their_result, request, error, capacity);
    if (status != PAIL_OK)
        return status;
    pail_kzg_execute(&call, NULL);
    if (call.status != PAIL_OK)
        (void)pail_report(error, capacity, call.status, "%s", call.error);
    pail_kzg_deliver(their_result, &result, &call);
    return call.status;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */
static void job_free(struct pail_kzg_job *job)
{
    if (!job)
        return;
    pail_wipe_and_free(job->inputs);
    pail_wipe_and_free(job->outputs);
    free(job);
}

/* Copies the request's arrays, and makes room for outputs. */
static bool job_copy(struct pail_kzg_job *job)
{
    struct pail_kzg_call *const call = &job->call;
    struct pail_kzg_input inputs[PAIL_KZG_INPUTS];
    struct pail_kzg_output outputs[PAIL_KZG_OUTPUTS];
    const size_t n_inputs = pail_kzg_list_inputs(inputs, call->kzg, &call->request);
    size_t input_bytes = 0, output_bytes = 0;
    pail_kzg_list_outputs(outputs, call, NULL);
    for (size_t i = 0; i < n_inputs; i++)
        input_bytes += (inputs[i].bytes + 7) / 8 * 8;
    for (size_t i = 0; i < PAIL_KZG_OUTPUTS; i++)
        output_bytes += outputs[i].bytes;
    job->inputs = malloc(input_bytes + 1);
    job->outputs = malloc(output_bytes + 1);
    if (!job->inputs || !job->outputs)
        return false;
    uint8_t *at = job->inputs;
    for (size_t i = 0; i < n_inputs; i++) {
        if (inputs[i].bytes > 0 && *inputs[i].array)
            memcpy(at, *inputs[i].array, inputs[i].bytes);
        *inputs[i].array = at;
        at += (inputs[i].bytes + 7) / 8 * 8;
    }
    at = job->outputs;
    for (size_t i = 0; i < PAIL_KZG_OUTPUTS; i++) {
        *outputs[i].at = outputs[i].bytes > 0 ? at : NULL;
        at += outputs[i].bytes;
    }
    return true;
}

pail_status pail_kzg_start(pail_kzg *kzg, pail_kzg_job **out, const pail_kzg_request *request,
                           char *error, size_t capacity)
{
    pail_kzg_request taken;
    pail_clear_error(error, capacity);
    if (!out)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "job is NULL");
    *out = NULL;
    pail_status status = pail_kzg_take_request(kzg, &taken, request, error, capacity);
    if (status == PAIL_OK)
        status = pail_kzg_check_request(kzg, &taken, error, capacity);
    if (status != PAIL_OK)
        return status;
    struct pail_kzg_job *const job = calloc(1, sizeof(*job));
    if (job) {
        job->call.kzg = kzg;
        job->call.request = taken;
    }
    if (!job || (taken.n > 0 && !job_copy(job)) || !queue_add(kzg->queue, job)) {
        job_free(job);
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY,
                           "no memory, or no thread, for a job of %llu",
                           (unsigned long long)taken.n);
    }
    *out = job;
    return PAIL_OK;
}

pail_status pail_kzg_poll(const pail_kzg_job *job)
{
    return pail_kzg_wait(job, 0);
}

pail_status pail_kzg_wait(const pail_kzg_job *job, uint64_t timeout_ns)
{
    if (!job || pail_check_process(NULL, 0) != PAIL_OK)
        return PAIL_ERR_ARGUMENT;
    return queue_wait(job->call.kzg->queue, job, timeout_ns) ? PAIL_OK : PAIL_NOT_READY;
}

pail_status pail_kzg_finish(pail_kzg_job **their_job, pail_kzg_result *their_result, char *error,
                            size_t capacity)
{
    pail_kzg_result result = {0};
    struct pail_kzg_output outputs[PAIL_KZG_OUTPUTS];
    pail_clear_error(error, capacity);
    pail_status status = pail_kzg_take_result(&result, their_result, error, capacity);
    if (!their_job || !*their_job)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "job is NULL");
    struct pail_kzg_job *const job = *their_job;
    *their_job = NULL;
    struct pail_kzg_call *const call = &job->call;
    pail_kzg_list_outputs(outputs, call, &result);
    const pail_status process = pail_check_process(error, capacity);
    if (process != PAIL_OK) { /* the job is the parent's */
        pail_kzg_zero_outputs(outputs);
        return process;
    }
    (void)queue_wait(call->kzg->queue, job, UINT64_MAX);
    if (status == PAIL_OK)
        status = pail_kzg_check_outputs(outputs, error, capacity);
    if (status != PAIL_OK) {
        pail_kzg_zero_outputs(outputs);
    } else {
        for (size_t i = 0; i < PAIL_KZG_OUTPUTS; i++)
            if (outputs[i].bytes > 0)
                memcpy(outputs[i].to, *outputs[i].at, outputs[i].bytes);
        status = call->status;
        if (status != PAIL_OK)
            (void)pail_report(error, capacity, status, "%s", call->error);
        pail_kzg_deliver(their_result, &result, call);
    }
    job_free(job);
    return status;
}

void pail_kzg_abandon(pail_kzg_job **their_job)
{
    if (!their_job || !*their_job)
        return;
    struct pail_kzg_job *const job = *their_job;
    *their_job = NULL;
    if (pail_check_process(NULL, 0) != PAIL_OK)
        return;
    queue_remove(job->call.kzg->queue, job);
    job_free(job);
}
