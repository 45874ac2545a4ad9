#include "kept.h"

#include <string.h>

#include <cache/cache.h>
#include <cache/files.h>
#include <curves/little_endian.h>
#include <platform/process.h>
#include <platform/text.h>

#define RECORD_NAME    PAIL_CACHE_PRIVATE "cost" /* times of proofs depend on their witnesses */
#define RECORD_MAGIC   0x74736f63u               /* "cost" */
#define RECORD_VERSION 1u /* also of the model: measurements are compared with it */

static const double NS_IN_MS = 1e6;
static const uint64_t LONGEST_NS = UINT64_C(86400000000000); /* longer times are no measurement */
static const uint64_t MOST_WORK = UINT64_C(1) << 40, MOST_BYTES = UINT64_C(1) << 50;

/* The file is the machine's: no device has the ids 0, 0, 0. */
static struct pail_cache_key key_of(const struct pail_cost_machine *machine)
{
    struct pail_cache_key key = {
        .kind = PAIL_CACHE_TUNING, .name = RECORD_NAME, .task = machine->mark};
    memcpy(key.device.uuid, "pail prove costs", sizeof(key.device.uuid));
    return key;
}

static struct pail_cache *open_cache(const struct pail_cache_key *key, const char *dir)
{
    const struct pail_cache_params params = {.device = key->device, .dir = dir};
    return pail_words_have(pail_env("PAIL_DEBUG"), "nocache") ? NULL : pail_cache_open(&params);
}

/* ---- Bytes: numbers are little-endian, times in nanoseconds -----------------------------------*/

static uint8_t *put_term(uint8_t *at, const struct pail_cost_term *term)
{
    pail_store_u32(at, term->n);
    pail_store_u64(at + 4, (uint64_t)(NS_IN_MS * term->ms));
    return at + 12;
}

/* Reads a term. NULL: it makes no sense, or an earlier one did not. */
static const uint8_t *get_term(struct pail_cost_term *term, const uint8_t *at)
{
    if (at == NULL)
        return NULL;
    const uint64_t ns = pail_read_u64(at + 4);
    *term = (struct pail_cost_term){.n = pail_read_u32(at), .ms = (double)ns / NS_IN_MS};
    return (term->n == 0) == (ns == 0) && ns <= LONGEST_NS ? at + 12 : NULL;
}

void pail_cost_encode(uint8_t bytes[PAIL_COST_RECORD_BYTES], const struct pail_cost_record *record)
{
    uint8_t *at = bytes + 24;
    memset(bytes, 0, PAIL_COST_RECORD_BYTES);
    pail_store_u32(bytes, RECORD_MAGIC);
    pail_store_u32(bytes + 4, RECORD_VERSION);
    pail_store_u64(bytes + 8, record->device);
    pail_store_u32(bytes + 16, record->absent);
    for (size_t i = 0; i < PAIL_COST_PLACES; i++)
        at = put_term(at, &record->start[i]);
    for (size_t k = 0; k < PAIL_COST_CIRCUITS; k++) {
        const struct pail_cost_circuit *const c = &record->circuits[k];
        pail_store_u64(at, c->key.signature);
        pail_store_u64(at + 8, (uint64_t)c->key.work);
        pail_store_u64(at + 16, (uint64_t)c->key.bytes);
        at += 24;
        for (size_t i = 0; i < PAIL_COST_PLACES; i++)
            for (size_t j = 0; j < PAIL_COST_PARTS; j++)
                at = put_term(at, &c->terms[i][j]);
    }
}

static const uint8_t *get_circuit(struct pail_cost_circuit *circuit, const uint8_t *at)
{
    if (at == NULL)
        return NULL;
    const uint64_t work = pail_read_u64(at + 8), bytes = pail_read_u64(at + 16);
    circuit->key = (struct pail_cost_key){
        .signature = pail_read_u64(at), .work = (double)work, .bytes = (double)bytes};
    if ((work == 0) != (circuit->key.signature == 0) || work > MOST_WORK || bytes > MOST_BYTES)
        return NULL;
    at += 24;
    for (size_t i = 0; i < PAIL_COST_PLACES; i++)
        for (size_t j = 0; j < PAIL_COST_PARTS; j++)
            at = get_term(&circuit->terms[i][j], at);
    return at;
}

bool pail_cost_decode(struct pail_cost_record *record, const uint8_t *bytes, size_t n)
{
    const bool ours = n == PAIL_COST_RECORD_BYTES && pail_read_u32(bytes) == RECORD_MAGIC &&
                      pail_read_u32(bytes + 4) == RECORD_VERSION;
    const uint8_t *at = ours ? bytes + 24 : NULL;
    *record = (struct pail_cost_record){0};
    if (ours) {
        record->device = pail_read_u64(bytes + 8);
        record->absent = pail_read_u32(bytes + 16);
    }
    for (size_t i = 0; i < PAIL_COST_PLACES; i++)
        at = get_term(&record->start[i], at);
    for (size_t k = 0; k < PAIL_COST_CIRCUITS; k++)
        at = get_circuit(&record->circuits[k], at);
    if (at != NULL && record->absent <= 1)
        return true;
    *record = (struct pail_cost_record){0};
    return false;
}

/* ---- The cache --------------------------------------------------------------------------------*/

bool pail_cost_load(struct pail_cost_record *record, const struct pail_cost_machine *machine,
                    const char *dir)
{
    const struct pail_cache_key key = key_of(machine);
    struct pail_cache *const cache = open_cache(&key, dir);
    *record = (struct pail_cost_record){0};
    if (cache == NULL)
        return false;
    size_t n = 0;
    uint8_t *const bytes = pail_cache_get(cache, &key, &n);
    if (bytes != NULL) {
        (void)pail_cost_decode(record, bytes, n);
        pail_cache_release(cache, bytes);
    }
    const bool kept = pail_cache_path(cache)[0] != '\0';
    pail_cache_close(cache);
    return kept;
}

void pail_cost_store(const struct pail_cost_record *record, const struct pail_cost_machine *machine,
                     const char *dir)
{
    const struct pail_cache_key key = key_of(machine);
    struct pail_cache *const cache = open_cache(&key, dir);
    uint8_t bytes[PAIL_COST_RECORD_BYTES];
    if (cache == NULL)
        return;
    pail_cost_encode(bytes, record);
    pail_cache_put(cache, &key, bytes, sizeof(bytes));
    pail_cache_close(cache);
}
