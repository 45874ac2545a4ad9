/* Exit statuses of the command, as --help lists them. */
#ifndef PAIL_TOOL_PROCESS_EXIT_H
#define PAIL_TOOL_PROCESS_EXIT_H

#include <pail/backend.h>

enum pail_exit {
    PAIL_EXIT_OK = 0,
    PAIL_EXIT_CHECK = 1,       /* a result differs from what it was checked against */
    PAIL_EXIT_USAGE = 2,       /* the caller's mistake */
    PAIL_EXIT_DATA = 3,        /* bad data in a file */
    PAIL_EXIT_UNSUPPORTED = 4, /* no backend or device can do it */
    PAIL_EXIT_WORLD = 5,       /* memory, device lost, input and output, or our own bug */
};

/* By the kind of the status. */
enum pail_exit pail_exit_of(pail_status status);

/* Writes "pail: " and the sentence to standard error, and returns the exit status for it. */
enum pail_exit pail_complain(pail_status status, const char *sentence);

/* Flushes standard output: PAIL_EXIT_WORLD, with a sentence, if that fails. */
enum pail_exit pail_finish_output(enum pail_exit so_far);

#endif /* PAIL_TOOL_PROCESS_EXIT_H */
