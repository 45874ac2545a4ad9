#include "pipeline_key.h"

#include <string.h>

#include <curves/fnv.h>
#include <curves/little_endian.h>

_Static_assert(PAIL_NAME_MAX <= PAIL_CACHE_NAME_MAX, "an entry has room for any name");
_Static_assert(PAIL_MAX_SPECS < PAIL_CACHE_SPECS_MAX, "an entry has room for all, and one more");

/* Stands behind the specs of a pipeline with a base. */
#define BASE_WORD 0x65736162u /* "base" */

uint64_t pail_vk_pipeline_task(const uint32_t specs[], uint32_t n)
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

struct pail_cache_key pail_vk_pipeline_key(const struct pail_kernel *kernel, const char *name,
                                           const uint32_t specs[], uint64_t code_hash, bool base,
                                           const struct pail_cache_device *device)
{
    struct pail_cache_key key = {
        .kind = PAIL_CACHE_PIPELINE,
        .task = pail_vk_pipeline_task(specs, kernel->n_specs),
        .code_hash = code_hash,
        .n_specs = kernel->n_specs,
        .n_bindings = kernel->n_bindings,
        .push_bytes = kernel->push_bytes,
        .device = *device,
    };
    memcpy(key.name, name, strlen(name));
    memcpy(key.specs, specs, kernel->n_specs * sizeof(specs[0]));
    if (base)
        key.specs[key.n_specs++] = BASE_WORD;
    return key;
}
