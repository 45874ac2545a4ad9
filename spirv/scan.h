/* SPDX-License-Identifier: Apache-2.0 */
/* Preprocessor lines of a GLSL text, as far as includes need them: comments and line continuations
 * are honoured, macros and conditions are not evaluated. */
#ifndef PAIL_SPIRV_SCAN_H
#define PAIL_SPIRV_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct pail_slice {
    const char *at;
    size_t n;
};

struct pail_scan {
    const char *at, *end;
    size_t line;                  /* number of the last line read, from 1 */
    bool in_block, in_line, more; /* comment and continuation carried into the next line */
};

struct pail_line {
    struct pail_slice text;      /* without its newline */
    bool code;                   /* holds something other than blanks and comments */
    bool alone;                  /* no comment or continuation reaches into it or out of it */
    struct pail_slice directive; /* name of the directive, empty if the line is none */
    struct pail_slice rest;      /* text behind the name, blanks and comments before it skipped */
};

struct pail_scan pail_scan_begin(const char *text, size_t n);

/* False at the end of the text. */
bool pail_scan_next(struct pail_scan *scan, struct pail_line *line);

bool pail_slice_is(struct pail_slice slice, const char *word);

/* The first identifier of `rest`, empty if there is none. */
struct pail_slice pail_scan_identifier(struct pail_slice rest);

/* x of `"x"`; at == NULL if `rest` does not start with a quoted name. */
struct pail_slice pail_scan_quoted(struct pail_slice rest);

#endif /* PAIL_SPIRV_SCAN_H */
