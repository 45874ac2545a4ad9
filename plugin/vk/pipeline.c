/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline.h"

#include <stdio.h>
#include <string.h>

#include <cache/entry.h>
#include <core/ids.h>
#include <curves/fnv.h>
#include <curves/registry_id.h>
#include <platform/clock.h>
#include <platform/thread.h>

#include "device_priv.h"
#include "pipeline_priv.h"

/* Key of a pipeline: small numbers, since a request that hits should cost next to nothing. */
struct key {
    uint32_t kernel;
    struct pail_variant variant; /* narrowed */
    uint32_t specs[PAIL_MAX_SPECS];
    uint32_t text[2]; /* hash of the request's text, low word first; 0 without one */
};

struct entry {
    struct entry *next; /* next in the same bucket */
    struct key key;
    bool ready; /* false while a thread makes it; guarded by the table's lock */
    char *text; /* the request's; NULL: none. A hash alone would be no proof */
    size_t text_length;
    struct pail_vk_pipeline pipeline;
};

#define BUCKETS 256u /* a power of two; a device has a few hundred pipelines at most */

struct pail_vk_pipelines {
    pthread_mutex_t lock; /* not held while a pipeline is made */
    pthread_cond_t changed;
    struct entry *buckets[BUCKETS];
    struct pail_ids ids;
    struct pail_vk_pipeline_stats stats;
};

pail_status pail_vk_pipelines_create(struct pail_vk_device *dev, struct pail_error *err)
{
    dev->pipelines = pail_calloc(&dev->alloc, 1, sizeof(*dev->pipelines));
    if (!dev->pipelines)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a table of pipelines");
    pthread_mutex_init(&dev->pipelines->lock, NULL);
    pthread_cond_init(&dev->pipelines->changed, NULL);
    return PAIL_OK;
}

static void entry_destroy(struct pail_vk_device *dev, struct entry *entry)
{
    pail_vk_pipeline_unmake(dev, &entry->pipeline);
    pail_free(&dev->alloc, entry->text);
    pail_free(&dev->alloc, entry);
}

void pail_vk_pipelines_destroy(struct pail_vk_device *dev)
{
    struct pail_vk_pipelines *table = dev->pipelines;
    if (!table)
        return;
    for (uint32_t i = 0; i < BUCKETS; i++)
        while (table->buckets[i]) {
            struct entry *entry = table->buckets[i];
            table->buckets[i] = entry->next;
            entry_destroy(dev, entry);
        }
    pail_ids_free(&table->ids, &dev->alloc);
    pthread_cond_destroy(&table->changed);
    pthread_mutex_destroy(&table->lock);
    pail_free(&dev->alloc, table);
    dev->pipelines = NULL;
}

static struct entry **bucket_of(struct pail_vk_pipelines *table, const struct key *key)
{
    const uint32_t words[] = {key->kernel,        key->variant.curve, key->variant.group,
                              key->variant.field, key->variant.lanes, key->specs[0],
                              key->specs[1],      key->specs[2],      key->specs[3],
                              key->text[0],       key->text[1]};
    _Static_assert(sizeof(words) == sizeof(struct key), "every word of a key counts");
    uint32_t hash = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        hash = (hash ^ words[i]) * 0x9e3779b1u; /* 2^32 over the golden ratio */
    return &table->buckets[hash >> 24];
}

static bool is_of(const struct entry *entry, const struct key *key, const struct pail_source *text)
{
    return memcmp(&entry->key, key, sizeof(*key)) == 0 &&
           entry->text_length == (text ? text->length : 0) &&
           (!text || memcmp(entry->text, text->text, text->length) == 0);
}

static struct entry *find(struct pail_vk_pipelines *table, const struct key *key,
                          const struct pail_source *text)
{
    struct entry *entry = *bucket_of(table, key);
    while (entry && !is_of(entry, key, text))
        entry = entry->next;
    return entry;
}

static void unlink_entry(struct pail_vk_pipelines *table, const struct entry *entry)
{
    struct entry **at = bucket_of(table, &entry->key);
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
}

static pail_status key_of(struct key *key, const struct pail_vk_pipeline_request *request,
                          struct pail_error *err)
{
    memset(key, 0, sizeof(*key));
    if ((uint32_t)request->kernel >= pail_n_kernels)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "there is no kernel number %u",
                         (unsigned)request->kernel);
    const struct pail_kernel *kernel = &pail_kernels[request->kernel];
    key->kernel = request->kernel;
    key->variant = pail_kernel_narrow(kernel, request->variant);
    if (request->n_specs != 0 && request->n_specs != kernel->n_specs)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s has %u specialisation constants, %u given",
                         kernel->name, kernel->n_specs, request->n_specs);
    for (uint32_t i = 0; i < kernel->n_specs; i++)
        key->specs[i] = request->n_specs ? request->specs[i] : kernel->specs[i].value;
    if (request->text) {
        const uint64_t hash = pail_fnv1a64(request->text->text, request->text->length);
        key->text[0] = (uint32_t)hash;
        key->text[1] = (uint32_t)(hash >> 32);
    }
    return PAIL_OK;
}

/* "adstack/reduce.i64.0123456789abcdef" with a text. */
static void name_of(char name[PAIL_NAME_MAX], const struct key *key, const struct pail_source *text)
{
    pail_variant_name(&pail_kernels[key->kernel], key->variant, name);
    const size_t n = strlen(name);
    if (text)
        (void)snprintf(name + n, PAIL_NAME_MAX - n, ".%08x%08x", key->text[1], key->text[0]);
}

static bool keep_text(struct pail_vk_device *dev, struct entry *entry,
                      const struct pail_source *text)
{
    if (!text || text->length == 0)
        return true;
    entry->text = pail_calloc(&dev->alloc, 1, text->length);
    if (!entry->text)
        return false;
    memcpy(entry->text, text->text, text->length);
    entry->text_length = text->length;
    return true;
}

/* A new entry in the table, not ready yet. The lock is held. */
static pail_status entry_create(struct pail_vk_device *dev, const struct key *key,
                                const struct pail_source *text, struct entry **out,
                                struct pail_error *err)
{
    struct pail_vk_pipelines *table = dev->pipelines;
    const struct pail_kernel *kernel = &pail_kernels[key->kernel];
    char name[PAIL_NAME_MAX];
    name_of(name, key, text);
    if (pail_variant_index(key->kernel, key->variant) == UINT32_MAX)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "there is no kernel %s", name);
    struct entry *entry = pail_calloc(&dev->alloc, 1, sizeof(*entry));
    if (!entry || !keep_text(dev, entry, text)) {
        pail_free(&dev->alloc, entry);
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for pipeline %s", name);
    }
    entry->key = *key;
    struct pail_vk_pipeline *p = &entry->pipeline;
    p->kernel = kernel;
    memcpy(p->name, name, sizeof(name));
    memcpy(p->specs, key->specs, sizeof(p->specs));
    p->task = pail_cache_pipeline_task(p->specs, kernel->n_specs);
    struct entry **bucket = bucket_of(table, key);
    entry->next = *bucket;
    *bucket = entry;
    *out = entry;
    return PAIL_OK;
}

static void count(struct pail_vk_pipeline_stats *stats, const struct pail_vk_pipeline *made)
{
    stats->memory += !made;
    stats->disk += made && made->origin == PAIL_PIPELINE_DISK;
    stats->compiled += made && made->origin == PAIL_PIPELINE_COMPILED;
    stats->ms += made ? made->ms : 0;
}

/* Makes the entry that this thread has put into the table. */
static pail_status make(struct pail_vk_device *dev, struct entry *entry,
                        const struct pail_vk_pipeline_request *request, struct pail_error *err)
{
    struct pail_vk_pipelines *table = dev->pipelines;
    struct pail_vk_pipeline *p = &entry->pipeline;
    const double start = pail_now_ms();
    pail_status status =
        pail_vk_pipeline_make(dev, p, entry->key.variant, request->text, request->kept, err);
    p->ms = pail_now_ms() - start;

    pthread_mutex_lock(&table->lock);
    if (status == PAIL_OK)
        status = pail_ids_reserve(&table->ids, &dev->alloc, err);
    if (status == PAIL_OK) {
        p->id = pail_ids_put(&table->ids, pail_registry_id(p->name, strlen(p->name), p->task), p);
        entry->ready = true;
        count(&table->stats, p);
    } else {
        unlink_entry(table, entry);
    }
    pthread_cond_broadcast(&table->changed);
    pthread_mutex_unlock(&table->lock);
    return status;
}

pail_status pail_vk_pipeline_find(struct pail_vk_device *dev,
                                  const struct pail_vk_pipeline_request *request,
                                  const struct pail_vk_pipeline **pipeline,
                                  struct pail_vk_pipeline_stats *stats, struct pail_error *err)
{
    *pipeline = NULL;
    struct key key;
    pail_status status = pail_vk_device_check(dev, err);
    if (status == PAIL_OK)
        status = key_of(&key, request, err);
    if (status != PAIL_OK)
        return status;

    struct pail_vk_pipelines *table = dev->pipelines;
    pthread_mutex_lock(&table->lock);
    struct entry *entry;
    while ((entry = find(table, &key, request->text)) && !entry->ready)
        pthread_cond_wait(&table->changed, &table->lock);
    const bool found = entry;
    if (found)
        count(&table->stats, NULL);
    else
        status = entry_create(dev, &key, request->text, &entry, err);
    pthread_mutex_unlock(&table->lock);

    if (status == PAIL_OK && !found) {
        status = make(dev, entry, request, err);
        if (status != PAIL_OK)
            entry_destroy(dev, entry);
    }
    if (status != PAIL_OK)
        return status;
    if (stats)
        count(stats, found ? NULL : &entry->pipeline);
    if (!found && dev->debug & (PAIL_DEBUG_TRACE | PAIL_DEBUG_TIME))
        pail_log(&dev->log, PAIL_LOG_DEBUG, "pipeline %s: %s in %.1f ms", entry->pipeline.name,
                 entry->pipeline.origin == PAIL_PIPELINE_DISK ? "from the cache" : "compiled",
                 entry->pipeline.ms);
    *pipeline = &entry->pipeline;
    return PAIL_OK;
}

/* Requests whose pipelines were not there. */
struct missing {
    struct pail_vk_device *dev;
    const struct pail_vk_pipeline_request *requests;
    const struct pail_vk_pipeline **pipelines;
    const uint32_t *numbers; /* indices of the requests to make */

    pthread_mutex_t lock; /* guards what follows */
    struct pail_vk_pipeline_stats stats;
    struct pail_error first; /* failure */
};

static void find_missing(void *user, uint32_t i)
{
    struct missing *m = user;
    const uint32_t number = m->numbers[i];
    struct pail_vk_pipeline_stats stats = {0};
    struct pail_error err = {0};
    const pail_status status =
        pail_vk_pipeline_find(m->dev, &m->requests[number], &m->pipelines[number], &stats, &err);
    pthread_mutex_lock(&m->lock);
    pail_vk_pipeline_stats_add(&m->stats, &stats);
    if (status != PAIL_OK && m->first.status == PAIL_OK)
        m->first = err;
    pthread_mutex_unlock(&m->lock);
}

/* Fills what the table has; returns how many are missing, their numbers in missing[]. */
static pail_status find_ready(struct pail_vk_device *dev,
                              const struct pail_vk_pipeline_request requests[], uint32_t n,
                              const struct pail_vk_pipeline *pipelines[], uint32_t missing[],
                              uint32_t *n_missing, struct pail_error *err)
{
    struct pail_vk_pipelines *table = dev->pipelines;
    pail_status status = PAIL_OK;
    *n_missing = 0;
    pthread_mutex_lock(&table->lock);
    for (uint32_t i = 0; i < n && status == PAIL_OK; i++) {
        struct key key;
        status = key_of(&key, &requests[i], err);
        const struct entry *entry = status == PAIL_OK ? find(table, &key, requests[i].text) : NULL;
        if (entry && entry->ready) {
            pipelines[i] = &entry->pipeline;
            count(&table->stats, NULL);
        } else {
            missing[(*n_missing)++] = i;
        }
    }
    pthread_mutex_unlock(&table->lock);
    return status;
}

pail_status pail_vk_pipelines_find(struct pail_vk_device *dev,
                                   const struct pail_vk_pipeline_request requests[], uint32_t n,
                                   uint32_t threads, const struct pail_vk_pipeline *pipelines[],
                                   struct pail_vk_pipeline_stats *stats, struct pail_error *err)
{
    uint32_t missing[PAIL_VK_PIPELINES_MAX], n_missing;
    memset(pipelines, 0, n * sizeof(pipelines[0]));
    if (n > PAIL_VK_PIPELINES_MAX)
        return pail_fail(err, PAIL_ERR_INTERNAL, "%u pipelines at a time", n);
    pail_status status = pail_vk_device_check(dev, err);
    if (status == PAIL_OK)
        status = find_ready(dev, requests, n, pipelines, missing, &n_missing, err);
    if (status == PAIL_OK) {
        struct missing m = {
            .dev = dev, .requests = requests, .pipelines = pipelines, .numbers = missing};
        m.stats.memory = n - n_missing;
        pthread_mutex_init(&m.lock, NULL);
        pail_team_run(n_missing, threads, find_missing, &m);
        pthread_mutex_destroy(&m.lock);
        pail_vk_pipeline_stats_add(stats, &m.stats);
        *err = m.first;
        status = m.first.status;
    }
    if (status != PAIL_OK)
        memset(pipelines, 0, n * sizeof(pipelines[0]));
    return status;
}

pail_status pail_vk_pipeline_get(struct pail_vk_device *dev, enum pail_kernel_id kernel,
                                 struct pail_variant variant, const uint32_t specs[], uint32_t n,
                                 const struct pail_vk_pipeline **pipeline, struct pail_error *err)
{
    struct pail_vk_pipeline_request request = {.kernel = kernel, .variant = variant, .n_specs = n};
    for (uint32_t i = 0; i < n && i < PAIL_MAX_SPECS; i++)
        request.specs[i] = specs[i];
    return pail_vk_pipeline_find(dev, &request, pipeline, NULL, err);
}

const char *pail_vk_pipeline_name(const struct pail_vk_pipeline *pipeline)
{
    return pipeline->name;
}

uint64_t pail_vk_pipeline_hash(const struct pail_vk_pipeline *pipeline)
{
    return pipeline->hash;
}

struct pail_vk_pipeline_facts pail_vk_pipeline_facts(const struct pail_vk_pipeline *p)
{
    return (struct pail_vk_pipeline_facts){
        .name = p->name,
        .id = p->id,
        .task = p->task,
        .hash = p->hash,
        .n_specs = p->kernel->n_specs,
        .specs = p->specs,
        .origin = p->origin,
        .no_code = p->no_code,
        .bytes = p->bytes,
    };
}

struct pail_vk_pipeline_stats pail_vk_pipeline_stats(struct pail_vk_device *dev)
{
    struct pail_vk_pipelines *table = dev->pipelines;
    pthread_mutex_lock(&table->lock);
    const struct pail_vk_pipeline_stats stats = table->stats;
    pthread_mutex_unlock(&table->lock);
    return stats;
}

void pail_vk_pipeline_stats_add(struct pail_vk_pipeline_stats *sum,
                                const struct pail_vk_pipeline_stats *more)
{
    sum->memory += more->memory;
    sum->disk += more->disk;
    sum->compiled += more->compiled;
    sum->ms += more->ms;
}
