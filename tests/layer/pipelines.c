/* SPDX-License-Identifier: Apache-2.0 */
/* Pipeline caches that carry tokens, and pipelines that are looked up in them. caching.c has the
 * rules. */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer.h"

enum { TOKENS_MAX = 256 }; /* in one cache */

/* Follows the header in the data of a cache. The tokens come in order, so that caches with the same
 * pipelines are the same bytes. */
struct tokens {
    uint64_t magic, n;
    uint64_t list[TOKENS_MAX];
};

#define MAGIC UINT64_C(0x736e656b6f74)

struct cache {
    struct layer_node node; /* by handle */
    struct tokens tokens;
};

struct module {
    struct layer_node node; /* by handle */
    uint64_t hash;
};

static struct layer_list caches = LAYER_LIST, modules = LAYER_LIST;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the tokens of all caches */

static void log_line(const char *outcome, uint64_t token)
{
    const char *const path = getenv("PAIL_LAYER_LOG");
    const int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    char line[64];
    const int length = snprintf(line, sizeof(line), "%s %016" PRIx64 "\n", outcome, token);
    if (fd < 0)
        return;
    /* A log that lacks a line would let a test pass that must not. */
    if (write(fd, line, (size_t)length) != length)
        abort();
    (void)close(fd);
}

/* ---- Modules ---------------------------------------------------------------------------------*/
static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice handle,
                                                    const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkShaderModule *out)
{
    struct module *const module = calloc(1, sizeof(*module));
    if (module == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkResult result = layer_find_device(handle)->create_module(handle, info, allocator, out);
    if (result != VK_SUCCESS) {
        free(module);
        return result;
    }
    module->hash = layer_hash(LAYER_HASH_START, info->pCode, info->codeSize);
    layer_list_add(&modules, &module->node, LAYER_KEY(*out));
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_module(VkDevice handle, VkShaderModule shader,
                                                 const VkAllocationCallbacks *allocator)
{
    free(layer_list_take(&modules, LAYER_KEY(shader)));
    layer_find_device(handle)->destroy_module(handle, shader, allocator);
}

static uint64_t token_of(const VkPipelineShaderStageCreateInfo *stage)
{
    const struct module *const module = layer_list_find(&modules, LAYER_KEY(stage->module));
    uint64_t hash = module != NULL ? module->hash : LAYER_HASH_START;
    hash = layer_hash(hash, stage->pName, strlen(stage->pName));
    const VkSpecializationInfo *const specs = stage->pSpecializationInfo;
    for (uint32_t i = 0; specs != NULL && i < specs->mapEntryCount; i++) {
        const VkSpecializationMapEntry *const entry = &specs->pMapEntries[i];
        hash = layer_hash(hash, &entry->constantID, sizeof(entry->constantID));
        hash = layer_hash(hash, (const uint8_t *)specs->pData + entry->offset, entry->size);
    }
    return hash;
}

/* ---- Caches ----------------------------------------------------------------------------------*/
static size_t write_header(uint8_t header[64], const struct layer_device *device)
{
    const uint32_t words[4] = {16 + VK_UUID_SIZE, VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
                               device->vendor, device->device};
    memcpy(header, words, sizeof(words));
    memcpy(header + sizeof(words), device->uuid, VK_UUID_SIZE);
    return sizeof(words) + VK_UUID_SIZE;
}

static size_t bytes_of(const struct tokens *tokens)
{
    return offsetof(struct tokens, list) + (size_t)tokens->n * sizeof(tokens->list[0]);
}

/* A driver believes what follows its own header. */
static void read_initial(struct tokens *tokens, const struct layer_device *device,
                         const VkPipelineCacheCreateInfo *info)
{
    uint8_t header[64];
    const size_t n = write_header(header, device);
    *tokens = (struct tokens){.magic = MAGIC};
    if (getenv("PAIL_LAYER_FORGETS") != NULL ||
        info->initialDataSize < n + offsetof(struct tokens, list) ||
        memcmp(info->pInitialData, header, n) != 0)
        return;
    struct tokens read = {0};
    const size_t rest = info->initialDataSize - n;
    memcpy(&read, (const uint8_t *)info->pInitialData + n,
           rest < sizeof(read) ? rest : sizeof(read));
    if (read.magic == MAGIC && read.n <= TOKENS_MAX && bytes_of(&read) == rest)
        *tokens = read;
}

static struct cache *find_cache(VkPipelineCache handle)
{
    return layer_list_find(&caches, LAYER_KEY(handle));
}

static VKAPI_ATTR VkResult VKAPI_CALL create_cache(VkDevice handle,
                                                   const VkPipelineCacheCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkPipelineCache *out)
{
    const struct layer_device *const device = layer_find_device(handle);
    VkPipelineCacheCreateInfo empty = *info;
    empty.initialDataSize = 0; /* the driver below would not know them */
    empty.pInitialData = NULL;
    struct cache *const cache = calloc(1, sizeof(*cache));
    if (cache == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkResult result = device->create_cache(handle, &empty, allocator, out);
    if (result != VK_SUCCESS) {
        free(cache);
        return result;
    }
    read_initial(&cache->tokens, device, info);
    layer_list_add(&caches, &cache->node, LAYER_KEY(*out));
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_cache(VkDevice handle, VkPipelineCache which,
                                                const VkAllocationCallbacks *allocator)
{
    free(layer_list_take(&caches, LAYER_KEY(which)));
    layer_find_device(handle)->destroy_cache(handle, which, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL get_cache_data(VkDevice handle, VkPipelineCache which,
                                                     size_t *size, void *data)
{
    uint8_t header[64];
    const size_t n = write_header(header, layer_find_device(handle));
    (void)pthread_mutex_lock(&lock);
    const struct tokens tokens = find_cache(which)->tokens;
    (void)pthread_mutex_unlock(&lock);
    /* A cache without pipelines is the header alone. */
    const size_t rest = tokens.n > 0 ? bytes_of(&tokens) : 0;
    if (data == NULL) {
        *size = n + rest;
        return VK_SUCCESS;
    }
    if (*size < n + rest) {
        *size = 0;
        return VK_INCOMPLETE;
    }
    memcpy(data, header, n);
    memcpy((uint8_t *)data + n, &tokens, rest);
    *size = n + rest;
    return VK_SUCCESS;
}

static bool has(const struct tokens *tokens, uint64_t token)
{
    for (uint64_t i = 0; i < tokens->n; i++)
        if (tokens->list[i] == token)
            return true;
    return false;
}

static void insert(struct tokens *tokens, uint64_t token)
{
    if (has(tokens, token) || tokens->n == TOKENS_MAX)
        return;
    uint64_t at = tokens->n++;
    for (; at > 0 && tokens->list[at - 1] > token; at--)
        tokens->list[at] = tokens->list[at - 1];
    tokens->list[at] = token;
}

/* Pail does not merge caches; the driver below could not. */
static VKAPI_ATTR VkResult VKAPI_CALL merge_caches(VkDevice handle, VkPipelineCache to,
                                                   uint32_t n_from, const VkPipelineCache *from)
{
    (void)handle;
    (void)pthread_mutex_lock(&lock);
    struct tokens *const all = &find_cache(to)->tokens;
    for (uint32_t i = 0; i < n_from; i++) {
        const struct tokens *const more = &find_cache(from[i])->tokens;
        for (uint64_t k = 0; k < more->n; k++)
            insert(all, more->list[k]);
    }
    (void)pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

/* ---- Pipelines -------------------------------------------------------------------------------*/
static void give_feedback(const VkComputePipelineCreateInfo *info, bool hit)
{
    const VkBaseInStructure *at = info->pNext;
    while (at != NULL && at->sType != VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO)
        at = at->pNext;
    if (at == NULL)
        return;
    VkPipelineCreationFeedback *const feedback =
        ((const VkPipelineCreationFeedbackCreateInfo *)at)->pPipelineCreationFeedback;
    feedback->flags = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
    if (hit)
        feedback->flags |= VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
}

static VkResult create_one(VkDevice handle, VkPipelineCache which,
                           const VkComputePipelineCreateInfo *info,
                           const VkAllocationCallbacks *allocator, VkPipeline *out)
{
    const uint64_t token = token_of(&info->stage);
    (void)pthread_mutex_lock(&lock);
    const struct cache *const known = which != VK_NULL_HANDLE ? find_cache(which) : NULL;
    const bool hit = known != NULL && has(&known->tokens, token);
    (void)pthread_mutex_unlock(&lock);
    VkComputePipelineCreateInfo free_to_compile = *info;
    free_to_compile.flags &=
        ~(VkPipelineCreateFlags)(VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |
                                 VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT);
    VkResult result = VK_PIPELINE_COMPILE_REQUIRED;
    *out = VK_NULL_HANDLE;
    if (hit || (info->flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT) == 0)
        result = layer_find_device(handle)->create_pipelines(handle, which, 1, &free_to_compile,
                                                             allocator, out);
    give_feedback(info, hit);
    if (result == VK_SUCCESS && which != VK_NULL_HANDLE) {
        (void)pthread_mutex_lock(&lock);
        insert(&find_cache(which)->tokens, token);
        (void)pthread_mutex_unlock(&lock);
    }
    log_line(result == VK_PIPELINE_COMPILE_REQUIRED ? "refused"
             : result != VK_SUCCESS                 ? "failed"
             : hit                                  ? "hit"
                                                    : "miss",
             token);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice handle, VkPipelineCache which,
                                                       uint32_t n,
                                                       const VkComputePipelineCreateInfo *infos,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkPipeline *out)
{
    VkResult worst = VK_SUCCESS;
    for (uint32_t i = 0; i < n; i++) {
        const VkResult result = create_one(handle, which, &infos[i], allocator, &out[i]);
        if (result != VK_SUCCESS && (worst == VK_SUCCESS || worst == VK_PIPELINE_COMPILE_REQUIRED))
            worst = result;
    }
    return worst;
}

PFN_vkVoidFunction layer_pipeline_function(const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } mine[] = {
        {"vkCreateShaderModule", (PFN_vkVoidFunction)create_module},
        {"vkDestroyShaderModule", (PFN_vkVoidFunction)destroy_module},
        {"vkCreatePipelineCache", (PFN_vkVoidFunction)create_cache},
        {"vkDestroyPipelineCache", (PFN_vkVoidFunction)destroy_cache},
        {"vkGetPipelineCacheData", (PFN_vkVoidFunction)get_cache_data},
        {"vkMergePipelineCaches", (PFN_vkVoidFunction)merge_caches},
        {"vkCreateComputePipelines", (PFN_vkVoidFunction)create_pipelines},
    };
    for (size_t i = 0; i < sizeof(mine) / sizeof(mine[0]); i++)
        if (strcmp(name, mine[i].name) == 0)
            return mine[i].function;
    return NULL;
}
