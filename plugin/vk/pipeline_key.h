/* Key of a pipeline in the cache: content alone, so that the same sources give the same key on
 * every machine, with every compiler, in every run. */
#ifndef PAIL_VK_PIPELINE_KEY_H
#define PAIL_VK_PIPELINE_KEY_H

#include <cache/entry.h>
#include <kernels.h>

/* FNV-1a-64 of the specialisation values as little-endian words; 0 where there are none. */
uint64_t pail_vk_pipeline_task(const uint32_t specs[], uint32_t n);

/* name: of the variant. specs: [kernel->n_specs]. code_hash: FNV-1a-64 of its SPIR-V. base: it is
 * made for dispatches that begin at another workgroup than the first, and a driver may make other
 * code of it. */
struct pail_cache_key pail_vk_pipeline_key(const struct pail_kernel *kernel, const char *name,
                                           const uint32_t specs[], uint64_t code_hash, bool base,
                                           const struct pail_cache_device *device);

#endif /* PAIL_VK_PIPELINE_KEY_H */
