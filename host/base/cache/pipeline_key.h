/* The key of a pipeline in the cache: content alone, so that the same sources give the same key on
 * every machine, with every compiler, in every run. The plugin and the command share it. */
#ifndef PAIL_CACHE_PIPELINE_KEY_H
#define PAIL_CACHE_PIPELINE_KEY_H

#include "entry.h"

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

#endif /* PAIL_CACHE_PIPELINE_KEY_H */
