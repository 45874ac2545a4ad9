/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_DARWIN_FCNTL_H
#define PAIL_DARWIN_FCNTL_H

#include_next <fcntl.h>

#include <sys/types.h>

/* Names of POSIX; the system has other words for them. */
#define POSIX_FADV_SEQUENTIAL 2
#define POSIX_FADV_WILLNEED   3
int posix_fadvise(int file, off_t offset, off_t bytes, int advice);

#endif
