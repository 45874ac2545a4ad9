/* SPDX-License-Identifier: Apache-2.0 */
/* A request, read from its text alone: nothing here knows a connection. */
#ifndef PAIL_TOOL_SERVE_REQUEST_H
#define PAIL_TOOL_SERVE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/service/service.h"

enum {
    PAIL_REQUEST_URI_CHARS = 512,
    PAIL_REQUEST_WAIT_MAX_MS = 60000,
    PAIL_REQUEST_PRIORITY_MAX = 100,
};

enum pail_request_what {
    PAIL_REQUEST_PAGE,
    PAIL_REQUEST_HEALTH,
    PAIL_REQUEST_PROVE,
    PAIL_REQUEST_JOB,
    PAIL_REQUEST_CANCEL,
    PAIL_REQUEST_STATUS,
    PAIL_REQUEST_KEYS,
    PAIL_REQUEST_SPANS,
    PAIL_REQUEST_METRICS,
};

enum { PAIL_REQUEST_WHY_BYTES = 192 };

struct pail_request {
    unsigned refused;                 /* 0, or a status of HTTP */
    char why[PAIL_REQUEST_WHY_BYTES]; /* a sentence, where it is refused */
    const char *allow;                /* with 405: the methods that there are */
    enum pail_request_what what;
    char id[PAIL_SERVE_ID_CHARS + 1];
    char key[PAIL_SERVE_NAME_CHARS + 1];
    int32_t priority;
    uint64_t deadline_ms, wait_ms, after;
};

/* uri: path and query as they were sent. Nothing is decoded: no name that there is has a character
 * that would be encoded. */
void pail_request_read(struct pail_request *request, const char *method, const char *uri);

/* Decimal digits alone, at most `most`. */
bool pail_request_number(uint64_t *number, const char *text, size_t chars, uint64_t most);

/* True for a Host header that names this machine's loopback. A page under another site's name that
 * was made to lead here has none such. */
bool pail_request_host_is_local(const char *host);

/* The token of "Bearer TOKEN"; NULL: it is none. */
const char *pail_request_bearer(const char *authorization);

#endif /* PAIL_TOOL_SERVE_REQUEST_H */
