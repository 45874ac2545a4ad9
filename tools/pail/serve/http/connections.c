/* Connections: no client has one for longer than it takes to send a request and to take an answer.
 * libmicrohttpd has a limit for idle ones, which a byte now and then never reaches. */
#include <stdlib.h>
#include <sys/socket.h>

#include <platform/clock.h>

#include "server_priv.h"

static void begin(struct pail_server *server, struct MHD_Connection *of, void **context)
{
    struct pail_connection *const connection = calloc(1, sizeof(*connection));
    const union MHD_ConnectionInfo *const info =
        server->mhd->get_connection_info(of, MHD_CONNECTION_INFO_CONNECTION_FD);
    *context = connection;
    if (connection == NULL)
        return; /* its requests are refused */
    connection->fd = info != NULL ? info->connect_fd : -1;
    connection->until_ns = pail_clock_ns() + server->params.request_ns;
    pthread_mutex_lock(&server->mutex);
    connection->next = server->connections;
    if (connection->next != NULL)
        connection->next->previous = connection;
    server->connections = connection;
    pthread_mutex_unlock(&server->mutex);
}

/* The descriptor is closed after this, so that none is shut down that is somebody else's by then.
 */
static void end(struct pail_server *server, struct pail_connection *connection)
{
    if (connection == NULL)
        return;
    pthread_mutex_lock(&server->mutex);
    if (connection->previous != NULL)
        connection->previous->next = connection->next;
    else
        server->connections = connection->next;
    if (connection->next != NULL)
        connection->next->previous = connection->previous;
    pthread_mutex_unlock(&server->mutex);
    free(connection);
}

void pail_connection_changed(void *user, struct MHD_Connection *connection, void **context,
                             enum MHD_ConnectionNotificationCode code)
{
    struct pail_daemon *const daemon = user;
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        begin(daemon->server, connection, context);
    else
        end(daemon->server, *context);
}

struct pail_connection *pail_connection_of(const struct pail_server *server,
                                           struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *const info =
        server->mhd->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != NULL ? info->socket_context : NULL;
}

void pail_connection_allow(struct pail_server *server, struct pail_connection *connection,
                           uint64_t ns)
{
    pthread_mutex_lock(&server->mutex);
    connection->until_ns = ns != 0 ? pail_clock_ns() + ns : 0;
    pthread_mutex_unlock(&server->mutex);
}

void pail_server_tick(struct pail_server *server)
{
    const uint64_t now = pail_clock_ns();
    pthread_mutex_lock(&server->mutex);
    for (struct pail_connection *at = server->connections; at != NULL; at = at->next) {
        if (at->until_ns == 0 || at->until_ns > now)
            continue;
        at->until_ns = 0;
        if (at->fd >= 0)
            (void)shutdown(at->fd, SHUT_RDWR); /* closed by who has it */
    }
    for (struct pail_exchange **at = &server->waiting; *at != NULL;) {
        struct pail_exchange *const exchange = *at;
        if (exchange->until_ns > now) {
            at = &exchange->next;
            continue;
        }
        *at = exchange->next;
        server->mhd->resume_connection(exchange->suspended);
    }
    pthread_mutex_unlock(&server->mutex);
}
