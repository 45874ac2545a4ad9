/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_DIRENT_H
#define STUB_DIRENT_H
#include <sys/types.h>
typedef struct stub_dir DIR;
struct dirent {
    uint64_t d_ino, d_seekoff;
    uint16_t d_reclen, d_namlen;
    uint8_t d_type;
    char d_name[1024];
};
enum { DT_UNKNOWN = 0, DT_DIR = 4, DT_REG = 8, DT_LNK = 10 };
DIR *opendir(const char *path);
DIR *fdopendir(int file);
int closedir(DIR *dir);
int dirfd(DIR *dir);
struct dirent *readdir(DIR *dir);
int scandir(const char *path, struct dirent ***names, int (*choose)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **));
int alphasort(const struct dirent **a, const struct dirent **b);
#endif
