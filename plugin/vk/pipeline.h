/* SPDX-License-Identifier: Apache-2.0 */
/* Compute pipelines, made when they are first asked for and kept until the device is destroyed.
 *
 * The layouts come from the kernel's row in glsl/kernels.h, the code from the embedded modules. The
 * driver's compiled code is kept in the device's cache (cache/cache.h) for later processes. */
#ifndef PAIL_VK_PIPELINE_H
#define PAIL_VK_PIPELINE_H

#include <compile.h>

#include "device.h"

struct pail_vk_pipeline;

/* A request for a pipeline. */
struct pail_vk_pipeline_request {
    enum pail_kernel_id kernel;
    struct pail_variant variant;    /* axes the kernel lacks are ignored */
    uint32_t n_specs;               /* 0: all defaults; otherwise the kernel's n_specs */
    uint32_t specs[PAIL_MAX_SPECS]; /* values in the order of the kernel's row */
    /* Optional: a text in place of the file of that path in glsl/. The module is compiled here
     * then, checked against the kernel's row, and kept in the cache by content. Its pipeline is
     * another than the kernel's own, and its name has the text's hash. Only read during the call.
     */
    const struct pail_source *text;
    /* With a text: make it only if the cache has its words; otherwise PAIL_NOT_READY, and nothing
     * is done. */
    bool kept;
};

/* Requests, by where the answer came from. */
struct pail_vk_pipeline_stats {
    uint64_t memory;   /* found in the table */
    uint64_t disk;     /* made from an entry of the cache */
    uint64_t compiled; /* made without */
    double ms;         /* time spent making them, summed over threads */
};

/* Facts about a pipeline. Strings are valid as long as the device. */
struct pail_vk_pipeline_facts {
    const char *name; /* "msm/accumulate/xyzz.bn254.g1.x29" */
    uint32_t id;      /* id of name and task, unique in the device */
    uint64_t task;    /* FNV-1a-64 of the specialisation values; 0 where the kernel has none */
    uint64_t hash;    /* FNV-1a-64 of its SPIR-V */
    uint32_t n_specs;
    const uint32_t *specs;
    pail_pipeline_origin origin; /* origin when it was made */
    bool no_code;                /* the driver keeps no compiled code in pipeline caches */
    uint64_t bytes;              /* size of its entry in the cache; 0: it is in none */
};

/* Finds or makes a pipeline. Threads that ask for the same pipeline at a time make it once, and
 * threads that ask for different ones do not wait for each other.
 * Out: pipeline  owned by the device; NULL on failure
 *      stats     optional: the request is added to it
 * Errors: PAIL_ERR_ARGUMENT     no such kernel, variant or number of specs
 *         PAIL_ERR_UNSUPPORTED  the kernel needs more than the device has (the sentence says what)
 *         PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_LOST, PAIL_ERR_INTERNAL
 * A failure is not remembered: the next call tries again. */
pail_status pail_vk_pipeline_find(struct pail_vk_device *dev,
                                  const struct pail_vk_pipeline_request *request,
                                  const struct pail_vk_pipeline **pipeline,
                                  struct pail_vk_pipeline_stats *stats, struct pail_error *err);

/* Limit of one call. */
#define PAIL_VK_PIPELINES_MAX 128u

/* Same, for several; those that have to be made are made in at most `threads` threads.
 * Out: pipelines  [n]; all NULL on failure. The first failure is returned. */
pail_status pail_vk_pipelines_find(struct pail_vk_device *dev,
                                   const struct pail_vk_pipeline_request requests[], uint32_t n,
                                   uint32_t threads, const struct pail_vk_pipeline *pipelines[],
                                   struct pail_vk_pipeline_stats *stats, struct pail_error *err);

/* Same, for a request in pieces. n is n_specs; specs may be NULL where it is 0. */
pail_status pail_vk_pipeline_get(struct pail_vk_device *dev, enum pail_kernel_id kernel,
                                 struct pail_variant variant, const uint32_t specs[], uint32_t n,
                                 const struct pail_vk_pipeline **pipeline, struct pail_error *err);

/* "msm/accumulate/xyzz.bn254.g1.x29" */
const char *pail_vk_pipeline_name(const struct pail_vk_pipeline *pipeline);

/* FNV-1a-64 of its SPIR-V. */
uint64_t pail_vk_pipeline_hash(const struct pail_vk_pipeline *pipeline);

struct pail_vk_pipeline_facts pail_vk_pipeline_facts(const struct pail_vk_pipeline *pipeline);

/* Numbers of all requests so far. */
struct pail_vk_pipeline_stats pail_vk_pipeline_stats(struct pail_vk_device *dev);

/* Adds up. */
void pail_vk_pipeline_stats_add(struct pail_vk_pipeline_stats *sum,
                                const struct pail_vk_pipeline_stats *more);

#endif /* PAIL_VK_PIPELINE_H */
