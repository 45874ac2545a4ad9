/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets into daemons of libmicrohttpd, and their end. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <platform/clock.h>

#include "server_priv.h"

enum {
    /* Memory of a connection: the library maps and unmaps more than half a page of 64 KiB, so that
     * no other memory gets its contents. */
    MEMORY_BYTES = 64 << 10,
    /* Places beyond the limit, for connections that come while the oldest idle ones are closed. */
    SPARE = 16,
    STOP_MS = 2000, /* that answers may take at the end */
    STOP_STEP_MS = 5,
};

pail_status pail_server_create(struct pail_server **made, const struct pail_server_params *params,
                               struct pail_error *error)
{
    const struct pail_mhd *mhd;
    *made = NULL;
    if (pail_mhd_load(&mhd, error) != PAIL_OK)
        return error->status;
    struct pail_server *const server = calloc(1, sizeof(*server));
    if (!server)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the server");
    server->mhd = mhd;
    server->params = *params;
    pthread_mutex_init(&server->mutex, NULL);
    *made = server;
    return PAIL_OK;
}

void pail_server_set_tokens(struct pail_server *server, const struct pail_tokens *tokens)
{
    pthread_mutex_lock(&server->mutex);
    server->tokens = *tokens;
    pthread_mutex_unlock(&server->mutex);
}

/* Nothing is decoded: see pail_request_read. */
static size_t leave_as_it_is(void *user, struct MHD_Connection *connection, char *text)
{
    (void)user;
    (void)connection;
    return strlen(text);
}

static struct MHD_Daemon *start(struct pail_daemon *daemon, int fd)
{
    const struct pail_server *const server = daemon->server;
    const unsigned idle_s = (unsigned)(server->params.request_ns / 1000000000);
    const struct MHD_OptionItem strict[] = {
        server->mhd->is_strict
            ? (struct MHD_OptionItem){PAIL_MHD_DISCIPLINE, PAIL_MHD_DISCIPLINE_LEVEL, NULL}
            : (struct MHD_OptionItem){MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        {MHD_OPTION_END, 0, NULL}};
    return server->mhd->start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
        pail_exchange_go_on, daemon, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)server->params.connections + SPARE, MHD_OPTION_CONNECTION_TIMEOUT,
        idle_s != 0 ? idle_s : 1u, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_BYTES,
        MHD_OPTION_ARRAY, strict, MHD_OPTION_URI_LOG_CALLBACK, pail_exchange_begin, daemon,
        MHD_OPTION_UNESCAPE_CALLBACK, leave_as_it_is, NULL, MHD_OPTION_NOTIFY_COMPLETED,
        pail_exchange_completed, daemon, MHD_OPTION_NOTIFY_CONNECTION, pail_connection_changed,
        daemon, MHD_OPTION_END);
}

pail_status pail_server_start(struct pail_server *server, struct pail_service *service,
                              struct pail_error *error)
{
    server->service = service;
    for (uint32_t i = 0; i < server->params.n_listening; i++) {
        struct pail_daemon *const daemon = &server->daemons[i];
        daemon->server = server;
        daemon->needs_token = server->params.listening[i].path == NULL;
        daemon->any_host = server->params.listening[i].anywhere;
        daemon->daemon = start(daemon, server->params.listening[i].fd);
        if (!daemon->daemon)
            return pail_fail(error, PAIL_ERR_HOST_MEMORY,
                             "libmicrohttpd cannot be started: no memory, or no threads");
    }
    return PAIL_OK;
}

/* ---- The end ----------------------------------------------------------------------------------
 */
static void answer_all(struct pail_server *server)
{
    pthread_mutex_lock(&server->mutex);
    server->stopping = true;
    while (server->waiting) {
        struct pail_exchange *const exchange = server->waiting;
        server->waiting = exchange->next;
        server->mhd->resume_connection(exchange->suspended);
    }
    pthread_mutex_unlock(&server->mutex);
}

static bool is_idle(struct pail_server *server)
{
    pthread_mutex_lock(&server->mutex);
    const bool idle = server->under_way == 0;
    pthread_mutex_unlock(&server->mutex);
    return idle;
}

void pail_server_stop(struct pail_server *server)
{
    const uint64_t until = pail_clock_ns() + STOP_MS * UINT64_C(1000000);
    const struct timespec step = {.tv_nsec = STOP_STEP_MS * 1000000L};
    for (uint32_t i = 0; i < PAIL_LISTENING_MAX; i++)
        if (server->daemons[i].daemon)
            (void)server->mhd->quiesce_daemon(server->daemons[i].daemon);
    answer_all(server); /* the library cannot stop while somebody waits */
    do
        (void)nanosleep(&step, NULL);
    while (!is_idle(server) && pail_clock_ns() < until);
    for (uint32_t i = 0; i < PAIL_LISTENING_MAX; i++) {
        if (server->daemons[i].daemon)
            server->mhd->stop_daemon(server->daemons[i].daemon);
        server->daemons[i].daemon = NULL;
    }
}

void pail_server_destroy(struct pail_server **made)
{
    struct pail_server *const server = *made;
    if (!server)
        return;
    pail_server_stop(server);
    pthread_mutex_destroy(&server->mutex);
    pail_tokens_wipe(&server->tokens);
    free(server);
    *made = NULL;
}
