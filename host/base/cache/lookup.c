/* SPDX-License-Identifier: Apache-2.0 */
/* Lookups: in the entries that this process has put, the user's file, the layers, or a host's
 * store. */
#include "cache_priv.h"

#include "memory.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char *pail_cache_source_open(struct pail_cache_source **source, const char *folder,
                                   const char *name, enum pail_cache_trust trust,
                                   const struct pail_cache_device *device,
                                   const struct pail_cache_alloc *alloc)
{
    *source = NULL;
    const char *why;
    const int at = pail_cache_open_folder(folder, trust, &why);
    if (at < 0)
        return why;
    const int fd = pail_cache_open_file(at, name, trust, &why);
    (void)close(at);
    if (fd < 0)
        return why;
    struct pail_cache_source *opened = pail_cache_take(alloc, 1, sizeof(*opened));
    if (!opened) {
        (void)close(fd);
        return "there is no memory for it";
    }
    *opened = (struct pail_cache_source){.refs = 1, .fd = fd};
    if (pail_cache_index_read(&opened->index, fd, alloc, &why) == PAIL_CACHE_READ) {
        if (pail_cache_device_equal(&opened->index.device, device)) {
            pail_cache_index_sort(&opened->index);
            *source = opened;
            return NULL;
        }
        why = "it is of another device or driver than its name says";
    }
    pail_cache_source_close(opened, alloc);
    return why;
}

void pail_cache_source_close(struct pail_cache_source *source, const struct pail_cache_alloc *alloc)
{
    if (!source)
        return;
    pail_cache_index_free(&source->index, alloc);
    (void)close(source->fd);
    pail_cache_give(alloc, source);
}

enum { DAY_S = 86400 };

/* ---- Files to look in ------------------------------------------------------------------------*/

/* Called with the mutex held. */
void pail_cache_source_release(struct pail_cache *cache, struct pail_cache_source *source)
{
    if (source && --source->refs == 0)
        pail_cache_source_close(source, &cache->alloc);
}

static void tell_damage(struct pail_cache *cache, struct pail_cache_source *source,
                        const char *folder, const char *what, const char *why)
{
    if (pail_cache_once(cache, &source->told))
        pail_cache_say(cache, true, "the cache %s/%s is damaged: %s%s; what is whole is used",
                       folder, cache->name, what, why);
}

struct pail_cache_source *pail_cache_open_source(struct pail_cache *cache, const char *folder,
                                                 enum pail_cache_trust trust, const char **why)
{
    struct pail_cache_source *source;
    *why =
        pail_cache_source_open(&source, folder, cache->name, trust, &cache->device, &cache->alloc);
    if (*why)
        pail_cache_say(cache, true, "the cache %s/%s is not used: %s", folder, cache->name, *why);
    pthread_mutex_lock(&cache->mutex);
    if (*why)
        cache->stats.damaged++;
    else if (source)
        cache->stats.damaged += source->index.n_damaged;
    pthread_mutex_unlock(&cache->mutex);
    if (source && source->index.damage)
        tell_damage(cache, source, folder, "", source->index.damage);
    return source;
}

static struct pail_cache_identity identify(const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return (struct pail_cache_identity){.inode = 0};
    return (struct pail_cache_identity){
        .device = st.st_dev, .inode = st.st_ino, .size = st.st_size, .changed = st.st_mtim};
}

static bool same_file(const struct pail_cache_identity *a, const struct pail_cache_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

bool pail_cache_reload(struct pail_cache *cache)
{
    if (!cache->path[0])
        return false;
    const struct pail_cache_identity now = identify(cache->path);
    pthread_mutex_lock(&cache->mutex);
    const bool same = same_file(&now, &cache->seen);
    pthread_mutex_unlock(&cache->mutex);
    if (same)
        return false;
    /* Should it be replaced once more meanwhile, the next look finds that it is another one. */
    const char *why = NULL;
    struct pail_cache_source *source =
        now.inode != 0 ? pail_cache_open_source(cache, cache->folder, PAIL_CACHE_OURS, &why) : NULL;
    pthread_mutex_lock(&cache->mutex);
    struct pail_cache_source *old = cache->file;
    for (size_t i = 0; old && source && i < old->index.n; i++) {
        const struct pail_cache_record *record = &old->index.records[i];
        struct pail_cache_record *there =
            record->touched > 0 ? pail_cache_index_find(&source->index, record->hash) : NULL;
        if (there && record->touched > there->used)
            there->touched = record->touched;
    }
    cache->file = source;
    cache->seen = now;
    (void)snprintf(cache->refused, sizeof(cache->refused), "%s", why ? why : "");
    pail_cache_source_release(cache, old);
    pthread_mutex_unlock(&cache->mutex);
    return true;
}

/* ---- Looking up ------------------------------------------------------------------------------*/

/* True if an entry is of use: nothing is wrong with it (why: what), and this process has not
 * dropped it. Counts the damage. */
static bool judge(struct pail_cache *cache, const struct pail_cache_blob *blob, uint64_t hash,
                  const char *why)
{
    pthread_mutex_lock(&cache->mutex);
    if (why)
        cache->stats.damaged++;
    const bool usable =
        !why && !pail_cache_is_dropped(cache, hash, pail_cache_entry_check(blob->entry));
    pthread_mutex_unlock(&cache->mutex);
    return usable;
}

/* The entry of a key in one file, or NULL. source: with a reference of the caller's. */
static struct pail_cache_blob *read_blob(struct pail_cache *cache, struct pail_cache_source *source,
                                         const char *folder, const struct pail_cache_key *key,
                                         uint64_t hash)
{
    pthread_mutex_lock(&cache->mutex);
    const struct pail_cache_record *found = pail_cache_index_find(&source->index, hash);
    const struct pail_cache_record record = found ? *found : (struct pail_cache_record){.bytes = 0};
    pthread_mutex_unlock(&cache->mutex);
    if (!found)
        return NULL;
    struct pail_cache_blob *blob = pail_cache_blob_make(cache, record.bytes);
    if (!blob) {
        pail_cache_say_no_memory(cache);
        return NULL;
    }
    struct pail_cache_entry entry;
    const char *why = NULL;
    (void)pail_cache_entry_read(&entry, blob->entry, source->fd, &record, &source->index.device,
                                &why);
    if (!why && !pail_cache_key_equal(&entry.key, key))
        why = "its key is another of the same hash";
    const bool usable = judge(cache, blob, hash, why);
    if (why)
        tell_damage(cache, source, folder, "of an entry, ", why);
    if (usable)
        return blob;
    pail_cache_give(&cache->alloc, blob);
    return NULL;
}

static struct pail_cache_blob *read_user_file(struct pail_cache *cache,
                                              const struct pail_cache_key *key, uint64_t hash)
{
    pthread_mutex_lock(&cache->mutex);
    struct pail_cache_source *source = cache->file;
    if (source)
        source->refs++;
    pthread_mutex_unlock(&cache->mutex);
    if (!source)
        return NULL;
    struct pail_cache_blob *blob = read_blob(cache, source, cache->folder, key, hash);
    pthread_mutex_lock(&cache->mutex);
    struct pail_cache_record *record =
        blob && cache->file ? pail_cache_index_find(&cache->file->index, hash) : NULL;
    if (record) {
        record->touched = pail_cache_now();
        if (record->touched > record->used && record->touched - record->used > DAY_S &&
            !cache->touch_due) {
            cache->touch_due = true;
            pail_cache_want_writer(cache);
        }
    }
    pail_cache_source_release(cache, source);
    pthread_mutex_unlock(&cache->mutex);
    return blob;
}

static struct pail_cache_blob *read_files(struct pail_cache *cache,
                                          const struct pail_cache_key *key, uint64_t hash)
{
    struct pail_cache_blob *blob = read_user_file(cache, key, hash);
    for (size_t i = 0; !blob && i < cache->n_layers; i++) {
        struct pail_cache_layer *layer = &cache->layers[i];
        if (layer->source)
            blob = read_blob(cache, layer->source, layer->folder, key, hash);
    }
    /* Another process may have made it since. Making it here costs more than this look. */
    if (!blob && pail_cache_reload(cache))
        blob = read_user_file(cache, key, hash);
    return blob;
}

struct pail_cache_blob *pail_cache_read_store(struct pail_cache *cache,
                                              const struct pail_cache_key *key, uint64_t hash)
{
    uint8_t nothing = 0; /* not NULL: a host that copies no bytes to it does no wrong */
    const size_t size = cache->get(cache->store_user, &nothing, 0, hash);
    if (size == 0)
        return NULL;
    const char *why = NULL;
    struct pail_cache_entry entry;
    struct pail_cache_blob *blob = NULL;
    if (size < PAIL_CACHE_ENTRY_HEADER || size - PAIL_CACHE_ENTRY_HEADER > PAIL_CACHE_PAYLOAD_MAX) {
        why = "its size is impossible";
    } else {
        blob = pail_cache_blob_make(cache, size);
        if (!blob) {
            pail_cache_say_no_memory(cache);
            return NULL;
        }
        if (cache->get(cache->store_user, blob->entry, size, hash) != size)
            why = "its size changed while it was read";
        else
            why = pail_cache_entry_decode(&entry, blob->entry, size);
    }
    if (!why && !pail_cache_key_equal(&entry.key, key))
        why = "it is of another key";
    const bool usable = judge(cache, blob, hash, why);
    if (why && pail_cache_once(cache, &cache->told_store))
        pail_cache_say(cache, true, "the host's cache gave a damaged entry: %s", why);
    if (usable)
        return blob;
    pail_cache_give(&cache->alloc, blob);
    return NULL;
}

uint8_t *pail_cache_get(struct pail_cache *cache, const struct pail_cache_key *key, size_t *bytes)
{
    *bytes = 0;
    const uint64_t hash = pail_cache_key_hash(key);
    struct pail_cache_blob *blob = NULL;
    if (!pail_cache_is_here(cache))
        return NULL;
    pthread_mutex_lock(&cache->mutex);
    struct pail_cache_kept *kept = pail_cache_kept_find(cache, hash);
    if (kept && pail_cache_entry_has_key(kept->blob->entry, key)) {
        blob = kept->blob;
        blob->refs++;
        kept->used = pail_cache_now();
    } else {
        pthread_mutex_unlock(&cache->mutex);
        blob = cache->get ? pail_cache_read_store(cache, key, hash) : read_files(cache, key, hash);
        pthread_mutex_lock(&cache->mutex);
    }
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
    if (!payload || !pail_cache_is_here(cache))
        return;
    struct pail_cache_blob *blob =
        (struct pail_cache_blob *)(void *)(payload - PAIL_CACHE_ENTRY_HEADER -
                                           offsetof(struct pail_cache_blob, entry));
    pthread_mutex_lock(&cache->mutex);
    pail_cache_blob_release(cache, blob);
    pthread_mutex_unlock(&cache->mutex);
}
