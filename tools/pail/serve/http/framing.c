/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a request as it was sent. Where a proxy before the service and the library read one
 * head in two ways, a request can hide in another one: what is not exactly a request line and
 * headers of RFC 9112, each line with its CR LF, is refused.
 *
 * libmicrohttpd 1.0 refuses most of it at its strictest level. Before that it takes a bare LF for
 * the end of a line, cuts a value at a NUL, and joins a folded line to the name before it (0.9.77,
 * as the RFC allows, to the value). It reads in place, though: names and values stay where they
 * came, and the bytes that end them are zeroed. So whatever it took otherwise leaves a gap, or
 * none, where CR LF were (docs/decisions/0233-heads-that-all-read-alike.md). */
#include <string.h>
#include <strings.h>

#include "server_priv.h"

struct head {
    const char *at; /* the next header; NULL: the library looks itself */
    const char *why;
    unsigned hosts;
};

static const char line_end[] = "a line of the request does not end with CR LF, goes on in the next "
                               "one, or has a NUL";

/* A token of RFC 9110: no blank before the colon, and none in front of the name. */
static bool is_token(const char *name)
{
    static const char marks[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return name[0] != '\0' && name[strspn(name, marks)] == '\0';
}

static bool has_control(const char *value)
{
    for (; *value != '\0'; value++)
        if (((unsigned char)*value < ' ' && *value != '\t') || *value == 0x7f)
            return true;
    return false;
}

static enum MHD_Result look_at(void *user, enum MHD_ValueKind kind, const char *name,
                               const char *value)
{
    struct head *const head = user;
    (void)kind;
    if (!is_token(name))
        head->why = "the name of a header has a blank or another character that no name has";
    else if (!value || has_control(value))
        head->why = "the value of a header has a control character";
    else if (strcasecmp(name, "Host") == 0 && ++head->hosts > 1)
        head->why = "the request has more than one Host";
    if (head->why || !head->at)
        return !head->why ? MHD_YES : MHD_NO;
    const char *after = name + strlen(name) + 1;
    while (after != value && (*after == ' ' || *after == '\t'))
        after++;
    if (name != head->at || after != value) {
        head->why = line_end;
        return MHD_NO;
    }
    head->at = value + strlen(value) + 2;
    return MHD_YES;
}

const char *pail_framing_look(const struct pail_mhd *mhd, struct MHD_Connection *connection,
                              const struct pail_request_line *line)
{
    const union MHD_ConnectionInfo *const info =
        mhd->get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    struct head head = {0};
    if (!mhd->is_strict && (line->url != line->method + strlen(line->method) + 1 ||
                            line->version != line->url + line->uri_chars + 1))
        return "the request line is not METHOD PATH VERSION with one blank between them";
    if (!mhd->is_strict)
        head.at = line->version + strlen(line->version) + 2;
    (void)mhd->get_connection_values(connection, MHD_HEADER_KIND, look_at, &head);
    if (!head.why && head.at && (!info || head.at + 2 != line->method + info->header_size))
        head.why = line_end;
    return head.why;
}
