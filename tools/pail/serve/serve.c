/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the service: sockets, devices, then signals until the end. */
#define _DEFAULT_SOURCE     /* sigtimedwait */
#define _XOPEN_SOURCE   700 /* O_DIRECTORY */

#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <platform/clock.h>
#include <platform/file.h>
#include <platform/memory.h>

#include "http/listening.h"
#include "http/server.h"
#include "notify.h"
#include "process/process.h"
#include "service/say.h"
#include "service/service.h"

enum { TICK_NS = 20000000, STATUS_BYTES = 256 };
static const uint64_t second = UINT64_C(1000000000);

struct serving {
    const struct pail_serve_options *options;
    struct pail_session sessions[PAIL_SERVE_ALSO_MAX + 2];
    uint32_t n_sessions;
    bool spare;
    struct pail_listening listening[2];
    uint32_t n_listening;
    struct pail_service *service;
    struct pail_server *server;
    sigset_t signals;
    bool told_ready, draining, lingers;
    uint64_t drain_until_ns, linger_until_ns, watchdog_ns, next_watchdog_ns;
};

/* ---- Beginning ------------------------------------------------------------------------------ */
static void block_signals(struct serving *serving)
{
    (void)sigemptyset(&serving->signals);
    (void)sigaddset(&serving->signals, SIGTERM);
    (void)sigaddset(&serving->signals, SIGINT);
    (void)sigaddset(&serving->signals, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &serving->signals, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* Keys are read from what was opened, by names that the system gives to that. Without them each key
 * would seem to be missing. keys: their folder; one that cannot be opened is refused later. */
static pail_status find_own_files(const char *keys, struct pail_error *error)
{
    char path[32];
    const int folder = open(keys, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return PAIL_OK;
    pail_descriptor_path(path, sizeof(path), folder);
    const bool there = access(path, F_OK) == 0;
    (void)close(folder);
    if (!there)
        return pail_fail(error, PAIL_ERR_IO,
                         "%s does not exist: pail serve needs /proc to read keys", path);
    return PAIL_OK;
}

static pail_status listen_all(struct serving *serving, struct pail_error *error)
{
    static const mode_t modes[] = {
        [PAIL_SERVE_OWNER] = 0600, [PAIL_SERVE_GROUP] = 0660, [PAIL_SERVE_ALL] = 0666};
    const struct pail_serve_options *const options = serving->options;
    pail_status status = PAIL_OK;
    if (options->socket)
        status = pail_listen_at_path(&serving->listening[serving->n_listening++], options->socket,
                                     modes[options->socket_for], error);
    if (status == PAIL_OK && options->listen)
        status = pail_listen_at_address(&serving->listening[serving->n_listening++],
                                        options->listen, options->beyond_loopback, error);
    return status;
}

static pail_status set_tokens(struct serving *serving, struct pail_error *error)
{
    struct pail_tokens tokens;
    if (!serving->options->tokens)
        return PAIL_OK;
    const pail_status status = pail_tokens_read(&tokens, serving->options->tokens, error);
    if (status == PAIL_OK)
        pail_server_set_tokens(serving->server, &tokens);
    pail_tokens_wipe(&tokens);
    return status;
}

/* The device that is asked for, further ones of the same registry, and the CPU if it is none of
 * them. */
static pail_status open_devices(struct serving *serving, const pail_host *host,
                                struct pail_error *error)
{
    const struct pail_serve_options *const options = serving->options;
    struct pail_session_params params = options->session;
    params.side_queues = PAIL_SESSION_SIDE_QUEUES;
    params.needs = PAIL_ABILITY_VECTORS;
    pail_status status =
        pail_session_begin(&serving->sessions[serving->n_sessions++], host, &params, error);
    bool cpu = serving->sessions[0].built_in;
    for (uint32_t i = 0; i < options->n_also && status == PAIL_OK; i++) {
        struct pail_session *const session = &serving->sessions[serving->n_sessions++];
        params.device = options->also[i];
        status = pail_session_open(session, serving->sessions[0].registry, &params, error);
        cpu |= session->built_in;
    }
    if (status != PAIL_OK || cpu || options->no_spare)
        return status;
    serving->spare = true;
    return pail_session_open_cpu(&serving->sessions[serving->n_sessions++],
                                 serving->sessions[0].registry, options->session.threads, error);
}

static pail_status make_server(struct serving *serving, struct pail_error *error)
{
    const struct pail_server_params params = {.listening = serving->listening,
                                              .n_listening = serving->n_listening,
                                              .connections = serving->options->connections,
                                              .request_ns = serving->options->request_s * second};
    return pail_server_create(&serving->server, &params, error);
}

static pail_status make_service(struct serving *serving, struct pail_error *error)
{
    const struct pail_serve_options *const options = serving->options;
    const struct pail_service_params params = {.keys = options->keys,
                                               .sessions = serving->sessions,
                                               .n_sessions = serving->n_sessions,
                                               .spare = serving->spare,
                                               .residency = options->residency,
                                               .validation = options->validation,
                                               .table_factor = options->table_factor,
                                               .b2 = options->b2,
                                               .inflight = options->inflight,
                                               .producers = options->producers,
                                               .host_threads = options->host_threads,
                                               .host_bucket_mb = options->host_bucket_mb,
                                               .mem_budget = options->mem_budget << 20,
                                               .vram_budget = options->vram_budget << 20,
                                               .threads = options->session.threads,
                                               .queue = options->queue,
                                               .body_budget = options->witness_mib << 20,
                                               .kept = options->keep,
                                               .keep_ns = options->keep_s * second,
                                               .no_check = options->no_check,
                                               .limits = options->limits,
                                               .ended = pail_server_job_ended,
                                               .user = serving->server};
    return pail_service_create(&serving->service, &params, error);
}

static pail_status begin(struct serving *serving, const pail_host *host, struct pail_error *error)
{
    pail_status status = listen_all(serving, error);
    if (status == PAIL_OK)
        status = make_server(serving, error);
    if (status == PAIL_OK)
        status = set_tokens(serving, error);
    if (status == PAIL_OK)
        status = open_devices(serving, host, error);
    if (status == PAIL_OK)
        status = make_service(serving, error);
    if (status == PAIL_OK)
        status = pail_server_start(serving->server, serving->service, error);
    bool anywhere = false;
    for (uint32_t i = 0; i < serving->n_listening && status == PAIL_OK; i++) {
        anywhere |= serving->listening[i].anywhere;
        pail_serve_say("listening on %s", serving->listening[i].path != NULL
                                              ? serving->listening[i].path
                                              : serving->listening[i].address);
    }
    if (anywhere)
        pail_serve_say("beyond the loopback interface: witnesses, proofs and tokens are not "
                       "encrypted on their way");
    return status;
}

/* ---- Signals ----------------------------------------------------------------------------------
 */
static void drain(struct serving *serving)
{
    if (serving->draining) {
        pail_serve_say("a second signal: jobs are cancelled");
        serving->drain_until_ns = 0;
        serving->linger_until_ns = 0;
        return;
    }
    serving->draining = true;
    serving->drain_until_ns = pail_clock_ns() + serving->options->drain_s * second;
    pail_service_drain(serving->service);
    pail_notify("STOPPING=1\nSTATUS=ending when all jobs have ended");
    pail_serve_say("ending when all jobs have ended");
}

static void reload(struct serving *serving)
{
    struct pail_error error = {0};
    pail_serve_say("reading keys and tokens again");
    pail_service_rescan(serving->service);
    if (set_tokens(serving, &error) != PAIL_OK)
        pail_serve_say("the tokens stay as they were: %s", error.sentence);
}

static void tell_ready(struct serving *serving)
{
    char text[STATUS_BYTES];
    size_t ready;
    if (serving->told_ready || serving->draining ||
        !pail_service_has_keys(serving->service, &ready))
        return;
    serving->told_ready = true;
    (void)snprintf(text, sizeof(text), "READY=1\nSTATUS=serving, with %zu keys", ready);
    pail_notify(text);
    pail_serve_say("ready, with %zu keys", ready);
}

/* True while there is something left to do. */
static bool has_left(struct serving *serving, uint64_t now)
{
    size_t active, unfetched;
    if (!serving->draining)
        return true;
    pail_service_left(serving->service, &active, &unfetched);
    if (active != 0) {
        if (now >= serving->drain_until_ns)
            pail_service_cancel_all(serving->service);
        return true;
    }
    if (!serving->lingers) {
        serving->lingers = true;
        if (serving->drain_until_ns != 0)
            serving->linger_until_ns = now + serving->options->linger_s * second;
    }
    return unfetched != 0 && now < serving->linger_until_ns;
}

static void serve(struct serving *serving)
{
    const struct timespec tick = {.tv_nsec = TICK_NS};
    serving->watchdog_ns = pail_notify_watchdog_ns();
    for (uint64_t now = pail_clock_ns(); has_left(serving, now); now = pail_clock_ns()) {
        const int number = sigtimedwait(&serving->signals, NULL, &tick);
        if (number == SIGTERM || number == SIGINT)
            drain(serving);
        else if (number == SIGHUP)
            reload(serving);
        pail_server_tick(serving->server);
        pail_service_tick(serving->service);
        tell_ready(serving);
        if (serving->watchdog_ns != 0 && now >= serving->next_watchdog_ns) {
            serving->next_watchdog_ns = now + serving->watchdog_ns;
            pail_notify("WATCHDOG=1");
        }
    }
}

/* Another signal ends the process from here on: a key that is loading cannot be cancelled. */
static void let_signals_end(struct serving *serving)
{
    const struct timespec none = {0};
    while (sigtimedwait(&serving->signals, NULL, &none) > 0)
        continue;
    (void)sigdelset(&serving->signals, SIGHUP);
    (void)sigprocmask(SIG_UNBLOCK, &serving->signals, NULL);
}

static pail_status run(struct serving *serving, struct pail_error *error)
{
    const pail_host host = pail_log_host();
    const pail_status status = begin(serving, &host, error);
    if (status == PAIL_OK)
        serve(serving);
    if (serving->server)
        pail_server_stop(serving->server);
    let_signals_end(serving);
    pail_service_destroy(&serving->service);
    pail_server_destroy(&serving->server);
    for (uint32_t i = 0; i < serving->n_listening; i++)
        pail_listening_end(&serving->listening[i]);
    while (serving->n_sessions > 0) /* the first has the registry */
        pail_session_close(&serving->sessions[--serving->n_sessions]);
    return status;
}

pail_status pail_serve(const struct pail_serve_options *options, struct pail_error *error)
{
    struct serving *const serving = calloc(1, sizeof(*serving));
    if (!serving)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the service");
    serving->options = options;
    pail_keep_memory_private(); /* witnesses are in memory alone */
    block_signals(serving);
    pail_status status = find_own_files(options->keys, error);
    if (status == PAIL_OK)
        status = run(serving, error);
    free(serving);
    if (status == PAIL_OK)
        pail_serve_say("ended");
    return status;
}
