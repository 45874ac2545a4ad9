/* Compute pipelines, made when they are first asked for and kept until the device is destroyed.
 *
 * The layouts come from the kernel's row in glsl/kernels.h, the code from the embedded modules. */
#ifndef PAIL_VK_PIPELINE_H
#define PAIL_VK_PIPELINE_H

#include <kernels.h>

#include "vk/device.h"

struct pail_vk_pipeline;

struct pail_vk_pipeline_stats {
    uint64_t hits;     /* requests answered from the table */
    uint64_t compiled; /* pipelines created */
    double compile_ms; /* time spent creating them, summed over threads */
};

/* Finds or creates the pipeline of a kernel. Threads that ask for the same pipeline at a time
 * compile it once, and threads that ask for different ones do not wait for each other.
 * In:  variant   axes the kernel lacks are ignored
 *      specs, n  values of the kernel's specialisation constants in the order of its row; n is 0
 *                (all defaults; specs may be NULL) or the kernel's n_specs
 * Out: pipeline  owned by the device; NULL on failure
 * Errors: PAIL_ERR_ARGUMENT     no such kernel, variant or number of specs
 *         PAIL_ERR_UNSUPPORTED  the kernel needs more than the device has (the sentence says what)
 *         PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_LOST, PAIL_ERR_INTERNAL
 * A failure is not remembered: the next call tries again. */
pail_status pail_vk_pipeline_get(struct pail_vk_device *dev, enum pail_kernel_id kernel,
                                 struct pail_variant variant, const uint32_t specs[], uint32_t n,
                                 const struct pail_vk_pipeline **pipeline, struct pail_error *err);

/* "msm/accumulate.bn254.g1.x29" */
const char *pail_vk_pipeline_name(const struct pail_vk_pipeline *pipeline);

/* FNV-1a-64 of its SPIR-V. */
uint64_t pail_vk_pipeline_hash(const struct pail_vk_pipeline *pipeline);

struct pail_vk_pipeline_stats pail_vk_pipeline_stats(struct pail_vk_device *dev);

#endif /* PAIL_VK_PIPELINE_H */
