/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline, as the recorder and the files that make it know it. */
#ifndef PAIL_VK_PIPELINE_PRIV_H
#define PAIL_VK_PIPELINE_PRIV_H

#include "pipeline.h"

#include <cache/entry.h>
#include <compile.h>

struct pail_vk_pipeline {
    const struct pail_kernel *kernel;
    char name[PAIL_NAME_MAX];
    uint32_t specs[PAIL_MAX_SPECS]; /* effective; zeros beyond the kernel's */
    uint32_t id;
    uint64_t task;
    uint64_t hash; /* hash of its module */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline handle;

    pail_pipeline_origin origin;
    bool no_code;
    double ms;
    uint64_t bytes;
};

/* Makes p->handle and the layouts; kernel, name, specs and task are set. text: as in the request.
 * Holds no lock. Errors: as pail_vk_pipeline_find. Objects made before a failure are left to
 * pail_vk_pipeline_unmake. */
pail_status pail_vk_pipeline_make(struct pail_vk_device *dev, struct pail_vk_pipeline *p,
                                  struct pail_variant variant, const struct pail_source *text,
                                  bool kept, struct pail_error *err);
void pail_vk_pipeline_unmake(struct pail_vk_device *dev, struct pail_vk_pipeline *p);

/* Its key in the cache of the device. Name, kernel, specs and hash are set. */
struct pail_cache_key pail_vk_pipeline_key(const struct pail_vk_device *dev,
                                           const struct pail_vk_pipeline *p);

/* vkCreateComputePipelines with what the device's cache has, which keeps the outcome. Sets handle,
 * origin, no_code and bytes. */
pail_status pail_vk_pipeline_create_cached(struct pail_vk_device *dev, struct pail_vk_pipeline *p,
                                           const VkComputePipelineCreateInfo *info,
                                           struct pail_error *err);

/* ---- The code of a kernel (module.c) ----------------------------------------------------------
 */
struct pail_vk_module {
    const uint32_t *words;
    size_t n_words;
    uint64_t hash;      /* FNV-1a-64 of the words as little-endian bytes */
    uint32_t *compiled; /* words that pail_vk_module_fini frees; NULL for an embedded module */
};

/* The embedded module of the variant, or with a text (vk/pipeline.h) what its sources are with that
 * text in the place of the file of its path; that is compiled, checked against the list of kernels,
 * and kept in the device's cache. With PAIL_DEBUG=recompile the embedded sources are compiled too,
 * and must give the same words bit for bit.
 * kept: PAIL_NOT_READY where a text would have to be compiled.
 * Errors: PAIL_ERR_ARGUMENT     there is no such variant, or no file of the text's path
 *         PAIL_ERR_INTERNAL     the sources do not compile, or not to what the build made of them
 *         PAIL_ERR_HOST_MEMORY */
pail_status pail_vk_module_init(struct pail_vk_module *module, struct pail_vk_device *dev,
                                enum pail_kernel_id kernel, struct pail_variant variant,
                                const struct pail_source *text, bool kept, struct pail_error *err);

void pail_vk_module_fini(struct pail_vk_module *module);

#endif /* PAIL_VK_PIPELINE_PRIV_H */
