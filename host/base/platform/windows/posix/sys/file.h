/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_WINDOWS_SYS_FILE_H
#define PAIL_WINDOWS_SYS_FILE_H

#include <pail_posix_name.h>

#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8

/* Locks the descriptor, as flock does: a region behind everything that a file holds. */
int flock(int file, int operation) PAIL_POSIX(flock);

#endif
