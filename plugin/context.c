/* SPDX-License-Identifier: Apache-2.0 */
#include "context.h"

#include <platform/thread.h>
#include <string.h>

#include <adstack/service.h>
#include <core/debug.h>

#include "adstack/bodies.h"
#include "msm/run/fp64.h"
#include "msm/service/service.h"
#include "vectors/field.h"
#include "vk/pointers.h"

/* Device memory that lies idle is wanted. */
static void make_room(void *user)
{
    struct pail_context *ctx = user;
    if (ctx->msm)
        pail_workspace_trim(ctx->msm);
    else
        pail_field_trim(ctx->field);
}

static void wipe_idle(void *user)
{
    pail_field_wipe_idle(((struct pail_context *)user)->field);
}

static pail_status open_field(struct pail_context *ctx, const pail_context_params *params,
                              struct pail_error *err)
{
    const struct pail_field_env env = {
        .alloc = ctx->alloc,
        .log = ctx->log,
        .dev = ctx->dev,
        .memories = &ctx->memories,
        .memory_budget = params->memory_budget,
        .threads = ctx->threads,
        .make_room = make_room,
        .user = ctx,
    };
    const pail_status status = pail_field_create(&ctx->field, &env, err);
    if (status == PAIL_OK) {
        ctx->memories.wipe_idle = wipe_idle;
        ctx->memories.user = ctx;
    }
    return status;
}

static void import_of(struct pail_vk_import *out, const pail_vulkan_import *in)
{
    *out = (struct pail_vk_import){
        .instance = (VkInstance)in->instance,
        .physical = (VkPhysicalDevice)in->physical_device,
        .device = (VkDevice)in->device,
        .queue_family = in->queue_family,
        .queue_index = in->queue_index,
        .lock_queue = in->lock_queue,
        .unlock_queue = in->unlock_queue,
        .user = in->user,
        .timeline_semaphore = !(in->flags & PAIL_IMPORT_WITHOUT_TIMELINES),
        .int64 = (in->enabled_features & PAIL_FEATURE_INT64) != 0,
        .float64 = (in->enabled_features & PAIL_FEATURE_FLOAT64) != 0,
        .buffer_device_address = (in->enabled_features & PAIL_FEATURE_DEVICE_ADDRESS) != 0,
    };
    /* ISO C has no conversion from an object pointer to a function pointer; POSIX makes it work. */
    memcpy(&out->get_instance_proc_addr, &in->get_instance_proc_addr,
           sizeof(out->get_instance_proc_addr));
}

static struct pail_vk_cache_params cache_of(const pail_context_params *params)
{
    struct pail_vk_cache_params cache = {.dir = params->cache_dir};
    if (params->cache) {
        cache.get = params->cache->get;
        cache.put = params->cache->put;
        cache.user = params->cache->user;
    }
    return cache;
}

static pail_status open_device(struct pail_context *ctx, const struct pail_vk_env *env,
                               const pail_context_params *params, struct pail_error *err)
{
    const struct pail_vk_cache_params cache = cache_of(params);
    const struct pail_vk_device_params device = {
        .cache = &cache, .threads = ctx->threads, .side_queues = params->side_queues};
    if (params->import) {
        struct pail_vk_import import;
        import_of(&import, params->import);
        return pail_vk_device_import(&ctx->dev, env, &import, &device, err);
    }
    pail_status status = pail_vk_instance_create(&ctx->instance, env, err);
    if (status != PAIL_OK)
        return status;
    ctx->device_index = params->device;
    if (ctx->device_index == PAIL_DEVICE_BEST)
        status = pail_best_device(ctx->instance, &ctx->device_index, err);
    if (status != PAIL_OK)
        return status;
    return pail_vk_device_create(&ctx->dev, ctx->instance, ctx->device_index, &device, err);
}

static uint32_t threads_of(const pail_context_params *params)
{
    return params->threads ? params->threads : pail_team_processors();
}

static pail_status open_msm(struct pail_context *ctx, const pail_context_params *params,
                            struct pail_error *err)
{
    const struct pail_msm_env env = {
        .alloc = ctx->alloc,
        .log = ctx->log,
        .dev = ctx->dev,
        .memories = &ctx->memories,
        .field = ctx->field,
        .memory_budget = params->memory_budget,
        .threads = ctx->threads,
    };
    return pail_msm_create(&ctx->msm, &env, err);
}

/* Reductions on the device, where it has addresses. imported: others give addresses to it. */
static pail_status open_reductions(struct pail_context *ctx, bool imported, struct pail_error *err)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(ctx->dev);
    if (!caps->buffer_device_address)
        return PAIL_OK;
    pail_status status = imported ? pail_vk_find_pointers(ctx->dev, err) : PAIL_OK;
    if (status == PAIL_OK)
        status = pail_ad_choices_create(&ctx->choices, ctx->dev, err);
    if (status != PAIL_OK)
        return status;
    const struct pail_ad_bodies bodies = pail_ad_choices_bodies(ctx->choices);
    return pail_ad_gpu_create(&ctx->adstack_gpu, ctx->dev, &bodies, err);
}

/* Sizing of stacks. */
static pail_status open_adstack(struct pail_context *ctx, const struct pail_vk_env *vk,
                                const pail_context_params *params, struct pail_error *err)
{
    struct pail_ad_env env = {.alloc = ctx->alloc,
                              .log = ctx->log,
                              .cache_bytes = params->adstack_cache_bytes,
                              .fetch = params->fetch ? *params->fetch : (pail_fetch_callbacks){0},
                              .overflow_memory = pail_overflows_memory(&ctx->overflows)};
    const struct pail_vk_caps *caps = pail_vk_device_caps(ctx->dev);
    if (!params->import) {
        env.no_semaphores = "the context has a device of its own: import the one of the semaphore";
    } else if (!caps->timeline_semaphore) {
        env.no_semaphores = PAIL_VK_NO_TIMELINE;
        env.semaphores = PAIL_ERR_UNSUPPORTED; /* as of jobs */
    }
    if (!params->import)
        env.memories = &ctx->memories.ranges;
    if (!caps->buffer_device_address)
        env.no_addresses = "the device has no buffer addresses";
    pail_status status = pail_debug_parse(&env.debug, vk->debug, err);
    if (status == PAIL_OK)
        status = open_reductions(ctx, params->import != NULL, err);
    if (ctx->adstack_gpu)
        env.device = pail_ad_gpu_device(ctx->adstack_gpu);
    if (status == PAIL_OK)
        status = pail_adstack_create(&ctx->adstack, &env, err);
    ctx->overflows.dev = ctx->dev;
    ctx->overflows.adstack = ctx->adstack;
    return status;
}

pail_status pail_context_open(const struct pail_vk_env *env, struct pail_context **out,
                              const pail_context_params *params, struct pail_error *err)
{
    *out = NULL;
    struct pail_context *ctx = pail_calloc(&env->alloc, 1, sizeof(*ctx));
    if (!ctx)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a context");
    ctx->alloc = env->alloc;
    ctx->log = env->log;
    ctx->threads = threads_of(params);
    pail_status status = pail_overflows_init(&ctx->overflows, err);
    if (status != PAIL_OK) {
        pail_free(&env->alloc, ctx);
        return status;
    }
    status = open_device(ctx, env, params, err);
    if (status == PAIL_OK)
        status = pail_msm_measure_doubles(ctx->dev, err);
    if (status == PAIL_OK)
        status = pail_memories_init(&ctx->memories, &ctx->alloc, &ctx->log, ctx->dev, err);
    if (status == PAIL_OK)
        status = open_field(ctx, params, err);
    if (status == PAIL_OK)
        status = open_msm(ctx, params, err);
    if (status == PAIL_OK)
        status = open_adstack(ctx, env, params, err);
    if (status != PAIL_OK) {
        pail_context_close(ctx);
        return status;
    }
    *out = ctx;
    return PAIL_OK;
}

void pail_context_close(struct pail_context *ctx)
{
    if (!ctx)
        return;
    pail_msm_destroy(&ctx->msm);
    pail_field_destroy(&ctx->field);
    pail_memories_fini(&ctx->memories);
    pail_adstack_destroy(&ctx->adstack);
    pail_ad_gpu_destroy(&ctx->adstack_gpu);
    pail_ad_choices_destroy(&ctx->choices);
    pail_overflows_fini(&ctx->overflows);
    pail_vk_device_destroy(&ctx->dev);
    pail_vk_instance_destroy(&ctx->instance);
    const struct pail_alloc alloc = ctx->alloc;
    pail_free(&alloc, ctx);
}
