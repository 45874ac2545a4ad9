/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs, from the claim to the end. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_DONTDUMP */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <platform/clock.h>
#include <platform/memory.h>
#include <platform/text.h>

#include "service_priv.h"

enum {
    INPUT_BYTES = 160, /* of a value in JSON, at most, on the average */
    ID_BYTES = PAIL_SERVE_ID_CHARS / 2,
    RETRY_MAX_S = 60,
};

/* ---- Claims -----------------------------------------------------------------------------------
 */
static enum pail_service_answer look_at_key(const struct pail_service_key *key, const char *name,
                                            char *why)
{
    if (!key) {
        (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "there is no key \"%s\"", name);
        return PAIL_SERVICE_NO_KEY;
    }
    if (key->state == PAIL_SERVICE_READY)
        return PAIL_SERVICE_OK;
    if (key->state == PAIL_SERVICE_BAD) {
        (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "the key \"%s\" cannot be used: %s", name,
                        key->why);
        return PAIL_SERVICE_KEY_BAD;
    }
    (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "the key \"%s\" is being loaded", name);
    return PAIL_SERVICE_KEY_LOADING;
}

static enum pail_service_answer look_at_bytes(const struct pail_service_key *key, bool inputs,
                                              uint64_t bytes, char *why)
{
    const uint64_t most = inputs ? INPUT_BYTES * key->n_vars + 4096 : key->most_bytes;
    if (inputs && !key->circuit) {
        (void)pail_line(why, PAIL_SERVE_WHY_BYTES,
                        "there is no circuit %s.wasm that can be used beside the key, so that the "
                        "body has to be a witness, of Content-Type application/octet-stream",
                        key->name);
        return PAIL_SERVICE_NO_CIRCUIT;
    }
    if (bytes == 0) {
        (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "the body, which is to be %s, is empty",
                        inputs ? "an object of inputs" : "a witness");
        return PAIL_SERVICE_EMPTY;
    }
    if (bytes <= most)
        return PAIL_SERVICE_OK;
    (void)pail_line(
        why, PAIL_SERVE_WHY_BYTES,
        "the body has %" PRIu64 " bytes, but %s of the key \"%s\" %s %" PRIu64 " at most", bytes,
        inputs ? "inputs" : "a witness", key->name, inputs ? "have" : "has", most);
    return PAIL_SERVICE_TOO_LARGE;
}

static enum pail_service_answer look_at_room(const struct pail_service *service, uint64_t bytes,
                                             char *why)
{
    if (service->open >= service->params.queue)
        (void)pail_line(why, PAIL_SERVE_WHY_BYTES,
                        "%zu jobs have not ended, which is as many as the queue holds",
                        service->open);
    else if (service->bodies_bytes > service->params.body_budget ||
             bytes > service->params.body_budget - service->bodies_bytes)
        (void)pail_line(why, PAIL_SERVE_WHY_BYTES,
                        "witnesses take %" PRIu64 " bytes of memory already, of %" PRIu64,
                        service->bodies_bytes, service->params.body_budget);
    else
        return PAIL_SERVICE_OK;
    return PAIL_SERVICE_FULL;
}

/* Under the mutex. */
static enum pail_service_answer try_claim(struct pail_service_job *job,
                                          struct pail_service *service, const char *name,
                                          bool inputs, uint64_t bytes, char *why)
{
    if (service->draining) {
        (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "the service is ending and takes no more jobs");
        return PAIL_SERVICE_DRAINING;
    }
    struct pail_service_key *const key = pail_service_find_key(service, name);
    enum pail_service_answer answer = look_at_key(key, name, why);
    if (answer == PAIL_SERVICE_OK)
        answer = look_at_bytes(key, inputs, bytes, why);
    /* The witness of inputs takes their place. */
    const uint64_t claimed = key && inputs && bytes < key->most_bytes ? key->most_bytes : bytes;
    if (answer == PAIL_SERVICE_OK)
        answer = look_at_room(service, claimed, why);
    if (answer != PAIL_SERVICE_OK)
        return answer;
    job->key = key;
    job->has_inputs = inputs;
    job->capacity = (size_t)bytes;
    job->claimed = claimed;
    job->info.device = job->info.lost_device = UINT32_MAX;
    service->open++;
    service->bodies_bytes += claimed;
    if (service->bodies_bytes > service->bodies_peak)
        service->bodies_peak = service->bodies_bytes;
    return PAIL_SERVICE_OK;
}

/* Makes pages of the witness alone, which no core dump has. */
static bool make_witness(struct pail_service_job *job)
{
    void *const memory =
        mmap(NULL, job->capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    (void)madvise(memory, job->capacity, MADV_DONTDUMP);
    job->witness = memory;
    return true;
}

void pail_service_wipe_witness(struct pail_service_job *job)
{
    if (!job->witness)
        return;
    pail_wipe(job->witness, job->capacity);
    (void)munmap(job->witness, job->capacity);
    job->witness = NULL;
}

bool pail_service_replace_witness(struct pail_service_job *job, const void *bytes, size_t n)
{
    struct pail_service_job made = {.capacity = n, .received = n};
    if (!make_witness(&made))
        return false;
    memcpy(made.witness, bytes, n);
    pail_service_wipe_witness(job);
    job->witness = made.witness;
    job->capacity = job->received = n;
    return true;
}

static bool make_id(char id[PAIL_SERVE_ID_CHARS + 1])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[ID_BYTES];
    if (!pail_random(bytes, sizeof(bytes)))
        return false;
    for (size_t i = 0; i < ID_BYTES; i++) {
        id[2 * i] = digits[bytes[i] >> 4];
        id[2 * i + 1] = digits[bytes[i] & 15];
    }
    id[PAIL_SERVE_ID_CHARS] = '\0';
    return true;
}

enum pail_service_answer pail_service_make_job(struct pail_service_job **made,
                                               struct pail_service *service, const char *key,
                                               bool inputs, uint64_t bytes,
                                               char why[PAIL_SERVE_WHY_BYTES])
{
    struct pail_service_job *job = calloc(1, sizeof(*job));
    *made = NULL;
    why[0] = '\0';
    if (!job) {
        (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "no memory for a job");
        return PAIL_SERVICE_NO_MEMORY;
    }
    pthread_mutex_lock(&service->mutex);
    const enum pail_service_answer answer = try_claim(job, service, key, inputs, bytes, why);
    service->counts.refused += answer != PAIL_SERVICE_OK;
    pthread_mutex_unlock(&service->mutex);
    if (answer != PAIL_SERVICE_OK) {
        free(job);
        return answer;
    }
    if (make_witness(job) && make_id(job->id)) {
        *made = job;
        return PAIL_SERVICE_OK;
    }
    (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "no memory for %zu bytes", job->capacity);
    pail_service_abandon(service, &job);
    return PAIL_SERVICE_NO_MEMORY;
}

bool pail_service_receive(struct pail_service_job *job, const void *data, size_t bytes)
{
    if (bytes > job->capacity - job->received)
        return false;
    memcpy(job->witness + job->received, data, bytes);
    job->received += bytes;
    return true;
}

void pail_service_abandon(struct pail_service *service, struct pail_service_job **claimed)
{
    struct pail_service_job *const job = *claimed;
    if (!job)
        return;
    *claimed = NULL;
    pail_service_wipe_witness(job);
    pthread_mutex_lock(&service->mutex);
    service->open--;
    service->bodies_bytes -= job->claimed;
    pthread_mutex_unlock(&service->mutex);
    free(job);
}

/* Puts a job behind all others, and lets the collector look at it: it may have ended already. */
static void append(struct pail_service *service, struct pail_service_job *job)
{
    struct pail_service_job **at = &service->jobs;
    while (*at)
        at = &(*at)->next;
    *at = job;
    service->events++;
    pthread_cond_signal(&service->event);
}

static pail_status submit(pail_prover_job **handle, struct pail_service *service,
                          const struct pail_service_job *job, uint64_t deadline_ms,
                          struct pail_error *error)
{
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .wtns = job->witness,
                                          .n_wtns = job->received,
                                          .name = "the witness"};
    const pail_prover_request request = {.struct_size = sizeof(request),
                                         .key = job->key->number,
                                         .priority = job->priority,
                                         .deadline_ms = deadline_ms,
                                         .witness = &witness};
    return pail_told(error,
                     pail_prover_submit(service->prover, handle, &request, PAIL_SENTENCE(error)));
}

pail_status pail_service_hand_over(struct pail_service *service, struct pail_service_job *job,
                                   uint64_t deadline_ms, struct pail_error *error)
{
    pail_prover_job *handle;
    const pail_status status = submit(&handle, service, job, deadline_ms, error);
    if (status != PAIL_OK)
        return status;
    pthread_mutex_lock(&service->handles);
    pthread_mutex_lock(&service->mutex);
    job->handle = handle;
    service->counts.witness_bytes += job->received;
    const bool cancelled = job->cancelled != 0;
    service->events++; /* it may have ended already */
    pthread_cond_signal(&service->event);
    pthread_mutex_unlock(&service->mutex);
    if (cancelled)
        pail_prover_cancel(service->prover, handle);
    pthread_mutex_unlock(&service->handles);
    return PAIL_OK;
}

enum pail_service_answer pail_service_submit(struct pail_service_job **claimed,
                                             struct pail_service *service, int32_t priority,
                                             uint64_t deadline_ms, char id[PAIL_SERVE_ID_CHARS + 1],
                                             char why[PAIL_SERVE_WHY_BYTES])
{
    struct pail_service_job *job = *claimed;
    struct pail_error error = {0};
    const size_t bytes = job->received;
    const bool inputs = job->has_inputs;
    *claimed = NULL;
    job->priority = priority;
    job->deadline_ms = deadline_ms;
    job->submitted_ns = pail_clock_ns();
    job->submitted = time(NULL);
    memcpy(id, job->id, sizeof(job->id));
    const pail_status status =
        inputs ? PAIL_OK : submit(&job->handle, service, job, deadline_ms, &error);
    pthread_mutex_lock(&service->mutex);
    if (status == PAIL_OK) {
        append(service, job);
        job->key->jobs++;
        service->counts.witness_bytes += inputs ? 0 : bytes;
        if (inputs)
            pthread_cond_signal(&service->inputs);
    } else {
        service->counts.refused++;
    }
    pthread_mutex_unlock(&service->mutex);
    (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "%s", error.sentence);
    if (status != PAIL_OK)
        pail_service_abandon(service, &job);
    return status == PAIL_OK            ? PAIL_SERVICE_OK
           : status == PAIL_NOT_READY   ? PAIL_SERVICE_FULL
           : status == PAIL_ERR_STOPPED ? PAIL_SERVICE_DRAINING
                                        : PAIL_SERVICE_NO_MEMORY;
}

/* ---- Jobs in the list -------------------------------------------------------------------------
 */
struct pail_service_job *pail_service_find_job(struct pail_service *service, const char *id)
{
    struct pail_service_job *job = service->jobs;
    while (job && strcmp(job->id, id) != 0)
        job = job->next;
    return job;
}

struct pail_service_job *pail_service_next(struct pail_service *service,
                                           const struct pail_service_job *after)
{
    pthread_mutex_lock(&service->mutex);
    struct pail_service_job *job = after ? after->next : service->jobs;
    while (job && !job->handle)
        job = job->next;
    pthread_mutex_unlock(&service->mutex);
    return job;
}

void pail_service_look(struct pail_service *service, const char *id)
{
    struct pail_service_job *job = NULL;
    pthread_mutex_lock(&service->handles);
    while ((job = pail_service_next(service, job)) != NULL) {
        pail_prover_job_info info = {.struct_size = sizeof(info)};
        if (id && strcmp(job->id, id) != 0)
            continue;
        (void)pail_prover_get_job(service->prover, job->handle, &info);
        pthread_mutex_lock(&service->mutex);
        job->info = info;
        pthread_mutex_unlock(&service->mutex);
    }
    pthread_mutex_unlock(&service->handles);
}

void pail_service_forget(struct pail_service *service, struct pail_service_job *job)
{
    struct pail_service_job **at = &service->jobs;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    service->n_ended--;
    free(job->proof);
    free(job->publics);
    pail_wipe(job, sizeof(*job)); /* its sentence may cite the witness */
    free(job);
}

bool pail_service_job_ended(struct pail_service *service, const char *id)
{
    pthread_mutex_lock(&service->mutex);
    const struct pail_service_job *const job = pail_service_find_job(service, id);
    const bool ended = !job || job->outcome != PAIL_SERVICE_UNDER_WAY;
    pthread_mutex_unlock(&service->mutex);
    return ended;
}

/* Jobs that the collector has by now are dropped there. */
static void cancel(struct pail_service *service, const char *id)
{
    struct pail_service_job *job = NULL;
    pthread_mutex_lock(&service->handles);
    while ((job = pail_service_next(service, job)) != NULL)
        if (!id || strcmp(job->id, id) == 0)
            pail_prover_cancel(service->prover, job->handle);
    pthread_mutex_unlock(&service->handles);
}

/* Under the mutex. */
static void set_cancelled(struct pail_service_job *job)
{
    __atomic_store_n(&job->cancelled, 1, __ATOMIC_RELAXED);
}

enum pail_service_answer pail_service_cancel(struct pail_service *service, const char *id)
{
    pthread_mutex_lock(&service->mutex);
    struct pail_service_job *const job = pail_service_find_job(service, id);
    const bool under_way = job && job->outcome == PAIL_SERVICE_UNDER_WAY;
    if (under_way)
        set_cancelled(job);
    else if (job)
        pail_service_forget(service, job);
    pthread_mutex_unlock(&service->mutex);
    if (under_way)
        cancel(service, id);
    return job ? PAIL_SERVICE_OK : PAIL_SERVICE_NO_JOB;
}

void pail_service_cancel_all(struct pail_service *service)
{
    pthread_mutex_lock(&service->mutex);
    service->ending = true;
    for (struct pail_service_job *job = service->jobs; job != NULL; job = job->next)
        if (job->outcome == PAIL_SERVICE_UNDER_WAY)
            set_cancelled(job);
    pthread_mutex_unlock(&service->mutex);
    cancel(service, NULL);
}

void pail_service_left(struct pail_service *service, size_t *active, size_t *unfetched)
{
    pthread_mutex_lock(&service->mutex);
    *active = service->ending ? 0 : service->open;
    *unfetched = 0;
    for (const struct pail_service_job *job = service->jobs; job != NULL; job = job->next) {
        *active += service->ending && job->outcome == PAIL_SERVICE_UNDER_WAY;
        *unfetched += job->outcome != PAIL_SERVICE_UNDER_WAY && !job->fetched;
    }
    pthread_mutex_unlock(&service->mutex);
}

void pail_service_tick(struct pail_service *service)
{
    pthread_mutex_lock(&service->mutex);
    const uint64_t now = pail_clock_ns(); /* under the mutex: no job has ended after it */
    for (struct pail_service_job *job = service->jobs, *next; job != NULL; job = next) {
        next = job->next;
        if (job->outcome != PAIL_SERVICE_UNDER_WAY && now - job->ended_ns > service->params.keep_ns)
            pail_service_forget(service, job);
    }
    pthread_mutex_unlock(&service->mutex);
}

unsigned pail_service_retry_after(struct pail_service *service)
{
    pthread_mutex_lock(&service->mutex);
    const double interval = service->interval_s;
    pthread_mutex_unlock(&service->mutex);
    return interval >= RETRY_MAX_S ? RETRY_MAX_S : interval < 1 ? 1 : (unsigned)(interval + 0.999);
}
