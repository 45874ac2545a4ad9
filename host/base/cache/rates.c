/* SPDX-License-Identifier: Apache-2.0 */
#include "rates.h"

#include <string.h>

#include <curves/little_endian.h>
#include <platform/process.h>
#include <platform/text.h>

/* ---- Work by its units ------------------------------------------------------------------------*/
#define MIB (1024.0 * 1024.0)

/* Stages of proofs at 2^18 and 2^20; stages of the host by `pail prove tests/data/ledger.zkey
 * tests/data/ledger.wtns --stages`; whole processes of `pail prove K W --json`, 2^10 to 2^20. */
const struct pail_rates pail_rates_usual = {{[PAIL_WORK_START] = {.fixed_ms = 0.3},
                                             [PAIL_WORK_WITNESS] = {.fixed_ms = 0.03},
                                             [PAIL_WORK_ASSEMBLE] = {.fixed_ms = 0.26},
                                             [PAIL_WORK_TRANSFER] = {.unit_ns = 1.5},
                                             [PAIL_WORK_TRANSFORM] = {.unit_ns = 0.75},
                                             [PAIL_WORK_G1] = {0.45, 3.1},
                                             [PAIL_WORK_G2] = {0.8, 10},
                                             [PAIL_WORK_PROCESS] = {.fixed_ms = 190},
                                             [PAIL_WORK_OPEN] = {15, 0.4e6 / MIB},
                                             [PAIL_WORK_PROOF] = {1.5, 3.3}}};

struct pail_rates pail_rates_over(const struct pail_rates *rates, bool is_bls)
{
    /* A multiplication of 381 bits by one of 254, and more; of scalars. */
    static const double coordinates = 2.2, scalars = 1.1;
    struct pail_rates over = *rates;
    if (!is_bls)
        return over;
    over.of[PAIL_WORK_G1].unit_ns *= coordinates;
    over.of[PAIL_WORK_G2].unit_ns *= coordinates;
    over.of[PAIL_WORK_POOL].unit_ns *= coordinates;
    over.of[PAIL_WORK_TRANSFORM].unit_ns *= scalars;
    return over;
}

double pail_rate_ms(struct pail_rate rate, double units)
{
    return rate.fixed_ms + 1e-6 * rate.unit_ns * units;
}

struct pail_rate pail_rate_through(double units, double ms, double more_units, double more_ms)
{
    const double unit_ms = (more_ms - ms) / (more_units - units);
    return (struct pail_rate){.fixed_ms = ms - unit_ms * units, .unit_ns = 1e6 * unit_ms};
}

/* ---- Measuring --------------------------------------------------------------------------------*/
bool pail_measured_note_time(struct pail_measured *measured, double ms, double noise)
{
    const struct pail_measured old = *measured;
    if (!(ms > 0))
        return false;
    if (old.n < 2) {
        const bool lesser = old.n == 0 || ms < old.value;
        *measured = (struct pail_measured){.value = lesser ? ms : old.value, .n = old.n + 1};
        return true;
    }
    const double change = ms < 2 * old.value ? ms - old.value : old.value;
    measured->value += change * (change < 0 ? 0.5 : 0.25);
    const double moved = measured->value - old.value;
    if (moved >= noise * old.value || -moved >= noise * old.value)
        return true;
    *measured = old;
    return false;
}

void pail_measured_note_speed(struct pail_measured *measured, double units, double seconds)
{
    /* A device that slows down is known after a few pieces of work. */
    static const double newest = 0.3;
    if (!(units > 0) || !(seconds > 0))
        return;
    const double now = units / seconds, best = now > measured->last ? now : measured->last;
    measured->value = measured->n > 1 ? (1.0 - newest) * measured->value + newest * best : best;
    measured->last = now;
    measured->n += measured->n != UINT32_MAX;
}

/* ---- Keeping ----------------------------------------------------------------------------------*/
enum { HEAD = 8, NUMBER = 8, NUMBERS = 400 };

/* NULL: nothing is kept. *key: as the cache takes it. */
static struct pail_cache *open_cache(struct pail_cache_key *key,
                                     const struct pail_rates_entry *entry)
{
    struct pail_cache_params params = entry->cache;
    params.device = entry->key.device;
    *key = entry->key;
    key->kind = PAIL_CACHE_TUNING;
    return pail_words_have(pail_env("PAIL_DEBUG"), "nocache") ? NULL : pail_cache_open(&params);
}

enum pail_rates_kept pail_rates_load(uint64_t *numbers, size_t n,
                                     const struct pail_rates_entry *entry)
{
    struct pail_cache_key key;
    struct pail_cache *const cache = open_cache(&key, entry);
    enum pail_rates_kept kept = PAIL_RATES_NOWHERE;
    size_t size = 0;
    memset(numbers, 0, n * sizeof(*numbers));
    if (!cache)
        return kept;
    uint8_t *const bytes = pail_cache_get(cache, &key, &size);
    if (bytes && size == HEAD + NUMBER * n && pail_read_u32(bytes) == entry->word &&
        pail_read_u32(bytes + 4) == entry->version) {
        kept = PAIL_RATES_KEPT;
        for (size_t i = 0; i < n; i++)
            numbers[i] = pail_read_u64(bytes + HEAD + NUMBER * i);
    } else if (bytes || entry->cache.get || pail_cache_path(cache)[0] != '\0') {
        kept = bytes ? PAIL_RATES_DAMAGED : PAIL_RATES_NONE;
    }
    if (bytes)
        pail_cache_release(cache, bytes);
    pail_cache_close(cache);
    return kept;
}

void pail_rates_store(const uint64_t *numbers, size_t n, const struct pail_rates_entry *entry)
{
    struct pail_cache_key key;
    uint8_t bytes[HEAD + NUMBER * NUMBERS];
    struct pail_cache *const cache = n <= NUMBERS ? open_cache(&key, entry) : NULL;
    if (!cache)
        return;
    pail_store_u32(bytes, entry->word);
    pail_store_u32(bytes + 4, entry->version);
    for (size_t i = 0; i < n; i++)
        pail_store_u64(bytes + HEAD + NUMBER * i, numbers[i]);
    pail_cache_put(cache, &key, bytes, HEAD + NUMBER * n);
    pail_cache_close(cache);
}
