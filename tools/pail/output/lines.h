/* The JSON lines of an instrument: one object a line, flushed at once, so that whoever reads along
 * or comes after a crash has all that was measured. docs/instruments.md lists the members. */
#ifndef PAIL_TOOL_OUTPUT_LINES_H
#define PAIL_TOOL_OUTPUT_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include <platform/file.h>

#include "error/error.h"
#include "json.h"

struct pail_lines {
    FILE *out;                /* NULL: nobody wants them */
    struct pail_replace file; /* the file that they go to, if any */
    char run[17];
    double begin_ms;
    const char *path;
    bool failed; /* a line was not written */
};

/* path: optional; "-": standard output. A file must be new, or hold such lines of an earlier run:
 * it takes that one's place with the first line, and grows from there, so that a run that is killed
 * leaves what it had said. Returns PAIL_OK, or PAIL_ERR_IO with a sentence. */
pail_status pail_lines_open(struct pail_lines *lines, const char *path, struct pail_error *error);

/* A line in the making, with the members that every line has: run, ev and t_ms. */
void pail_lines_begin(struct pail_lines *lines, struct pail_json *row, const char *event);

/* Writes the line and ends the object. */
void pail_lines_put(struct pail_lines *lines, struct pail_json *row);

/* Returns PAIL_OK, or PAIL_ERR_IO with a sentence if any line was not written. */
pail_status pail_lines_close(struct pail_lines *lines, struct pail_error *error);

#endif /* PAIL_TOOL_OUTPUT_LINES_H */
