/* A pipeline, as the recorder and the files that make it know it. */
#ifndef PAIL_VK_PIPELINE_PRIV_H
#define PAIL_VK_PIPELINE_PRIV_H

#include "pipeline.h"

#include <cache/entry.h>

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

#endif /* PAIL_VK_PIPELINE_PRIV_H */
