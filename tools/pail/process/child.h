/* SPDX-License-Identifier: Apache-2.0 */
/* Another process of this program, with its own command line, and what it prints. Not on Windows.
 */
#ifndef PAIL_TOOL_PROCESS_CHILD_H
#define PAIL_TOOL_PROCESS_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "error/error.h"

struct pail_child {
    const char *name;          /* of what it is for, with which sentences begin */
    const char *const *words;  /* its command line from the name of the program on, up to a NULL */
    double deadline_ms;        /* of pail_now_ms: it is killed then; 0: it has any time */
    const uint32_t *interrupt; /* optional: it is killed once this is not 0 */
    /* Called for each whole line that it prints, without its end. */
    void (*line)(void *user, const char *line);
    void (*tick)(void *user); /* optional: called every now and then while it runs */
    void *user;
    bool hears; /* keeps what it says on standard error; otherwise it has that of this process */
};

struct pail_child_end {
    int exit;  /* its status; 128 and the signal that ended it */
    bool late; /* killed at the deadline */
    /* The first line on standard error that begins as those of this program, "pail: ", otherwise
     * the first of all, where the caller hears; "": there is none. */
    char said[2048];
};

/* False where the system starts no process as this does. */
bool pail_child_possible(void);

/* Runs it to its end. Returns PAIL_OK, however it ended; PAIL_ERR_IO: there was no process;
 * PAIL_ERR_HOST_MEMORY: no memory for a line; PAIL_ERR_STOPPED: interrupted; PAIL_ERR_UNSUPPORTED
 * where it is not possible. */
pail_status pail_child_run(struct pail_child_end *end, const struct pail_child *child,
                           struct pail_error *error);

#endif /* PAIL_TOOL_PROCESS_CHILD_H */
