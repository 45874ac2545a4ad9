/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what is pending: when asked, and behind the back of whoever puts. */
#include "cache_priv.h"

#include <platform/clock.h>
#include <platform/file.h>
#include <platform/thread.h>
#include <string.h>

#include "lock.h"
#include "memory.h"

enum {
    QUIET_MS = 250,    /* after the last put the writer waits for more */
    LONGEST_MS = 2000, /* but no longer than this after the first */
};

#define NS_PER_MS UINT64_C(1000000)

/* Changes that a flush is about to write. */
struct snapshot {
    struct pail_cache_change *changes;
    struct pail_cache_blob **blobs; /* for the first n_blobs changes, with a reference each */
    struct pail_cache_dropped *dropped;
    size_t n_changes, n_blobs, n_dropped;
    bool nothing, failed;
};

static struct snapshot take_snapshot(struct pail_cache *cache)
{
    struct snapshot shot = {.n_changes = 0};
    pthread_mutex_lock(&cache->mutex);
    const size_t n_records = cache->file ? cache->file->index.n : 0;
    shot.nothing =
        cache->stats.pending == 0 &&
        (!cache->file || (cache->n_dropped == cache->n_dropped_written && !cache->touch_due));
    cache->touch_due = false;
    if (shot.nothing)
        goto out;
    shot.changes = pail_cache_take(&cache->alloc, cache->n_kept + n_records, sizeof(*shot.changes));
    shot.blobs = pail_cache_take(&cache->alloc, cache->n_kept, sizeof(struct pail_cache_blob *));
    shot.dropped = pail_cache_take(&cache->alloc, cache->n_dropped, sizeof(*shot.dropped));
    shot.failed = !shot.changes || !shot.blobs || !shot.dropped;
    if (shot.failed)
        goto out;
    for (size_t i = 0; i < cache->n_kept; i++) {
        struct pail_cache_kept *kept = &cache->kept[i];
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
        const struct pail_cache_kept *kept =
            record->touched > 0 ? pail_cache_kept_find(cache, record->hash) : NULL;
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
        struct pail_cache_kept *kept = pail_cache_kept_find(cache, shot->changes[i].hash);
        if (!kept || kept->blob != shot->blobs[i])
            continue;
        if (kept->pending)
            cache->stats.pending--;
        kept->pending = false;
        if (cache->file && pail_cache_index_find(&cache->file->index, kept->hash))
            pail_cache_kept_remove(cache, kept);
    }
    if (shot->n_dropped <= cache->n_dropped)
        cache->n_dropped_written = shot->n_dropped;
    pthread_mutex_unlock(&cache->mutex);
}

/* Tells it once, and not what was told when the file was opened. */
static void tell_host(struct pail_cache *cache, const char *why)
{
    pthread_mutex_lock(&cache->mutex);
    const bool unknown = !cache->told_writing && strcmp(cache->refused, why) != 0;
    cache->told_writing = true;
    pthread_mutex_unlock(&cache->mutex);
    if (unknown)
        pail_cache_say(cache, true, "the cache %s cannot be written: %s", cache->path, why);
}

bool pail_cache_flush_until(struct pail_cache *cache, uint64_t until)
{
    if (!cache->path[0])
        return true;
    if (!pail_cache_is_here(cache))
        return false;
    struct pail_file_limit limit;
    pail_file_limit_begin(&limit);
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
            .until = until,
        };
        why = shot.n_blobs > 0 ? pail_cache_make_folder(cache->folder) : NULL;
        if (!why)
            why = pail_cache_update(cache->folder, cache->name, &update);
        if (!why) {
            (void)pail_cache_reload(cache);
            settle(cache, &shot);
        }
    }
    /* A failure to note times of use is not worth a line where nothing can be written. */
    if (why && (shot.n_blobs > 0 || shot.failed))
        tell_host(cache, why);
    pthread_mutex_lock(&cache->mutex);
    for (size_t i = 0; i < shot.n_blobs; i++)
        pail_cache_blob_release(cache, shot.blobs[i]);
    pthread_mutex_unlock(&cache->mutex);
    pail_cache_give(&cache->alloc, shot.dropped);
    pail_cache_give(&cache->alloc, shot.blobs);
    pail_cache_give(&cache->alloc, shot.changes);
    pthread_mutex_unlock(&cache->writing);
    pail_file_limit_end(&limit);
    return !why;
}

bool pail_cache_flush(struct pail_cache *cache)
{
    /* Before another flush is waited for: that one waited for the lock in our stead. */
    return pail_cache_flush_until(cache, pail_cache_lock_until(cache->lock_wait_ms));
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
        const uint64_t quiet = cache->last_put_ns + QUIET_MS * NS_PER_MS,
                       longest = cache->first_put_ns + LONGEST_MS * NS_PER_MS,
                       until = quiet < longest ? quiet : longest;
        if (pail_clock_ns() < until) {
            (void)pail_clock_cond_wait(&cache->wake, &cache->mutex, until);
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

void pail_cache_want_writer(struct pail_cache *cache)
{
    if (!cache->path[0])
        return;
    cache->last_put_ns = pail_clock_ns();
    if (!cache->wanted)
        cache->first_put_ns = cache->last_put_ns;
    cache->wanted = true;
    if (!cache->has_thread && !cache->no_thread) {
        cache->has_thread = pail_thread_start(&cache->thread, "pail-cache", PAIL_STACK_FOREIGN,
                                              write_behind, cache) == 0;
        cache->no_thread = !cache->has_thread;
    }
    pthread_cond_signal(&cache->wake);
}
