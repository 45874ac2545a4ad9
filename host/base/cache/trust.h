/* Opens folders and files that nobody else could have made or changed: compiled code from a cache
 * goes to the driver, which believes it.
 *
 * A folder must belong to the effective user and be writable by nobody else but a group of the
 * process's own. A file must be a regular one, belong to the effective user and be writable by
 * nobody else. Neither may be reached through a symbolic link as its last component. Files that are
 * only read may belong to root as well. */
#ifndef PAIL_CACHE_TRUST_H
#define PAIL_CACHE_TRUST_H

#include <stdbool.h>

enum pail_cache_trust {
    PAIL_CACHE_OURS,     /* ours, read and written */
    PAIL_CACHE_READABLE, /* ours or root's: layers */
    PAIL_CACHE_NAMED,    /* anybody's: a person named it on purpose */
};

/* Each returns a descriptor, or -1: with *why NULL when there is none of the name, otherwise with
 * what is wrong ("it is a symbolic link"), valid until the thread's next call of these. */
int pail_cache_open_folder(const char *path, enum pail_cache_trust trust, const char **why);
int pail_cache_open_file(int folder, const char *name, enum pail_cache_trust trust,
                         const char **why);

/* Makes a folder and its parents with mode 0700 where they are missing, below a folder of the
 * effective user or of root. */
const char *pail_cache_make_folder(const char *path);

/* Checks that an opened file may be trusted; NULL, or what is wrong. */
const char *pail_cache_check_file(int fd, enum pail_cache_trust trust);

/* errno as a sentence of its own. */
const char *pail_cache_errno(int error);

#endif /* PAIL_CACHE_TRUST_H */
