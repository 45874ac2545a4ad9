/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a command writes, in place of nothing but one of their kind. */
#ifndef PAIL_TOOL_OUTPUT_FILES_H
#define PAIL_TOOL_OUTPUT_FILES_H

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
void pail_lines_write(struct pail_lines *lines, struct pail_json *row);

/* Returns PAIL_OK, or PAIL_ERR_IO with a sentence if any line was not written. */
pail_status pail_lines_close(struct pail_lines *lines, struct pail_error *error);

/* ---- Whole files ----------------------------------------------------------------------------- */

struct pail_whole_file {
    const char *option;     /* the option that names the file, for sentences */
    const char *path;       /* NULL: nobody wants it */
    struct pail_magic head; /* the beginning of such a file */
    struct pail_replace file;
};

#define PAIL_WHOLE_FILE_NONE ((struct pail_whole_file){.file = {.fd = -1, .folder = -1}})

/* path: optional. A file must be new, or begin with the head. Returns PAIL_OK, or PAIL_ERR_IO with
 * a sentence. */
pail_status pail_whole_file_begin(struct pail_whole_file *file, const char *option,
                                  const char *path, struct pail_magic head,
                                  struct pail_error *error);

/* The head, and what `write` puts behind it; nothing where nobody wants the file. Returns PAIL_OK,
 * or PAIL_ERR_IO with a sentence. */
pail_status pail_whole_file_write(struct pail_whole_file *file,
                                  void (*write)(FILE *out, const void *what), const void *what,
                                  struct pail_error *error);

/* Legal on PAIL_WHOLE_FILE_NONE. */
void pail_whole_file_end(struct pail_whole_file *file);

#endif /* PAIL_TOOL_OUTPUT_FILES_H */
