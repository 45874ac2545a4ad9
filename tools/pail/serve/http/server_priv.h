/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the server share. */
#ifndef PAIL_TOOL_SERVE_SERVER_PRIV_H
#define PAIL_TOOL_SERVE_SERVER_PRIV_H

#include <pthread.h>

#include "answers.h"
#include "mhd.h"
#include "server.h"

enum { PAIL_LISTENING_MAX = 2 };

/* A client of one socket by its connections: a user, or all who come over an address. */
struct pail_peer {
    struct pail_peer *next;
    uint64_t user;
    uint32_t n, n_idle; /* connections; idle ones among them */
};

/* An open connection, from when it came to when it is closed. */
struct pail_connection {
    struct pail_connection *next, *previous;
    struct pail_daemon *daemon;
    struct pail_peer *peer;
    int fd;
    bool cut;               /* off, and not closed yet */
    bool busy;              /* with a request of somebody who may ask; else idle */
    uint64_t idle_since_ns; /* when it came, or its last request was done */
    uint64_t until_ns;      /* when it is cut off; 0: it waits for us */
};

struct pail_daemon {
    struct pail_server *server;
    struct MHD_Daemon *daemon;
    struct pail_peer *peers; /* as with the server's: guarded by its mutex */
    uint32_t n;              /* connections that are not cut off */
    bool needs_token;
    bool any_host; /* it has names that are not those of the loopback */
};

/* A request and its answer. */
struct pail_exchange {
    struct pail_daemon *daemon;
    struct pail_connection *connection;
    enum {
        EXCHANGE_NEW,
        EXCHANGE_ASKS,
        EXCHANGE_DISCARDS,
        EXCHANGE_RECEIVES,
        EXCHANGE_WILL_WAIT,
        EXCHANGE_WAITS
    } state;
    char uri[PAIL_REQUEST_URI_CHARS + 1];
    size_t uri_chars;    /* as it came, also where it is longer */
    bool may_ask, close; /* the client has a token, or needs none; the answer ends the connection */
    struct pail_request asked;
    struct pail_answer refusal;   /* given once what comes was read */
    struct pail_service_job *job; /* until it is submitted */
    /* Set while the exchange waits. */
    struct pail_exchange *next;
    struct MHD_Connection *suspended;
    char id[PAIL_SERVE_ID_CHARS + 1];
    uint64_t until_ns;
};

struct pail_server {
    const struct pail_mhd *mhd;
    struct pail_server_params params;
    struct pail_service *service;
    struct pail_daemon daemons[PAIL_LISTENING_MAX];
    pthread_mutex_t mutex; /* guards what follows */
    struct pail_tokens tokens;
    struct pail_connection *connections;
    struct pail_exchange *waiting;
    uint32_t under_way; /* exchanges that are not completed */
    bool stopping;      /* nobody waits any more */
};

/* ---- connections.c: as libmicrohttpd wants them -----------------------------------------------
 */
void pail_connection_changed(void *daemon, struct MHD_Connection *connection, void **context,
                             enum MHD_ConnectionNotificationCode code);
struct pail_connection *pail_connection_of(const struct pail_server *server,
                                           struct MHD_Connection *connection);
/* Tells that a request's first line is there: its headers have their time, or the rest of it. */
void pail_connection_asks(struct pail_connection *connection);
/* Makes a connection busy with a request, or idle, and gives it the time of a request. */
void pail_connection_set_busy(struct pail_connection *connection, bool busy);
/* Gives a connection as long again to take an answer: the time of a request, or of headers where
 * it is idle. */
void pail_connection_answer(struct pail_connection *connection);
/* Lets a connection wait for the server without a limit of time. */
void pail_connection_wait(struct pail_connection *connection);
/* Cuts off slow clients, and where there are too many connections, the oldest idle ones of the
 * peer that has the most. Under the mutex. */
void pail_connections_tick(struct pail_server *server, uint64_t now_ns);

/* ---- framing.c --------------------------------------------------------------------------------
 */
/* A request's line as libmicrohttpd gives it, and the length of path and query. */
struct pail_request_line {
    const char *method, *url, *version;
    size_t uri_chars;
};
/* NULL, or why the head of the request is not one that everybody reads alike. To be called when the
 * headers are there. */
const char *pail_framing_look(const struct pail_mhd *mhd, struct MHD_Connection *connection,
                              const struct pail_request_line *line);

/* ---- exchange.c: as libmicrohttpd wants them --------------------------------------------------
 */
void *pail_exchange_begin(void *daemon, const char *uri, struct MHD_Connection *connection);
enum MHD_Result pail_exchange_go_on(void *daemon, struct MHD_Connection *connection,
                                    const char *url, const char *method, const char *version,
                                    const char *data, size_t *bytes, void **exchange);
void pail_exchange_completed(void *daemon, struct MHD_Connection *connection, void **exchange,
                             enum MHD_RequestTerminationCode code);

#endif /* PAIL_TOOL_SERVE_SERVER_PRIV_H */
