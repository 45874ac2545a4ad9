/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of a process for one device: what was built before, in files or in a host's own store.
 *
 * Thread-safe. Nothing here fails but for want of memory: what cannot be read, is damaged, foreign
 * or stale is a miss, and what cannot be written stays in memory; either is told once in one line.
 *
 * Files: one for each device and driver (cache/files.h) in the user's folder, and any number of
 * read-only folders below it (shipped with a system or an image). Lookups look at what this process
 * has put, then at the user's file, then at the layers in their order. */
#ifndef PAIL_CACHE_CACHE_H
#define PAIL_CACHE_CACHE_H

#include "entry.h"

struct pail_cache;

/* Callbacks come from any thread, one of the cache's own among them, and must not call the cache.
 */

/* Host memory, both callbacks or none; malloc and free without. The C library's own needs (folders
 * that are listed, sorting) are not among it. */
struct pail_cache_alloc {
    void *user;
    void *(*alloc)(void *user, size_t size);
    void (*free)(void *user, void *ptr);
};

struct pail_cache_params {
    struct pail_cache_device device;
    struct pail_cache_alloc alloc;
    /* Optional: one line without a newline; `trouble` is false for what merely informs. */
    void (*log)(void *user, bool trouble, const char *line);
    void *log_user;
    /* The user's folder. NULL: $PAIL_CACHE_DIR, else $XDG_CACHE_HOME/pail, else ~/.cache/pail.
     * Made with mode 0700 where it is missing. "": no files at all. */
    const char *dir;
    /* Read-only folders, separated by colons. NULL: $PAIL_CACHE_LAYERS, else
     * /usr/local/share/pail/cache:/var/cache/pail-shared:/usr/share/pail/cache. */
    const char *layers;
    uint64_t max_bytes;    /* limit of the user's file; 0: $PAIL_CACHE_MAX_MIB, else 256 MiB */
    uint32_t lock_wait_ms; /* wait for the file of another process; 0: ten seconds */
    /* A host's own store in place of all files; both or neither. As pail_cache_callbacks of the
     * boundary: get returns the size of the value, 0 for none, and copies at most `capacity`. */
    size_t (*get)(void *user, void *value, size_t capacity, uint64_t key);
    void (*put)(void *user, uint64_t key, const void *value, size_t size);
    void *store_user;
};

struct pail_cache_stats {
    uint64_t hits, misses;
    uint64_t damaged; /* entries or files that could not be used */
    uint64_t pending; /* entries put that are not in a file yet */
    uint64_t flushes; /* times the file was written */
};

/* NULL when there is no memory. Strings are copied. Reads the index of the files, no payload. */
struct pail_cache *pail_cache_open(const struct pail_cache_params *params);

/* Flushes, waits for the writer, frees. Where another process keeps the file locked it gives up
 * after lock_wait_ms in all. NULL is legal. */
void pail_cache_close(struct pail_cache *cache);

/* The payload for a key whose device is the cache's, to be freed with pail_cache_release; NULL is a
 * miss. No lock is held while a file is read. */
uint8_t *pail_cache_get(struct pail_cache *cache, const struct pail_cache_key *key, size_t *bytes);
void pail_cache_release(struct pail_cache *cache, uint8_t *payload);

/* Adds or replaces; copies. A thread of the cache writes the file soon after the last of a run of
 * puts, so that a process that is killed later has lost nothing. */
void pail_cache_put(struct pail_cache *cache, const struct pail_cache_key *key,
                    const uint8_t *payload, size_t bytes);

/* Drops an entry that proved useless (a driver refused it), so that the next put replaces it. */
void pail_cache_drop(struct pail_cache *cache, const struct pail_cache_key *key);

/* Writes what is pending now. False when it could not be written: after lock_wait_ms where another
 * process keeps the file locked, other flushes that are under way included. */
bool pail_cache_flush(struct pail_cache *cache);

void pail_cache_read_stats(struct pail_cache *cache, struct pail_cache_stats *stats);

/* Path of the user's file; "" where there is none. Valid as long as the cache. */
const char *pail_cache_path(const struct pail_cache *cache);

#endif /* PAIL_CACHE_CACHE_H */
