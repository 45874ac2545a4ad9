/* SPDX-License-Identifier: Apache-2.0 */
/* Collects jobs that have ended: proof and public values are verified, written as text and kept;
 * the witness is wiped. */
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/memory.h>
#include <platform/text.h>

#include "say.h"
#include "service_priv.h"

enum { SCALAR_BYTES = 32 };

const double pail_service_bounds[PAIL_SERVICE_BUCKETS] = {0.01, 0.03, 0.1, 0.3, 1,   3,
                                                          10,   30,   60,  120, 300, 600};

/* ---- Text -------------------------------------------------------------------------------------
 */
static pail_status write_proof(struct pail_service_job *job, const pail_groth16_proof *proof,
                               struct pail_error *error)
{
    size_t length = 0;
    pail_status status =
        pail_told(error, pail_groth16_proof_text(NULL, 0, &length, proof, PAIL_GROTH16_SNARKJS,
                                                 PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    job->proof = malloc(length + 1);
    if (!job->proof)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the proof");
    return pail_told(error, pail_groth16_proof_text(job->proof, length + 1, &length, proof,
                                                    PAIL_GROTH16_SNARKJS, PAIL_SENTENCE(error)));
}

static pail_status write_publics(struct pail_service_job *job, const uint8_t *publics,
                                 struct pail_error *error)
{
    const uint64_t n = job->key->n_public;
    size_t length = 0;
    pail_status status =
        pail_told(error, pail_groth16_public_text(NULL, 0, &length, publics, n,
                                                  PAIL_GROTH16_SNARKJS, PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    job->publics = malloc(length + 1);
    if (!job->publics)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the public values");
    return pail_told(error, pail_groth16_public_text(job->publics, length + 1, &length, publics, n,
                                                     PAIL_GROTH16_SNARKJS, PAIL_SENTENCE(error)));
}

static pail_status verify(struct pail_service_job *job, const pail_groth16_proof *proof,
                          const uint8_t *publics, struct pail_error *error)
{
    uint32_t valid = 0;
    const uint64_t begin_ns = pail_clock_ns();
    const pail_status status =
        pail_told(error, pail_groth16_verify(&valid, &job->key->verifying.key, proof, publics,
                                             job->key->n_public, PAIL_SENTENCE(error)));
    job->verify_ms = 1e-6 * (double)(pail_clock_ns() - begin_ns);
    if (status == PAIL_OK && valid == 0)
        return pail_fail(error, PAIL_ERR_DATA,
                         "the witness does not satisfy the circuit of \"%s\": its proof is not "
                         "valid",
                         job->key->name);
    return status;
}

/* ---- One job ----------------------------------------------------------------------------------
 */
/* Fills in what the collector alone has: whoever reads looks at the outcome first. */
static pail_status deliver(struct pail_service *service, struct pail_service_job *job,
                           pail_prover_job *handle, struct pail_error *error)
{
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    job->timings.struct_size = sizeof(job->timings);
    uint8_t *const publics = calloc((size_t)job->key->n_public + 1, SCALAR_BYTES);
    if (!publics) { /* the prover keeps it, and frees it in the end */
        pail_prover_cancel(service->prover, handle);
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the public values");
    }
    pail_status status =
        pail_told(error, pail_prover_wait(service->prover, &handle, UINT64_MAX, &proof, publics,
                                          &job->timings, PAIL_SENTENCE(error)));
    if (status == PAIL_OK && !service->params.no_check)
        status = verify(job, &proof, publics, error);
    if (status == PAIL_OK)
        status = write_proof(job, &proof, error);
    if (status == PAIL_OK)
        status = write_publics(job, publics, error);
    free(publics);
    return status;
}

static void note_loss(const struct pail_service *service, struct pail_service_job *job)
{
    char lost[256], now[256];
    if (job->info.lost_device == UINT32_MAX || job->info.retries == 0)
        return;
    pail_service_device_name(lost, sizeof(lost), service, job->info.lost_device);
    pail_service_device_name(now, sizeof(now), service, job->info.device);
    (void)pail_line(job->note, sizeof(job->note),
                    "the device %s was lost, and the job was done again on %s", lost, now);
}

/* Under the mutex. */
static void count(struct pail_service *service, struct pail_service_job *job)
{
    struct pail_service_counts *const counts = &service->counts;
    const double seconds = 1e-9 * (double)(job->ended_ns - job->submitted_ns);
    const uint64_t since =
        job->submitted_ns > service->last_end_ns ? job->submitted_ns : service->last_end_ns;
    const double interval = 1e-9 * (double)(job->ended_ns - since);
    service->interval_s =
        service->interval_s > 0 ? 0.8 * service->interval_s + 0.2 * interval : interval;
    service->last_end_ns = job->ended_ns;
    counts->redone += job->info.retries;
    counts->done += job->outcome == PAIL_SERVICE_DONE;
    counts->failed += job->outcome == PAIL_SERVICE_FAILED;
    counts->cancelled += job->outcome == PAIL_SERVICE_CANCELLED;
    if (job->outcome != PAIL_SERVICE_DONE)
        return;
    counts->seconds += seconds;
    for (size_t i = 0; i < PAIL_SERVICE_BUCKETS; i++)
        counts->within[i] += seconds <= pail_service_bounds[i];
}

/* The oldest results give way. Under the mutex. */
static void make_room(struct pail_service *service)
{
    while (service->n_ended > service->params.kept) {
        struct pail_service_job *oldest = NULL;
        for (struct pail_service_job *job = service->jobs; job != NULL; job = job->next)
            if (job->outcome != PAIL_SERVICE_UNDER_WAY &&
                (!oldest || job->ended_ns < oldest->ended_ns))
                oldest = job;
        if (!oldest)
            return;
        pail_service_forget(service, oldest);
    }
}

/* Logs the end of a job. A failure's sentence stays out, because it may cite the witness; so does
 * the id, with which anybody gets the result. */
static void say(const struct pail_service_job *job)
{
    const unsigned long long number = job->info.job;
    const double ms = 1e-6 * (double)(job->ended_ns - job->submitted_ns);
    if (job->note[0] != '\0')
        pail_serve_say("job %llu: %s", number, job->note);
    if (job->outcome == PAIL_SERVICE_DONE)
        pail_serve_say("job %llu: key %s, done in %.0f ms", number, job->key->name, ms);
    else
        pail_serve_say("job %llu: key %s, %s after %.0f ms: status %d", number, job->key->name,
                       job->outcome == PAIL_SERVICE_CANCELLED ? "cancelled" : "failed", ms,
                       (int)job->status);
}

/* Nobody else has it then. */
static pail_prover_job *take_handle(struct pail_service *service, struct pail_service_job *job)
{
    pail_prover_job *const handle = job->handle;
    pail_prover_job_info info = {.struct_size = sizeof(info)};
    (void)pail_prover_get_job(service->prover, handle, &info);
    pthread_mutex_lock(&service->handles);
    pthread_mutex_lock(&service->mutex);
    job->info = info;
    job->handle = NULL;
    pthread_mutex_unlock(&service->mutex);
    pthread_mutex_unlock(&service->handles);
    return handle;
}

static void finish(struct pail_service *service, struct pail_service_job *job)
{
    struct pail_error error = {0};
    pail_prover_job *const handle = take_handle(service, job);
    const pail_status status = deliver(service, job, handle, &error);
    note_loss(service, job);
    pail_service_end_job(service, job, status, &error);
}

void pail_service_end_job(struct pail_service *service, struct pail_service_job *job,
                          pail_status status, struct pail_error *error)
{
    char id[PAIL_SERVE_ID_CHARS + 1];
    memcpy(id, job->id, sizeof(id));
    pail_service_wipe_witness(job);
    (void)pail_line(job->why, sizeof(job->why), "%s", error->sentence);
    pail_wipe(error, sizeof(*error)); /* it may cite the witness */
    pthread_mutex_lock(&service->mutex);
    service->open--;
    service->bodies_bytes -= job->claimed;
    job->status = status == PAIL_OK && job->cancelled ? PAIL_ERR_STOPPED : status;
    if (job->cancelled && job->status == PAIL_ERR_STOPPED)
        (void)pail_line(job->why, sizeof(job->why), "the job was cancelled");
    if (job->status != PAIL_OK) {
        free(job->proof);
        job->proof = NULL;
    }
    job->ended_ns = pail_clock_ns();
    job->outcome = job->status == PAIL_OK                              ? PAIL_SERVICE_DONE
                   : job->cancelled && job->status == PAIL_ERR_STOPPED ? PAIL_SERVICE_CANCELLED
                                                                       : PAIL_SERVICE_FAILED;
    service->n_ended++;
    count(service, job);
    struct pail_service_job told = *job; /* it may be forgotten once the mutex is free */
    make_room(service);
    pthread_mutex_unlock(&service->mutex);
    if (service->params.ended)
        service->params.ended(service->params.user, id);
    say(&told); /* without the mutex: the reader of the log may be slow */
    pail_wipe(&told, sizeof(told));
}

/* ---- The thread -------------------------------------------------------------------------------
 */
void *pail_service_collect(void *argument)
{
    struct pail_service *const service = argument;
    uint64_t seen = 0;
    for (bool stopping = false; !stopping;) {
        pthread_mutex_lock(&service->mutex);
        while (service->events == seen)
            pthread_cond_wait(&service->event, &service->mutex);
        seen = service->events;
        stopping = service->stopping;
        pthread_mutex_unlock(&service->mutex);
        struct pail_service_job *job = pail_service_next(service, NULL);
        while (job) {
            struct pail_service_job *const next = pail_service_next(service, job);
            if (pail_prover_poll(service->prover, job->handle) == PAIL_OK)
                finish(service, job);
            job = next;
        }
    }
    return NULL;
}
