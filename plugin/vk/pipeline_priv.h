/* A pipeline, as the recorder knows it. */
#ifndef PAIL_VK_PIPELINE_PRIV_H
#define PAIL_VK_PIPELINE_PRIV_H

#include "vk/pipeline.h"

struct pail_vk_pipeline {
    const struct pail_kernel *kernel;
    char name[PAIL_NAME_MAX];
    uint64_t hash; /* of its module */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline handle;
};

#endif /* PAIL_VK_PIPELINE_PRIV_H */
