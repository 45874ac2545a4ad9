#include "pipeline_key.h"

#include <string.h>

#include <curves/fnv.h>
#include <curves/little_endian.h>

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
