/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_WINDOWS_UNISTD_H
#define PAIL_WINDOWS_UNISTD_H

#include <pail_posix_name.h>

#include_next <unistd.h>

#include <stddef.h>
#include <sys/stat.h>

#define _SC_PAGESIZE         1
#define _SC_NPROCESSORS_ONLN 2
long sysconf(int name) PAIL_POSIX(sysconf);

/* The position of the file is what it was before. */
ssize_t pread(int file, void *bytes, size_t n, off_t offset) PAIL_POSIX(pread);
ssize_t pwrite(int file, const void *bytes, size_t n, off_t offset) PAIL_POSIX(pwrite);

int fsync(int file) PAIL_POSIX(fsync); /* on a folder: nothing, with success */
int unlinkat(int folder, const char *path, int flags) PAIL_POSIX(unlinkat);

/* Numbers of people: platform/trust.h. */
uid_t geteuid(void) PAIL_POSIX(geteuid);
gid_t getegid(void) PAIL_POSIX(getegid);

#endif
