/* Exit statuses of the command, as --help lists them. */
#ifndef PAIL_TOOL_ERROR_EXIT_H
#define PAIL_TOOL_ERROR_EXIT_H

#include "error.h"

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

#endif /* PAIL_TOOL_ERROR_EXIT_H */
