/* SPDX-License-Identifier: Apache-2.0 */
/* A cache file that is open for lookups. Another process that writes the file puts a new one in its
 * place, so what is open stays as it was. */
#ifndef PAIL_CACHE_CACHE_PRIV_H
#define PAIL_CACHE_CACHE_PRIV_H

#include "files.h"
#include "layout.h"
#include "place.h"
#include "update.h"

#include <platform/text.h>
#include <pthread.h>
#include <sys/types.h>
#include <time.h>

struct pail_cache_source {
    uint64_t refs; /* guarded by whoever shares it */
    int fd;
    bool told;                     /* its damage was told */
    struct pail_cache_index index; /* sorted */
};

/* Returns NULL and the source, or NULL and no source where there is no such file, or what is wrong.
 * folder: a path. `device` must be the file's. */
const char *pail_cache_source_open(struct pail_cache_source **source, const char *folder,
                                   const char *name, enum pail_cache_trust trust,
                                   const struct pail_cache_device *device,
                                   const struct pail_cache_alloc *alloc);
void pail_cache_source_close(struct pail_cache_source *source,
                             const struct pail_cache_alloc *alloc);

/* Inside of a cache: shared by the files that look up, add and write. */

/* An entry in memory. Payloads that were handed out are parts of these. */
struct pail_cache_blob {
    uint64_t refs; /* guarded by the cache's mutex */
    uint64_t bytes;
    uint64_t unused; /* aligns the payload to 16 bytes, as memory is */
    uint8_t entry[];
};

_Static_assert((offsetof(struct pail_cache_blob, entry) + PAIL_CACHE_ENTRY_HEADER) % 16 == 0,
               "aligned");

/* An entry that this process has put. */
struct pail_cache_kept {
    uint64_t hash, used;
    struct pail_cache_blob *blob;
    bool pending; /* it is in no file yet */
};

/* Identity of the file that was looked at last, to see that another process has replaced it. */
struct pail_cache_identity {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

struct pail_cache_layer {
    char *folder;
    struct pail_cache_source *source; /* NULL: it has none for this device */
};

struct pail_cache {
    uint64_t process; /* owner of threads and locks: a child of fork has but the memory */
    struct pail_cache_device device;
    struct pail_cache_alloc alloc;
    void (*log)(void *user, bool trouble, const char *line);
    void *log_user;
    size_t (*get)(void *user, void *value, size_t capacity, uint64_t key);
    void (*put)(void *user, uint64_t key, const void *value, size_t size);
    void *store_user;
    uint64_t max_bytes;
    uint32_t lock_wait_ms;
    char *folder, *path; /* place of the user's file; "" without */
    char name[PAIL_CACHE_FILE_NAME_MAX];
    size_t n_layers;
    struct pail_cache_layer *layers; /* their sources stay as they are while the cache is open */

    pthread_mutex_t writing; /* held by the one flush at a time; taken before `mutex` */
    pthread_mutex_t mutex;   /* guards all below; not held while files are read or written */
    pthread_cond_t wake;     /* wakes the writer */
    struct pail_cache_source *file;
    struct pail_cache_identity seen;
    char refused[96];             /* why that one is not used, "" otherwise: it has been told */
    struct pail_cache_kept *kept; /* by ascending hash */
    size_t n_kept, kept_capacity;
    struct pail_cache_dropped *dropped; /* entries of layers too, so they are never forgotten */
    size_t n_dropped, dropped_capacity, n_dropped_written;
    bool touch_due; /* a time of use in the file is older than a day */
    struct pail_cache_stats stats;
    bool told_memory, told_size, told_store, told_writing;
    bool wanted, closing, has_thread, no_thread;
    uint64_t first_put_ns, last_put_ns; /* times of a run of puts, as pail_clock_ns */
    pthread_t thread;
};

/* ---- cache.c ---------------------------------------------------------------------------------*/
PAIL_LINE_PRINTF(3, 4)
void pail_cache_say(const struct pail_cache *cache, bool trouble, const char *format, ...);
/* True if something is to be told that was not told before. */
bool pail_cache_once(struct pail_cache *cache, bool *told);
/* True if this is the process that opened the cache; in any other nothing is done with it. */
bool pail_cache_is_here(const struct pail_cache *cache);
void pail_cache_say_no_memory(struct pail_cache *cache);

/* ---- kept.c ----------------------------------------------------------------------------------*/
/* Makes a blob with one reference; NULL without memory. */
struct pail_cache_blob *pail_cache_blob_make(struct pail_cache *cache, uint64_t bytes);
/* The rest of these under the mutex. */
void pail_cache_blob_release(struct pail_cache *cache, struct pail_cache_blob *blob);
struct pail_cache_kept *pail_cache_kept_find(const struct pail_cache *cache, uint64_t hash);
void pail_cache_kept_remove(struct pail_cache *cache, struct pail_cache_kept *kept);
bool pail_cache_is_dropped(const struct pail_cache *cache, uint64_t hash, uint64_t check);

/* ---- lookup.c --------------------------------------------------------------------------------*/
/* Opens one of the files, and tells what is wrong with it. */
struct pail_cache_source *pail_cache_open_source(struct pail_cache *cache, const char *folder,
                                                 enum pail_cache_trust trust, const char **why);
/* Called with the mutex held. */
void pail_cache_source_release(struct pail_cache *cache, struct pail_cache_source *source);
/* Opens the user's file anew if it is another one than was opened last. */
bool pail_cache_reload(struct pail_cache *cache);
/* The value of a key in the host's own store, or NULL. */
struct pail_cache_blob *pail_cache_read_store(struct pail_cache *cache,
                                              const struct pail_cache_key *key, uint64_t hash);

/* ---- writer.c --------------------------------------------------------------------------------*/
/* pail_cache_flush with a moment at which waiting for the lock ends (pail_cache_lock_until). */
bool pail_cache_flush_until(struct pail_cache *cache, uint64_t until);
/* Something is to be written soon. Where no thread can be made it is written when the cache is
 * closed. Under the mutex. */
void pail_cache_want_writer(struct pail_cache *cache);

#endif /* PAIL_CACHE_CACHE_PRIV_H */
