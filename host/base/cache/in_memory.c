/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that a process has put, and those that it has dropped. */
#include "cache_priv.h"

#include <string.h>

#include "memory.h"
#include <curves/registry_id.h>

struct pail_cache_blob *pail_cache_blob_make(struct pail_cache *cache, uint64_t bytes)
{
    struct pail_cache_blob *blob = NULL;
    if (bytes <= SIZE_MAX - sizeof(struct pail_cache_blob))
        blob = pail_cache_take(&cache->alloc, 1, sizeof(struct pail_cache_blob) + (size_t)bytes);
    if (blob) {
        blob->refs = 1;
        blob->bytes = bytes;
    }
    return blob;
}

/* Called with the mutex held. */
void pail_cache_blob_release(struct pail_cache *cache, struct pail_cache_blob *blob)
{
    if (blob && --blob->refs == 0)
        pail_cache_give(&cache->alloc, blob);
}

/* The place where an entry of the hash is or would be. Called with the mutex held. */
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

struct pail_cache_kept *pail_cache_kept_find(const struct pail_cache *cache, uint64_t hash)
{
    const size_t at = kept_place(cache, hash);
    return at < cache->n_kept && cache->kept[at].hash == hash ? &cache->kept[at] : NULL;
}

void pail_cache_kept_remove(struct pail_cache *cache, struct pail_cache_kept *kept)
{
    const size_t at = (size_t)(kept - cache->kept);
    if (kept->pending)
        cache->stats.pending--;
    pail_cache_blob_release(cache, kept->blob);
    memmove(kept, kept + 1, (--cache->n_kept - at) * sizeof(*kept));
}

static bool kept_add(struct pail_cache *cache, uint64_t hash, struct pail_cache_blob *blob)
{
    struct pail_cache_kept *kept = pail_cache_kept_find(cache, hash);
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
        pail_cache_blob_release(cache, kept->blob);
    }
    *kept = (struct pail_cache_kept){
        .hash = hash, .used = pail_cache_now(), .blob = blob, .pending = true};
    cache->stats.pending++;
    return true;
}

/* Called with the mutex held. */
bool pail_cache_is_dropped(const struct pail_cache *cache, uint64_t hash, uint64_t check)
{
    for (size_t i = 0; i < cache->n_dropped; i++)
        if (cache->dropped[i].hash == hash && cache->dropped[i].check == check)
            return true;
    return false;
}

/* ---- Adding and dropping ---------------------------------------------------------------------*/

void pail_cache_put(struct pail_cache *cache, const struct pail_cache_key *key,
                    const uint8_t *payload, size_t bytes)
{
    if (!pail_cache_is_here(cache))
        return;
    if (bytes > PAIL_CACHE_PAYLOAD_MAX) {
        if (pail_cache_once(cache, &cache->told_size))
            pail_cache_say(cache, true, "%s is not kept in the cache: %zu bytes are too many",
                           key->name, bytes);
        return;
    }
    struct pail_cache_blob *blob = pail_cache_blob_make(cache, pail_cache_entry_bytes(bytes));
    if (!blob) {
        pail_cache_say_no_memory(cache);
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
    /* The entry was dropped before: the same bytes may come back after all. */
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
            pail_cache_want_writer(cache);
    }
    pthread_mutex_unlock(&cache->mutex);
    if (cache->put)
        cache->put(cache->store_user, hash, blob->entry, (size_t)blob->bytes);
    if (!added)
        pail_cache_say_no_memory(cache);
    if (cache->put || !added)
        pail_cache_give(&cache->alloc, blob);
}

/* Called with the mutex held. */
static bool add_dropped(struct pail_cache *cache, uint64_t hash, uint64_t check)
{
    if (pail_cache_is_dropped(cache, hash, check))
        return true;
    void *array = cache->dropped;
    if (!pail_cache_grow(&cache->alloc, &array, &cache->dropped_capacity, cache->n_dropped,
                         sizeof(*cache->dropped)))
        return false;
    cache->dropped = array;
    cache->dropped[cache->n_dropped++] = (struct pail_cache_dropped){.hash = hash, .check = check};
    return true;
}

/* Drops one file's entry of the hash for good. Called with the mutex held. */
static bool drop_from(struct pail_cache *cache, const struct pail_cache_source *source,
                      uint64_t hash)
{
    const struct pail_cache_record *record =
        source ? pail_cache_index_find(&source->index, hash) : NULL;
    uint8_t header[PAIL_CACHE_ENTRY_HEADER];
    const char *why;
    if (!record || pail_cache_read_at(source->fd, header, sizeof(header), record->offset, &why) !=
                       PAIL_CACHE_READ)
        return true;
    return add_dropped(cache, hash, pail_cache_entry_check(header));
}

void pail_cache_drop(struct pail_cache *cache, const struct pail_cache_key *key)
{
    const uint64_t hash = pail_cache_key_hash(key);
    uint64_t in_store = 0;
    if (!pail_cache_is_here(cache))
        return;
    if (cache->get) {
        struct pail_cache_blob *blob = pail_cache_read_store(cache, key, hash);
        if (!blob)
            return;
        in_store = pail_cache_entry_check(blob->entry);
        pail_cache_give(&cache->alloc, blob);
    }
    pthread_mutex_lock(&cache->mutex);
    bool good = true;
    struct pail_cache_kept *kept = pail_cache_kept_find(cache, hash);
    if (kept) {
        good = add_dropped(cache, hash, pail_cache_entry_check(kept->blob->entry));
        pail_cache_kept_remove(cache, kept);
    }
    if (cache->get)
        good = add_dropped(cache, hash, in_store) && good;
    good = drop_from(cache, cache->file, hash) && good;
    for (size_t i = 0; i < cache->n_layers; i++)
        good = drop_from(cache, cache->layers[i].source, hash) && good;
    pail_cache_want_writer(cache);
    pthread_mutex_unlock(&cache->mutex);
    if (!good)
        pail_cache_say_no_memory(cache);
}
