#include "cache.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "files.h"
#include "memory.h"
#include "place.h"
#include "registry_id.h"
#include "source.h"
#include "update.h"

enum {
    QUIET_MS = 250,    /* after the last put the writer waits for more */
    LONGEST_MS = 2000, /* but no longer than this after the first */
    DAY_S = 86400,
};

/* An entry in memory. Payloads that were handed out are parts of these. */
struct blob {
    uint64_t refs; /* guarded by the cache's mutex */
    uint64_t bytes;
    uint64_t unused; /* aligns the payload to 16 bytes, as memory is */
    uint8_t entry[];
};

_Static_assert((offsetof(struct blob, entry) + PAIL_CACHE_ENTRY_HEADER) % 16 == 0, "aligned");

/* What this process has put. */
struct kept {
    uint64_t hash, used;
    struct blob *blob;
    bool pending; /* it is in no file yet */
};

/* Which file was looked at last, to see that another process has replaced it. */
struct identity {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

struct layer {
    char *folder;
    struct pail_cache_source *source; /* NULL: it has none for this device */
};

struct pail_cache {
    struct pail_cache_device device;
    struct pail_cache_alloc alloc;
    void (*log)(void *user, bool trouble, const char *line);
    void *log_user;
    size_t (*get)(void *user, void *value, size_t capacity, uint64_t key);
    void (*put)(void *user, uint64_t key, const void *value, size_t size);
    void *store_user;
    uint64_t max_bytes;
    char *folder, *path; /* of the user's file; "" without */
    char name[PAIL_CACHE_FILE_NAME_MAX];
    size_t n_layers;
    struct layer *layers; /* their sources stay as they are while the cache is open */

    pthread_mutex_t writing; /* one flush at a time; taken before `mutex` */
    pthread_mutex_t mutex;   /* guards all below; not held while files are read or written */
    pthread_cond_t wake;     /* for the writer */
    struct pail_cache_source *file;
    struct identity seen;
    struct kept *kept; /* by ascending hash */
    size_t n_kept, kept_capacity;
    struct pail_cache_dropped *dropped; /* of the layers as well, so they are never forgotten */
    size_t n_dropped, dropped_capacity, n_dropped_written;
    bool touch_due; /* a time of use in the file is older than a day */
    struct pail_cache_stats stats;
    bool told_memory, told_size, told_store, told_writing;
    bool wanted, closing, has_thread, no_thread;
    struct timespec first_put, last_put; /* of a run; monotonic */
    pthread_t thread;
};

__attribute__((format(printf, 3, 4))) static void say(const struct pail_cache *cache, bool trouble,
                                                      const char *format, ...)
{
    char line[PATH_MAX + 512];
    if (!cache->log)
        return;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    cache->log(cache->log_user, trouble, line);
}

/* Whether something is to be told that was not told before. */
static bool once(struct pail_cache *cache, bool *told)
{
    pthread_mutex_lock(&cache->mutex);
    const bool first = !*told;
    *told = true;
    pthread_mutex_unlock(&cache->mutex);
    return first;
}

static void say_no_memory(struct pail_cache *cache)
{
    if (once(cache, &cache->told_memory))
        say(cache, true, "there is no memory for an entry of the cache");
}

/* ---- Entries in memory -----------------------------------------------------------------------*/

static struct blob *make_blob(struct pail_cache *cache, uint64_t bytes)
{
    struct blob *blob = NULL;
    if (bytes <= SIZE_MAX - sizeof(struct blob))
        blob = pail_cache_take(&cache->alloc, 1, sizeof(struct blob) + (size_t)bytes);
    if (blob) {
        blob->refs = 1;
        blob->bytes = bytes;
    }
    return blob;
}

/* Under the mutex. */
static void release_blob(struct pail_cache *cache, struct blob *blob)
{
    if (blob && --blob->refs == 0)
        pail_cache_give(&cache->alloc, blob);
}

/* Where an entry of the hash is or would be. Under the mutex. */
static size_t kept_place(const struct pail_cache *cache, uint64_t hash)
{
    size_t low = 0, high = cache->n_kept;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cache->kept[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct kept *kept_find(const struct pail_cache *cache, uint64_t hash)
{
    const size_t at = kept_place(cache, hash);
    return at < cache->n_kept && cache->kept[at].hash == hash ? &cache->kept[at] : NULL;
}

static void kept_remove(struct pail_cache *cache, struct kept *kept)
{
    const size_t at = (size_t)(kept - cache->kept);
    if (kept->pending)
        cache->stats.pending--;
    release_blob(cache, kept->blob);
    memmove(kept, kept + 1, (--cache->n_kept - at) * sizeof(*kept));
}

static bool kept_add(struct pail_cache *cache, uint64_t hash, struct blob *blob)
{
    struct kept *kept = kept_find(cache, hash);
    if (!kept) {
        void *array = cache->kept;
        if (!pail_cache_grow(&cache->alloc, &array, &cache->kept_capacity, cache->n_kept,
                             sizeof(*kept)))
            return false;
        cache->kept = array;
        const size_t at = kept_place(cache, hash);
        kept = &cache->kept[at];
        memmove(kept + 1, kept, (cache->n_kept++ - at) * sizeof(*kept));
    } else {
        if (kept->pending)
            cache->stats.pending--;
        release_blob(cache, kept->blob);
    }
    *kept = (struct kept){.hash = hash, .used = pail_cache_now(), .blob = blob, .pending = true};
    cache->stats.pending++;
    return true;
}

/* ---- Files to look in ------------------------------------------------------------------------*/

/* Under the mutex. */
static void release_source(struct pail_cache *cache, struct pail_cache_source *source)
{
    if (source && --source->refs == 0)
        pail_cache_source_close(source, &cache->alloc);
}

static void tell_damage(struct pail_cache *cache, struct pail_cache_source *source,
                        const char *folder, const char *why)
{
    if (once(cache, &source->told))
        say(cache, true, "the cache %s/%s is damaged: of an entry, %s: what is whole is used",
            folder, cache->name, why);
}

/* Opens one of the files, and tells what is wrong with it. */
static struct pail_cache_source *open_source(struct pail_cache *cache, const char *folder,
                                             enum pail_cache_trust trust)
{
    struct pail_cache_source *source;
    const char *why =
        pail_cache_source_open(&source, folder, cache->name, trust, &cache->device, &cache->alloc);
    if (why)
        say(cache, true, "the cache %s/%s is not used: %s", folder, cache->name, why);
    pthread_mutex_lock(&cache->mutex);
    if (why)
        cache->stats.damaged++;
    else if (source)
        cache->stats.damaged += source->index.n_damaged;
    pthread_mutex_unlock(&cache->mutex);
    if (source && source->index.damage)
        tell_damage(cache, source, folder, source->index.damage);
    return source;
}

static struct identity identify(const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return (struct identity){.inode = 0};
    return (struct identity){
        .device = st.st_dev, .inode = st.st_ino, .size = st.st_size, .changed = st.st_mtim};
}

static bool same_file(const struct identity *a, const struct identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Opens the user's file anew if it is another one than was opened last. */
static bool reload(struct pail_cache *cache)
{
    if (!cache->path[0])
        return false;
    const struct identity now = identify(cache->path);
    pthread_mutex_lock(&cache->mutex);
    const bool same = same_file(&now, &cache->seen);
    cache->seen = now;
    pthread_mutex_unlock(&cache->mutex);
    if (same)
        return false;
    struct pail_cache_source *source =
        now.inode != 0 ? open_source(cache, cache->folder, PAIL_CACHE_OURS) : NULL;
    pthread_mutex_lock(&cache->mutex);
    struct pail_cache_source *old = cache->file;
    for (size_t i = 0; old && source && i < old->index.n; i++) {
        const struct pail_cache_record *record = &old->index.records[i];
        struct pail_cache_record *now_there =
            record->touched > 0 ? pail_cache_index_find(&source->index, record->hash) : NULL;
        if (now_there && record->touched > now_there->used)
            now_there->touched = record->touched;
    }
    cache->file = source;
    release_source(cache, old);
    pthread_mutex_unlock(&cache->mutex);
    return true;
}

/* ---- Looking up ------------------------------------------------------------------------------*/

/* Under the mutex. */
static bool is_dropped(const struct pail_cache *cache, uint64_t hash, uint64_t check)
{
    for (size_t i = 0; i < cache->n_dropped; i++) {
        if (cache->dropped[i].hash == hash && cache->dropped[i].check == check)
            return true;
    }
    return false;
}

static void want_writer(struct pail_cache *cache);

/* The entry of a key in one file, or NULL. source: with a reference of the caller's. */
static struct blob *read_blob(struct pail_cache *cache, struct pail_cache_source *source,
                              const char *folder, const struct pail_cache_key *key, uint64_t hash)
{
    pthread_mutex_lock(&cache->mutex);
    const struct pail_cache_record *found = pail_cache_index_find(&source->index, hash);
    const struct pail_cache_record record = found ? *found : (struct pail_cache_record){.bytes = 0};
    pthread_mutex_unlock(&cache->mutex);
    if (!found)
        return NULL;
    struct blob *blob = make_blob(cache, record.bytes);
    if (!blob) {
        say_no_memory(cache);
        return NULL;
    }
    struct pail_cache_entry entry;
    const char *why =
        pail_cache_entry_read(&entry, blob->entry, source->fd, &record, &source->index.device);
    if (!why && !pail_cache_key_equal(&entry.key, key))
        why = "its key is another of the same hash";
    pthread_mutex_lock(&cache->mutex);
    const bool hidden = !why && is_dropped(cache, hash, pail_cache_entry_check(blob->entry));
    if (why)
        cache->stats.damaged++;
    pthread_mutex_unlock(&cache->mutex);
    if (why)
        tell_damage(cache, source, folder, why);
    if (why || hidden) {
        pail_cache_give(&cache->alloc, blob);
        return NULL;
    }
    return blob;
}

static struct blob *read_user_file(struct pail_cache *cache, const struct pail_cache_key *key,
                                   uint64_t hash)
{
    pthread_mutex_lock(&cache->mutex);
    struct pail_cache_source *source = cache->file;
    if (source)
        source->refs++;
    pthread_mutex_unlock(&cache->mutex);
    if (!source)
        return NULL;
    struct blob *blob = read_blob(cache, source, cache->folder, key, hash);
    pthread_mutex_lock(&cache->mutex);
    struct pail_cache_record *record =
        blob && cache->file ? pail_cache_index_find(&cache->file->index, hash) : NULL;
    if (record) {
        record->touched = pail_cache_now();
        if (record->touched > record->used && record->touched - record->used > DAY_S &&
            !cache->touch_due) {
            cache->touch_due = true;
            want_writer(cache);
        }
    }
    release_source(cache, source);
    pthread_mutex_unlock(&cache->mutex);
    return blob;
}

static struct blob *read_files(struct pail_cache *cache, const struct pail_cache_key *key,
                               uint64_t hash)
{
    struct blob *blob = read_user_file(cache, key, hash);
    for (size_t i = 0; !blob && i < cache->n_layers; i++) {
        struct layer *layer = &cache->layers[i];
        if (layer->source)
            blob = read_blob(cache, layer->source, layer->folder, key, hash);
    }
    /* Another process may have made it since. Making it here costs more than this look. */
    if (!blob && reload(cache))
        blob = read_user_file(cache, key, hash);
    return blob;
}

static struct blob *read_store(struct pail_cache *cache, const struct pail_cache_key *key,
                               uint64_t hash)
{
    const size_t size = cache->get(cache->store_user, NULL, 0, hash);
    if (size == 0)
        return NULL;
    const char *why = NULL;
    struct pail_cache_entry entry;
    struct blob *blob = NULL;
    if (size < PAIL_CACHE_ENTRY_HEADER || size - PAIL_CACHE_ENTRY_HEADER > PAIL_CACHE_PAYLOAD_MAX) {
        why = "its size is impossible";
    } else {
        blob = make_blob(cache, size);
        if (!blob) {
            say_no_memory(cache);
            return NULL;
        }
        if (cache->get(cache->store_user, blob->entry, size, hash) != size)
            why = "its size changed while it was read";
        else
            why = pail_cache_entry_decode(&entry, blob->entry, size);
    }
    if (!why && !pail_cache_key_equal(&entry.key, key))
        why = "it is of another key";
    pthread_mutex_lock(&cache->mutex);
    const bool hidden = !why && is_dropped(cache, hash, pail_cache_entry_check(blob->entry));
    if (why)
        cache->stats.damaged++;
    pthread_mutex_unlock(&cache->mutex);
    if (why && once(cache, &cache->told_store))
        say(cache, true, "the host's cache gave a damaged entry: %s", why);
    if (why || hidden) {
        pail_cache_give(&cache->alloc, blob);
        return NULL;
    }
    return blob;
}

uint8_t *pail_cache_get(struct pail_cache *cache, const struct pail_cache_key *key, size_t *bytes)
{
    *bytes = 0;
    const uint64_t hash = pail_cache_key_hash(key);
    struct blob *blob = NULL;
    pthread_mutex_lock(&cache->mutex);
    struct kept *kept = kept_find(cache, hash);
    struct pail_cache_entry entry;
    if (kept && !pail_cache_entry_decode(&entry, kept->blob->entry, (size_t)kept->blob->bytes) &&
        pail_cache_key_equal(&entry.key, key)) {
        blob = kept->blob;
        blob->refs++;
        kept->used = pail_cache_now();
    }
    pthread_mutex_unlock(&cache->mutex);
    if (!blob)
        blob = cache->get ? read_store(cache, key, hash) : read_files(cache, key, hash);
    pthread_mutex_lock(&cache->mutex);
    if (blob)
        cache->stats.hits++;
    else
        cache->stats.misses++;
    pthread_mutex_unlock(&cache->mutex);
    if (!blob)
        return NULL;
    *bytes = (size_t)blob->bytes - PAIL_CACHE_ENTRY_HEADER;
    return blob->entry + PAIL_CACHE_ENTRY_HEADER;
}

void pail_cache_release(struct pail_cache *cache, uint8_t *payload)
{
    if (!payload)
        return;
    struct blob *blob =
        (struct blob *)(void *)(payload - PAIL_CACHE_ENTRY_HEADER - offsetof(struct blob, entry));
    pthread_mutex_lock(&cache->mutex);
    release_blob(cache, blob);
    pthread_mutex_unlock(&cache->mutex);
}

/* ---- Adding and dropping ---------------------------------------------------------------------*/

void pail_cache_put(struct pail_cache *cache, const struct pail_cache_key *key,
                    const uint8_t *payload, size_t bytes)
{
    if (bytes > PAIL_CACHE_PAYLOAD_MAX) {
        if (once(cache, &cache->told_size))
            say(cache, true, "%s is not kept in the cache: %zu bytes are too many", key->name,
                bytes);
        return;
    }
    struct blob *blob = make_blob(cache, pail_cache_entry_bytes(bytes));
    if (!blob) {
        say_no_memory(cache);
        return;
    }
    const struct pail_cache_entry entry = {
        .key = *key,
        .id = pail_registry_id(key->name, strnlen(key->name, PAIL_CACHE_NAME_MAX - 1), key->task),
        .payload = payload,
        .payload_bytes = bytes,
    };
    pail_cache_entry_encode(blob->entry, &entry);
    const uint64_t hash = pail_cache_key_hash(key), check = pail_cache_entry_check(blob->entry);

    pthread_mutex_lock(&cache->mutex);
    /* The same bytes may come back after all. */
    for (size_t i = 0; i < cache->n_dropped; i++) {
        if (cache->dropped[i].hash == hash && cache->dropped[i].check == check) {
            cache->dropped[i] = cache->dropped[--cache->n_dropped];
            cache->n_dropped_written = 0;
            break;
        }
    }
    bool added = true;
    if (!cache->put) {
        added = kept_add(cache, hash, blob);
        if (added)
            want_writer(cache);
    }
    pthread_mutex_unlock(&cache->mutex);
    if (cache->put)
        cache->put(cache->store_user, hash, blob->entry, (size_t)blob->bytes);
    if (!added)
        say_no_memory(cache);
    if (cache->put || !added)
        pail_cache_give(&cache->alloc, blob);
}

/* Under the mutex. */
static bool add_dropped(struct pail_cache *cache, uint64_t hash, uint64_t check)
{
    if (is_dropped(cache, hash, check))
        return true;
    void *array = cache->dropped;
    if (!pail_cache_grow(&cache->alloc, &array, &cache->dropped_capacity, cache->n_dropped,
                         sizeof(*cache->dropped)))
        return false;
    cache->dropped = array;
    cache->dropped[cache->n_dropped++] = (struct pail_cache_dropped){.hash = hash, .check = check};
    return true;
}

/* What one file has of the hash is not to be used again. Under the mutex. */
static bool drop_from(struct pail_cache *cache, const struct pail_cache_source *source,
                      uint64_t hash)
{
    const struct pail_cache_record *record =
        source ? pail_cache_index_find(&source->index, hash) : NULL;
    uint8_t header[PAIL_CACHE_ENTRY_HEADER];
    const char *why;
    if (!record || !pail_cache_read_at(source->fd, header, sizeof(header), record->offset, &why))
        return true;
    return add_dropped(cache, hash, pail_cache_entry_check(header));
}

void pail_cache_drop(struct pail_cache *cache, const struct pail_cache_key *key)
{
    const uint64_t hash = pail_cache_key_hash(key);
    uint64_t in_store = 0;
    if (cache->get) {
        struct blob *blob = read_store(cache, key, hash);
        if (!blob)
            return;
        in_store = pail_cache_entry_check(blob->entry);
        pail_cache_give(&cache->alloc, blob);
    }
    pthread_mutex_lock(&cache->mutex);
    bool good = true;
    struct kept *kept = kept_find(cache, hash);
    if (kept) {
        good = add_dropped(cache, hash, pail_cache_entry_check(kept->blob->entry));
        kept_remove(cache, kept);
    }
    if (cache->get)
        good = add_dropped(cache, hash, in_store) && good;
    good = drop_from(cache, cache->file, hash) && good;
    for (size_t i = 0; i < cache->n_layers; i++)
        good = drop_from(cache, cache->layers[i].source, hash) && good;
    want_writer(cache);
    pthread_mutex_unlock(&cache->mutex);
    if (!good)
        say_no_memory(cache);
}

/* ---- Writing ---------------------------------------------------------------------------------*/

/* What a flush is about to write. */
struct snapshot {
    struct pail_cache_change *changes;
    struct blob **blobs; /* of the first n_blobs changes, with a reference each */
    struct pail_cache_dropped *dropped;
    size_t n_changes, n_blobs, n_dropped;
    bool nothing, failed;
};

static struct snapshot take_snapshot(struct pail_cache *cache)
{
    struct snapshot shot = {.n_changes = 0};
    pthread_mutex_lock(&cache->mutex);
    const size_t n_records = cache->file ? cache->file->index.n : 0;
    shot.nothing = cache->stats.pending == 0 && cache->n_dropped == cache->n_dropped_written &&
                   !cache->touch_due;
    cache->touch_due = false;
    if (shot.nothing)
        goto out;
    shot.changes = pail_cache_take(&cache->alloc, cache->n_kept + n_records, sizeof(*shot.changes));
    shot.blobs = pail_cache_take(&cache->alloc, cache->n_kept, sizeof(struct blob *));
    shot.dropped = pail_cache_take(&cache->alloc, cache->n_dropped, sizeof(*shot.dropped));
    shot.failed = !shot.changes || !shot.blobs || !shot.dropped;
    if (shot.failed)
        goto out;
    for (size_t i = 0; i < cache->n_kept; i++) {
        struct kept *kept = &cache->kept[i];
        if (!kept->pending)
            continue;
        kept->blob->refs++;
        shot.blobs[shot.n_blobs++] = kept->blob;
        shot.changes[shot.n_changes++] = (struct pail_cache_change){
            .hash = kept->hash,
            .used = kept->used,
            .entry = kept->blob->entry,
            .from = -1,
            .bytes = kept->blob->bytes,
        };
    }
    for (size_t i = 0; i < n_records; i++) {
        const struct pail_cache_record *record = &cache->file->index.records[i];
        const struct kept *kept = record->touched > 0 ? kept_find(cache, record->hash) : NULL;
        if (record->touched > record->used && !(kept && kept->pending))
            shot.changes[shot.n_changes++] = (struct pail_cache_change){
                .hash = record->hash, .used = record->touched, .from = -1};
    }
    if (cache->n_dropped > 0)
        memcpy(shot.dropped, cache->dropped, cache->n_dropped * sizeof(*shot.dropped));
    shot.n_dropped = cache->n_dropped;
out:
    pthread_mutex_unlock(&cache->mutex);
    return shot;
}

/* The changes are in the file now: what it holds need not stay in memory. */
static void settle(struct pail_cache *cache, const struct snapshot *shot)
{
    pthread_mutex_lock(&cache->mutex);
    cache->stats.flushes++;
    cache->told_writing = false;
    for (size_t i = 0; i < shot->n_blobs; i++) {
        struct kept *kept = kept_find(cache, shot->changes[i].hash);
        if (!kept || kept->blob != shot->blobs[i])
            continue;
        if (kept->pending)
            cache->stats.pending--;
        kept->pending = false;
        if (cache->file && pail_cache_index_find(&cache->file->index, kept->hash))
            kept_remove(cache, kept);
    }
    if (shot->n_dropped <= cache->n_dropped)
        cache->n_dropped_written = shot->n_dropped;
    pthread_mutex_unlock(&cache->mutex);
}

bool pail_cache_flush(struct pail_cache *cache)
{
    if (!cache->path[0])
        return true;
    pthread_mutex_lock(&cache->writing);
    struct snapshot shot = take_snapshot(cache);
    const char *why = shot.failed ? "there is no memory for it" : NULL;
    if (!why && !shot.nothing) {
        struct pail_cache_update update = {
            .device = cache->device,
            .alloc = &cache->alloc,
            .changes = shot.changes,
            .n_changes = shot.n_changes,
            .dropped = shot.dropped,
            .n_dropped = shot.n_dropped,
            .max_bytes = cache->max_bytes,
        };
        why = shot.n_blobs > 0 ? pail_cache_make_folder(cache->folder) : NULL;
        if (!why)
            why = pail_cache_update(cache->folder, cache->name, &update);
        if (!why) {
            (void)reload(cache);
            settle(cache, &shot);
        }
        /* That something was of use is not worth a line where nothing can be written. */
        if (why && shot.n_blobs > 0 && once(cache, &cache->told_writing))
            say(cache, true, "the cache %s cannot be written: %s", cache->path, why);
    }
    pthread_mutex_lock(&cache->mutex);
    for (size_t i = 0; i < shot.n_blobs; i++)
        release_blob(cache, shot.blobs[i]);
    pthread_mutex_unlock(&cache->mutex);
    pail_cache_give(&cache->alloc, shot.dropped);
    pail_cache_give(&cache->alloc, shot.blobs);
    pail_cache_give(&cache->alloc, shot.changes);
    pthread_mutex_unlock(&cache->writing);
    return !why;
}

static struct timespec later(struct timespec time, long ms)
{
    time.tv_sec += ms / 1000;
    time.tv_nsec += ms % 1000 * 1000000L;
    if (time.tv_nsec >= 1000000000L) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000L;
    }
    return time;
}

static bool before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void *write_behind(void *argument)
{
    struct pail_cache *cache = argument;
    pthread_mutex_lock(&cache->mutex);
    while (!cache->closing) {
        if (!cache->wanted) {
            pthread_cond_wait(&cache->wake, &cache->mutex);
            continue;
        }
        const struct timespec quiet = later(cache->last_put, QUIET_MS),
                              longest = later(cache->first_put, LONGEST_MS);
        const struct timespec *until = before(&quiet, &longest) ? &quiet : &longest;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (before(&now, until)) {
            pthread_cond_timedwait(&cache->wake, &cache->mutex, until);
            continue;
        }
        cache->wanted = false;
        pthread_mutex_unlock(&cache->mutex);
        (void)pail_cache_flush(cache);
        pthread_mutex_lock(&cache->mutex);
    }
    pthread_mutex_unlock(&cache->mutex);
    return NULL;
}

/* Something is to be written soon. Where no thread can be made it is written when the cache is
 * closed. Under the mutex. */
static void want_writer(struct pail_cache *cache)
{
    if (!cache->path[0])
        return;
    clock_gettime(CLOCK_MONOTONIC, &cache->last_put);
    if (!cache->wanted)
        cache->first_put = cache->last_put;
    cache->wanted = true;
    if (!cache->has_thread && !cache->no_thread) {
        /* The host's signals are for the host's threads. */
        sigset_t all, old;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        cache->has_thread = pthread_create(&cache->thread, NULL, write_behind, cache) == 0;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        cache->no_thread = !cache->has_thread;
    }
    pthread_cond_signal(&cache->wake);
}

/* ---- Opening and closing ---------------------------------------------------------------------*/

static char *copy_text(struct pail_cache *cache, const char *text, size_t n)
{
    char *copy = pail_cache_take(&cache->alloc, n + 1, 1);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}

static bool open_layers(struct pail_cache *cache, const char *layers)
{
    layers = pail_cache_layers(layers);
    size_t n = 1;
    for (const char *at = layers; *at; at++)
        n += *at == ':';
    cache->layers = pail_cache_take(&cache->alloc, n, sizeof(*cache->layers));
    if (!cache->layers)
        return false;
    for (const char *at = layers; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        const size_t length = strcspn(at, ":");
        if (length == 0)
            continue;
        struct layer *layer = &cache->layers[cache->n_layers];
        layer->source = NULL;
        layer->folder = copy_text(cache, at, length);
        if (!layer->folder)
            return false;
        cache->n_layers++;
        layer->source = open_source(cache, layer->folder, PAIL_CACHE_READABLE);
    }
    return true;
}

/* False without memory. Without any folder it says so and the cache has no files. */
static bool find_user_file(struct pail_cache *cache, const char *dir)
{
    char path[PATH_MAX];
    const bool wanted = !dir || dir[0];
    if (!wanted || !pail_cache_user_dir(path, sizeof(path), dir)) {
        if (wanted)
            say(cache, true,
                "the cache has no folder: PAIL_CACHE_DIR, XDG_CACHE_HOME and HOME name none");
        path[0] = '\0';
    }
    const size_t length = strlen(path), name_length = strlen(cache->name);
    cache->folder = copy_text(cache, path, length);
    cache->path = pail_cache_take(&cache->alloc, length + name_length + 2, 1);
    if (!cache->folder || !cache->path)
        return false;
    cache->path[0] = '\0';
    if (length > 0)
        (void)snprintf(cache->path, length + name_length + 2, "%s/%s", path, cache->name);
    return true;
}

static bool init_threads(struct pail_cache *cache)
{
    pthread_condattr_t monotonic;
    if (pthread_mutex_init(&cache->mutex, NULL) != 0)
        return false;
    if (pthread_mutex_init(&cache->writing, NULL) != 0)
        goto no_writing;
    if (pthread_condattr_init(&monotonic) != 0)
        goto no_condition;
    const bool good = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
                      pthread_cond_init(&cache->wake, &monotonic) == 0;
    (void)pthread_condattr_destroy(&monotonic);
    if (good)
        return true;
no_condition:
    (void)pthread_mutex_destroy(&cache->writing);
no_writing:
    (void)pthread_mutex_destroy(&cache->mutex);
    return false;
}

struct pail_cache *pail_cache_open(const struct pail_cache_params *params)
{
    struct pail_cache *cache = pail_cache_take(&params->alloc, 1, sizeof(*cache));
    if (!cache)
        return NULL;
    memset(cache, 0, sizeof(*cache));
    cache->device = params->device;
    cache->alloc = params->alloc;
    cache->log = params->log;
    cache->log_user = params->log_user;
    cache->get = params->get;
    cache->put = params->put;
    cache->store_user = params->store_user;
    if (!init_threads(cache)) {
        pail_cache_give(&params->alloc, cache);
        return NULL;
    }
    pail_cache_file_name(cache->name, &cache->device);
    const char *bad;
    cache->max_bytes = pail_cache_max_bytes(params->max_bytes, &bad);
    const bool files = !cache->get && !(params->dir && !params->dir[0]);
    if (files && bad)
        say(cache, true, "PAIL_CACHE_MAX_MIB is '%s', not a number of MiB: %u is used", bad,
            PAIL_CACHE_MIB_DEFAULT);
    if (!find_user_file(cache, cache->get ? "" : params->dir) ||
        (files && !open_layers(cache, params->layers))) {
        pail_cache_close(cache);
        return NULL;
    }
    (void)reload(cache);
    return cache;
}

void pail_cache_close(struct pail_cache *cache)
{
    if (!cache)
        return;
    pthread_mutex_lock(&cache->mutex);
    cache->closing = true;
    pthread_cond_signal(&cache->wake);
    pthread_mutex_unlock(&cache->mutex);
    if (cache->has_thread)
        (void)pthread_join(cache->thread, NULL);
    if (cache->path && cache->path[0])
        (void)pail_cache_flush(cache);
    for (size_t i = 0; i < cache->n_kept; i++)
        release_blob(cache, cache->kept[i].blob);
    release_source(cache, cache->file);
    for (size_t i = 0; i < cache->n_layers; i++) {
        release_source(cache, cache->layers[i].source);
        pail_cache_give(&cache->alloc, cache->layers[i].folder);
    }
    (void)pthread_cond_destroy(&cache->wake);
    (void)pthread_mutex_destroy(&cache->writing);
    (void)pthread_mutex_destroy(&cache->mutex);
    pail_cache_give(&cache->alloc, cache->dropped);
    pail_cache_give(&cache->alloc, cache->kept);
    pail_cache_give(&cache->alloc, cache->layers);
    pail_cache_give(&cache->alloc, cache->path);
    pail_cache_give(&cache->alloc, cache->folder);
    const struct pail_cache_alloc alloc = cache->alloc;
    pail_cache_give(&alloc, cache);
}

void pail_cache_read_stats(struct pail_cache *cache, struct pail_cache_stats *stats)
{
    pthread_mutex_lock(&cache->mutex);
    *stats = cache->stats;
    pthread_mutex_unlock(&cache->mutex);
}

const char *pail_cache_path(const struct pail_cache *cache)
{
    return cache->path;
}
