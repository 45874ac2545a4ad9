/* SPDX-License-Identifier: Apache-2.0 */
/* Output that fits a terminal: a line on standard error for work that takes longer than a second,
 * and tables that fold where the terminal is too narrow. */
#ifndef PAIL_TOOL_OUTPUT_PROGRESS_H
#define PAIL_TOOL_OUTPUT_PROGRESS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <platform/text.h>

struct pail_progress {
    const char *label;
    double begin_ms;
    double drawn_ms; /* 0: the line is not on the screen */
    bool terminal;
};

/* label: what is being done, "reading witness.wtns"; must stay valid. */
void pail_progress_begin(struct pail_progress *progress, const char *label);

/* Draws the line when it is time to. part: what is done, 0 to 1; negative when nobody knows. user
 * is the progress: the signature is that of callbacks. */
void pail_progress_tick(void *user, double part);

/* Takes the line off the screen. Returns the milliseconds since begin. */
double pail_progress_end(struct pail_progress *progress);

/* Prints a part of a table as pail_print does. A tab in the format is a place to fold: where the
 * header, a line with text before its tab, is wider than the terminal, this and all further tabs
 * begin a line that is indented. Elsewhere, and into files and pipes, a tab is nothing.
 *
 * In, out: *folded: of the table; false at first. */
PAIL_LINE_PRINTF(3, 0)
void pail_table_list(FILE *out, bool *folded, const char *format, va_list arguments);
PAIL_LINE_PRINTF(3, 4) void pail_table_print(FILE *out, bool *folded, const char *format, ...);

#endif /* PAIL_TOOL_OUTPUT_PROGRESS_H */
