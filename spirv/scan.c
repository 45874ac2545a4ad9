/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include <string.h>

struct pail_scan pail_scan_begin(const char *text, size_t n)
{
    return (struct pail_scan){.at = text, .end = text + n};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Skips blanks and comments; notes in `scan` a comment that the line leaves open. */
static const char *skip(struct pail_scan *scan, const char *at, const char *end)
{
    while (at < end) {
        if (scan->in_block) {
            if (end - at >= 2 && at[0] == '*' && at[1] == '/') {
                scan->in_block = false;
                at++;
            }
            at++;
        } else if (scan->in_line) {
            return end;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
            scan->in_block = true;
            at += 2;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
            scan->in_line = true;
        } else if (is_blank(*at)) {
            at++;
        } else {
            return at;
        }
    }
    return end;
}

static struct pail_slice word_at(const char *at, const char *end)
{
    size_t n = 0;
    while (at + n < end && is_word(at[n]))
        n++;
    return (struct pail_slice){at, n};
}

bool pail_scan_next(struct pail_scan *scan, struct pail_line *line)
{
    *line = (struct pail_line){0};
    if (scan->at >= scan->end)
        return false;
    const char *start = scan->at;
    const char *newline = memchr(start, '\n', (size_t)(scan->end - start));
    const char *end = newline ? newline : scan->end;
    const bool continues = scan->more, commented = scan->in_block;
    line->text = (struct pail_slice){start, (size_t)(end - start)};
    scan->at = newline ? newline + 1 : scan->end;
    scan->line++;

    /* A backslash at the end glues the next line on, inside a // comment too. */
    const char *last = end;
    if (last > start && last[-1] == '\r')
        last--;
    scan->more = last > start && last[-1] == '\\';

    const char *at = skip(scan, start, end);
    line->code = at < end;
    if (line->code && *at == '#' && !continues) {
        at = skip(scan, at + 1, end);
        line->directive = word_at(at, end);
        at = skip(scan, at + line->directive.n, end);
        line->rest = (struct pail_slice){at, (size_t)(end - at)};
    }
    while (at < end) /* only to learn which comment is open at the end */
        at = skip(scan, at + 1, end);
    if (!scan->more)
        scan->in_line = false;
    line->alone = !continues && !commented && !scan->more && !scan->in_block;
    return true;
}

bool pail_slice_is(struct pail_slice slice, const char *word)
{
    return slice.n == strlen(word) && memcmp(slice.at, word, slice.n) == 0;
}

struct pail_slice pail_scan_identifier(struct pail_slice rest)
{
    /* An empty rest has no address to count from. */
    return rest.n == 0 ? rest : word_at(rest.at, rest.at + rest.n);
}

struct pail_slice pail_scan_quoted(struct pail_slice rest)
{
    if (rest.n < 2 || rest.at[0] != '"')
        return (struct pail_slice){0};
    const char *close = memchr(rest.at + 1, '"', rest.n - 1);
    if (!close)
        return (struct pail_slice){0};
    return (struct pail_slice){rest.at + 1, (size_t)(close - rest.at - 1)};
}
