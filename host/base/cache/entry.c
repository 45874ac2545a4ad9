/* SPDX-License-Identifier: Apache-2.0 */
#include "entry.h"

#include <curves/fnv.h>
#include <curves/little_endian.h>
#include <string.h>

/* "PAIE", read as bytes. */
static const uint8_t magic[4] = {'P', 'A', 'I', 'E'};

enum {
    AT_FORMAT = 4,
    AT_HEADER = 8,
    AT_KIND = 12,
    AT_ID = 16,
    AT_VENDOR = 20,
    AT_DEVICE = 24,
    AT_DRIVER = 28,
    AT_UUID = 32,
    AT_TASK = 48,
    AT_CODE = 56,
    AT_BINDINGS = 64,
    AT_PUSH = 68,
    AT_N_SPECS = 72,
    AT_SPECS = 76,
    AT_RESERVED = 108,
    AT_NAME = 112,
    AT_PAYLOAD_BYTES = 176,
    AT_PAYLOAD_HASH = 184,
    AT_HEADER_HASH = 192,
};

_Static_assert(AT_SPECS + 4 * PAIL_CACHE_SPECS_MAX == AT_RESERVED, "specialisation values fit");
_Static_assert(AT_NAME + PAIL_CACHE_NAME_MAX == AT_PAYLOAD_BYTES, "the name fits");
_Static_assert(AT_HEADER_HASH + 8 == PAIL_CACHE_ENTRY_HEADER, "the header is full");

/* All of a header that belongs to the key; the rest stays as it is. */
static void write_key(uint8_t *out, const struct pail_cache_key *key)
{
    const uint32_t n_specs =
        key->n_specs < PAIL_CACHE_SPECS_MAX ? key->n_specs : PAIL_CACHE_SPECS_MAX;
    memcpy(out, magic, sizeof(magic));
    pail_store_u32(out + AT_FORMAT, PAIL_CACHE_FORMAT);
    pail_store_u32(out + AT_HEADER, PAIL_CACHE_ENTRY_HEADER);
    pail_store_u32(out + AT_KIND, key->kind);
    pail_store_u32(out + AT_VENDOR, key->device.vendor);
    pail_store_u32(out + AT_DEVICE, key->device.device);
    pail_store_u32(out + AT_DRIVER, key->device.driver);
    memcpy(out + AT_UUID, key->device.uuid, sizeof(key->device.uuid));
    pail_store_u64(out + AT_TASK, key->task);
    pail_store_u64(out + AT_CODE, key->code_hash);
    pail_store_u32(out + AT_BINDINGS, key->n_bindings);
    pail_store_u32(out + AT_PUSH, key->push_bytes);
    pail_store_u32(out + AT_N_SPECS, n_specs);
    for (uint32_t i = 0; i < PAIL_CACHE_SPECS_MAX; i++)
        pail_store_u32(out + AT_SPECS + 4 * i, i < n_specs ? key->specs[i] : 0);
    pail_store_u32(out + AT_RESERVED, 0);
    const size_t length = strnlen(key->name, PAIL_CACHE_NAME_MAX - 1);
    memset(out + AT_NAME, 0, PAIL_CACHE_NAME_MAX);
    memcpy(out + AT_NAME, key->name, length);
}

uint64_t pail_cache_key_hash(const struct pail_cache_key *key)
{
    uint8_t header[PAIL_CACHE_ENTRY_HEADER];
    write_key(header, key);
    /* The id follows from the name and the task, and is left out with the payload's fields. */
    return pail_fnv1a64_more(pail_fnv1a64(header + AT_FORMAT, AT_ID - AT_FORMAT),
                             header + AT_VENDOR, AT_PAYLOAD_BYTES - AT_VENDOR);
}

bool pail_cache_entry_has_key(const uint8_t header[PAIL_CACHE_ENTRY_HEADER],
                              const struct pail_cache_key *key)
{
    uint8_t other[PAIL_CACHE_ENTRY_HEADER];
    write_key(other, key);
    return memcmp(header, other, AT_ID) == 0 &&
           memcmp(header + AT_VENDOR, other + AT_VENDOR, AT_PAYLOAD_BYTES - AT_VENDOR) == 0;
}

bool pail_cache_key_equal(const struct pail_cache_key *a, const struct pail_cache_key *b)
{
    uint8_t header[PAIL_CACHE_ENTRY_HEADER];
    write_key(header, a);
    return pail_cache_entry_has_key(header, b);
}

size_t pail_cache_entry_bytes(size_t payload_bytes)
{
    return PAIL_CACHE_ENTRY_HEADER + payload_bytes;
}

void pail_cache_entry_encode(uint8_t *out, const struct pail_cache_entry *entry)
{
    write_key(out, &entry->key);
    pail_store_u32(out + AT_ID, entry->id);
    pail_store_u64(out + AT_PAYLOAD_BYTES, entry->payload_bytes);
    pail_store_u64(out + AT_PAYLOAD_HASH, pail_fnv1a64(entry->payload, entry->payload_bytes));
    pail_store_u64(out + AT_HEADER_HASH, pail_fnv1a64(out, AT_HEADER_HASH));
    if (entry->payload_bytes > 0)
        memcpy(out + PAIL_CACHE_ENTRY_HEADER, entry->payload, entry->payload_bytes);
}

const char *pail_cache_entry_decode(struct pail_cache_entry *entry, const uint8_t *bytes, size_t n)
{
    static const uint8_t zeros[PAIL_CACHE_NAME_MAX];
    memset(entry, 0, sizeof(*entry));
    if (n < PAIL_CACHE_ENTRY_HEADER)
        return "it is shorter than its header";
    if (memcmp(bytes, magic, sizeof(magic)) != 0)
        return "it does not begin as an entry does";
    const uint32_t format = pail_read_u32(bytes + AT_FORMAT);
    if (format != PAIL_CACHE_FORMAT)
        return format < PAIL_CACHE_FORMAT ? "its format is older" : "its format is newer";
    if (pail_read_u64(bytes + AT_HEADER_HASH) != pail_fnv1a64(bytes, AT_HEADER_HASH))
        return "the checksum of its header is wrong";
    if (pail_read_u32(bytes + AT_HEADER) != PAIL_CACHE_ENTRY_HEADER)
        return "the size of its header is wrong";

    struct pail_cache_key key = {
        .kind = pail_read_u32(bytes + AT_KIND),
        .task = pail_read_u64(bytes + AT_TASK),
        .code_hash = pail_read_u64(bytes + AT_CODE),
        .n_specs = pail_read_u32(bytes + AT_N_SPECS),
        .n_bindings = pail_read_u32(bytes + AT_BINDINGS),
        .push_bytes = pail_read_u32(bytes + AT_PUSH),
        .device = {.vendor = pail_read_u32(bytes + AT_VENDOR),
                   .device = pail_read_u32(bytes + AT_DEVICE),
                   .driver = pail_read_u32(bytes + AT_DRIVER)},
    };
    memcpy(key.device.uuid, bytes + AT_UUID, sizeof(key.device.uuid));
    if (key.n_specs > PAIL_CACHE_SPECS_MAX)
        return "it has too many specialisation values";
    const size_t specs_end = AT_SPECS + 4 * (size_t)key.n_specs;
    if (memcmp(bytes + specs_end, zeros, AT_NAME - specs_end) != 0)
        return "there is something after its specialisation values";
    for (uint32_t i = 0; i < key.n_specs; i++)
        key.specs[i] = pail_read_u32(bytes + AT_SPECS + 4 * i);
    const char *name = (const char *)bytes + AT_NAME;
    const size_t length = strnlen(name, PAIL_CACHE_NAME_MAX);
    if (length == PAIL_CACHE_NAME_MAX)
        return "its name has no end";
    if (memcmp(name + length, zeros, PAIL_CACHE_NAME_MAX - length) != 0)
        return "there is something after its name";
    memcpy(key.name, name, length);

    const uint64_t payload_bytes = pail_read_u64(bytes + AT_PAYLOAD_BYTES);
    if (payload_bytes > PAIL_CACHE_PAYLOAD_MAX ||
        payload_bytes != (uint64_t)(n - PAIL_CACHE_ENTRY_HEADER))
        return "its size is wrong";
    const uint8_t *payload = bytes + PAIL_CACHE_ENTRY_HEADER;
    if (pail_read_u64(bytes + AT_PAYLOAD_HASH) != pail_fnv1a64(payload, (size_t)payload_bytes))
        return "its checksum is wrong";
    *entry = (struct pail_cache_entry){
        .key = key,
        .id = pail_read_u32(bytes + AT_ID),
        .payload = payload,
        .payload_bytes = (size_t)payload_bytes,
    };
    return NULL;
}

/* Stands behind the specs of a pipeline with a base. */
#define BASE_WORD 0x65736162u /* "base" */

uint64_t pail_cache_pipeline_task(const uint32_t specs[], uint32_t n)
{
    if (n == 0)
        return 0;
    uint64_t hash = pail_fnv1a64(NULL, 0);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t bytes[4];
        pail_store_u32(bytes, specs[i]);
        hash = pail_fnv1a64_more(hash, bytes, sizeof(bytes));
    }
    return hash;
}

struct pail_cache_key pail_cache_pipeline_key(const struct pail_cache_pipeline *pipeline,
                                              const struct pail_cache_device *device)
{
    const uint32_t most = PAIL_CACHE_SPECS_MAX - 1;
    const uint32_t n_specs = pipeline->n_specs < most ? pipeline->n_specs : most;
    struct pail_cache_key key = {
        .kind = PAIL_CACHE_PIPELINE,
        .task = pail_cache_pipeline_task(pipeline->specs, n_specs),
        .code_hash = pipeline->code_hash,
        .n_specs = n_specs,
        .n_bindings = pipeline->n_bindings,
        .push_bytes = pipeline->push_bytes,
        .device = *device,
    };
    memcpy(key.name, pipeline->name, strnlen(pipeline->name, sizeof(key.name) - 1));
    if (n_specs > 0)
        memcpy(key.specs, pipeline->specs, n_specs * sizeof(key.specs[0]));
    if (pipeline->base)
        key.specs[key.n_specs++] = BASE_WORD;
    return key;
}

uint32_t pail_cache_pipeline_specs(const struct pail_cache_key *key, bool *base)
{
    *base = key->kind == PAIL_CACHE_PIPELINE && key->n_specs > 0 &&
            key->specs[key->n_specs - 1] == BASE_WORD;
    return key->n_specs - *base;
}

int pail_pace_record_count(const uint8_t *bytes, size_t n)
{
    if (n < PAIL_PACE_RECORD_HEAD || pail_read_u32(bytes) != PAIL_PACE_RECORD_MAGIC)
        return -1;
    const uint32_t count = pail_read_u32(bytes + 4);
    if (count > PAIL_PACE_RECORD_MOST ||
        n != PAIL_PACE_RECORD_HEAD + PAIL_PACE_RECORD_RATE * (size_t)count)
        return -1;
    return (int)count;
}

struct pail_pace_rate pail_pace_record_rate(const uint8_t *bytes, uint32_t i)
{
    const uint8_t *at = bytes + PAIL_PACE_RECORD_HEAD + PAIL_PACE_RECORD_RATE * (size_t)i;
    return (struct pail_pace_rate){.hash = pail_read_u64(at),
                                   .ns = (double)pail_read_u64(at + 8) / PAIL_PACE_KEPT_PER_NS,
                                   .largest = (double)pail_read_u64(at + 16)};
}
