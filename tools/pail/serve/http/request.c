/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */

#include "request.h"

#include <string.h>
#include <strings.h>

#include <platform/text.h>

enum { PART_BYTES = 80 }; /* of a query, that a sentence cites */

/* ---- Words ------------------------------------------------------------------------------------
 */
static bool is(const char *text, size_t chars, const char *word)
{
    return strlen(word) == chars && memcmp(text, word, chars) == 0;
}

bool pail_request_number(uint64_t *number, const char *text, size_t chars, uint64_t most)
{
    uint64_t value = 0;
    *number = 0;
    if (chars == 0)
        return false;
    for (size_t i = 0; i < chars; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        const uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > most / 10 || 10 * value > most - digit)
            return false;
        value = 10 * value + digit;
    }
    *number = value;
    return true;
}

static void refuse(struct pail_request *request, unsigned status, const char *why)
{
    if (request->refused != 0)
        return;
    request->refused = status;
    (void)pail_line(request->why, sizeof(request->why), "%s", why);
}

/* ---- The path ---------------------------------------------------------------------------------
 */
static bool read_id(struct pail_request *request, const char *text, size_t chars)
{
    if (chars != PAIL_SERVE_ID_CHARS)
        return false;
    for (size_t i = 0; i < chars; i++)
        if (!((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f')))
            return false;
    memcpy(request->id, text, chars);
    request->id[chars] = '\0';
    return true;
}

static void read_method(struct pail_request *request, const char *method, const char *allowed)
{
    const bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (request->what == PAIL_REQUEST_JOB && strcmp(method, "DELETE") == 0) {
        request->what = PAIL_REQUEST_CANCEL;
        return;
    }
    if (request->what == PAIL_REQUEST_PROVE ? strcmp(method, "POST") == 0 : reads)
        return;
    refuse(request, 405, "the path has no such method");
    request->allow = allowed;
}

static void read_path(struct pail_request *request, const char *method, const char *path,
                      size_t chars)
{
    static const struct {
        const char *path;
        enum pail_request_what what;
    } paths[] = {{"/", PAIL_REQUEST_PAGE},          {"/healthz", PAIL_REQUEST_HEALTH},
                 {"/prove", PAIL_REQUEST_PROVE},    {"/status", PAIL_REQUEST_STATUS},
                 {"/keys", PAIL_REQUEST_KEYS},      {"/spans", PAIL_REQUEST_SPANS},
                 {"/metrics", PAIL_REQUEST_METRICS}};
    static const char jobs[] = "/jobs/";
    const size_t n = sizeof(jobs) - 1;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (!is(path, chars, paths[i].path))
            continue;
        request->what = paths[i].what;
        read_method(request, method, request->what == PAIL_REQUEST_PROVE ? "POST" : "GET, HEAD");
        return;
    }
    if (chars > n && memcmp(path, jobs, n) == 0 && read_id(request, path + n, chars - n)) {
        request->what = PAIL_REQUEST_JOB;
        read_method(request, method, "GET, HEAD, DELETE");
        return;
    }
    refuse(request, 404, "there is no such path");
}

/* ---- The query --------------------------------------------------------------------------------
 */
static bool read_key(struct pail_request *request, const char *text, size_t chars)
{
    if (!pail_service_name_is_good(text, chars))
        return false;
    memcpy(request->key, text, chars);
    request->key[chars] = '\0';
    return true;
}

static bool read_priority(struct pail_request *request, const char *text, size_t chars)
{
    const bool negative = chars > 0 && text[0] == '-';
    uint64_t value;
    if (!pail_request_number(&value, text + negative, chars - negative, PAIL_REQUEST_PRIORITY_MAX))
        return false;
    request->priority = negative ? -(int32_t)value : (int32_t)value;
    return true;
}

static bool read_argument(struct pail_request *request, const char *name, size_t name_chars,
                          const char *text, size_t chars)
{
    const bool proves = request->what == PAIL_REQUEST_PROVE;
    if (proves && is(name, name_chars, "key"))
        return read_key(request, text, chars);
    if (proves && is(name, name_chars, "priority"))
        return read_priority(request, text, chars);
    if (proves && is(name, name_chars, "deadline_ms"))
        return pail_request_number(&request->deadline_ms, text, chars, UINT32_MAX);
    if ((proves || request->what == PAIL_REQUEST_JOB) && is(name, name_chars, "wait_ms"))
        return pail_request_number(&request->wait_ms, text, chars, PAIL_REQUEST_WAIT_MAX_MS);
    if (request->what == PAIL_REQUEST_SPANS && is(name, name_chars, "after"))
        return pail_request_number(&request->after, text, chars, UINT64_MAX);
    return false;
}

/* True if a parameter with this name stands before `at`. */
static bool stands_before(const char *query, const char *at, size_t name_chars)
{
    for (; query < at; query += strcspn(query, "&") + 1)
        if (strcspn(query, "=&") == name_chars && memcmp(query, at, name_chars) == 0)
            return true;
    return false;
}

static void read_query(struct pail_request *request, const char *query)
{
    const char *const all = query;
    while (*query != '\0') {
        const size_t chars = strcspn(query, "&"), name_chars = strcspn(query, "=&");
        if (stands_before(all, query, name_chars) || name_chars == chars ||
            !read_argument(request, query, name_chars, query + name_chars + 1,
                           chars - name_chars - 1)) {
            char why[PAIL_REQUEST_WHY_BYTES], part[PART_BYTES];
            (void)pail_quote(part, sizeof(part), query, chars);
            (void)pail_line(why, sizeof(why),
                            "the query has \"%s\", a parameter that this path does not take, or "
                            "takes once, or a value that it cannot have",
                            part);
            refuse(request, 400, why);
            return;
        }
        query += chars;
        query += *query == '&';
    }
}

void pail_request_read(struct pail_request *request, const char *method, const char *uri)
{
    *request = (struct pail_request){0};
    const size_t chars = strlen(uri);
    if (chars >= PAIL_REQUEST_URI_CHARS) {
        refuse(request, 414, "the path and the query are too long");
        return;
    }
    const size_t path_chars = strcspn(uri, "?");
    read_path(request, method, uri, path_chars);
    if (request->refused == 0 && uri[path_chars] == '?')
        read_query(request, uri + path_chars + 1);
    if (request->refused == 0 && request->what == PAIL_REQUEST_PROVE && request->key[0] == '\0')
        refuse(request, 400, "the query has no key=NAME");
}

/* ---- Headers ----------------------------------------------------------------------------------
 */
bool pail_request_host_is_local(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t chars = strlen(names[i]);
        uint64_t port;
        if (strncasecmp(host, names[i], chars) != 0)
            continue;
        if (host[chars] == '\0')
            return true;
        return host[chars] == ':' &&
               pail_request_number(&port, host + chars + 1, strlen(host + chars + 1), UINT16_MAX);
    }
    return false;
}

const char *pail_request_bearer(const char *authorization)
{
    static const char scheme[] = "Bearer ";
    const size_t n = sizeof(scheme) - 1;
    if (!authorization || strncasecmp(authorization, scheme, n) != 0)
        return NULL;
    authorization += n;
    while (*authorization == ' ')
        authorization++;
    return *authorization != '\0' ? authorization : NULL;
}
