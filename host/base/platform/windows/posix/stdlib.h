/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_WINDOWS_STDLIB_H
#define PAIL_WINDOWS_STDLIB_H

#include <pail_posix_name.h>

#include_next <stdlib.h>

/* The path has slashes, from a drive ("C:/...") or a server ("//...") on. resolved: NULL. */
char *realpath(const char *path, char *resolved) PAIL_POSIX(realpath);

#endif
