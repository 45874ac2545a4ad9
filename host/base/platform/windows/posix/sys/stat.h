/* SPDX-License-Identifier: Apache-2.0 */
/* Status of a file, with an identity that tells it from all others of its volume. */
#ifndef PAIL_WINDOWS_SYS_STAT_H
#define PAIL_WINDOWS_SYS_STAT_H

#include <pail_posix_name.h>

#include_next <sys/stat.h>

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

typedef uint32_t pail_posix_id;
#define uid_t pail_posix_id
#define gid_t pail_posix_id

#define S_IFLNK    0xa000
#define S_ISVTX    01000
#define S_ISLNK(m) (((m)&S_IFMT) == S_IFLNK)
#undef S_ISSOCK
#define S_ISSOCK(m) 0

typedef uint64_t pail_posix_ino;
#define ino_t pail_posix_ino

/* mode: the kind, read-only or not, and no more: rights are platform/trust.h's. */
struct pail_posix_stat {
    dev_t st_dev;
    ino_t st_ino;
    mode_t st_mode;
    uint32_t st_nlink;
    uid_t st_uid;
    gid_t st_gid;
    int64_t st_size;
    struct timespec st_atim, st_mtim, st_ctim;
};

int pail_posix_stat(const char *path, struct pail_posix_stat *info);
int lstat(const char *path, struct pail_posix_stat *info) PAIL_POSIX(lstat);
int pail_posix_fstat(int file, struct pail_posix_stat *info);
int fstatat(int folder, const char *path, struct pail_posix_stat *info, int flags)
    PAIL_POSIX(fstatat);
int pail_posix_mkdir(const char *path, mode_t mode);
#define mkdir(path, mode) pail_posix_mkdir(path, mode) /* the system's has one argument */
int fchmod(int file, mode_t mode) PAIL_POSIX(fchmod);
#undef stat
#undef fstat
#define stat  pail_posix_stat
#define fstat pail_posix_fstat

#endif
