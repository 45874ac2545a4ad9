/* SPDX-License-Identifier: Apache-2.0 */
/* A request and its answer. All of this runs in the one thread that libmicrohttpd has for a socket.
 */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <platform/clock.h>
#include <platform/memory.h>

#include "serve/page/page.h"
#include "server_priv.h"

/* The most that is read of a refused request, so that the client reads the answer. */
static const uint64_t discard_bytes = 1 << 20;

/* ---- Answers ----------------------------------------------------------------------------------
 */
static bool add_headers(const struct pail_mhd *mhd, struct MHD_Response *response,
                        const struct pail_answer *answer)
{
    char seconds[16];
    (void)snprintf(seconds, sizeof(seconds), "%u", answer->retry_after_s);
    const struct {
        const char *name, *value;
    } headers[] = {
        {"Content-Type", answer->status != 204 ? answer->type : NULL},
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Content-Security-Policy",
         answer->is_page ? pail_page_policy : "default-src 'none'; frame-ancestors 'none'"},
        {"Retry-After", answer->retry_after_s != 0 ? seconds : NULL},
        {"Allow", answer->allow},
        {"WWW-Authenticate", answer->status == 401 ? "Bearer realm=\"pail\"" : NULL},
        {"Location", answer->location[0] != '\0' ? answer->location : NULL},
    };
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        if (headers[i].value &&
            mhd->add_response_header(response, headers[i].name, headers[i].value) != MHD_YES)
            return false;
    return true;
}

/* Takes the answer over. MHD_NO, with which the connection is closed: no memory. */
static enum MHD_Result give(struct pail_exchange *exchange, struct MHD_Connection *connection,
                            struct pail_answer *answer)
{
    struct pail_server *const server = exchange->daemon->server;
    const struct pail_mhd *const mhd = server->mhd;
    const unsigned status = answer->status;
    struct MHD_Response *const response = mhd->create_response_from_buffer(
        answer->bytes, (void *)(uintptr_t)answer->text,
        answer->owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    enum MHD_Result given = MHD_NO;
    if (response) {
        answer->owned = NULL;
        if (add_headers(mhd, response, answer) &&
            (!exchange->close ||
             mhd->add_response_header(response, "Connection", "close") == MHD_YES)) {
            pail_connection_answer(exchange->connection);
            given = mhd->queue_response(connection, status, response);
        }
        mhd->destroy_response(response);
    }
    pail_answer_free(answer);
    return given;
}

/* ---- What has come ----------------------------------------------------------------------------
 */
struct lengths {
    unsigned n, encodings;
    uint64_t bytes;
    bool bad;
};

static enum MHD_Result look_at_header(void *user, enum MHD_ValueKind kind, const char *name,
                                      const char *value)
{
    struct lengths *const lengths = user;
    (void)kind;
    if (strcasecmp(name, "Transfer-Encoding") == 0)
        lengths->encodings++;
    if (strcasecmp(name, "Content-Length") != 0)
        return MHD_YES;
    lengths->n++;
    lengths->bad |=
        !value || !pail_request_number(&lengths->bytes, value, strlen(value), UINT64_MAX / 2);
    return MHD_YES;
}

/* Refuses a client that may not ask this at all. */
static void look_at_client(struct pail_exchange *exchange, struct MHD_Connection *connection)
{
    struct pail_server *const server = exchange->daemon->server;
    const struct pail_mhd *const mhd = server->mhd;
    const char *const host = mhd->lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *const site =
        mhd->lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
    if ((host && !exchange->daemon->any_host && !pail_request_host_is_local(host)) ||
        (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)) {
        pail_answer_refusal(&exchange->refusal, 403,
                            "the request comes from a page of another site, or its Host is not "
                            "this machine");
        return;
    }
    exchange->may_ask = !exchange->daemon->needs_token;
    if (exchange->may_ask || exchange->asked.refused == 414 ||
        (exchange->asked.refused == 0 && (exchange->asked.what == PAIL_REQUEST_PAGE ||
                                          exchange->asked.what == PAIL_REQUEST_HEALTH)))
        return;
    const char *const given = pail_request_bearer(
        mhd->lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization"));
    pthread_mutex_lock(&server->mutex);
    exchange->may_ask = pail_tokens_have(&server->tokens, given);
    pthread_mutex_unlock(&server->mutex);
    if (!exchange->may_ask)
        pail_answer_refusal(&exchange->refusal, 401, "the request has no token, or a wrong one");
}

static void look_at_body(struct pail_exchange *exchange, struct MHD_Connection *connection,
                         const struct lengths *lengths)
{
    const struct pail_mhd *const mhd = exchange->daemon->server->mhd;
    const char *const type =
        mhd->lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Type");
    const bool proves = exchange->asked.what == PAIL_REQUEST_PROVE;
    const bool inputs = type && (strcasecmp(type, "application/json") == 0 ||
                                 strncasecmp(type, "application/json;", 17) == 0);
    char why[PAIL_SERVE_WHY_BYTES];
    if (lengths->bad || lengths->n > 1)
        pail_answer_refusal(&exchange->refusal, 400, "the Content-Length is no number of bytes");
    else if (lengths->encodings != 0 || (proves && lengths->n == 0))
        pail_answer_refusal(&exchange->refusal, 411, "the body needs a Content-Length");
    else if (!proves && lengths->bytes != 0)
        pail_answer_refusal(&exchange->refusal, 413, "the request takes no body");
    else if (proves && !inputs && (!type || strcasecmp(type, "application/octet-stream") != 0))
        pail_answer_refusal(
            &exchange->refusal, 415,
            "the Content-Type of a witness is application/octet-stream, and that of "
            "inputs of a circuit application/json");
    if (exchange->refusal.status != 0 || !proves)
        return;
    const enum pail_service_answer said =
        pail_service_make_job(&exchange->job, exchange->daemon->server->service,
                              exchange->asked.key, inputs, lengths->bytes, why);
    if (said != PAIL_SERVICE_OK)
        pail_answer_service(&exchange->refusal, exchange->daemon->server->service, said, why);
}

/* ---- Waiting ----------------------------------------------------------------------------------
 */
/* True if the exchange will wait for the job, from the library's next call on. Were it to wait at
 * once, the library would read from the connection once it goes on, as it did before; and a client
 * that has closed its side behind the request would count as one that has left, and get no answer.
 */
static bool will_wait(struct pail_exchange *exchange, const char *id)
{
    if (exchange->asked.wait_ms == 0)
        return false;
    memcpy(exchange->id, id, sizeof(exchange->id));
    exchange->state = EXCHANGE_WILL_WAIT;
    return true;
}

/* True if the exchange waits from now on: until the job has ended, or for the time asked for. */
static bool wait_for_job(struct pail_exchange *exchange, struct MHD_Connection *connection)
{
    struct pail_server *const server = exchange->daemon->server;
    pail_connection_wait(exchange->connection);
    pthread_mutex_lock(&server->mutex);
    /* The thread that ends a job tells so afterwards, under this mutex: no end is missed. */
    const bool waits = !server->stopping && !pail_service_job_ended(server->service, exchange->id);
    if (waits) {
        exchange->until_ns = pail_clock_ns() + 1000000 * exchange->asked.wait_ms;
        exchange->suspended = connection;
        exchange->state = EXCHANGE_WAITS;
        exchange->next = server->waiting;
        server->waiting = exchange;
        server->mhd->suspend_connection(connection);
    }
    pthread_mutex_unlock(&server->mutex);
    return waits;
}

void pail_server_job_ended(void *user, const char *id)
{
    struct pail_server *const server = user;
    pthread_mutex_lock(&server->mutex);
    for (struct pail_exchange **at = &server->waiting; *at != NULL;) {
        struct pail_exchange *const exchange = *at;
        if (strcmp(exchange->id, id) != 0) {
            at = &exchange->next;
            continue;
        }
        *at = exchange->next;
        server->mhd->resume_connection(exchange->suspended);
    }
    pthread_mutex_unlock(&server->mutex);
}

void pail_server_tick(struct pail_server *server)
{
    const uint64_t now = pail_clock_ns();
    pthread_mutex_lock(&server->mutex);
    pail_connections_tick(server, now);
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

/* ---- Stages -----------------------------------------------------------------------------------
 */
/* The headers are there. */
static enum MHD_Result look(struct pail_exchange *exchange, struct MHD_Connection *connection,
                            const struct pail_request_line *line)
{
    struct pail_server *const server = exchange->daemon->server;
    struct lengths lengths = {0};
    const char *const malformed = pail_framing_look(server->mhd, connection, line);
    if (malformed) { /* the beginning of the next request is unknown */
        exchange->close = true;
        pail_answer_refusal(&exchange->refusal, 400, malformed);
        return give(exchange, connection, &exchange->refusal);
    }
    pail_request_read(&exchange->asked, line->method, exchange->uri);
    (void)server->mhd->get_connection_values(connection, MHD_HEADER_KIND, look_at_header, &lengths);
    look_at_client(exchange, connection);
    if (exchange->may_ask)
        pail_connection_set_busy(exchange->connection, true);
    if (exchange->refusal.status == 0 && exchange->asked.refused != 0) {
        pail_answer_refusal(&exchange->refusal, exchange->asked.refused, exchange->asked.why);
        exchange->refusal.allow = exchange->asked.allow;
    }
    if (exchange->refusal.status == 0)
        look_at_body(exchange, connection, &lengths);
    const bool expects =
        server->mhd->lookup_connection_value(connection, MHD_HEADER_KIND, "Expect") != NULL;
    if (exchange->refusal.status == 0)
        exchange->state =
            exchange->asked.what == PAIL_REQUEST_PROVE ? EXCHANGE_RECEIVES : EXCHANGE_ASKS;
    else if (expects || lengths.bad || lengths.n > 1 || lengths.encodings != 0 ||
             lengths.bytes > discard_bytes)
        return give(exchange, connection, &exchange->refusal); /* and closes the connection */
    else
        exchange->state = EXCHANGE_DISCARDS;
    return MHD_YES;
}

static enum MHD_Result answer(struct pail_exchange *exchange, struct MHD_Connection *connection)
{
    struct pail_server *const server = exchange->daemon->server;
    struct pail_answer made;
    if (exchange->asked.what == PAIL_REQUEST_JOB && will_wait(exchange, exchange->asked.id))
        return MHD_YES;
    pail_answer_request(&made, server->service, &exchange->asked);
    return give(exchange, connection, &made);
}

/* A piece of the body. The library's buffer is of the connection and will be written again; what is
 * a witness is wiped there, too. */
static enum MHD_Result receive(struct pail_exchange *exchange, const char *data, size_t *bytes)
{
    if (exchange->state == EXCHANGE_RECEIVES && !pail_service_receive(exchange->job, data, *bytes))
        return MHD_NO; /* more than was announced */
    pail_wipe((void *)(uintptr_t)data, *bytes);
    *bytes = 0;
    return MHD_YES;
}

/* The body is there. */
static enum MHD_Result submit(struct pail_exchange *exchange, struct MHD_Connection *connection)
{
    struct pail_server *const server = exchange->daemon->server;
    char id[PAIL_SERVE_ID_CHARS + 1], why[PAIL_SERVE_WHY_BYTES];
    struct pail_answer answer;
    const enum pail_service_answer said =
        pail_service_submit(&exchange->job, server->service, exchange->asked.priority,
                            exchange->asked.deadline_ms, id, why);
    if (said != PAIL_SERVICE_OK)
        pail_answer_service(&answer, server->service, said, why);
    else if (will_wait(exchange, id))
        return MHD_YES;
    else
        pail_answer_job(&answer, server->service, id);
    return give(exchange, connection, &answer);
}

enum MHD_Result pail_exchange_go_on(void *user, struct MHD_Connection *connection, const char *url,
                                    const char *method, const char *version, const char *data,
                                    size_t *bytes, void **context)
{
    struct pail_exchange *const exchange = *context;
    struct pail_answer told;
    (void)user;
    if (!exchange || !exchange->connection)
        return MHD_NO; /* there was no memory for it */
    if (*bytes != 0)
        return receive(exchange, data, bytes);
    switch (exchange->state) {
    case EXCHANGE_NEW:
        return look(exchange, connection,
                    &(struct pail_request_line){.method = method,
                                                .url = url,
                                                .version = version,
                                                .uri_chars = exchange->uri_chars});
    case EXCHANGE_ASKS:
        return answer(exchange, connection);
    case EXCHANGE_DISCARDS:
        return give(exchange, connection, &exchange->refusal);
    case EXCHANGE_RECEIVES:
        return submit(exchange, connection);
    case EXCHANGE_WILL_WAIT:
        if (wait_for_job(exchange, connection))
            return MHD_YES;
        pail_answer_job(&told, exchange->daemon->server->service, exchange->id);
        return give(exchange, connection, &told);
    case EXCHANGE_WAITS:
        pail_answer_job(&told, exchange->daemon->server->service, exchange->id);
        return give(exchange, connection, &told);
    }
    return MHD_NO;
}

void *pail_exchange_begin(void *user, const char *uri, struct MHD_Connection *connection)
{
    struct pail_daemon *const daemon = user;
    struct pail_exchange *const exchange = calloc(1, sizeof(*exchange));
    if (!exchange)
        return NULL;
    exchange->daemon = daemon;
    exchange->connection = pail_connection_of(daemon->server, connection);
    if (exchange->connection)
        pail_connection_asks(exchange->connection);
    uri = uri ? uri : ""; /* of a request line without one */
    exchange->uri_chars = strlen(uri);
    (void)snprintf(exchange->uri, sizeof(exchange->uri), "%.*s", PAIL_REQUEST_URI_CHARS, uri);
    pthread_mutex_lock(&daemon->server->mutex);
    daemon->server->under_way++;
    pthread_mutex_unlock(&daemon->server->mutex);
    return exchange;
}

void pail_exchange_completed(void *user, struct MHD_Connection *connection, void **context,
                             enum MHD_RequestTerminationCode code)
{
    struct pail_daemon *const daemon = user;
    struct pail_server *const server = daemon->server;
    struct pail_exchange *const exchange = *context;
    (void)connection;
    (void)code;
    if (!exchange)
        return;
    pail_service_abandon(server->service, &exchange->job);
    pail_answer_free(&exchange->refusal);
    pthread_mutex_lock(&server->mutex);
    server->under_way--;
    pthread_mutex_unlock(&server->mutex);
    if (exchange->connection)
        pail_connection_set_busy(exchange->connection, false);
    free(exchange);
    *context = NULL;
}
