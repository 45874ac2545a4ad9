/* SPDX-License-Identifier: Apache-2.0 */
/* Files as POSIX opens them: bytes as they are, handles that a child does not get. */
#ifndef PAIL_WINDOWS_FCNTL_H
#define PAIL_WINDOWS_FCNTL_H

#include <pail_posix_name.h>

#include_next <fcntl.h>

#include <sys/types.h>

#define O_CLOEXEC   0 /* every file is */
#define O_NOCTTY    0
#define O_NONBLOCK  0
#define O_NOFOLLOW  0x10000000 /* no value of the C library's */
#define O_DIRECTORY 0x20000000

#define AT_FDCWD            (-100)
#define AT_SYMLINK_NOFOLLOW 1

/* Same as in POSIX. A file that is open may be renamed and removed, and a folder may be opened. The
 * mode is passed over: what is made has the rights that its folder hands down. */
int open(const char *path, int flags, ...) PAIL_POSIX(open);
int openat(int folder, const char *path, int flags, ...) PAIL_POSIX(openat);

#define F_DUPFD_CLOEXEC 1030
int fcntl(int file, int what, int least) PAIL_POSIX(fcntl); /* F_DUPFD_CLOEXEC alone */

/* The system reads ahead as it likes. */
#define POSIX_FADV_SEQUENTIAL 2
#define POSIX_FADV_WILLNEED   3
static inline int posix_fadvise(int file, off_t offset, off_t bytes, int advice)
{
    (void)file, (void)offset, (void)bytes, (void)advice;
    return 0;
}

#endif
