/* SPDX-License-Identifier: Apache-2.0 */
/* Changes one cache file: under its lock, from what it holds at that moment, to a new file that
 * takes its place. docs/cache-format.md has the rules. */
#ifndef PAIL_CACHE_UPDATE_H
#define PAIL_CACHE_UPDATE_H

#include "layout.h"

/* An entry to add (in memory, or in another file), or a later time of use for one that is there. */
struct pail_cache_change {
    uint64_t hash, used;
    const uint8_t *entry; /* `bytes` of it; NULL: see `from` */
    int from; /* a file that has it at `offset`; negative with no entry: only the time */
    uint64_t offset, bytes;
};

/* An entry that is of no use: that of this hash goes if its header ends in this checksum. */
struct pail_cache_dropped {
    uint64_t hash, check;
};

struct pail_cache_update {
    struct pail_cache_device device; /* device for the header; all zero: entries of several */
    const struct pail_cache_alloc *alloc;
    const struct pail_cache_change *changes; /* at most one for each hash */
    size_t n_changes;
    const struct pail_cache_dropped *dropped;
    size_t n_dropped;
    uint64_t max_bytes;   /* 0: no limit */
    uint64_t used_before; /* entries last used before go */
    uint64_t until;       /* end of waiting for the lock: pail_cache_lock_until */
    bool all;             /* all that the file holds goes first */
    bool any_device;      /* the file's own device stays, if it has one; nothing is made anew */
    bool only_removes;    /* the file stays as it is where nothing goes */
    bool keeps_damage;    /* a file that is of no use as a whole is an error and stays */

    /* Filled: what was there and is no longer, damaged entries among them. */
    uint64_t entries_gone, bytes_gone, n_damaged;
    bool replaced_damage; /* the file as a whole was of no use */
};

/* Returns NULL, or what was wrong; then the file is as it was. A file without entries is removed.
 * `folder` must be there. */
const char *pail_cache_update(const char *folder, const char *name,
                              struct pail_cache_update *update);

/* Writes a file with the changes alone: an export, readable by all. The name must be new or that of
 * a cache file (<platform/replace.h>). Takes no lock; the folder may be anybody's. */
const char *pail_cache_write_new(const char *folder, const char *name,
                                 struct pail_cache_update *update);

/* The last 8 bytes of an entry's header, which stand for all of it. */
uint64_t pail_cache_entry_check(const uint8_t *entry);

/* Seconds since 1970. */
uint64_t pail_cache_now(void);

#endif /* PAIL_CACHE_UPDATE_H */
