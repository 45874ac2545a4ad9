/* SPDX-License-Identifier: Apache-2.0 */
/* Built where there is no libmicrohttpd. */
#include "server.h"

pail_status pail_server_create(struct pail_server **server, const struct pail_server_params *params,
                               struct pail_error *error)
{
    (void)params;
    *server = NULL;
    return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                     "this pail was built without libmicrohttpd (Debian: libmicrohttpd-dev), which "
                     "serve needs");
}

void pail_server_set_tokens(struct pail_server *server, const struct pail_tokens *tokens)
{
    (void)server;
    (void)tokens;
}

pail_status pail_server_start(struct pail_server *server, struct pail_service *service,
                              struct pail_error *error)
{
    (void)server;
    (void)service;
    return pail_fail(error, PAIL_ERR_UNSUPPORTED, "there is no server");
}

void pail_server_job_ended(void *server, const char *id)
{
    (void)server;
    (void)id;
}

void pail_server_tick(struct pail_server *server)
{
    (void)server;
}

void pail_server_stop(struct pail_server *server)
{
    (void)server;
}

void pail_server_destroy(struct pail_server **server)
{
    *server = NULL;
}
