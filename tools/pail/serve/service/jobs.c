/* Jobs, from the claim to the end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/memory.h>
#include <platform/text.h>

#include "body.h"
#include "service_priv.h"

enum {
    SCALAR_BYTES = 32,
    WTNS_HEADER_BYTES = 4096, /* at most, sections of unknown types included */
    ID_BYTES = PAIL_SERVE_ID_CHARS / 2,
    RETRY_MAX_S = 60,
};

/* ---- Claims -----------------------------------------------------------------------------------
 */
static enum pail_service_answer look_at_key(const struct pail_service_key *key, const char *name,
                                            char *why)
{
    if (key == NULL) {
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

static enum pail_service_answer look_at_bytes(const struct pail_service_key *key, uint64_t bytes,
                                              char *why)
{
    const uint64_t most = SCALAR_BYTES * key->n_vars + WTNS_HEADER_BYTES;
    if (bytes == 0) {
        (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "the body, which is to be a witness, is empty");
        return PAIL_SERVICE_EMPTY;
    }
    if (bytes <= most)
        return PAIL_SERVICE_OK;
    (void)pail_line(why, PAIL_SERVE_WHY_BYTES,
                    "the body has %" PRIu64 " bytes, but a witness of the key \"%s\" has %" PRIu64
                    " at most",
                    bytes, key->name, most);
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
static enum pail_service_answer try_claim(struct pail_service_claim *claim,
                                          struct pail_service *service, const char *name,
                                          uint64_t bytes, char *why)
{
    if (service->draining) {
        (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "the service is ending and takes no more jobs");
        return PAIL_SERVICE_DRAINING;
    }
    struct pail_service_key *const key = pail_service_find_key(service, name);
    enum pail_service_answer answer = look_at_key(key, name, why);
    if (answer == PAIL_SERVICE_OK)
        answer = look_at_bytes(key, bytes, why);
    if (answer == PAIL_SERVICE_OK)
        answer = look_at_room(service, bytes, why);
    if (answer != PAIL_SERVICE_OK)
        return answer;
    *claim = (struct pail_service_claim){.service = service, .key = key, .capacity = (size_t)bytes};
    service->open++;
    service->bodies_bytes += bytes;
    if (service->bodies_bytes > service->bodies_peak)
        service->bodies_peak = service->bodies_bytes;
    return PAIL_SERVICE_OK;
}

enum pail_service_answer pail_service_claim(struct pail_service_claim *claim,
                                            struct pail_service *service, const char *key,
                                            uint64_t bytes, char why[PAIL_SERVE_WHY_BYTES])
{
    *claim = (struct pail_service_claim){0};
    why[0] = '\0';
    pthread_mutex_lock(&service->mutex);
    const enum pail_service_answer answer = try_claim(claim, service, key, bytes, why);
    service->counts.refused += answer != PAIL_SERVICE_OK;
    pthread_mutex_unlock(&service->mutex);
    if (answer != PAIL_SERVICE_OK)
        return answer;
    claim->data = pail_body_make(claim->capacity);
    if (claim->data != NULL)
        return PAIL_SERVICE_OK;
    (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "no memory for %zu bytes", claim->capacity);
    pail_service_abandon(claim);
    return PAIL_SERVICE_NO_MEMORY;
}

void pail_service_abandon(struct pail_service_claim *claim)
{
    struct pail_service *const service = claim->service;
    if (service == NULL)
        return;
    pail_body_free(claim->data, claim->capacity);
    pthread_mutex_lock(&service->mutex);
    service->open--;
    service->bodies_bytes -= claim->capacity;
    pthread_mutex_unlock(&service->mutex);
    *claim = (struct pail_service_claim){0};
}

/* ---- Submitting -------------------------------------------------------------------------------
 */
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

static enum pail_service_answer hand_over(struct pail_service *service,
                                          struct pail_service_job *job,
                                          const struct pail_service_request *request, char *why)
{
    struct pail_error error = {0};
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .wtns = job->claim.data,
                                          .n_wtns = request->bytes,
                                          .name = "the witness"};
    const pail_prover_request wanted = {.struct_size = sizeof(wanted),
                                        .key = job->key->number,
                                        .priority = request->priority,
                                        .deadline_ms = request->deadline_ms,
                                        .witness = &witness};
    pthread_mutex_lock(&service->mutex);
    const pail_status status = pail_told(
        &error, pail_prover_submit(service->prover, &job->handle, &wanted, PAIL_SENTENCE(&error)));
    if (status == PAIL_OK) {
        job->next = service->jobs;
        service->jobs = job;
        job->key->jobs++;
        service->counts.witness_bytes += request->bytes;
    } else {
        service->counts.refused++;
    }
    pthread_mutex_unlock(&service->mutex);
    (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "%s", error.sentence);
    return status == PAIL_OK            ? PAIL_SERVICE_OK
           : status == PAIL_NOT_READY   ? PAIL_SERVICE_FULL
           : status == PAIL_ERR_STOPPED ? PAIL_SERVICE_DRAINING
                                        : PAIL_SERVICE_NO_MEMORY;
}

enum pail_service_answer pail_service_submit(struct pail_service_claim *claim,
                                             char id[PAIL_SERVE_ID_CHARS + 1],
                                             const struct pail_service_request *request,
                                             char why[PAIL_SERVE_WHY_BYTES])
{
    struct pail_service *const service = claim->service;
    struct pail_service_job *const job = calloc(1, sizeof(*job));
    why[0] = '\0';
    if (job == NULL || !make_id(job->id)) {
        free(job);
        pail_service_abandon(claim);
        (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "no memory for a job");
        return PAIL_SERVICE_NO_MEMORY;
    }
    job->key = claim->key;
    job->claim = *claim;
    job->priority = request->priority;
    job->submitted_ns = pail_clock_ns();
    job->submitted = time(NULL);
    memcpy(id, job->id, sizeof(job->id));
    *claim = (struct pail_service_claim){0};
    const enum pail_service_answer answer = hand_over(service, job, request, why);
    if (answer == PAIL_SERVICE_OK)
        return answer;
    pail_service_abandon(&job->claim);
    free(job);
    return answer;
}

/* ---- Those that there are ---------------------------------------------------------------------
 */
struct pail_service_job *pail_service_find_job(struct pail_service *service, const char *id)
{
    struct pail_service_job *job = service->jobs;
    while (job != NULL && strcmp(job->id, id) != 0)
        job = job->next;
    return job;
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
    const bool ended = job == NULL || job->outcome != PAIL_SERVICE_UNDER_WAY;
    pthread_mutex_unlock(&service->mutex);
    return ended;
}

/* Under the mutex. */
static void cancel(struct pail_service *service, struct pail_service_job *job)
{
    if (job->outcome != PAIL_SERVICE_UNDER_WAY)
        return;
    job->cancelled = true;
    if (job->handle != NULL) /* otherwise the collector drops what it has */
        pail_prover_cancel(service->prover, job->handle);
}

enum pail_service_answer pail_service_cancel(struct pail_service *service, const char *id)
{
    pthread_mutex_lock(&service->mutex);
    struct pail_service_job *const job = pail_service_find_job(service, id);
    if (job != NULL && job->outcome != PAIL_SERVICE_UNDER_WAY)
        pail_service_forget(service, job);
    else if (job != NULL)
        cancel(service, job);
    pthread_mutex_unlock(&service->mutex);
    return job != NULL ? PAIL_SERVICE_OK : PAIL_SERVICE_NO_JOB;
}

void pail_service_cancel_all(struct pail_service *service)
{
    pthread_mutex_lock(&service->mutex);
    service->ending = true;
    for (struct pail_service_job *job = service->jobs; job != NULL; job = job->next)
        cancel(service, job);
    pthread_mutex_unlock(&service->mutex);
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
