/* SPDX-License-Identifier: Apache-2.0 */
#include <serve/http/request.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "target.h"

static char *text_of(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1);
    if (text == NULL)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

static void check(const struct pail_request *request)
{
    if ((request->refused != 0) != (request->why[0] != '\0'))
        abort();
    if (request->refused != 0)
        return;
    if (request->what == PAIL_REQUEST_PROVE &&
        !pail_service_name_is_good(request->key, strlen(request->key)))
        abort();
    if (strchr(request->key, '/') != NULL || request->key[0] == '.' ||
        request->wait_ms > PAIL_REQUEST_WAIT_MAX_MS ||
        abs(request->priority) > PAIL_REQUEST_PRIORITY_MAX)
        abort();
    if ((request->what == PAIL_REQUEST_JOB || request->what == PAIL_REQUEST_CANCEL) &&
        strlen(request->id) != PAIL_SERVE_ID_CHARS)
        abort();
}

/* The first byte chooses the method; the rest is the path with its query, a host and a header. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE"};
    if (size == 0)
        return 0;
    char *const text = text_of(data + 1, size - 1);
    struct pail_request request;
    pail_request_read(&request, methods[data[0] % 4], text);
    check(&request);
    const bool local = pail_request_host_is_local(text);
    if (local && strncasecmp(text, "localhost", 9) != 0 && strncmp(text, "127.0.0.1", 9) != 0 &&
        strncmp(text, "[::1]", 5) != 0)
        abort();
    const char *const token = pail_request_bearer(text);
    if (token != NULL && (token < text || token >= text + size || *token == '\0' || *token == ' '))
        abort();
    uint64_t number;
    if (!pail_request_number(&number, text, strlen(text), 1000) && number != 0)
        abort();
    free(text);
    return number > 1000 ? abort(), 0 : 0;
}
