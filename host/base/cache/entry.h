/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of the cache as bytes: its key, and the value made from it.
 *
 * An entry describes itself, so the same bytes serve in a file, in a host's own store and on the
 * way to another machine. docs/cache-format.md has the layout. */
#ifndef PAIL_CACHE_ENTRY_H
#define PAIL_CACHE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Version of the layout of entries and files. Another version is a miss. */
#define PAIL_CACHE_FORMAT 1u

#define PAIL_CACHE_NAME_MAX     64u /* length of a kernel's name, with the terminating zero */
#define PAIL_CACHE_SPECS_MAX    8u
#define PAIL_CACHE_PAYLOAD_MAX  (UINT64_C(1) << 30)
#define PAIL_CACHE_ENTRY_HEADER 200u /* bytes before the payload */

enum pail_cache_kind {
    PAIL_CACHE_PIPELINE = 1, /* result of vkGetPipelineCacheData for one pipeline */
    PAIL_CACHE_SPIRV = 2,    /* little-endian words of a module that was compiled at run time */
    PAIL_CACHE_TUNING = 3,   /* measured choices for one group */
};

/* Whom an entry is for. All of it must be equal: compiled code is of use to no other driver. */
struct pail_cache_device {
    uint8_t uuid[16]; /* pipelineCacheUUID */
    uint32_t vendor, device, driver;
};

/* Key of an entry: content, never a place in a table or in memory. */
struct pail_cache_key {
    uint32_t kind;                  /* enum pail_cache_kind */
    char name[PAIL_CACHE_NAME_MAX]; /* "msm/accumulate/xyzz.bn254.g1.x29"; zeros after the end */
    uint64_t task;                  /* the other half of the registry id, with the name */
    uint64_t code_hash; /* FNV-1a-64 of the SPIR-V, or of the texts it is compiled from */
    uint32_t n_specs, specs[PAIL_CACHE_SPECS_MAX]; /* zeros beyond n_specs */
    uint32_t n_bindings, push_bytes;
    struct pail_cache_device device;
};

struct pail_cache_entry {
    struct pail_cache_key key;
    uint32_t id;            /* registry id of name and task, for people */
    const uint8_t *payload; /* inside the bytes it was decoded from */
    size_t payload_bytes;
};

/* FNV-1a-64 of the key's bytes in an entry: the key of a host's own store, and of a file's index.
 */
uint64_t pail_cache_key_hash(const struct pail_cache_key *key);

bool pail_cache_key_equal(const struct pail_cache_key *a, const struct pail_cache_key *b);

/* True if the header of an entry is of this key. Looks at no checksum: for bytes that nobody could
 * have changed. */
bool pail_cache_entry_has_key(const uint8_t header[PAIL_CACHE_ENTRY_HEADER],
                              const struct pail_cache_key *key);

/* Bytes of an entry with such a payload. */
size_t pail_cache_entry_bytes(size_t payload_bytes);

/* Writes the entry to out[pail_cache_entry_bytes(entry->payload_bytes)]. */
void pail_cache_entry_encode(uint8_t *out, const struct pail_cache_entry *entry);

/* Reads an entry that fills bytes[n] exactly. Returns NULL and fills *entry, or says what is wrong
 * with it in a few words ("its checksum is wrong") and zeroes *entry. Never reads beyond n,
 * whatever the bytes are. */
const char *pail_cache_entry_decode(struct pail_cache_entry *entry, const uint8_t *bytes, size_t n);

/* The key of a pipeline in the cache: content alone, so that the same sources give the same key on
 * every machine, with every compiler, in every run. The plugin and the command share it. */

struct pail_cache_pipeline {
    const char *name;      /* of the variant: "msm/accumulate/xyzz.bn254.g1.x29" */
    uint64_t code_hash;    /* FNV-1a-64 of its SPIR-V */
    const uint32_t *specs; /* [n_specs] specialisation values */
    uint32_t n_specs;      /* at most PAIL_CACHE_SPECS_MAX - 1 */
    uint32_t n_bindings, push_bytes;
    /* It is made for dispatches that begin at another workgroup than the first, and a driver may
     * make other code of it. */
    bool base;
};

/* FNV-1a-64 of the specialisation values as little-endian words; 0 where there are none. */
uint64_t pail_cache_pipeline_task(const uint32_t specs[], uint32_t n);

struct pail_cache_key pail_cache_pipeline_key(const struct pail_cache_pipeline *pipeline,
                                              const struct pail_cache_device *device);

/* The number of specialisation values of a pipeline's key, and whether it has a base. */
uint32_t pail_cache_pipeline_specs(const struct pail_cache_key *key, bool *base);

/* The pace of a device as its cache keeps it: the entry PAIL_PACE_RECORD_NAME of kind
 * PAIL_CACHE_TUNING (docs/cache-format.md). The meaning of a rate is in vk/pace.h. */

#define PAIL_PACE_RECORD_NAME  "tuning/pace"
#define PAIL_PACE_RECORD_MAGIC 0x65636170u /* "pace" */
#define PAIL_PACE_RECORD_HEAD  8u          /* bytes before the rates, */
#define PAIL_PACE_RECORD_RATE  24u         /* bytes of one rate */
#define PAIL_PACE_RECORD_MOST  128u        /* rates */

#define PAIL_PACE_KEPT_PER_NS 1e9 /* attoseconds are kept */

struct pail_pace_rate {
    uint64_t hash;  /* hash of the kernel's module */
    double ns;      /* time for each unit of work */
    double largest; /* units of the largest dispatch that was measured */
};

/* Number of rates in a record; -1 where it is none. */
int pail_pace_record_count(const uint8_t *bytes, size_t n);

/* i: below the count. */
struct pail_pace_rate pail_pace_record_rate(const uint8_t *bytes, uint32_t i);

#endif /* PAIL_CACHE_ENTRY_H */
