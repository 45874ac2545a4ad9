/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that were lost are opened again, after longer and longer, and not for ever. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <time.h>

#include <platform/clock.h>
#include <platform/text.h>

#include "say.h"
#include "service_priv.h"

enum { LOOK_NS = 50000000 };
static const uint64_t second = UINT64_C(1000000000);
static const uint64_t first_wait_s = 1, longest_wait_s = 300;
/* A device that was in use for this long is as good as new. */
static const uint64_t rested_s = 600;

static uint64_t wait_ns(uint32_t tries)
{
    uint64_t seconds = first_wait_s;
    for (uint32_t i = 0; i < tries && seconds < longest_wait_s; i++)
        seconds *= 2;
    return second * (seconds < longest_wait_s ? seconds : longest_wait_s);
}

/* This thread alone writes revivals, and so reads them without the mutex. */
static void set_revival(struct pail_service *service, uint32_t device,
                        const struct pail_service_revival *revival)
{
    pthread_mutex_lock(&service->mutex);
    service->revivals[device] = *revival;
    pthread_mutex_unlock(&service->mutex);
}

static void note_loss(struct pail_service *service, uint32_t device, uint64_t now)
{
    struct pail_service_revival revival = service->revivals[device];
    char name[256];
    pail_service_device_name(name, sizeof(name), service, device);
    if (revival.restored_ns != 0 && now - revival.restored_ns > rested_s * second)
        revival.tries = 0;
    revival.lost = true;
    revival.next_ns =
        revival.tries < PAIL_SERVICE_TRIES_MAX ? now + wait_ns(revival.tries) : UINT64_MAX;
    set_revival(service, device, &revival);
    if (revival.next_ns != UINT64_MAX)
        pail_serve_say("the device %s was lost; it is tried again in %llu s", name,
                       (unsigned long long)(wait_ns(revival.tries) / second));
    else
        pail_serve_say("the device %s was lost, and was so too often: it stays lost", name);
}

static void note_failure(struct pail_service *service, uint32_t device, const char *sentence)
{
    struct pail_service_revival revival = service->revivals[device];
    char name[256];
    pail_service_device_name(name, sizeof(name), service, device);
    const bool last = revival.tries >= PAIL_SERVICE_TRIES_MAX;
    revival.next_ns = last ? UINT64_MAX : pail_clock_ns() + wait_ns(revival.tries);
    set_revival(service, device, &revival);
    if (last)
        pail_serve_say("the device %s cannot be opened again and stays lost: %s", name, sentence);
    else
        pail_serve_say("the device %s cannot be opened again yet, next in %llu s: %s", name,
                       (unsigned long long)(wait_ns(revival.tries) / second), sentence);
}

static void sleep_a_little(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
}

static bool is_stopping(struct pail_service *service)
{
    pthread_mutex_lock(&service->mutex);
    const bool stopping = service->stopping || service->draining;
    pthread_mutex_unlock(&service->mutex);
    return stopping;
}

/* A second context beside the lost one, which nobody uses any more once the prover has it. */
static void open_again(struct pail_service *service, uint32_t device)
{
    struct pail_session *const session = &service->params.sessions[device];
    struct pail_error error = {0};
    struct pail_session fresh;
    pail_status status = pail_session_again(&fresh, session, service->params.threads, &error);
    while (status == PAIL_OK) {
        status = pail_told(&error, pail_prover_restore(service->prover, device, fresh.context,
                                                       PAIL_SENTENCE(&error)));
        if (status != PAIL_NOT_READY || is_stopping(service))
            break;
        sleep_a_little();
        status = PAIL_OK;
    }
    if (status == PAIL_OK) {
        pail_context *const lost = session->context;
        session->context = fresh.context;
        fresh.context = lost;
    }
    if (fresh.context)
        fresh.backend->context_destroy(&fresh.context);
    if (status == PAIL_OK) {
        char name[256];
        pail_service_device_name(name, sizeof(name), service, device);
        set_revival(service, device,
                    &(struct pail_service_revival){.tries = service->revivals[device].tries,
                                                   .next_ns = UINT64_MAX,
                                                   .restored_ns = pail_clock_ns()});
        pail_serve_say("the device %s is in use again", name);
    } else if (status != PAIL_NOT_READY) {
        note_failure(service, device, error.sentence);
    }
}

/* The device that is to be opened now; UINT32_MAX: none. */
static uint32_t look(struct pail_service *service)
{
    const uint64_t now = pail_clock_ns();
    uint32_t due = UINT32_MAX;
    for (uint32_t d = 0; d < service->params.n_sessions; d++) {
        const struct pail_service_revival *const revival = &service->revivals[d];
        pail_prover_device_stats stats = {.struct_size = sizeof(stats)};
        (void)pail_prover_get_device(service->prover, d, &stats);
        if (stats.lost != 0 && !revival->lost)
            note_loss(service, d, now);
        if (revival->lost && due == UINT32_MAX && now >= revival->next_ns)
            due = d;
    }
    if (due != UINT32_MAX) {
        struct pail_service_revival tried = service->revivals[due];
        tried.tries++;
        set_revival(service, due, &tried);
    }
    return due;
}

void *pail_service_reopen(void *argument)
{
    struct pail_service *const service = argument;
    while (!is_stopping(service)) {
        const uint32_t device = look(service);
        if (device != UINT32_MAX)
            open_again(service, device);
        else
            sleep_a_little();
    }
    return NULL;
}
