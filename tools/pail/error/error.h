/* An error as it travels through this program, which has no other form for one. */
#ifndef PAIL_TOOL_ERROR_ERROR_H
#define PAIL_TOOL_ERROR_ERROR_H

#include <stdbool.h>
#include <stddef.h>

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

#endif /* PAIL_TOOL_ERROR_ERROR_H */
