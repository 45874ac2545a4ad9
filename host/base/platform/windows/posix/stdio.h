/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_WINDOWS_STDIO_H
#define PAIL_WINDOWS_STDIO_H

#include <pail_posix_name.h>

#include_next <stdio.h>

#include <sys/types.h>

#define RENAME_NOREPLACE 1
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
    PAIL_POSIX(renameat2);
#define renameat(from_at, from, to_at, to) renameat2(from_at, from, to_at, to, 0)

/* Bytes as they are. */
FILE *fopen(const char *path, const char *mode) PAIL_POSIX(fopen);
FILE *fdopen(int file, const char *mode) PAIL_POSIX(fdopen);
ssize_t getline(char **line, size_t *capacity, FILE *stream) PAIL_POSIX(getline);

#endif
