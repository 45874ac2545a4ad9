/* SPDX-License-Identifier: Apache-2.0 */
/* The service over HTTP: connections, their limits, and who may ask. */
#ifndef PAIL_TOOL_SERVE_SERVER_H
#define PAIL_TOOL_SERVE_SERVER_H

#include "listening.h"
#include "serve/service/service.h"
#include "tokens.h"

struct pail_server;

#define PAIL_SERVER_HEAD_NS UINT64_C(5000000000)

struct pail_server_params {
    const struct pail_listening *listening; /* [n_listening]: who comes over an address needs a
                                               token, and who comes over a path does not */
    uint32_t n_listening;                   /* at most 2 */
    uint32_t connections;                   /* of each, at most, but for a moment */
    uint64_t request_ns; /* that a request may take to arrive, and an answer to be taken; its
                            headers may take PAIL_SERVER_HEAD_NS at most */
};

/* Returns PAIL_OK, or a status with a sentence: PAIL_ERR_UNSUPPORTED where there is no
 * libmicrohttpd. Nothing is answered yet. */
pail_status pail_server_create(struct pail_server **server, const struct pail_server_params *params,
                               struct pail_error *error);
/* Copies the tokens. Safe at any time. */
void pail_server_set_tokens(struct pail_server *server, const struct pail_tokens *tokens);
/* service: outlives pail_server_stop. */
pail_status pail_server_start(struct pail_server *server, struct pail_service *service,
                              struct pail_error *error);
/* A job has ended: as pail_service_params wants it, with the server as user. */
void pail_server_job_ended(void *server, const char *id);
/* Cuts off who is too slow, and answers who has waited long enough. Every 50 ms or so. */
void pail_server_tick(struct pail_server *server);
/* Takes no more connections, answers who waits, gives them a moment, and closes all. */
void pail_server_stop(struct pail_server *server);
/* Legal on one that is NULL. */
void pail_server_destroy(struct pail_server **server);

#endif /* PAIL_TOOL_SERVE_SERVER_H */
