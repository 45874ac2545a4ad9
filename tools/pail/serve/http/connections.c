/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: no client has one for longer than it takes to send a request and to take an answer.
 * libmicrohttpd has a limit for idle ones, which a byte now and then never reaches; and who has no
 * token gets its answer as late as its headers are there. So these have a time of their own, and
 * where others want the places, who only holds one loses it. */
#define _GNU_SOURCE /* struct ucred */

#include <stdlib.h>
#include <sys/socket.h>

#include <platform/clock.h>

#include "server_priv.h"

/* Connections that idle for less may have sent a request that was not read yet. */
static const uint64_t grace_ns = UINT64_C(1000000000);

static uint64_t head_ns(const struct pail_server *server)
{
    const uint64_t ns = server->params.request_ns;
    return ns < PAIL_SERVER_HEAD_NS ? ns : PAIL_SERVER_HEAD_NS;
}

/* ---- Peers ------------------------------------------------------------------------------------
 */
/* The user of a connection that comes over a path. Nothing tells users over an address apart: all
 * are one. */
static uint64_t user_of(int fd)
{
#ifdef SO_PEERCRED
    struct ucred who;
    socklen_t bytes = sizeof(who);
    if (fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0)
        return who.uid;
#endif
    (void)fd;
    return 0;
}

/* NULL: there is no memory. */
static struct pail_peer *join(struct pail_daemon *daemon, uint64_t user)
{
    struct pail_peer *peer = daemon->peers;
    while (peer && peer->user != user)
        peer = peer->next;
    if (!peer && (peer = calloc(1, sizeof(*peer))) != NULL) {
        peer->user = user;
        peer->next = daemon->peers;
        daemon->peers = peer;
    }
    if (peer)
        peer->n++;
    return peer;
}

static void leave(struct pail_daemon *daemon, struct pail_peer *peer)
{
    if (--peer->n != 0)
        return;
    struct pail_peer **at = &daemon->peers;
    while (*at != peer)
        at = &(*at)->next;
    *at = peer->next;
    free(peer);
}

/* ---- From when they come to when they are closed ----------------------------------------------
 */
static void begin(struct pail_daemon *daemon, struct MHD_Connection *of, void **context)
{
    struct pail_server *const server = daemon->server;
    struct pail_connection *const connection = calloc(1, sizeof(*connection));
    const union MHD_ConnectionInfo *const info =
        server->mhd->get_connection_info(of, MHD_CONNECTION_INFO_CONNECTION_FD);
    *context = NULL;
    if (!connection)
        return; /* its requests are refused */
    connection->daemon = daemon;
    connection->fd = info ? info->connect_fd : -1;
    connection->idle_since_ns = pail_clock_ns();
    connection->until_ns = connection->idle_since_ns + head_ns(server);
    pthread_mutex_lock(&server->mutex);
    connection->peer = join(daemon, daemon->needs_token ? 0 : user_of(connection->fd));
    if (connection->peer) {
        connection->peer->n_idle++;
        daemon->n++;
        connection->next = server->connections;
        if (connection->next)
            connection->next->previous = connection;
        server->connections = connection;
        *context = connection;
    }
    pthread_mutex_unlock(&server->mutex);
    if (!*context)
        free(connection);
}

/* Takes the connection out of the counts. */
static void discount(struct pail_connection *connection)
{
    if (connection->cut)
        return;
    connection->cut = true;
    connection->daemon->n--;
    connection->peer->n_idle -= !connection->busy;
}

/* The descriptor is closed after this, so that none is shut down that is somebody else's by then.
 */
static void end(struct pail_server *server, struct pail_connection *connection)
{
    if (!connection)
        return;
    pthread_mutex_lock(&server->mutex);
    discount(connection);
    leave(connection->daemon, connection->peer);
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        server->connections = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    pthread_mutex_unlock(&server->mutex);
    free(connection);
}

void pail_connection_changed(void *user, struct MHD_Connection *connection, void **context,
                             enum MHD_ConnectionNotificationCode code)
{
    struct pail_daemon *const daemon = user;
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        begin(daemon, connection, context);
    else
        end(daemon->server, *context);
}

struct pail_connection *pail_connection_of(const struct pail_server *server,
                                           struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *const info =
        server->mhd->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* ---- How long they have -----------------------------------------------------------------------
 */
static void set_until(struct pail_connection *connection, uint64_t until_ns)
{
    struct pail_server *const server = connection->daemon->server;
    pthread_mutex_lock(&server->mutex);
    connection->until_ns = until_ns;
    pthread_mutex_unlock(&server->mutex);
}

void pail_connection_asks(struct pail_connection *connection)
{
    struct pail_server *const server = connection->daemon->server;
    const uint64_t until_ns = pail_clock_ns() + head_ns(server);
    pthread_mutex_lock(&server->mutex);
    if (until_ns < connection->until_ns)
        connection->until_ns = until_ns;
    pthread_mutex_unlock(&server->mutex);
}

void pail_connection_set_busy(struct pail_connection *connection, bool busy)
{
    struct pail_server *const server = connection->daemon->server;
    pthread_mutex_lock(&server->mutex);
    if (!connection->cut)
        connection->peer->n_idle += (uint32_t)connection->busy - (uint32_t)busy;
    connection->busy = busy;
    connection->idle_since_ns = pail_clock_ns();
    connection->until_ns = connection->idle_since_ns + server->params.request_ns;
    pthread_mutex_unlock(&server->mutex);
}

void pail_connection_answer(struct pail_connection *connection)
{
    const struct pail_server *const server = connection->daemon->server;
    set_until(connection,
              pail_clock_ns() + (connection->busy ? server->params.request_ns : head_ns(server)));
}

void pail_connection_wait(struct pail_connection *connection)
{
    set_until(connection, 0);
}

static void cut_off(struct pail_connection *connection)
{
    discount(connection);
    connection->until_ns = 0;
    if (connection->fd >= 0)
        (void)shutdown(connection->fd, SHUT_RDWR); /* its owner closes it */
}

/* The connection that has been idle longest; NULL: none for long enough. */
static struct pail_connection *oldest_idle(const struct pail_server *server,
                                           const struct pail_peer *peer, uint64_t now_ns)
{
    struct pail_connection *oldest = NULL;
    for (struct pail_connection *at = server->connections; at != NULL; at = at->next)
        if (at->peer == peer && !at->busy && !at->cut && at->idle_since_ns + grace_ns <= now_ns &&
            (!oldest || at->idle_since_ns < oldest->idle_since_ns))
            oldest = at;
    return oldest;
}

static void make_room(const struct pail_server *server, const struct pail_daemon *daemon,
                      uint64_t now_ns)
{
    while (daemon->n > server->params.connections) {
        const struct pail_peer *most = daemon->peers;
        for (const struct pail_peer *at = daemon->peers; at != NULL; at = at->next)
            if (at->n_idle > most->n_idle)
                most = at;
        struct pail_connection *const oldest = oldest_idle(server, most, now_ns);
        if (!oldest)
            return;
        cut_off(oldest);
    }
}

void pail_connections_tick(struct pail_server *server, uint64_t now_ns)
{
    for (struct pail_connection *at = server->connections; at != NULL; at = at->next)
        if (at->until_ns != 0 && at->until_ns <= now_ns)
            cut_off(at);
    for (uint32_t i = 0; i < PAIL_LISTENING_MAX; i++)
        make_room(server, &server->daemons[i], now_ns);
}
