#include "kept.h"

#include <string.h>

#include <cache/cache.h>
#include <curves/fnv.h>
#include <curves/little_endian.h>
#include <platform/process.h>
#include <platform/text.h>

#define RECORD_NAME    "tuning/b2"
#define RECORD_MAGIC   0x20326262u /* "bb2 " */
#define RECORD_VERSION 1u

enum { HEAD = 8, PLACE = 12, RECORD = HEAD + PLACE * PAIL_B2_PLACES };

static const double NS_IN_MS = 1e6;
static const uint64_t LONGEST_NS = UINT64_C(3600000000000); /* longer times are no measurement */

static struct pail_cache_key key_of(const struct pail_b2_class *of)
{
    const pail_device_info *const device = &of->device;
    struct pail_cache_key key = {.kind = PAIL_CACHE_TUNING,
                                 .name = RECORD_NAME,
                                 .n_specs = 8,
                                 .specs = {of->curve, of->log2_domain, of->finite, of->threads},
                                 .device = {.vendor = device->vendor_id,
                                            .device = device->device_id,
                                            .driver = device->driver_version}};
    for (unsigned i = 0; i < 4; i++)
        key.specs[4 + i] = pail_read_u32(device->uuid + 4 * i);
    memcpy(key.device.uuid, device->pipeline_cache_uuid, sizeof(key.device.uuid));
    key.task = pail_fnv1a64(of->processor, strlen(of->processor));
    key.task = pail_fnv1a64_more(key.task, &of->arithmetic, sizeof(of->arithmetic));
    return key;
}

static struct pail_cache *open_cache(const struct pail_cache_key *key, const char *dir)
{
    const struct pail_cache_params params = {.device = key->device, .dir = dir};
    return pail_words_have(pail_env("PAIL_DEBUG"), "nocache") ? NULL : pail_cache_open(&params);
}

/* Decodes a record; one that makes no sense is dropped, and measured anew. */
static void decode(struct pail_b2_record *record, const uint8_t *bytes, size_t n)
{
    bool good = n == RECORD && pail_read_u32(bytes) == RECORD_MAGIC &&
                pail_read_u32(bytes + 4) == RECORD_VERSION;
    for (size_t i = 0; i < PAIL_B2_PLACES && good; i++) {
        const uint64_t ns = pail_read_u64(bytes + HEAD + PLACE * i + 4);
        record->n[i] = pail_read_u32(bytes + HEAD + PLACE * i);
        record->least_ms[i] = (double)ns / NS_IN_MS;
        good = (record->n[i] == 0) == (ns == 0) && ns <= LONGEST_NS;
    }
    if (!good)
        *record = (struct pail_b2_record){0};
}

void pail_b2_kept_load(struct pail_b2_record *record, const struct pail_b2_class *of,
                       const char *dir)
{
    const struct pail_cache_key key = key_of(of);
    struct pail_cache *const cache = open_cache(&key, dir);
    *record = (struct pail_b2_record){0};
    if (cache == NULL)
        return;
    size_t n = 0;
    uint8_t *const bytes = pail_cache_get(cache, &key, &n);
    if (bytes != NULL) {
        decode(record, bytes, n);
        pail_cache_release(cache, bytes);
    }
    pail_cache_close(cache);
}

void pail_b2_kept_store(const struct pail_b2_record *record, const struct pail_b2_class *of,
                        const char *dir)
{
    const struct pail_cache_key key = key_of(of);
    struct pail_cache *const cache = open_cache(&key, dir);
    uint8_t bytes[RECORD];
    if (cache == NULL)
        return;
    pail_store_u32(bytes, RECORD_MAGIC);
    pail_store_u32(bytes + 4, RECORD_VERSION);
    for (size_t i = 0; i < PAIL_B2_PLACES; i++) {
        pail_store_u32(bytes + HEAD + PLACE * i, record->n[i]);
        pail_store_u64(bytes + HEAD + PLACE * i + 4, (uint64_t)(NS_IN_MS * record->least_ms[i]));
    }
    pail_cache_put(cache, &key, bytes, sizeof(bytes));
    pail_cache_close(cache);
}
