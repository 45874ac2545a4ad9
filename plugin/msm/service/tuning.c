/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning.h"

#include <stdio.h>
#include <string.h>

#include <curves/fnv.h>
#include <curves/little_endian.h>
#include <modules.h>

#include "msm/plan/resolution.h"
#include "vk/device_cache.h"

/* A record in the cache: little-endian words, then a byte for each window. docs/cache-format.md has
 * the table. */
#define WORDS        6u
#define WINDOWS      ((uint32_t)sizeof(((pail_tuning *)0)->window_bits))
#define RECORD_BYTES (4 * WORDS + WINDOWS)

/* Choices are of one build: other kernels have other times. */
static uint64_t kernels_hash(void)
{
    uint64_t hash = pail_fnv1a64(NULL, 0);
    for (size_t i = 0; i < pail_n_modules; i++)
        hash = pail_fnv1a64_more(hash, &pail_modules[i].hash, sizeof(pail_modules[i].hash));
    return hash;
}

struct pail_cache_key pail_tuning_key(const struct pail_msm *msm, const char *name, uint32_t curve,
                                      uint32_t group)
{
    struct pail_cache_key key = {.kind = PAIL_CACHE_TUNING,
                                 .task = (uint64_t)curve << 32 | group,
                                 .code_hash = kernels_hash(),
                                 .device = pail_vk_cache_device(pail_vk_device_caps(msm->dev))};
    (void)snprintf(key.name, sizeof(key.name), "%s", name);
    return key;
}

static struct pail_cache_key key_of(const struct pail_msm *msm, const pail_tuning *tuning)
{
    return pail_tuning_key(msm, "tuning/msm", tuning->curve, tuning->group);
}

static void encode(uint8_t out[RECORD_BYTES], const pail_tuning *t)
{
    const uint32_t words[WORDS] = {t->accumulator, t->field,           t->workgroup,
                                   t->slots,       t->inversion_group, t->prefix_placement};
    for (uint32_t i = 0; i < WORDS; i++)
        pail_store_u32(out + 4 * i, words[i]);
    memcpy(out + 4 * WORDS, t->window_bits, WINDOWS);
}

static void decode(pail_tuning *t, const uint8_t in[RECORD_BYTES])
{
    t->accumulator = pail_read_u32(in);
    t->field = pail_read_u32(in + 4);
    t->workgroup = pail_read_u32(in + 8);
    t->slots = pail_read_u32(in + 12);
    t->inversion_group = pail_read_u32(in + 16);
    t->prefix_placement = pail_read_u32(in + 20);
    memcpy(t->window_bits, in + 4 * WORDS, WINDOWS);
}

/* True if no choice is made. */
static bool is_empty(const pail_tuning *tuning)
{
    static const uint8_t zeros[RECORD_BYTES];
    uint8_t record[RECORD_BYTES];
    encode(record, tuning);
    return memcmp(record, zeros, sizeof(zeros)) == 0;
}

static pail_tuning *slot_of(struct pail_msm *msm, uint32_t curve, uint32_t group)
{
    if (curve - 1 >= PAIL_TUNED_CURVES || group - 1 >= PAIL_TUNED_GROUPS)
        return NULL;
    return &msm->tunings[curve - 1][group - 1];
}

static pail_msm_config config_of(const pail_tuning *tuning)
{
    return (pail_msm_config){.struct_size = sizeof(pail_msm_config),
                             .accumulator = tuning->accumulator,
                             .field = tuning->field,
                             .workgroup = tuning->workgroup,
                             .slots = tuning->slots,
                             .inversion_group = tuning->inversion_group,
                             .prefix_placement = tuning->prefix_placement};
}

static pail_status check(struct pail_msm *msm, const pail_tuning *tuning, struct pail_error *err)
{
    const pail_msm_config config = config_of(tuning);
    struct pail_msm_question q = {.extent = PAIL_MSM_RESOLVE_ACCUMULATOR,
                                  .caps = pail_vk_device_caps(msm->dev),
                                  .config = &config,
                                  .narrowest = tuning->group};
    struct pail_msm_resolution chosen;
    pail_status status = pail_msm_group(&q.group, tuning->curve, tuning->group, err);
    if (status == PAIL_OK)
        status = pail_msm_resolve(&chosen, &q, err);
    for (uint32_t i = 0; i < WINDOWS && status == PAIL_OK; i++) {
        const uint32_t bits = tuning->window_bits[i];
        if (bits && (bits < PAIL_MSM_WINDOW_MIN || bits > PAIL_MSM_WINDOW_MAX))
            status = pail_fail(err, PAIL_ERR_ARGUMENT, "window_bits[%u]: %u is not in %u..%u", i,
                               bits, PAIL_MSM_WINDOW_MIN, PAIL_MSM_WINDOW_MAX);
    }
    return status;
}

void pail_tuning_load(struct pail_msm *msm)
{
    struct pail_cache *cache = pail_vk_device_cache(msm->dev);
    for (uint32_t curve = 1; cache && curve <= PAIL_TUNED_CURVES; curve++)
        for (uint32_t group = 1; group <= PAIL_TUNED_GROUPS; group++) {
            pail_tuning tuning = {.struct_size = sizeof(tuning), .curve = curve, .group = group};
            const struct pail_cache_key key = key_of(msm, &tuning);
            size_t bytes = 0;
            uint8_t *record = pail_cache_get(cache, &key, &bytes);
            if (!record)
                continue;
            struct pail_error ignored;
            if (bytes == RECORD_BYTES)
                decode(&tuning, record);
            pail_cache_release(cache, record);
            if (bytes == RECORD_BYTES && check(msm, &tuning, &ignored) == PAIL_OK) {
                if (!is_empty(&tuning))
                    *slot_of(msm, curve, group) = tuning;
            } else {
                pail_log(&msm->log, PAIL_LOG_WARNING,
                         "pipeline cache: the tuning of curve %u, group %u makes no sense on this "
                         "device; it is left out",
                         curve, group);
            }
        }
}

pail_status pail_tuning_read(struct pail_msm *msm, pail_tuning *tuning, bool of_first_uses,
                             struct pail_error *err)
{
    struct pail_msm_group group;
    const pail_status status = pail_msm_group(&group, tuning->curve, tuning->group, err);
    const pail_tuning *slot = slot_of(msm, tuning->curve, tuning->group);
    if (status != PAIL_OK || !slot)
        return status == PAIL_OK ? PAIL_NOT_READY : status;
    pthread_mutex_lock(&msm->lock);
    if (slot->struct_size)
        *tuning = *slot;
    const bool found = slot->struct_size;
    pthread_mutex_unlock(&msm->lock);
    if (found || !of_first_uses || !pail_first_uses_read(msm, tuning))
        return found ? PAIL_OK : PAIL_NOT_READY;
    tuning->source = PAIL_TUNING_FIRST_USES;
    return PAIL_OK;
}

pail_status pail_tuning_write(struct pail_msm *msm, const pail_tuning *tuning,
                              struct pail_error *err)
{
    const pail_status status = check(msm, tuning, err);
    if (status != PAIL_OK)
        return status;
    pail_tuning *slot = slot_of(msm, tuning->curve, tuning->group);
    if (!slot)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED, "curve: %u has no tuning", tuning->curve);
    pthread_mutex_lock(&msm->lock);
    *slot = *tuning;
    slot->struct_size = is_empty(tuning) ? 0 : sizeof(*slot);
    slot->source = PAIL_TUNING_SET;
    memset(slot->accumulators, 0, sizeof(slot->accumulators));
    pthread_mutex_unlock(&msm->lock);
    if (is_empty(tuning))
        pail_first_uses_forget(msm, tuning->curve, tuning->group);
    struct pail_cache *cache = pail_vk_device_cache(msm->dev);
    if (!cache)
        return PAIL_OK;
    const struct pail_cache_key key = key_of(msm, tuning);
    uint8_t record[RECORD_BYTES];
    encode(record, tuning);
    pail_cache_put(cache, &key, record, sizeof(record));
    return PAIL_OK;
}

pail_tuning pail_msm_tuning_of(struct pail_msm *msm, const struct pail_msm_group *group)
{
    const pail_tuning *slot = slot_of(msm, group->curve, group->group);
    if (!slot)
        return (pail_tuning){.struct_size = 0};
    pthread_mutex_lock(&msm->lock);
    const pail_tuning tuning = *slot;
    pthread_mutex_unlock(&msm->lock);
    return tuning;
}
