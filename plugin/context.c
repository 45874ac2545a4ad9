#include "context.h"

#include <string.h>
#include <unistd.h>

#include "adstack/gpu/bodies.h"
#include "adstack/service.h"
#include "debug.h"
#include "field/field.h"
#include "msm/doubles.h"
#include "tuning.h"
#include "vk/pointers.h"

pail_status pail_workspace_take(struct pail_context *ctx, struct pail_workspace **out,
                                struct pail_error *err)
{
    pthread_mutex_lock(&ctx->lock);
    struct pail_workspace *ws = ctx->idle;
    if (ws)
        ctx->idle = ws->next;
    pthread_mutex_unlock(&ctx->lock);
    if (!ws) {
        ws = pail_calloc(&ctx->alloc, 1, sizeof(*ws));
        if (!ws)
            return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a workspace");
        pail_vk_arena_init(&ws->device, ctx->dev, PAIL_VK_MEMORY_DEVICE, "msm scratch");
        pail_vk_arena_init(&ws->readback, ctx->dev, PAIL_VK_MEMORY_READBACK, "msm results");
    }
    ws->next = NULL;
    *out = ws;
    return PAIL_OK;
}

static void free_workspace(struct pail_context *ctx, struct pail_workspace *ws)
{
    pail_vk_arena_fini(&ws->device);
    pail_vk_arena_fini(&ws->readback);
    pail_free(&ctx->alloc, ws);
}

void pail_workspace_drop(struct pail_context *ctx, struct pail_workspace *ws)
{
    if (ws)
        free_workspace(ctx, ws);
}

void pail_workspace_give(struct pail_context *ctx, struct pail_workspace *ws)
{
    if (!ws)
        return;
    pail_vk_arena_reset(&ws->device);
    pail_vk_arena_reset(&ws->readback);
    pthread_mutex_lock(&ctx->lock);
    ws->next = ctx->idle;
    ctx->idle = ws;
    pthread_mutex_unlock(&ctx->lock);
}

uint64_t pail_workspace_idle_bytes(struct pail_context *ctx)
{
    uint64_t bytes = 0;
    pthread_mutex_lock(&ctx->lock);
    for (const struct pail_workspace *ws = ctx->idle; ws; ws = ws->next)
        bytes += pail_vk_arena_allocated(&ws->device);
    pthread_mutex_unlock(&ctx->lock);
    return bytes;
}

void pail_workspace_trim(struct pail_context *ctx)
{
    pthread_mutex_lock(&ctx->lock);
    struct pail_workspace *ws = ctx->idle;
    ctx->idle = NULL;
    pthread_mutex_unlock(&ctx->lock);
    while (ws) {
        struct pail_workspace *next = ws->next;
        free_workspace(ctx, ws);
        ws = next;
    }
    pail_field_trim(ctx);
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
        .timeline_semaphore = true, /* backend.h makes it a condition */
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
    const struct pail_vk_device_params device = {.cache = &cache, .threads = ctx->threads};
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
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return params->threads ? params->threads : processors > 0 ? (uint32_t)processors : 1;
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
    struct pail_ad_env env = {
        .alloc = ctx->alloc, .log = ctx->log, .cache_bytes = params->adstack_cache_bytes};
    const struct pail_vk_caps *caps = pail_vk_device_caps(ctx->dev);
    if (!params->import)
        env.no_semaphores = "the context has a device of its own: import the one of the semaphore";
    if (!params->import)
        env.no_addresses = "the context has a device of its own: import the one of the address";
    else if (!caps->buffer_device_address)
        env.no_addresses = "the device has no buffer addresses";
    pail_status status = pail_debug_parse(&env.debug, vk->debug, err);
    if (status == PAIL_OK)
        status = open_reductions(ctx, params->import != NULL, err);
    if (ctx->adstack_gpu)
        env.device = pail_ad_gpu_device(ctx->adstack_gpu);
    return status == PAIL_OK ? pail_adstack_create(&ctx->adstack, &env, err) : status;
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
    ctx->memory_budget = params->memory_budget;
    ctx->threads = threads_of(params);
    if (pthread_mutex_init(&ctx->lock, NULL) != 0) {
        pail_free(&env->alloc, ctx);
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    }
    pail_status status = open_device(ctx, env, params, err);
    if (status == PAIL_OK)
        status = pail_msm_measure_doubles(ctx->dev, err);
    if (status == PAIL_OK)
        status = pail_field_open(ctx, err);
    if (status == PAIL_OK)
        status = open_adstack(ctx, env, params, err);
    if (status != PAIL_OK) {
        pail_context_close(ctx);
        return status;
    }
    pail_tuning_load(ctx);
    *out = ctx;
    return PAIL_OK;
}

void pail_context_close(struct pail_context *ctx)
{
    if (!ctx)
        return;
    pail_workspace_trim(ctx);
    pail_field_close(ctx);
    pail_adstack_destroy(&ctx->adstack);
    pail_ad_gpu_destroy(&ctx->adstack_gpu);
    pail_ad_choices_destroy(&ctx->choices);
    if (ctx->dev)
        pail_vk_buffer_destroy(ctx->dev, &ctx->overflow);
    pail_vk_device_destroy(&ctx->dev);
    pail_vk_instance_destroy(&ctx->instance);
    pthread_mutex_destroy(&ctx->lock);
    const struct pail_alloc alloc = ctx->alloc;
    pail_free(&alloc, ctx);
}
