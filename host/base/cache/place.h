/* SPDX-License-Identifier: Apache-2.0 */
/* Places of the cache files, by the environment and a host's parameters, and trust in them: folders
 * and files that nobody else could have made or changed: compiled code from a cache
 * goes to the driver, which believes it.
 *
 * A folder must belong to the effective user and be writable by nobody else but a group of the
 * process's own. A file must be a regular one, belong to the effective user and be writable by
 * nobody else. Neither may be reached through a symbolic link as its last component. Files that are
 * only read may belong to root as well. */
#ifndef PAIL_CACHE_PLACE_H
#define PAIL_CACHE_PLACE_H

#include "cache.h"

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

/* Room for any file name that pail_cache_file_name makes. */
#define PAIL_CACHE_FILE_NAME_MAX 96u

/* "10de-2335-<driver, 8 hex digits>-<uuid, 32 hex digits>.pailcache" */
void pail_cache_file_name(char name[PAIL_CACHE_FILE_NAME_MAX],
                          const struct pail_cache_device *device);

/* The user's folder by the rules of pail_cache_params.dir; false when there is none or it does not
 * fit. Makes nothing. */
bool pail_cache_user_dir(char *path, size_t capacity, const char *dir);

#define PAIL_CACHE_MIB_DEFAULT 256u
/* The second is what a package builds on its machine (tools/packaging/warm-shared.sh). */
#define PAIL_CACHE_LAYERS_DEFAULT                                                                  \
    "/usr/local/share/pail/cache:/var/cache/pail-shared:/usr/share/pail/cache"

/* `limit` if it is not 0, else $PAIL_CACHE_MAX_MIB, else the default. A value that is none is told
 * of in *bad and the default holds. */
uint64_t pail_cache_max_bytes(uint64_t limit, const char **bad);

/* `layers` if it is not NULL, else $PAIL_CACHE_LAYERS (set and empty: none), else the default. */
const char *pail_cache_layers(const char *layers);

#endif /* PAIL_CACHE_PLACE_H */
