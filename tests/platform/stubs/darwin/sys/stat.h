/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_SYS_STAT_H
#define STUB_SYS_STAT_H
#include <sys/types.h>
struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
    off_t st_size;
    int64_t st_blocks;
    int32_t st_blksize;
};
#define S_IFMT      0170000
#define S_IFREG     0100000
#define S_ISREG(m)  (((m)&S_IFMT) == 0100000)
#define S_ISDIR(m)  (((m)&S_IFMT) == 0040000)
#define S_ISFIFO(m) (((m)&S_IFMT) == 0010000)
#define S_ISCHR(m)  (((m)&S_IFMT) == 0020000)
#define S_ISBLK(m)  (((m)&S_IFMT) == 0060000)
#define S_ISLNK(m)  (((m)&S_IFMT) == 0120000)
#define S_ISSOCK(m) (((m)&S_IFMT) == 0140000)
#define S_ISVTX     01000
#define S_IRGRP     0040
#define S_IWGRP     0020
#define S_IROTH     0004
#define S_IWOTH     0002
int stat(const char *path, struct stat *info);
int lstat(const char *path, struct stat *info);
int fstat(int file, struct stat *info);
int fstatat(int folder, const char *path, struct stat *info, int flags);
int chmod(const char *path, mode_t mode);
int fchmod(int file, mode_t mode);
int fchmodat(int folder, const char *path, mode_t mode, int flags);
int mkdir(const char *path, mode_t mode);
int mkfifo(const char *path, mode_t mode);
mode_t umask(mode_t mode);
#endif
