/* SPDX-License-Identifier: Apache-2.0 */
/* pail serve: what requests ask for, who is local, tokens; without a connection. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <serve/http/request.h>
#include <serve/http/tokens.h>

#include "support/test.h"

#define ID "0123456789abcdef0123456789abcdef"

static struct pail_request read_request(const char *method, const char *uri)
{
    struct pail_request request;
    memset(&request, 0xff, sizeof(request));
    pail_request_read(&request, method, uri);
    assert_int_equal(request.refused == 0, request.why[0] == '\0');
    return request;
}

PAIL_TEST(says_what_is_wrong)
{
    struct pail_request request = read_request("POST", "/prove?key=a&wait_ms=60001&priority=1");
    assert_non_null(strstr(request.why, "the query has \"wait_ms=60001\", "));
    request = read_request("GET", "/status?a\n=\xff");
    assert_non_null(strstr(request.why, "\"a\\x0a=\\xff\""));
}

PAIL_TEST(what_is_asked_for)
{
    static const struct {
        const char *method, *uri;
        unsigned refused;
        enum pail_request_what what;
    } rows[] = {
        {"GET", "/", 0, PAIL_REQUEST_PAGE},
        {"GET", "/healthz", 0, PAIL_REQUEST_HEALTH},
        {"HEAD", "/status", 0, PAIL_REQUEST_STATUS},
        {"GET", "/keys", 0, PAIL_REQUEST_KEYS},
        {"GET", "/metrics", 0, PAIL_REQUEST_METRICS},
        {"GET", "/spans", 0, PAIL_REQUEST_SPANS},
        {"GET", "/spans?after=18446744073709551615", 0, PAIL_REQUEST_SPANS},
        {"GET", "/jobs/" ID, 0, PAIL_REQUEST_JOB},
        {"GET", "/jobs/" ID "?wait_ms=60000", 0, PAIL_REQUEST_JOB},
        {"DELETE", "/jobs/" ID, 0, PAIL_REQUEST_CANCEL},
        {"POST", "/prove?key=a", 0, PAIL_REQUEST_PROVE},
        {"POST", "/prove?key=_a.b-c&priority=-100&deadline_ms=4294967295&wait_ms=0", 0,
         PAIL_REQUEST_PROVE},
        {"POST", "/prove?key=a&", 0, PAIL_REQUEST_PROVE},
        {"GET", "/?", 0, PAIL_REQUEST_PAGE},
        {"GET", "", 404, 0},
        {"GET", "/statu", 404, 0},
        {"GET", "/status/", 404, 0},
        {"GET", "*", 404, 0},
        {"GET", "http://localhost/status", 404, 0},
        {"GET", "/jobs/" ID "0", 404, 0},
        {"GET", "/jobs/0123456789ABCDEF0123456789abcdef", 404, 0},
        {"POST", "/status", 405, 0},
        {"get", "/status", 405, 0},
        {"GET", "/prove?key=a", 405, 0},
        {"DELETE", "/status", 405, 0},
        {"PUT", "/jobs/" ID, 405, 0},
        {"POST", "/prove", 400, 0},
        {"POST", "/prove?", 400, 0},
        {"POST", "/prove?key", 400, 0},
        {"POST", "/prove?key=", 400, 0},
        {"POST", "/prove?key=-a", 400, 0},
        {"POST", "/prove?key=.a", 400, 0},
        {"POST", "/prove?key=a/b", 400, 0},
        {"POST", "/prove?key=a%2fb", 400, 0},
        {"POST", "/prove?key=a&key=b", 400, 0},
        {"POST", "/prove?key=a&priority=1&priority=1", 400, 0},
        {"POST", "/prove?wait_ms=1&key=a&wait_ms=2", 400, 0},
        {"POST", "/prove?key=a&priority=101", 400, 0},
        {"POST", "/prove?key=a&priority=-", 400, 0},
        {"POST", "/prove?key=a&priority=--1", 400, 0},
        {"POST", "/prove?key=a&priority=+1", 400, 0},
        {"POST", "/prove?key=a&deadline_ms=4294967296", 400, 0},
        {"POST", "/prove?key=a&wait_ms=60001", 400, 0},
        {"POST", "/prove?key=a&&", 400, 0},
        {"POST", "/prove?key=a&=b", 400, 0},
        {"POST", "/prove?key=a&after=1", 400, 0},
        {"GET", "/jobs/" ID "?key=a", 400, 0},
        {"GET", "/spans?after=18446744073709551616", 400, 0},
        {"GET", "/spans?after=", 400, 0},
        {"GET", "/status?a=b", 400, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct pail_request request = read_request(rows[i].method, rows[i].uri);
        if (request.refused != rows[i].refused ||
            (request.refused == 0 && request.what != rows[i].what))
            fail_msg("%s %s: refused with %u, is %d", rows[i].method, rows[i].uri, request.refused,
                     (int)request.what);
        assert_int_equal(request.refused == 405, request.allow != NULL);
    }
    const struct pail_request full =
        read_request("POST", "/prove?wait_ms=7&key=_a.b-c&priority=-100&deadline_ms=4294967295");
    assert_string_equal(full.key, "_a.b-c");
    assert_int_equal(full.priority, -100);
    assert_true(full.deadline_ms == UINT32_MAX && full.wait_ms == 7);
    assert_string_equal(read_request("GET", "/jobs/" ID).id, ID);
}

PAIL_TEST(lengths)
{
    char uri[PAIL_REQUEST_URI_CHARS + 1];
    memset(uri, 'x', sizeof(uri));
    memcpy(uri, "/prove?key=", 11);
    for (size_t chars = 12; chars <= 11 + PAIL_SERVE_NAME_CHARS + 1; chars++) {
        uri[chars] = '\0';
        assert_int_equal(read_request("POST", uri).refused,
                         chars <= 11 + PAIL_SERVE_NAME_CHARS ? 0 : 400);
        uri[chars] = 'x';
    }
    uri[PAIL_REQUEST_URI_CHARS - 1] = '\0';
    assert_int_equal(read_request("POST", uri).refused, 400);
    uri[PAIL_REQUEST_URI_CHARS - 1] = 'x';
    uri[PAIL_REQUEST_URI_CHARS] = '\0';
    assert_int_equal(read_request("POST", uri).refused, 414);
}

PAIL_TEST(hosts)
{
    static const char *const local[] = {"localhost",      "LocalHost:1", "127.0.0.1",
                                        "127.0.0.1:8080", "[::1]",       "[::1]:65535"};
    static const char *const others[] = {
        "",           "evil.example",         "localhost.evil.example",
        "localhost:", "localhost:x",          "localhost:65536",
        "127.0.0.11", "127.0.0.1.example",    "::1",
        "[::1",       "localhost:1:2",        "localhost@evil",
        " localhost", "evil.example:80#[::1]"};
    for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
        assert_true(pail_request_host_is_local(local[i]));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(pail_request_host_is_local(others[i]));
}

PAIL_TEST(bearers)
{
    assert_string_equal(pail_request_bearer("Bearer abc"), "abc");
    assert_string_equal(pail_request_bearer("bearer   abc"), "abc");
    assert_null(pail_request_bearer(NULL));
    assert_null(pail_request_bearer(""));
    assert_null(pail_request_bearer("Bearer"));
    assert_null(pail_request_bearer("Bearer  "));
    assert_null(pail_request_bearer("Basic abc"));
}

PAIL_TEST(tokens_are_compared)
{
    static struct pail_tokens tokens;
    struct pail_error error = {0};
    char folder[] = "/tmp/pail-tokens-XXXXXX", path[64], longest[PAIL_TOKEN_CHARS_MAX + 2];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/tokens", folder);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    memset(longest, 'z', sizeof(longest));
    longest[PAIL_TOKEN_CHARS_MAX] = '\0';
    FILE *const file = fdopen(fd, "w");
    assert_non_null(file);
    (void)fprintf(file, "# none\n\nabcdefghijklmnop\r\n%s\nqqqqqqqqqqqqqqqqq", longest);
    (void)fclose(file);
    assert_int_equal(pail_tokens_read(&tokens, path, &error), PAIL_OK);
    assert_int_equal(tokens.n, 3);
    assert_true(pail_tokens_have(&tokens, "abcdefghijklmnop"));
    assert_true(pail_tokens_have(&tokens, longest));
    assert_true(pail_tokens_have(&tokens, "qqqqqqqqqqqqqqqqq"));
    static const char *const wrong[] = {
        NULL, "", "abcdefghijklmno", "abcdefghijklmnoq", "abcdefghijklmnop ", "qqqqqqqqqqqqqqqq",
        "#"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(pail_tokens_have(&tokens, wrong[i]));
    longest[PAIL_TOKEN_CHARS_MAX] = 'z';
    longest[PAIL_TOKEN_CHARS_MAX + 1] = '\0';
    assert_false(pail_tokens_have(&tokens, longest));
    pail_tokens_wipe(&tokens);
    assert_false(pail_tokens_have(&tokens, "abcdefghijklmnop"));
    assert_false(pail_tokens_have(&tokens, ""));
    for (size_t i = 0; i < sizeof(tokens); i++)
        assert_int_equal(((const uint8_t *)&tokens)[i], 0);
    (void)unlink(path);
    (void)rmdir(folder);
}
