/* SPDX-License-Identifier: Apache-2.0 */
/* The names in a folder. */
#ifndef PAIL_WINDOWS_DIRENT_H
#define PAIL_WINDOWS_DIRENT_H

#include <pail_posix_name.h>

#define PAIL_POSIX_NAME_BYTES 1024

struct dirent {
    char d_name[PAIL_POSIX_NAME_BYTES];
};

typedef struct pail_posix_dir DIR;

DIR *opendir(const char *path) PAIL_POSIX(opendir);
DIR *fdopendir(int folder) PAIL_POSIX(fdopendir);
struct dirent *readdir(DIR *entries) PAIL_POSIX(readdir);
int closedir(DIR *entries) PAIL_POSIX(closedir);

/* Same as in POSIX; `compare` is alphasort, or qsort's of pointers to entries. */
int scandir(const char *path, struct dirent ***list, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **)) PAIL_POSIX(scandir);
int alphasort(const struct dirent **a, const struct dirent **b) PAIL_POSIX(alphasort);

#endif
