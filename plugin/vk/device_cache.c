/* SPDX-License-Identifier: Apache-2.0 */
#include "device_cache.h"
#include "device_priv.h"
#include "pipeline_priv.h"

#include <string.h>

#include <cache/entry.h>

struct pail_cache_device pail_vk_cache_device(const struct pail_vk_caps *caps)
{
    struct pail_cache_device device = {
        .vendor = caps->vendor_id,
        .device = caps->device_id,
        .driver = caps->driver_version,
    };
    memcpy(device.uuid, caps->pipeline_cache_uuid, sizeof(device.uuid));
    return device;
}

static void say(void *user, bool trouble, const char *line)
{
    const struct pail_vk_device *dev = user;
    if (trouble || dev->debug & PAIL_DEBUG_TRACE)
        pail_log(&dev->log, trouble ? PAIL_LOG_WARNING : PAIL_LOG_DEBUG, "%s", line);
}

pail_status pail_vk_cache_open(struct pail_vk_device *dev,
                               const struct pail_vk_cache_params *params, struct pail_error *err)
{
    if (dev->debug & PAIL_DEBUG_NOCACHE)
        return PAIL_OK;
    struct pail_cache_params p = {
        .device = pail_vk_cache_device(&dev->caps),
        .alloc = {dev->alloc.user, dev->alloc.alloc, dev->alloc.free},
        .log = say,
        .log_user = dev,
    };
    if (params) {
        p.dir = params->dir;
        p.get = params->get;
        p.put = params->put;
        p.store_user = params->user;
    }
    dev->cache = pail_cache_open(&p);
    if (!dev->cache)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a cache of pipelines");
    return PAIL_OK;
}

void pail_vk_cache_close(struct pail_vk_device *dev)
{
    pail_cache_close(dev->cache);
    dev->cache = NULL;
}

struct pail_cache *pail_vk_device_cache(struct pail_vk_device *dev)
{
    return dev->cache;
}

/* Pipelines and the device's cache: what a driver compiled in one process serves the next one.
 *
 * Each pipeline has a VkPipelineCache of its own while it is made. An entry then holds that
 * pipeline and nothing else, so entries can be merged, checked and evicted one by one. */

_Static_assert(PAIL_NAME_MAX <= PAIL_CACHE_NAME_MAX, "an entry has room for any name");
_Static_assert(PAIL_MAX_SPECS < PAIL_CACHE_SPECS_MAX, "an entry has room for all, and one more");

struct pail_cache_key pail_vk_pipeline_key(const struct pail_vk_device *dev,
                                           const struct pail_vk_pipeline *p)
{
    const struct pail_cache_device device = pail_vk_cache_device(&dev->caps);
    const struct pail_cache_pipeline facts = {
        .name = p->name,
        .code_hash = p->hash,
        .specs = p->specs,
        .n_specs = p->kernel->n_specs,
        .n_bindings = p->kernel->n_bindings,
        .push_bytes = p->kernel->push_bytes,
        .base = dev->pace.limits,
    };
    return pail_cache_pipeline_key(&facts, &device);
}

static pail_status cannot_make(struct pail_vk_device *dev, const struct pail_vk_pipeline *p,
                               VkResult result, struct pail_error *err)
{
    const pail_status status = pail_vk_device_result(dev, result, "vkCreateComputePipelines", err);
    return pail_fail(err, status, "pipeline %s cannot be made: %s (%d)", p->name,
                     pail_vk_result_name(result), (int)result);
}

static VkPipelineCache cache_of(struct pail_vk_device *dev, const void *data, size_t bytes)
{
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
        .flags = dev->caps.cache_control ? VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT : 0,
        .initialDataSize = bytes,
        .pInitialData = data,
    };
    VkPipelineCache cache = VK_NULL_HANDLE;
    /* Without a cache a pipeline can be made all the same. */
    if (dev->vk.vkCreatePipelineCache(dev->handle, &info, NULL, &cache) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    return cache;
}

/* Drivers check the header of what they are given, and some trust what follows it: so it has to be
 * what this very driver wrote (VkPipelineCacheHeaderVersionOne of the Vulkan specification). */
static bool is_of_driver(const struct pail_vk_caps *caps, const uint8_t *blob, size_t bytes)
{
    uint32_t words[4];
    if (bytes < sizeof(words) + VK_UUID_SIZE)
        return false;
    memcpy(words, blob, sizeof(words));
    return words[0] >= sizeof(words) + VK_UUID_SIZE && words[0] <= bytes &&
           words[1] == VK_PIPELINE_CACHE_HEADER_VERSION_ONE && words[2] == caps->vendor_id &&
           words[3] == caps->device_id &&
           memcmp(blob + sizeof(words), caps->pipeline_cache_uuid, VK_UUID_SIZE) == 0;
}

/* VK_SUCCESS with *hit, where the driver says whether it found the code; it did where it cannot
 * say. */
static VkResult create(struct pail_vk_device *dev, VkPipelineCache cache,
                       const VkComputePipelineCreateInfo *info, VkPipeline *out, bool *hit)
{
    VkPipelineCreationFeedback whole = {0}, stage = {0};
    const VkPipelineCreationFeedbackCreateInfo feedback = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
        .pPipelineCreationFeedback = &whole,
        .pipelineStageCreationFeedbackCount = 1,
        .pPipelineStageCreationFeedbacks = &stage,
    };
    VkComputePipelineCreateInfo full = *info;
    if (dev->caps.creation_feedback)
        full.pNext = &feedback;
    const VkResult result =
        dev->vk.vkCreateComputePipelines(dev->handle, cache, 1, &full, NULL, out);
    *hit = !(whole.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT) ||
           whole.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
    return result;
}

/* Makes a pipeline from a blob that carries code. *made is false when the driver had to compile, or
 * would have to: there may be a pipeline then or not. */
static VkResult create_from(struct pail_vk_device *dev, struct pail_vk_pipeline *p,
                            const VkComputePipelineCreateInfo *info, const uint8_t *blob,
                            size_t bytes, bool *made)
{
    *made = false;
    const VkPipelineCache cache = cache_of(dev, blob, bytes);
    if (!cache)
        return VK_SUCCESS;
    VkComputePipelineCreateInfo strict = *info;
    if (dev->caps.cache_control)
        strict.flags |= VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
    VkResult result = create(dev, cache, &strict, &p->handle, made);
    if (result == VK_PIPELINE_COMPILE_REQUIRED) {
        *made = false;
        result = VK_SUCCESS;
    }
    dev->vk.vkDestroyPipelineCache(dev->handle, cache, NULL);
    return result;
}

static uint8_t *data_of(struct pail_vk_device *dev, VkPipelineCache cache, size_t *bytes)
{
    *bytes = 0;
    if (!cache || dev->vk.vkGetPipelineCacheData(dev->handle, cache, bytes, NULL) != VK_SUCCESS ||
        *bytes == 0)
        return NULL;
    uint8_t *data = pail_calloc(&dev->alloc, 1, *bytes);
    if (data && dev->vk.vkGetPipelineCacheData(dev->handle, cache, bytes, data) != VK_SUCCESS) {
        pail_free(&dev->alloc, data);
        data = NULL;
    }
    return data;
}

/* An entry without a payload says that this driver's caches carry no code. It is known from a cache
 * that has not grown by the pipeline. */
static void keep(struct pail_vk_device *dev, struct pail_vk_pipeline *p, VkPipelineCache cache,
                 size_t empty_bytes)
{
    const struct pail_cache_key key = pail_vk_pipeline_key(dev, p);
    size_t bytes;
    uint8_t *data = data_of(dev, cache, &bytes);
    if (!data)
        return;
    p->no_code = bytes <= empty_bytes;
    pail_cache_put(dev->cache, &key, data, p->no_code ? 0 : bytes);
    p->bytes = pail_cache_entry_bytes(p->no_code ? 0 : bytes);
    pail_free(&dev->alloc, data);
}

static pail_status compile(struct pail_vk_device *dev, struct pail_vk_pipeline *p,
                           const VkComputePipelineCreateInfo *info, struct pail_error *err)
{
    const VkPipelineCache cache = dev->cache ? cache_of(dev, NULL, 0) : VK_NULL_HANDLE;
    size_t empty_bytes = 0;
    if (cache &&
        dev->vk.vkGetPipelineCacheData(dev->handle, cache, &empty_bytes, NULL) != VK_SUCCESS)
        empty_bytes = 0;
    bool hit; /* hit in a cache of the driver's own: not ours to count */
    const VkResult result = create(dev, cache, info, &p->handle, &hit);
    p->origin = PAIL_PIPELINE_COMPILED;
    if (result == VK_SUCCESS && cache)
        keep(dev, p, cache, empty_bytes);
    dev->vk.vkDestroyPipelineCache(dev->handle, cache, NULL);
    return result == VK_SUCCESS ? PAIL_OK : cannot_make(dev, p, result, err);
}

pail_status pail_vk_pipeline_create_cached(struct pail_vk_device *dev, struct pail_vk_pipeline *p,
                                           const VkComputePipelineCreateInfo *info,
                                           struct pail_error *err)
{
    if (!dev->cache)
        return compile(dev, p, info, err);
    const struct pail_cache_key key = pail_vk_pipeline_key(dev, p);
    size_t bytes = 0;
    uint8_t *blob = pail_cache_get(dev->cache, &key, &bytes);
    VkResult result = VK_SUCCESS;
    bool made = false, useless = false;
    if (blob && bytes == 0) {
        bool hit;
        result = create(dev, VK_NULL_HANDLE, info, &p->handle, &hit);
        made = true;
        p->no_code = true;
    } else if (blob && is_of_driver(&dev->caps, blob, bytes)) {
        result = create_from(dev, p, info, blob, bytes, &made);
        useless = !made;
    } else if (blob) {
        useless = true;
    }
    if (blob)
        pail_cache_release(dev->cache, blob);
    if (result != VK_SUCCESS)
        return cannot_make(dev, p, result, err);
    if (made) {
        p->origin = PAIL_PIPELINE_DISK;
        p->bytes = pail_cache_entry_bytes(bytes);
        return PAIL_OK;
    }
    if (useless) {
        pail_log(&dev->log, PAIL_LOG_WARNING,
                 "pipeline cache: the driver has no use for its own code of %s; compiling anew",
                 p->name);
        pail_cache_drop(dev->cache, &key);
        dev->vk.vkDestroyPipeline(dev->handle, p->handle, NULL);
        p->handle = VK_NULL_HANDLE;
    }
    return compile(dev, p, info, err);
}
