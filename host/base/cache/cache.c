/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <limits.h>
#include <platform/clock.h>
#include <platform/file.h>
#include <platform/process.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <platform/text.h>

#include "cache_priv.h"
#include "lock.h"
#include "memory.h"
#include "place.h"

void pail_cache_say(const struct pail_cache *cache, bool trouble, const char *format, ...)
{
    char line[PATH_MAX + 512];
    if (!cache->log)
        return;
    va_list arguments;
    va_start(arguments, format);
    (void)pail_line_list(line, sizeof(line), format, arguments);
    va_end(arguments);
    cache->log(cache->log_user, trouble, line);
}

bool pail_cache_once(struct pail_cache *cache, bool *told)
{
    pthread_mutex_lock(&cache->mutex);
    const bool first = !*told;
    *told = true;
    pthread_mutex_unlock(&cache->mutex);
    return first;
}

bool pail_cache_is_here(const struct pail_cache *cache)
{
    return cache->process == pail_process();
}

void pail_cache_say_no_memory(struct pail_cache *cache)
{
    if (pail_cache_once(cache, &cache->told_memory))
        pail_cache_say(cache, true, "there is no memory for an entry of the cache");
}

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
    const char marks[] = {pail_path_list_mark, 0};
    layers = pail_cache_layers(layers);
    size_t n = 1;
    for (const char *at = layers; *at; at++)
        n += *at == pail_path_list_mark;
    cache->layers = pail_cache_take(&cache->alloc, n, sizeof(*cache->layers));
    if (!cache->layers)
        return false;
    for (const char *at = layers; at;
         at = strchr(at, pail_path_list_mark) ? strchr(at, pail_path_list_mark) + 1 : NULL) {
        const size_t length = strcspn(at, marks);
        if (length == 0)
            continue;
        struct pail_cache_layer *layer = &cache->layers[cache->n_layers];
        layer->source = NULL;
        layer->folder = copy_text(cache, at, length);
        if (!layer->folder)
            return false;
        cache->n_layers++;
        const char *why;
        layer->source = pail_cache_open_source(cache, layer->folder, PAIL_CACHE_READABLE, &why);
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
            pail_cache_say(cache, true, "the cache has no folder: %s",
                           dir ? "the path that was given is too long"
                               : "PAIL_CACHE_DIR, XDG_CACHE_HOME and HOME name none that fits");
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
    if (pthread_mutex_init(&cache->mutex, NULL) != 0)
        return false;
    if (pthread_mutex_init(&cache->writing, NULL) != 0)
        goto no_writing;
    if (pail_clock_cond_init(&cache->wake) == 0)
        return true;
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
    cache->process = pail_process();
    cache->device = params->device;
    cache->alloc = params->alloc;
    cache->log = params->log;
    cache->log_user = params->log_user;
    cache->get = params->get;
    cache->put = params->put;
    cache->lock_wait_ms = params->lock_wait_ms;
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
        pail_cache_say(cache, true, "PAIL_CACHE_MAX_MIB is '%s', not a number of MiB: %u is used",
                       bad, PAIL_CACHE_MIB_DEFAULT);
    if (!find_user_file(cache, cache->get ? "" : params->dir) ||
        (files && !open_layers(cache, params->layers))) {
        pail_cache_close(cache);
        return NULL;
    }
    (void)pail_cache_reload(cache);
    return cache;
}

void pail_cache_close(struct pail_cache *cache)
{
    if (!cache || !pail_cache_is_here(cache))
        return;
    /* The writer's present work began to wait before this, so that it ends before this as well. */
    const uint64_t until = pail_cache_lock_until(cache->lock_wait_ms);
    pthread_mutex_lock(&cache->mutex);
    cache->closing = true;
    pthread_cond_signal(&cache->wake);
    pthread_mutex_unlock(&cache->mutex);
    if (cache->has_thread)
        (void)pthread_join(cache->thread, NULL);
    if (cache->path && cache->path[0])
        (void)pail_cache_flush_until(cache, until);
    for (size_t i = 0; i < cache->n_kept; i++)
        pail_cache_blob_release(cache, cache->kept[i].blob);
    pail_cache_source_release(cache, cache->file);
    for (size_t i = 0; i < cache->n_layers; i++) {
        pail_cache_source_release(cache, cache->layers[i].source);
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
