/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_FCNTL_H
#define STUB_FCNTL_H
#include <sys/types.h>
#define O_RDONLY            0x0
#define O_WRONLY            0x1
#define O_RDWR              0x2
#define O_NONBLOCK          0x4
#define O_APPEND            0x8
#define O_NOFOLLOW          0x100
#define O_CREAT             0x200
#define O_TRUNC             0x400
#define O_EXCL              0x800
#define O_NOCTTY            0x20000
#define O_DIRECTORY         0x100000
#define O_CLOEXEC           0x1000000
#define AT_FDCWD            (-2)
#define AT_SYMLINK_NOFOLLOW 0x20
#define F_SETFD             2
#define F_SETFL             4
#define F_RDADVISE          44
#define F_RDAHEAD           45
#define F_FULLFSYNC         51
#define F_DUPFD_CLOEXEC     67
#define FD_CLOEXEC          1
struct radvisory {
    off_t ra_offset;
    int ra_count;
};
int open(const char *path, int flags, ...);
int openat(int folder, const char *path, int flags, ...);
int fcntl(int file, int what, ...);
#endif
