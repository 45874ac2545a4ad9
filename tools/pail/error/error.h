/* SPDX-License-Identifier: Apache-2.0 */
/* An error as it travels through this program, which has no other form for one. */
#ifndef PAIL_TOOL_ERROR_ERROR_H
#define PAIL_TOOL_ERROR_ERROR_H

#include <stdbool.h>

#include <pail/backend.h>

#include <formats/report.h>

struct pail_error {
    pail_status status;  /* PAIL_OK: nothing failed */
    bool differs;        /* a result is not what it was checked against, whatever else failed */
    char sentence[2048]; /* names the bad value and its place; empty: it has been said already */
};

/* Functions that can fail return error->status as well, so that a caller can look at one of the
 * two. `error` is never NULL. */

/* Writes status and sentence, cut to fit, and returns the status: return pail_fail(...). */
pail_status pail_fail(struct pail_error *error, pail_status status, const char *format, ...)
    PAIL_REPORT_PRINTF(3, 4);

/* The same of a result that is not what it was checked against, which is no status. */
void pail_differs(struct pail_error *error, const char *format, ...) PAIL_REPORT_PRINTF(2, 3);

/* Notes what a function of the libraries has returned, which wrote its sentence itself:
 * pail_told(error, pail_wtns_open(&witness, path, PAIL_SENTENCE(error))). Returns the status. */
pail_status pail_told(struct pail_error *error, pail_status status);
#define PAIL_SENTENCE(error) (error)->sentence, sizeof((error)->sentence)

/* Says `one`, a failure of one of several parts, and adds it to `all`, whose status is that of the
 * first part that failed. */
void pail_error_add(struct pail_error *all, struct pail_error *one);

/* Writes "pail: " and the sentence to standard error and empties it, unless there is none. */
void pail_error_say(struct pail_error *error);

/* ---- Exit statuses --------------------------------------------------------------------------- */

enum pail_exit {
    PAIL_EXIT_OK = 0,
    PAIL_EXIT_CHECK = 1,       /* a result differs from what it was checked against */
    PAIL_EXIT_USAGE = 2,       /* the caller's mistake */
    PAIL_EXIT_DATA = 3,        /* invalid data in a file */
    PAIL_EXIT_UNSUPPORTED = 4, /* no backend or device can do it */
    PAIL_EXIT_WORLD = 5,       /* memory, device lost, input and output, or our own bug */
};

/* The exit code for the kind of the status; PAIL_EXIT_CHECK where a result differs. */
enum pail_exit pail_exit_of(const struct pail_error *error);

/* A status of the kind that this exit status stands for; PAIL_OK for PAIL_EXIT_OK and _CHECK. */
pail_status pail_exit_status(int exit);

/* The end of the program: says the error, if there is one, and flushes standard output, which is
 * PAIL_EXIT_WORLD with a sentence where it fails. */
enum pail_exit pail_exit(struct pail_error *error);

#endif /* PAIL_TOOL_ERROR_ERROR_H */
