/* What the files of the server share. */
#ifndef PAIL_TOOL_SERVE_SERVER_PRIV_H
#define PAIL_TOOL_SERVE_SERVER_PRIV_H

#include <pthread.h>

#include "answers.h"
#include "mhd.h"
#include "server.h"

enum { PAIL_LISTENING_MAX = 2 };

/* One that there is, from when it came to when it is closed. */
struct pail_connection {
    struct pail_connection *next, *previous;
    int fd;
    uint64_t until_ns; /* when it is cut off; 0: it waits for us */
};

struct pail_daemon {
    struct pail_server *server;
    struct MHD_Daemon *daemon;
    bool needs_token;
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
    struct pail_request asked;
    struct pail_answer refusal; /* given once what comes was read */
    struct pail_service_claim claim;
    size_t received;
    /* While it waits. */
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
/* It is cut off so many nanoseconds from now; 0: not at all. */
void pail_connection_allow(struct pail_server *server, struct pail_connection *connection,
                           uint64_t ns);

/* ---- exchange.c: as libmicrohttpd wants them --------------------------------------------------
 */
void *pail_exchange_begin(void *daemon, const char *uri, struct MHD_Connection *connection);
enum MHD_Result pail_exchange_go_on(void *daemon, struct MHD_Connection *connection,
                                    const char *url, const char *method, const char *version,
                                    const char *data, size_t *bytes, void **exchange);
void pail_exchange_completed(void *daemon, struct MHD_Connection *connection, void **exchange,
                             enum MHD_RequestTerminationCode code);

#endif /* PAIL_TOOL_SERVE_SERVER_PRIV_H */
