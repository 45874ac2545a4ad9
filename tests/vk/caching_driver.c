/* SPDX-License-Identifier: Apache-2.0 */
#include "caching_driver.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <curves/fnv.h>

#include <vk/testing.h>

struct caching_driver caching_driver;

/* VkPipelineCacheHeaderVersionOne, then the hash of the one pipeline that it holds, if any. */
#define HEADER_BYTES (16 + VK_UUID_SIZE)
#define FULL_BYTES   (HEADER_BYTES + sizeof(uint64_t))

struct cache {
    uint64_t code; /* 0: none */
};

#define MODULES_MAX 64
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    VkShaderModule handle;
    uint64_t hash;
} modules[MODULES_MAX];
static uint32_t n_modules;

static struct pail_vk_device *device;
static struct VolkDeviceTable real;

static void header_of(uint8_t out[HEADER_BYTES])
{
    const uint32_t words[4] = {HEADER_BYTES, VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
                               device->caps.vendor_id, device->caps.device_id};
    memcpy(out, words, sizeof(words));
    memcpy(out + sizeof(words), device->caps.pipeline_cache_uuid, VK_UUID_SIZE);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice handle,
                                                    const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *alloc,
                                                    VkShaderModule *out)
{
    const VkResult result = real.vkCreateShaderModule(handle, info, alloc, out);
    pthread_mutex_lock(&lock);
    modules[n_modules % MODULES_MAX].handle = *out;
    modules[n_modules++ % MODULES_MAX].hash = pail_fnv1a64(info->pCode, info->codeSize);
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_cache(VkDevice handle,
                                                   const VkPipelineCacheCreateInfo *info,
                                                   const VkAllocationCallbacks *alloc,
                                                   VkPipelineCache *out)
{
    (void)handle;
    (void)alloc;
    struct cache *cache = calloc(1, sizeof(*cache));
    if (!cache)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (info->initialDataSize == FULL_BYTES)
        memcpy(&cache->code, (const uint8_t *)info->pInitialData + HEADER_BYTES,
               sizeof(cache->code));
    atomic_fetch_add(&caching_driver.given, info->initialDataSize != 0);
    *out = (VkPipelineCache)(uintptr_t)cache;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_cache(VkDevice handle, VkPipelineCache cache,
                                                const VkAllocationCallbacks *alloc)
{
    (void)handle;
    (void)alloc;
    free((void *)(uintptr_t)cache);
}

static VKAPI_ATTR VkResult VKAPI_CALL get_data(VkDevice handle, VkPipelineCache cache, size_t *size,
                                               void *data)
{
    (void)handle;
    const struct cache *c = (const struct cache *)(uintptr_t)cache;
    const size_t bytes = c->code ? FULL_BYTES : HEADER_BYTES;
    uint8_t full[FULL_BYTES];
    header_of(full);
    memcpy(full + HEADER_BYTES, &c->code, sizeof(c->code));
    if (data)
        memcpy(data, full, *size < bytes ? *size : bytes);
    const bool fits = !data || *size >= bytes;
    *size = bytes;
    return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

static uint64_t code_of(const VkComputePipelineCreateInfo *info)
{
    uint64_t hash = 0;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < MODULES_MAX && i < n_modules; i++)
        if (modules[i].handle == info->stage.module)
            hash = modules[i].hash;
    pthread_mutex_unlock(&lock);
    const VkSpecializationInfo *specs = info->stage.pSpecializationInfo;
    if (specs)
        hash = pail_fnv1a64_more(hash, specs->pData, specs->dataSize);
    return hash | 1;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice handle, VkPipelineCache cache,
                                                       uint32_t n,
                                                       const VkComputePipelineCreateInfo *infos,
                                                       const VkAllocationCallbacks *alloc,
                                                       VkPipeline *out)
{
    struct cache *c = (struct cache *)(uintptr_t)cache;
    const uint64_t code = code_of(infos);
    const bool hit = c && c->code == code && !atomic_load(&caching_driver.forget);
    const VkPipelineCreationFeedbackCreateInfo *feedback = infos->pNext;
    if (feedback)
        *feedback->pPipelineCreationFeedback = (VkPipelineCreationFeedback){
            .flags = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
                     (hit ? VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT : 0u),
        };
    *out = VK_NULL_HANDLE;
    if (!hit && infos->flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT)
        return VK_PIPELINE_COMPILE_REQUIRED;
    atomic_fetch_add(hit ? &caching_driver.hits : &caching_driver.compiled, 1);
    atomic_fetch_add(&caching_driver.waiting, 1);
    while (!hit && atomic_load(&caching_driver.hold))
        sched_yield();
    atomic_fetch_sub(&caching_driver.waiting, 1);
    VkComputePipelineCreateInfo plain = *infos;
    plain.flags &= ~(VkPipelineCreateFlags)VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
    plain.pNext = NULL;
    const VkResult result =
        real.vkCreateComputePipelines(handle, VK_NULL_HANDLE, n, &plain, alloc, out);
    if (c && !hit && result == VK_SUCCESS)
        c->code = code;
    return result;
}

void caching_driver_play(struct pail_vk_device *dev)
{
    struct VolkDeviceTable *table = pail_vk_device_table(dev);
    device = dev;
    real = *table;
    n_modules = 0;
    atomic_store(&caching_driver.hits, 0);
    atomic_store(&caching_driver.compiled, 0);
    atomic_store(&caching_driver.given, 0);
    atomic_store(&caching_driver.forget, false);
    atomic_store(&caching_driver.hold, false);
    table->vkCreateShaderModule = create_module;
    table->vkCreatePipelineCache = create_cache;
    table->vkDestroyPipelineCache = destroy_cache;
    table->vkGetPipelineCacheData = get_data;
    table->vkCreateComputePipelines = create_pipelines;
}
