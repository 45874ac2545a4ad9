/* SPDX-License-Identifier: Apache-2.0 */
/* Making and ending the service. */
#define _GNU_SOURCE /* O_DIRECTORY */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <platform/clock.h>
#include <platform/thread.h>

#include "service_priv.h"

/* ---- What the prover tells, with its lock held ------------------------------------------------
 */
static void tell_span(void *user, const pail_prover_span *span)
{
    struct pail_service *const service = user;
    pthread_mutex_lock(&service->mutex);
    service->spans[service->n_spans++ % PAIL_SERVICE_SPANS] = *span;
    pthread_mutex_unlock(&service->mutex);
}

static void tell_end(void *user, uint64_t job)
{
    struct pail_service *const service = user;
    (void)job;
    pthread_mutex_lock(&service->mutex);
    service->events++;
    pthread_cond_signal(&service->event);
    pthread_mutex_unlock(&service->mutex);
}

/* ---- Making -----------------------------------------------------------------------------------
 */
static pail_status make_prover(struct pail_service *service, struct pail_error *error)
{
    const struct pail_service_params *const given = &service->params;
    pail_prover_device devices[PAIL_SERVICE_DEVICES_MAX];
    for (uint32_t d = 0; d < given->n_sessions; d++)
        devices[d] = (pail_prover_device){
            .struct_size = sizeof(devices[d]),
            .flags = given->spare && d + 1 == given->n_sessions ? PAIL_PROVER_DEVICE_SPARE : 0u,
            .backend = given->sessions[d].backend,
            .context = given->sessions[d].context};
    const pail_prover_params params = {.struct_size = sizeof(params),
                                       .devices = devices,
                                       .n_devices = given->n_sessions,
                                       .inflight = given->inflight,
                                       .producers = given->producers,
                                       .host_threads = given->host_threads,
                                       .queue_depth =
                                           given->queue + 1, /* one for a key that is loaded */
                                       .host_bucket_mb = given->host_bucket_mb,
                                       .mem_budget = given->mem_budget,
                                       .vram_budget = given->vram_budget,
                                       .span = tell_span,
                                       .user = service,
                                       .ended = tell_end};
    return pail_told(error, pail_prover_create(&service->prover, &params, PAIL_SENTENCE(error)));
}

static pail_status start_threads(struct pail_service *service, struct pail_error *error)
{
    service->collects = pail_thread_start(&service->collector, "pail-collect", PAIL_STACK_FOREIGN,
                                          pail_service_collect, service) == 0;
    service->loads =
        service->collects && pail_thread_start(&service->loader, "pail-keys", PAIL_STACK_FOREIGN,
                                               pail_service_load_keys, service) == 0;
    service->reopens =
        service->loads && pail_thread_start(&service->reopener, "pail-reopen", PAIL_STACK_FOREIGN,
                                            pail_service_reopen, service) == 0;
    service->calculates =
        service->reopens &&
        pail_thread_start(&service->calculator, "pail-circuits", PAIL_STACK_FOREIGN,
                          pail_service_run_circuits, service) == 0;
    return service->calculates
               ? PAIL_OK
               : pail_fail(error, PAIL_ERR_HOST_MEMORY, "no threads for the service");
}

pail_status pail_service_create(struct pail_service **made,
                                const struct pail_service_params *params, struct pail_error *error)
{
    *made = NULL;
    struct pail_service *const service = calloc(1, sizeof(*service));
    if (!service)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the service");
    service->params = *params;
    service->begun_ns = pail_clock_ns();
    service->rescan = true;
    pthread_mutex_init(&service->handles, NULL);
    pthread_mutex_init(&service->mutex, NULL);
    pthread_cond_init(&service->event, NULL);
    pthread_cond_init(&service->work, NULL);
    pthread_cond_init(&service->inputs, NULL);
    service->folder = open(params->keys, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    pail_status status = PAIL_OK;
    if (service->folder < 0)
        status = pail_fail(error, PAIL_ERR_IO, "--keys %s: cannot be opened as a folder: %s",
                           params->keys, strerror(errno));
    if (status == PAIL_OK)
        status = make_prover(service, error);
    if (status == PAIL_OK)
        status = start_threads(service, error);
    *made = service;
    if (status != PAIL_OK)
        pail_service_destroy(made);
    return status;
}

/* ---- Ending -----------------------------------------------------------------------------------
 */
/* The loader first: nothing may call the prover while that is destroyed. */
static void end_threads(struct pail_service *service)
{
    pail_service_drain(service);
    pail_service_cancel_all(service);
    if (service->collects)
        for (bool left = true; left;) {
            pthread_mutex_lock(&service->mutex);
            left = false;
            for (const struct pail_service_job *job = service->jobs; job != NULL; job = job->next)
                left |= job->outcome == PAIL_SERVICE_UNDER_WAY;
            pthread_mutex_unlock(&service->mutex);
            if (left)
                (void)usleep(1000);
        }
    pthread_mutex_lock(&service->mutex);
    service->stopping = true;
    service->events++;
    pthread_cond_signal(&service->work);
    pthread_cond_signal(&service->inputs);
    pthread_cond_signal(&service->event);
    pthread_mutex_unlock(&service->mutex);
    if (service->calculates)
        pthread_join(service->calculator, NULL);
    if (service->reopens)
        pthread_join(service->reopener, NULL);
    if (service->loads)
        pthread_join(service->loader, NULL);
    if (service->collects)
        pthread_join(service->collector, NULL);
}

void pail_service_destroy(struct pail_service **made)
{
    struct pail_service *const service = *made;
    if (!service)
        return;
    end_threads(service);
    pail_prover_destroy(&service->prover);
    while (service->jobs)
        pail_service_forget(service, service->jobs);
    pail_service_free_keys(service);
    if (service->folder >= 0)
        (void)close(service->folder);
    pthread_cond_destroy(&service->work);
    pthread_cond_destroy(&service->inputs);
    pthread_cond_destroy(&service->event);
    pthread_mutex_destroy(&service->mutex);
    pthread_mutex_destroy(&service->handles);
    free(service);
    *made = NULL;
}

void pail_service_drain(struct pail_service *service)
{
    pthread_mutex_lock(&service->mutex);
    service->draining = true;
    pthread_mutex_unlock(&service->mutex);
}

void pail_service_rescan(struct pail_service *service)
{
    pthread_mutex_lock(&service->mutex);
    service->rescan = true;
    pthread_cond_signal(&service->work);
    pthread_mutex_unlock(&service->mutex);
}

bool pail_service_has_keys(struct pail_service *service, size_t *ready)
{
    *ready = 0;
    pthread_mutex_lock(&service->mutex);
    const bool has_scanned = service->has_scanned;
    for (const struct pail_service_key *key = service->keys; key != NULL; key = key->next)
        *ready += key->state == PAIL_SERVICE_READY;
    pthread_mutex_unlock(&service->mutex);
    return has_scanned;
}
