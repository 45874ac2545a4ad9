/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "jobs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <formats/report.h>
#include <platform/clock.h>
#include <platform/memory.h>
#include <prover/key/assignment.h>
#include <prover/open/open.h>

enum {
    SCALAR_BYTES = 32,
    WTNS_HEADER_BYTES = 4096, /* at most, sections of unknown types included */
    INFLIGHT = 2,
    PRODUCERS = 2,
    HOST_THREADS = 2,
    QUEUE_DEPTH = 64,
    MAX_OVERTAKES = 8,
    REREAD_NS = 100000000,
};
static const uint64_t MARGIN_BYTES = 256u << 20;
static const uint64_t RECLAIM_BYTES = UINT64_C(4) << 30;

/* ---- Making and ending ---------------------------------------------------------------------- */
static pail_status make_ledger(pail_prover *prover)
{
    struct pail_ledger_heap heaps[PAIL_LEDGER_HEAPS_MAX] = {{.name = "host",
                                                             .limit = prover->params.mem_budget,
                                                             .margin = MARGIN_BYTES,
                                                             .read = pail_read_host_memory}};
    for (uint32_t d = 0; d < prover->params.n_devices; d++) {
        struct pail_ledger_heap *const heap = &heaps[PAIL_HEAP_DEVICE + d];
        prover->device_heaps[d] =
            (struct pail_device_heap){prover->devices[d].backend, prover->devices[d].context};
        pail_describe_device_heap(heap, &prover->device_heaps[d], PAIL_HEAP_HOST);
        heap->limit = prover->params.vram_budget;
        heap->margin = MARGIN_BYTES;
    }
    const struct pail_ledger_params params = {
        .heaps = heaps,
        .n_heaps = PAIL_HEAP_DEVICE + prover->params.n_devices,
        .max_overtakes = MAX_OVERTAKES,
        .reread_ns = REREAD_NS,
        .unlimited = (prover->params.flags & PAIL_PROVER_NO_LEDGER) != 0};
    return pail_ledger_create(&prover->ledger, &params);
}

static void fill_in(pail_prover_params *params)
{
    params->inflight = params->inflight != 0 ? params->inflight : INFLIGHT;
    params->producers = params->producers != 0 ? params->producers : PRODUCERS;
    params->host_threads = params->host_threads != 0 ? params->host_threads : HOST_THREADS;
    params->queue_depth = params->queue_depth != 0 ? params->queue_depth : QUEUE_DEPTH;
}

/* Devices that are spares, as bits. */
static uint32_t spares_of(const pail_prover *prover)
{
    uint32_t spares = 0;
    for (uint32_t d = 0; d < prover->params.n_devices; d++)
        if ((prover->devices[d].flags & PAIL_PROVER_DEVICE_SPARE) != 0)
            spares |= UINT32_C(1) << d;
    return spares;
}

static pail_status make_parts(pail_prover *prover)
{
    const pail_prover_params *const params = &prover->params;
    pail_status status = make_ledger(prover);
    if (status == PAIL_OK)
        status = pail_reclaimer_create(&prover->reclaimer,
                                       &(struct pail_reclaimer_params){
                                           .max_bytes = RECLAIM_BYTES,
                                           .max_entries = params->queue_depth,
                                           .off = (params->flags & PAIL_PROVER_NO_RECLAIMER) != 0});
    if (status == PAIL_OK)
        status = pail_buffers_create(
            &prover->buffers, &(struct pail_buffers_params){.max_buffers = params->queue_depth,
                                                            .reclaimer = prover->reclaimer,
                                                            .unmapped = pail_jobs_buffer_unmapped,
                                                            .user = prover});
    if (status == PAIL_OK)
        status = pail_jobs_begin_idle(prover);
    if (status == PAIL_OK)
        status = pail_schedule_create(
            &prover->schedule,
            &(struct pail_schedule_params){
                .executor = pail_prover_executor(prover),
                .ledger = prover->ledger,
                .n_devices = params->n_devices,
                .spares = spares_of(prover),
                .inflight = params->inflight,
                .producers = params->producers,
                .finishers = params->host_threads,
                .queue_depth = params->queue_depth,
                .slot_until_finished = (params->flags & PAIL_PROVER_WHOLE_SLOTS) != 0,
                .keys_everywhere = (params->flags & PAIL_PROVER_KEYS_EVERYWHERE) != 0});
    if (status == PAIL_OK)
        status = pail_crew_start(&prover->producers, prover, params->producers);
    if (status == PAIL_OK)
        status =
            pail_crew_start(&prover->drivers, prover, (params->inflight + 1) * params->n_devices);
    if (status == PAIL_OK)
        status = pail_crew_start(&prover->finishers, prover, params->host_threads);
    return status == PAIL_OK ? pail_ticker_start(prover) : status;
}

pail_status pail_jobs_create(pail_prover **out, const pail_prover_params *params, char *error,
                             size_t error_cap)
{
    *out = NULL;
    pail_prover *prover = calloc(1, sizeof(*prover));
    if (!prover)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a prover");
    prover->params = *params;
    fill_in(&prover->params);
    memcpy(prover->devices, params->devices, params->n_devices * sizeof(prover->devices[0]));
    prover->begun_ns = pail_clock_ns();
    pail_read_caches(&prover->caches, NULL);
    pthread_mutex_init(&prover->mutex, NULL);
    if (pail_clock_cond_init(&prover->ended) != 0 || pail_clock_cond_init(&prover->tick) != 0) {
        free(prover);
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a prover");
    }
    const pail_status status = make_parts(prover);
    if (status != PAIL_OK) {
        pail_jobs_destroy(&prover);
        return pail_report(error, error_cap, status, "no memory, or no threads, for a prover");
    }
    *out = prover;
    return PAIL_OK;
}

static void free_job(pail_prover_job *job)
{
    free(job->path);
    free(job->name);
    free(job->publics);
    free(job->work);
    pail_wipe(job, sizeof(*job));
    free(job);
}

static bool is_gone(const struct pail_prover_key *key)
{
    for (size_t d = 0; d < PAIL_SCHEDULE_DEVICES_MAX; d++)
        if (key->open[d])
            return false;
    return true;
}

static bool keys_are_gone(const pail_prover *prover)
{
    for (size_t k = 0; k < PAIL_KEYS_MAX; k++)
        if (!is_gone(&prover->keys[k]))
            return false;
    return true;
}

/* Under the mutex. */
static void cancel(pail_prover *prover, pail_prover_job *job)
{
    atomic_store(&job->stop, true);
    pail_schedule_cancel(prover->schedule, &job->unit);
    pthread_cond_broadcast(&prover->ended); /* for a proof that gives way */
}

/* Ends all work under way. */
static void wind_down(pail_prover *prover)
{
    pthread_mutex_lock(&prover->mutex);
    prover->draining = true;
    for (pail_prover_job *job = prover->jobs; job != NULL; job = job->next)
        cancel(prover, job);
    while (pail_schedule_active(prover->schedule) != 0)
        (void)pail_clock_cond_wait(&prover->ended, &prover->mutex, UINT64_MAX);
    pail_schedule_evict_idle(prover->schedule);
    while (!keys_are_gone(prover))
        (void)pail_clock_cond_wait(&prover->ended, &prover->mutex, UINT64_MAX);
    pthread_mutex_unlock(&prover->mutex);
}

void pail_jobs_destroy(pail_prover **out)
{
    pail_prover *const prover = *out;
    if (!prover)
        return;
    if (prover->ticks) /* made completely */
        wind_down(prover);
    pthread_mutex_lock(&prover->mutex);
    prover->stopping = true;
    pthread_mutex_unlock(&prover->mutex);
    pail_ticker_end(prover);
    pail_crew_end(&prover->producers);
    pail_crew_end(&prover->drivers);
    pail_crew_end(&prover->finishers);
    pail_schedule_destroy(&prover->schedule);
    pail_buffers_destroy(&prover->buffers);
    pail_reclaimer_destroy(&prover->reclaimer);
    if (prover->ledger)
        pail_jobs_end_idle(prover);
    pail_ledger_destroy(&prover->ledger);
    while (prover->jobs) {
        pail_prover_job *const job = prover->jobs;
        prover->jobs = job->next;
        free_job(job);
    }
    for (size_t k = 0; k < PAIL_KEYS_MAX; k++) {
        free(prover->keys[k].path);
        free(prover->keys[k].name);
    }
    pthread_cond_destroy(&prover->tick);
    pthread_cond_destroy(&prover->ended);
    pthread_mutex_destroy(&prover->mutex);
    free(prover);
    *out = NULL;
}

/* ---- Jobs ----------------------------------------------------------------------------------- */
/* Copies a text. False: no memory. text may be NULL. */
static bool copy_text(char **copy, const char *text)
{
    *copy = text ? strdup(text) : NULL;
    return !text || *copy;
}

/* Takes a place in the queue and hands the job over. Under the mutex. */
static pail_status enqueue(pail_prover *prover, pail_prover_job *job, char *error, size_t error_cap)
{
    if (prover->draining)
        return pail_report(error, error_cap, PAIL_ERR_STOPPED, "the prover takes no more jobs");
    if (!pail_schedule_claim(prover->schedule))
        return pail_report(error, error_cap, PAIL_NOT_READY,
                           "%" PRIu32 " jobs have not ended, which is as many as the queue holds",
                           prover->params.queue_depth);
    job->prover = prover;
    job->unit.sequence = prover->sequence++;
    job->next = prover->jobs;
    prover->jobs = job;
    pail_schedule_submit(prover->schedule, &job->unit);
    pail_jobs_note_idle(prover);
    pthread_cond_signal(&prover->tick);
    return PAIL_OK;
}

/* Waits for one of the job's members, under the mutex. */
static bool wait_for(pail_prover *prover, const bool *member, const bool *or_member,
                     uint64_t timeout_ns)
{
    const uint64_t now = pail_clock_ns();
    const uint64_t until = timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
    pthread_mutex_lock(&prover->mutex);
    while (!*member && !*or_member && pail_clock_ns() < until)
        (void)pail_clock_cond_wait(&prover->ended, &prover->mutex, until);
    const bool is_set = *member || *or_member;
    pthread_mutex_unlock(&prover->mutex);
    return is_set;
}

bool pail_jobs_ended(pail_prover *prover, const pail_prover_job *job, uint64_t timeout_ns)
{
    return wait_for(prover, &job->ended, &job->ended, timeout_ns);
}

bool pail_jobs_copied(pail_prover *prover, const pail_prover_job *job, uint64_t timeout_ns)
{
    return wait_for(prover, &job->ended, &job->copied, timeout_ns);
}

uint64_t pail_jobs_publics(pail_prover *prover, const pail_prover_job *job)
{
    return job->work ? 0 : prover->keys[job->unit.key].facts.n_public;
}

static void forget(pail_prover *prover, pail_prover_job *job)
{
    pthread_mutex_lock(&prover->mutex);
    pail_prover_job **at = &prover->jobs;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    pthread_mutex_unlock(&prover->mutex);
    free_job(job);
}

pail_status pail_jobs_take(pail_prover *prover, pail_prover_job *job, pail_groth16_proof *proof,
                           void *publics, pail_groth16_timings *timings, char *error,
                           size_t error_cap)
{
    const size_t bytes = publics ? SCALAR_BYTES * (size_t)pail_jobs_publics(prover, job) : 0;
    const pail_status status = job->unit.status;
    memset(proof, 0, sizeof(*proof));
    memset(timings, 0, sizeof(*timings));
    proof->struct_size = sizeof(*proof);
    timings->struct_size = sizeof(*timings);
    if (status == PAIL_OK) {
        *proof = job->proof;
        *timings = job->timings;
    } else {
        (void)pail_report(error, error_cap, status, "%s",
                          job->unit.error[0] != '\0' ? job->unit.error : job->error);
    }
    if (bytes != 0 && status == PAIL_OK)
        memcpy(publics, job->publics, bytes);
    else if (bytes != 0)
        memset(publics, 0, bytes);
    forget(prover, job);
    return status;
}

/* The latest deadline is UINT64_MAX - 1, for UINT64_MAX means none. */
static uint64_t deadline_of(uint64_t ms)
{
    const uint64_t now = pail_clock_ns(), most = UINT64_MAX - 1 - now;
    return now + (ms > most / 1000000 ? most : ms * 1000000);
}

/* Sizes the job by its key. Under the mutex, until the job is in the queue: after it the key's
 * number may be another key's. */
static pail_status size_by_key(const pail_prover *prover, pail_prover_job *job, char *error,
                               size_t error_cap)
{
    const uint32_t number = job->unit.key;
    const struct pail_prover_key *const key = &prover->keys[number < PAIL_KEYS_MAX ? number : 0];
    if (number >= PAIL_KEYS_MAX || !key->known)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "there is no key %" PRIu32, number);
    job->publics = calloc((size_t)key->facts.n_public + 1, SCALAR_BYTES);
    if (!job->publics)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a job");
    if (job->path)
        job->witness_bytes = (uint64_t)SCALAR_BYTES * key->facts.n_vars + WTNS_HEADER_BYTES;
    if (job->copies && key->facts.form == PAIL_KEY_PARAMS) {
        const pail_status status = pail_assigned_bytes(&job->witness_bytes, &key->facts,
                                                       &job->assignment, error, error_cap);
        if (status != PAIL_OK)
            return status;
    }
    job->unit.host_bytes = sizeof(*job) + job->witness_bytes + key->b2_bytes;
    const uint64_t taken = key->taken_bytes;
    const bool known_well = taken != 0 && taken < key->device_bytes;
    job->unit.device_bytes = job->unit.kept_bytes = known_well ? taken : key->device_bytes;
    return PAIL_OK;
}

pail_status pail_jobs_submit(pail_prover *prover, pail_prover_job **out,
                             const pail_prover_request *request, char *error, size_t error_cap)
{
    *out = NULL;
    pail_prover_job *const job = calloc(1, sizeof(*job));
    if (job) {
        job->is_assigned = request->assignment != NULL;
        if (job->is_assigned)
            job->assignment = *request->assignment;
        else
            job->witness = *request->witness;
    }
    if (!job || !copy_text(&job->path, job->witness.path) ||
        !copy_text(&job->name, job->is_assigned ? job->assignment.name : job->witness.name)) {
        if (job)
            free_job(job);
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a job");
    }
    job->witness.path = job->path;
    job->witness.name = job->assignment.name = job->name;
    job->options = *request->options;
    job->options.stage = NULL;
    job->options.flags &= ~(uint32_t)PAIL_GROTH16_STAGES;
    job->copies = (request->flags & PAIL_PROVER_REQUEST_COPY) != 0;
    job->unit.key = request->key;
    job->unit.priority = request->priority;
    if (request->deadline_ms != 0)
        job->unit.deadline_ns = deadline_of(request->deadline_ms);
    pthread_mutex_lock(&prover->mutex);
    pail_status status = size_by_key(prover, job, error, error_cap);
    if (status == PAIL_OK)
        status = enqueue(prover, job, error, error_cap);
    pthread_mutex_unlock(&prover->mutex);
    pail_wipe_stack(); /* copying puts r and s in registers, and a later call may save those */
    if (status != PAIL_OK) {
        free_job(job);
        return status;
    }
    *out = job;
    return PAIL_OK;
}

/* The device of the work. Under the mutex: a context may be replaced. */
static pail_status find_device(const pail_prover *prover, pail_prover_job *job, char *error,
                               size_t error_cap)
{
    for (uint32_t d = 0; d < prover->params.n_devices; d++) {
        if (prover->devices[d].context != job->work->context)
            continue;
        job->unit.key = PAIL_KEYLESS + d;
        return PAIL_OK;
    }
    return pail_report(
        error, error_cap, PAIL_ERR_ARGUMENT,
        "request: the setup is opened on a context that none of the prover's %" PRIu32
        " devices has",
        prover->params.n_devices);
}

pail_status pail_jobs_submit_work(pail_prover *prover, pail_prover_job **out,
                                  const pail_prover_request *request, struct pail_job_work *work,
                                  char *error, size_t error_cap)
{
    pail_prover_job *const job = calloc(1, sizeof(*job));
    pail_status status = PAIL_OK;
    *out = NULL;
    if (!job) {
        status = pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a job");
        work->end(work, status);
        free(work);
        return status;
    }
    job->work = work;
    job->unit.priority = request->priority;
    job->unit.host_bytes = sizeof(*job) + work->host_bytes;
    job->unit.device_bytes = job->unit.kept_bytes = work->device_bytes;
    job->unit.claims_device = true; /* from its start on */
    if (request->deadline_ms != 0)
        job->unit.deadline_ns = deadline_of(request->deadline_ms);
    pthread_mutex_lock(&prover->mutex);
    status = find_device(prover, job, error, error_cap);
    if (status == PAIL_OK) {
        prover->shares[job->unit.key - PAIL_KEYLESS] = true;
        status = enqueue(prover, job, error, error_cap);
    }
    pthread_mutex_unlock(&prover->mutex);
    if (status != PAIL_OK) {
        work->end(work, status);
        free_job(job);
        return status;
    }
    *out = job;
    return PAIL_OK;
}

void pail_jobs_cancel(pail_prover *prover, pail_prover_job *job)
{
    pthread_mutex_lock(&prover->mutex);
    cancel(prover, job);
    pthread_mutex_unlock(&prover->mutex);
}

bool pail_jobs_drain(pail_prover *prover, uint64_t timeout_ns)
{
    const uint64_t now = pail_clock_ns();
    const uint64_t until = timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
    pthread_mutex_lock(&prover->mutex);
    prover->draining = true;
    while (pail_schedule_active(prover->schedule) != 0 && pail_clock_ns() < until)
        (void)pail_clock_cond_wait(&prover->ended, &prover->mutex, until);
    const bool ended = pail_schedule_active(prover->schedule) == 0;
    pthread_mutex_unlock(&prover->mutex);
    const uint64_t left = pail_clock_ns();
    return ended && pail_reclaimer_drain(prover->reclaimer, until > left ? until - left : 0);
}

/* ---- Keys ----------------------------------------------------------------------------------- */
/* Drops a key that was not loaded: its number goes to the next one. Under the mutex. */
static void drop_key(pail_prover *prover, uint32_t number)
{
    struct pail_prover_key *const key = &prover->keys[number];
    if (key->known) /* a job may have it */
        return;
    pail_schedule_drop_key(prover->schedule, number);
    free(key->path);
    free(key->name);
    *key = (struct pail_prover_key){0};
}

/* Points stay in the device's memory, or in the host's, where that is requested or the device has
 * no room for them. */
static size_t plan_key(pail_prover *prover, struct pail_key_plan plans[PAIL_KEY_PLANS],
                       const pail_groth16_key_params *params, char *error, size_t error_cap,
                       pail_status *status)
{
    struct pail_key_size size;
    size_t n = 0;
    pail_prover_device device;
    const uint32_t visited = pail_jobs_visit_any(prover, &device);
    *status =
        pail_key_measure(&size, device.backend, device.context, params, NULL, error, error_cap);
    pail_jobs_leave(prover, visited);
    if (params->residency != PAIL_RESIDENCY_HOST)
        plans[n++] =
            (struct pail_key_plan){.host_bytes = size.loading_bytes + size.b2_bytes,
                                   .device_bytes = size.matrices_bytes + size.points_bytes};
    if (params->residency != PAIL_RESIDENCY_DEVICE)
        plans[n++] = (struct pail_key_plan){.host_bytes = size.loading_bytes +
                                                          size.points_on_host_bytes + size.b2_bytes,
                                            .device_bytes = size.matrices_bytes};
    return n;
}

/* Gives the key a number. Under the mutex. */
static pail_status number_key(pail_prover *prover, uint32_t *number,
                              const struct pail_key_plan *plans, size_t n_plans,
                              const pail_groth16_key_params *params, char *error, size_t error_cap)
{
    if (pail_schedule_key(prover->schedule, number, plans, n_plans) != PAIL_OK)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "a prover has %d keys at most",
                           PAIL_KEYS_MAX);
    struct pail_prover_key *const key = &prover->keys[*number];
    *key = (struct pail_prover_key){.params = *params};
    if (!copy_text(&key->path, params->path) || !copy_text(&key->name, params->name)) {
        drop_key(prover, *number);
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a key");
    }
    key->params.path = key->path;
    key->params.name = key->name;
    key->params.cache_dir = NULL;
    return PAIL_OK;
}

pail_status pail_jobs_add_key(pail_prover *prover, uint32_t *number,
                              const pail_groth16_key_params *params, char *error, size_t error_cap)
{
    struct pail_key_plan plans[PAIL_KEY_PLANS];
    pail_status status;
    const size_t n_plans = plan_key(prover, plans, params, error, error_cap, &status);
    if (status != PAIL_OK)
        return status;
    pail_prover_job *const job = calloc(1, sizeof(*job));
    if (!job)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a job");
    uint32_t key = 0;
    job->loads_only = true;
    pthread_mutex_lock(&prover->mutex);
    status = number_key(prover, &key, plans, n_plans, params, error, error_cap);
    job->unit.key = key;
    if (status == PAIL_OK) {
        status = enqueue(prover, job, error, error_cap);
        if (status != PAIL_OK)
            drop_key(prover, key);
    }
    pthread_mutex_unlock(&prover->mutex);
    if (status != PAIL_OK) {
        free_job(job);
        return status;
    }
    (void)pail_jobs_ended(prover, job, UINT64_MAX);
    status = job->unit.status;
    if (status == PAIL_OK) {
        *number = key;
    } else {
        (void)pail_report(error, error_cap, status, "%s", job->unit.error);
        pthread_mutex_lock(&prover->mutex);
        drop_key(prover, key);
        pthread_mutex_unlock(&prover->mutex);
    }
    forget(prover, job);
    return status;
}

pail_status pail_jobs_remove_key(pail_prover *prover, uint32_t number, char *error,
                                 size_t error_cap)
{
    uint32_t n_jobs = 0;
    pthread_mutex_lock(&prover->mutex);
    const bool known = number < PAIL_KEYS_MAX && prover->keys[number].known;
    for (const pail_prover_job *job = prover->jobs; known && job; job = job->next)
        n_jobs += job->unit.key == number;
    if (known && n_jobs == 0) {
        struct pail_prover_key *const key = &prover->keys[number];
        key->known = false; /* no job is accepted any more */
        pail_schedule_evict_key(prover->schedule, number);
        while (!is_gone(key))
            (void)pail_clock_cond_wait(&prover->ended, &prover->mutex, UINT64_MAX);
        drop_key(prover, number);
    }
    pthread_mutex_unlock(&prover->mutex);
    if (!known)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "there is no key %" PRIu32, number);
    return n_jobs == 0
               ? PAIL_OK
               : pail_report(error, error_cap, PAIL_NOT_READY,
                             "key %" PRIu32 " has %" PRIu32 " jobs that are still to be waited for",
                             number, n_jobs);
}
