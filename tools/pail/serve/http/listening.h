/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets that are listened on: one in the file system, or one of TCP. */
#ifndef PAIL_TOOL_SERVE_LISTENING_H
#define PAIL_TOOL_SERVE_LISTENING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "error/error.h"

struct pail_listening {
    int fd;           /* -1: none */
    const char *path; /* of one in the file system; the caller's */
    dev_t device;     /* device and inode of the file that was made there */
    ino_t inode;
    char address[80]; /* "http://127.0.0.1:8080", of the other kind */
    bool anywhere;    /* beyond the loopback interface, and so by any name */
};

#define PAIL_LISTENING_NONE ((struct pail_listening){.fd = -1})

/* Makes the socket with that mode. One that a process left behind which is no more gives way; one
 * that somebody listens on, and anything that is no socket, does not. */
pail_status pail_listen_at_path(struct pail_listening *listening, const char *path, mode_t mode,
                                struct pail_error *error);

/* address: "127.0.0.1:PORT" or "[::1]:PORT"; port 0: one that is free. anywhere: or any other
 * address. */
pail_status pail_listen_at_address(struct pail_listening *listening, const char *address,
                                   bool anywhere, struct pail_error *error);

/* Closes it, and removes what was made in the file system. */
void pail_listening_end(struct pail_listening *listening);

#endif /* PAIL_TOOL_SERVE_LISTENING_H */
