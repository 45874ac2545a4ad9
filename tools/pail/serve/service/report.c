/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of the service, as JSON. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <load/load.h>
#include <platform/clock.h>
#include <platform/text.h>

#include "options/names.h"
#include "output/json.h"
#include "service_priv.h"

enum { JOBS_TOLD = 100 };

const char *pail_service_curve_name(uint32_t curve)
{
    return pail_name_of(pail_curve_names, curve);
}

void pail_service_device_name(char *name, size_t capacity, const struct pail_service *service,
                              uint32_t device)
{
    const struct pail_session *const session = &service->params.sessions[device];
    (void)pail_line(name, capacity, "%s, %s", session->backend->name, session->device.name);
}

/* The text of a value, for the caller to free; NULL: no memory. */
static char *text_of(struct pail_json *json)
{
    json_t *const object = pail_json_take(json);
    char *const text =
        object != NULL
            ? json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9))
            : NULL;
    json_decref(object);
    return text;
}

/* ---- Jobs -------------------------------------------------------------------------------------
 */
static const char *state_of(const struct pail_service_job *job)
{
    static const char *const states[] = {
        [PAIL_PROVER_QUEUED] = "queued",       [PAIL_PROVER_READING] = "reading",
        [PAIL_PROVER_READY] = "ready",         [PAIL_PROVER_LOADING] = "loading",
        [PAIL_PROVER_COMPUTING] = "computing", [PAIL_PROVER_FINISHING] = "finishing",
        [PAIL_PROVER_ENDED] = "finishing",
    };
    static const char *const outcomes[] = {[PAIL_SERVICE_DONE] = "done",
                                           [PAIL_SERVICE_FAILED] = "failed",
                                           [PAIL_SERVICE_CANCELLED] = "cancelled"};
    if (job->outcome != PAIL_SERVICE_UNDER_WAY)
        return outcomes[job->outcome];
    /* Number 0 is a key's: the prover has not had the job. */
    const bool waits = job->info.job == 0;
    return waits || job->handle ? states[job->info.state] : "verifying"; /* the collector has it */
}

static void set_result(struct pail_json *json, const struct pail_service_job *job)
{
    /* Proofs and public values are text of JSON already. */
    pail_json_set(json, "proof", json_loads(job->proof, 0, NULL));
    pail_json_set(json, "public", json_loads(job->publics, 0, NULL));
    struct pail_json timings;
    pail_json_begin(&timings);
    pail_json_set_real(&timings, "prove", job->timings.wall_ms);
    pail_json_set_real(&timings, "verify", job->verify_ms);
    pail_json_set(json, "timings_ms", pail_json_take(&timings));
}

static void set_error(struct pail_json *json, const struct pail_service_job *job)
{
    struct pail_json error;
    pail_json_begin(&error);
    pail_json_set_number(&error, "status", (uint64_t)job->status);
    pail_json_set_text(&error, "sentence", job->why);
    pail_json_set(json, "error", pail_json_take(&error));
}

/* Sets the members of a job that are open to clients who see no ids. */
static void set_common(struct pail_json *json, const struct pail_service *service,
                       const struct pail_service_job *job)
{
    const pail_prover_job_info *const info = &job->info;
    char device[256];
    const bool ended = job->outcome != PAIL_SERVICE_UNDER_WAY;
    pail_json_set_number(json, "number", info->job);
    pail_json_set_text(json, "key", job->key->name);
    pail_json_set_text(json, "state", state_of(job));
    pail_json_set(json, "priority", json_integer(job->priority));
    pail_json_set_number(json, "submitted", (uint64_t)job->submitted);
    pail_json_set_real(json, "elapsed_ms",
                       1e-6 *
                           (double)((ended ? job->ended_ns : pail_clock_ns()) - job->submitted_ns));
    if (info->device != UINT32_MAX && (ended || info->state > PAIL_PROVER_READY)) {
        pail_service_device_name(device, sizeof(device), service, info->device);
        pail_json_set_text(json, "device", device);
    } else {
        pail_json_set(json, "device", json_null());
    }
    pail_json_set_number(json, "redone", info->retries);
}

enum pail_service_answer pail_service_job_text(char **text, bool *ended,
                                               struct pail_service *service, const char *id)
{
    struct pail_json json;
    *text = NULL;
    *ended = false;
    pail_service_look(service, id);
    pthread_mutex_lock(&service->mutex);
    struct pail_service_job *const job = pail_service_find_job(service, id);
    if (job) {
        pail_json_begin(&json);
        pail_json_set_text(&json, "id", job->id);
        set_common(&json, service, job);
        if (job->note[0] != '\0' && job->outcome != PAIL_SERVICE_UNDER_WAY)
            pail_json_set_text(&json, "note", job->note);
        if (job->outcome == PAIL_SERVICE_DONE)
            set_result(&json, job);
        else if (job->outcome != PAIL_SERVICE_UNDER_WAY)
            set_error(&json, job);
        *text = text_of(&json);
        *ended = job->outcome != PAIL_SERVICE_UNDER_WAY;
        job->fetched |= *ended && *text;
    }
    pthread_mutex_unlock(&service->mutex);
    return !job ? PAIL_SERVICE_NO_JOB : !*text ? PAIL_SERVICE_NO_MEMORY : PAIL_SERVICE_OK;
}

/* ---- Keys -------------------------------------------------------------------------------------
 */
char *pail_service_keys_text(struct pail_service *service)
{
    static const char *const states[] = {[PAIL_SERVICE_LOADING] = "loading",
                                         [PAIL_SERVICE_READY] = "ready",
                                         [PAIL_SERVICE_BAD] = "bad"};
    struct pail_json json, list;
    pail_json_begin(&json);
    pail_json_begin_list(&list);
    pthread_mutex_lock(&service->mutex);
    for (const struct pail_service_key *key = service->keys; key != NULL; key = key->next) {
        struct pail_json one;
        if (key->state == PAIL_SERVICE_GONE)
            continue;
        pail_json_begin(&one);
        pail_json_set_text(&one, "name", key->name);
        pail_json_set_text(&one, "state", states[key->state]);
        pail_json_set_number(&one, "bytes", key->size > 0 ? (uint64_t)key->size : 0);
        pail_json_set_number(&one, "jobs", key->jobs);
        if (key->state == PAIL_SERVICE_READY) {
            pail_json_set_text(&one, "curve", pail_service_curve_name(key->curve));
            pail_json_set_number(&one, "variables", key->n_vars);
            pail_json_set_number(&one, "public", key->n_public);
            pail_json_set_number(&one, "domain", key->domain_size);
        }
        if (key->state == PAIL_SERVICE_BAD)
            pail_json_set_text(&one, "error", key->why);
        pail_json_add(&list, pail_json_take(&one));
    }
    pthread_mutex_unlock(&service->mutex);
    pail_json_set(&json, "keys", pail_json_take(&list));
    return text_of(&json);
}

/* ---- The whole --------------------------------------------------------------------------------
 */
static json_t *memory_of(uint64_t reserved, uint64_t peak, uint64_t capacity)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_number(&json, "reserved", reserved);
    pail_json_set_number(&json, "peak", peak);
    pail_json_set_number(&json, "capacity", capacity < INT64_MAX ? capacity : INT64_MAX);
    return pail_json_take(&json);
}

/* Sets the state of a lost device's revival. The prover has a device back before the thread that
 * opened it again says so, so both are asked. */
static void set_revival(struct pail_json *one, struct pail_service *service, uint32_t device,
                        bool lost)
{
    pthread_mutex_lock(&service->mutex);
    const struct pail_service_revival revival = service->revivals[device];
    pthread_mutex_unlock(&service->mutex);
    const uint64_t now = pail_clock_ns();
    pail_json_set_number(one, "tries", revival.tries);
    if (!lost || !revival.lost || revival.next_ns == UINT64_MAX)
        pail_json_set(one, "next_try_s", json_null());
    else
        pail_json_set_real(one, "next_try_s",
                           revival.next_ns > now ? 1e-9 * (double)(revival.next_ns - now) : 0);
}

static json_t *devices_of(struct pail_service *service)
{
    struct pail_json list;
    pail_json_begin_list(&list);
    for (uint32_t d = 0; d < service->params.n_sessions; d++) {
        struct pail_json one;
        char name[256];
        pail_prover_device_stats stats = {.struct_size = sizeof(stats)};
        (void)pail_prover_get_device(service->prover, d, &stats);
        pail_service_device_name(name, sizeof(name), service, d);
        pail_json_begin(&one);
        pail_json_set_text(&one, "name", name);
        pail_json_set_bool(&one, "spare",
                           service->params.spare && d + 1 == service->params.n_sessions);
        pail_json_set_bool(&one, "lost", stats.lost != 0);
        pail_json_set_number(&one, "restored", stats.restored);
        set_revival(&one, service, d, stats.lost != 0);
        pail_json_set_number(&one, "jobs", stats.jobs);
        pail_json_set_number(&one, "keys_loaded", stats.keys_loaded);
        pail_json_set_number(&one, "keys_evicted", stats.keys_evicted);
        pail_json_set_real(&one, "slot_ms", stats.slot_ms);
        pail_json_set_real(&one, "busy_ms", stats.busy_ms);
        pail_json_set_real(&one, "device_ms", stats.device_ms);
        pail_json_set(&one, "memory", memory_of(stats.bytes, stats.peak_bytes, stats.capacity));
        pail_json_add(&list, pail_json_take(&one));
    }
    return pail_json_take(&list);
}

/* The oldest jobs that have not ended. Under the mutex. */
static json_t *active_jobs_of(struct pail_service *service)
{
    struct pail_json list;
    size_t n = 0;
    pail_json_begin_list(&list);
    for (const struct pail_service_job *job = service->jobs; job != NULL; job = job->next) {
        struct pail_json one;
        if (job->outcome != PAIL_SERVICE_UNDER_WAY || n++ >= JOBS_TOLD)
            continue;
        pail_json_begin(&one);
        set_common(&one, service, job);
        pail_json_add(&list, pail_json_take(&one));
    }
    return pail_json_take(&list);
}

/* The youngest jobs that have ended, of those whose results are kept. Under the mutex. */
static json_t *ended_jobs_of(struct pail_service *service)
{
    struct pail_json list;
    size_t left = service->n_ended;
    pail_json_begin_list(&list);
    for (const struct pail_service_job *job = service->jobs; job != NULL; job = job->next) {
        struct pail_json one;
        if (job->outcome == PAIL_SERVICE_UNDER_WAY || left-- > JOBS_TOLD)
            continue;
        pail_json_begin(&one);
        set_common(&one, service, job);
        pail_json_set_number(&one, "witness_bytes", job->received);
        pail_json_set_number(&one, "ended_ns", job->ended_ns);
        pail_json_add(&list, pail_json_take(&one));
    }
    return pail_json_take(&list);
}

static json_t *counts_of(const struct pail_service_counts *counts)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_number(&json, "done", counts->done);
    pail_json_set_number(&json, "failed", counts->failed);
    pail_json_set_number(&json, "cancelled", counts->cancelled);
    pail_json_set_number(&json, "refused", counts->refused);
    pail_json_set_number(&json, "redone", counts->redone);
    return pail_json_take(&json);
}

static uint64_t resident_peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss << 10 : 0;
}

char *pail_service_status_text(struct pail_service *service)
{
    struct pail_json json, queue, memory;
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    (void)pail_prover_get_stats(service->prover, &stats);
    pail_service_look(service, NULL);
    pail_json_begin(&json);
    pail_json_begin(&queue);
    pail_json_begin(&memory);
    pail_json_set_text(&json, "version", pail_version());
    pail_json_set_real(&json, "uptime_s", 1e-9 * (double)(pail_clock_ns() - service->begun_ns));
    pail_json_set_number(&json, "now_ns", pail_clock_ns());
    pthread_mutex_lock(&service->mutex);
    pail_json_set_text(&json, "state",
                       service->draining      ? "ending"
                       : service->has_scanned ? "ready"
                                              : "starting");
    pail_json_set_number(&queue, "taken", service->open);
    pail_json_set_number(&queue, "places", service->params.queue);
    pail_json_set_number(&queue, "results", service->n_ended);
    pail_json_set(&json, "queue", pail_json_take(&queue));
    pail_json_set(&json, "counts", counts_of(&service->counts));
    pail_json_set(&json, "jobs", active_jobs_of(service));
    pail_json_set(&json, "ended", ended_jobs_of(service));
    pail_json_set(
        &memory, "witnesses",
        memory_of(service->bodies_bytes, service->bodies_peak, service->params.body_budget));
    pthread_mutex_unlock(&service->mutex);
    pail_json_set(&memory, "host",
                  memory_of(stats.host_bytes, stats.host_peak_bytes, stats.host_capacity));
    pail_json_set_number(&memory, "resident_peak", resident_peak());
    pail_json_set(&json, "memory", pail_json_take(&memory));
    pail_json_set(&json, "devices", devices_of(service));
    return text_of(&json);
}

/* ---- Spans ------------------------------------------------------------------------------------
 */
static json_t *span_json(const pail_prover_span *span)
{
    struct pail_json one;
    pail_json_begin(&one);
    pail_json_set_number(&one, "number", span->job);
    pail_json_set_text(&one, "lane", pail_load_kinds[span->kind].lane);
    pail_json_set_text(&one, "kind", pail_load_kinds[span->kind].name);
    pail_json_set_number(&one, "begin_ns", span->begin_ns);
    pail_json_set_number(&one, "end_ns", span->end_ns);
    return pail_json_take(&one);
}

char *pail_service_spans_text(struct pail_service *service, uint64_t after)
{
    struct pail_json json, list;
    size_t n = 0;
    pail_prover_span *const spans = calloc(PAIL_SERVICE_SPANS, sizeof(spans[0]));
    if (!spans)
        return NULL;
    pthread_mutex_lock(&service->mutex);
    const uint64_t last = service->n_spans;
    const uint64_t oldest = last > PAIL_SERVICE_SPANS ? last - PAIL_SERVICE_SPANS : 0;
    for (uint64_t at = after > oldest ? after : oldest; at < last; at++)
        spans[n++] = service->spans[at % PAIL_SERVICE_SPANS];
    pthread_mutex_unlock(&service->mutex);
    pail_json_begin(&json);
    pail_json_begin_list(&list);
    for (size_t i = 0; i < n; i++)
        pail_json_add(&list, span_json(&spans[i]));
    free(spans);
    pail_json_set_number(&json, "last", last);
    pail_json_set_number(&json, "now_ns", pail_clock_ns());
    pail_json_set(&json, "spans", pail_json_take(&list));
    return text_of(&json);
}
