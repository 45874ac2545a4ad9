/* SPDX-License-Identifier: Apache-2.0 */
/* Cache files from outside: what `pail cache` and `pail warmup --export` do, with no device. */
#ifndef PAIL_CACHE_FILES_H
#define PAIL_CACHE_FILES_H

#include "place.h"

struct pail_cache_file_entry {
    struct pail_cache_entry entry;
    uint64_t used;      /* time of last use: seconds since 1970 */
    const char *damage; /* NULL: it is whole; otherwise what is wrong, and `entry` is zeroed */
};

struct pail_cache_file_info {
    struct pail_cache_device device; /* all zero: entries of several devices (an export) */
    uint64_t bytes;
    uint32_t n_entries; /* entries that the index names */
    uint32_t n_damaged;
};

/* Reads a whole file as a cache would, with the same trust in it and its folder, calling `each`
 * (optional) for each entry of its index that is there, damaged ones included; each returns false
 * to stop. Returns NULL, or what is wrong with the file as a whole ("it is a symbolic link"), as
 * all of these do: valid until the thread's next call. */
const char *pail_cache_file_read(const char *path, struct pail_cache_file_info *info,
                                 bool (*each)(void *user,
                                              const struct pail_cache_file_entry *entry),
                                 void *user);

/* Same, for a file that a person named, which may lie anywhere and belong to anybody: one that was
 * exported. It is not for entries that a driver will get. */
const char *pail_cache_file_examine(const char *path, struct pail_cache_file_info *info,
                                    bool (*each)(void *user,
                                                 const struct pail_cache_file_entry *entry),
                                    void *user);

struct pail_cache_prune {
    uint64_t max_bytes;   /* limit of a file; 0: no limit */
    uint64_t used_before; /* entries last used before go; 0: none */
    bool damaged;         /* damaged entries and files that cannot be read go */
    bool all;
};

/* Rewrites (or removes, once empty) one file under the lock that writers take. Counts what went.
 * Returns NULL or what was wrong. */
const char *pail_cache_file_prune(const char *path, const struct pail_cache_prune *what,
                                  uint64_t *entries_gone, uint64_t *bytes_gone);

/* Entries whose names begin so stay on their machine: they are neither exported nor imported. */
#define PAIL_CACHE_PRIVATE "private/"

/* Writes all whole entries of the files of a folder, but private ones, to one new file (written
 * aside and renamed). */
const char *pail_cache_export(const char *path, const char *dir, uint64_t *n_entries);

/* Merges the entries of an exported file, or of any cache file, into the files of a folder, which
 * is made where it is missing. Entries of other devices go to the files of those. */
const char *pail_cache_import(const char *path, const char *dir, uint64_t *n_entries,
                              uint64_t *n_damaged);

#endif /* PAIL_CACHE_FILES_H */
