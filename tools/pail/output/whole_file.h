/* A file of text that is written as a whole or not at all, in place of nothing but one of its kind:
 * its place is taken before the work begins, and what came of the work is written at the end. */
#ifndef PAIL_TOOL_OUTPUT_WHOLE_FILE_H
#define PAIL_TOOL_OUTPUT_WHOLE_FILE_H

#include <stdio.h>

#include <platform/file.h>

#include "error/error.h"

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

#endif /* PAIL_TOOL_OUTPUT_WHOLE_FILE_H */
