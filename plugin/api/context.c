#include <platform/process.h>
#include <string.h>

#include <core/structs.h>

#include "api.h"
#include "vk/instance.h"

/* One sentence for each thread, so that threads sharing a context do not overwrite one another's.
 */
static _Thread_local char last_error[sizeof(((struct pail_error *)0)->text)];

const char *pail_api_error(const pail_context *context)
{
    (void)context; /* a thread has one last failure, whatever it was about */
    return last_error[0] ? last_error : "no call has failed in this thread";
}

pail_status pail_api_failed(const struct pail_log *log, const struct pail_error *err)
{
    memcpy(last_error, err->text, sizeof(last_error));
    if (log && pail_process_is_first())
        pail_log(log, PAIL_LOG_ERROR, "%s", err->text);
    return err->status;
}

static pail_status env_of(struct pail_vk_env *env, const pail_host *host, struct pail_error *err)
{
    pail_host h;
    *env = (struct pail_vk_env){0};
    pail_status status = pail_struct_in(&h, sizeof(h), host, PAIL_HOST_SIZE_1_0, "pail_host", err);
    if (status == PAIL_OK)
        status = pail_api_need_process(err);
    if (status != PAIL_OK)
        return status;
    if (h.abi_major != PAIL_ABI_MAJOR)
        return pail_fail(err, PAIL_ERR_ABI, "pail_host: abi_major is %u, this backend speaks %u",
                         h.abi_major, PAIL_ABI_MAJOR);
    if ((h.alloc == NULL) != (h.free == NULL))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "pail_host: one of alloc and free is NULL");
    env->alloc = (struct pail_alloc){h.user, h.alloc, h.free};
    env->log = (struct pail_log){h.user, h.log};
    return PAIL_OK;
}

static pail_status open_instance(const pail_host *host, struct pail_vk_env *env,
                                 struct pail_vk_instance **instance, struct pail_error *err)
{
    *instance = NULL;
    const pail_status status = env_of(env, host, err);
    return status == PAIL_OK ? pail_vk_instance_create(instance, env, err) : status;
}

uint32_t pail_api_score(const pail_host *host)
{
    struct pail_error err = {0};
    struct pail_vk_env env;
    struct pail_vk_instance *instance;
    uint32_t best = 0, score = 0;
    pail_status status = open_instance(host, &env, &instance, &err);
    if (status == PAIL_OK)
        status = pail_best_device(instance, &best, &err);
    if (status == PAIL_OK)
        score = pail_device_score(pail_vk_instance_caps(instance, best));
    else
        (void)pail_api_failed(NULL, &err);
    pail_vk_instance_destroy(&instance);
    return score;
}

pail_status pail_api_device_count(const pail_host *host, uint32_t *count)
{
    struct pail_error err = {0};
    struct pail_vk_env env;
    struct pail_vk_instance *instance;
    if (!count) {
        (void)pail_fail(&err, PAIL_ERR_ARGUMENT, "count: NULL");
        return pail_api_failed(NULL, &err);
    }
    *count = 0;
    const pail_status status = open_instance(host, &env, &instance, &err);
    if (status != PAIL_OK)
        return pail_api_failed(&env.log, &err);
    *count = pail_vk_instance_n_devices(instance);
    pail_vk_instance_destroy(&instance);
    return PAIL_OK;
}

pail_status pail_api_device_info(const pail_host *host, uint32_t index, pail_device_info *info)
{
    struct pail_error err = {0};
    struct pail_vk_env env = {0};
    struct pail_vk_instance *instance = NULL;
    pail_device_info filled = {.struct_size = sizeof(filled), .index = index};
    pail_status status = pail_struct_out(info, PAIL_DEVICE_INFO_SIZE_1_0, "pail_device_info", &err);
    if (status == PAIL_OK)
        status = open_instance(host, &env, &instance, &err);
    if (status == PAIL_OK && index >= pail_vk_instance_n_devices(instance))
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "index: there is no device %u among %u", index,
                           pail_vk_instance_n_devices(instance));
    if (status == PAIL_OK) {
        pail_describe_device(&filled, pail_vk_instance_caps(instance, index));
        pail_struct_deliver(info, &filled, sizeof(filled));
    }
    pail_vk_instance_destroy(&instance);
    return status == PAIL_OK ? PAIL_OK : pail_api_failed(&env.log, &err);
}

/* Threads of the context run code of this object: it stays as long as there is one. */
static pail_status open_pinned(const struct pail_vk_env *env, pail_context **context,
                               const pail_context_params *params, struct pail_error *err)
{
    pail_pin();
    const pail_status status = pail_context_open(env, context, params, err);
    if (status != PAIL_OK)
        pail_unpin();
    return status;
}

pail_status pail_api_context_create(const pail_host *host, pail_context **context,
                                    const pail_context_params *params)
{
    struct pail_error err = {0};
    struct pail_vk_env env = {0};
    pail_context_params p;
    pail_vulkan_import import;
    pail_cache_callbacks cache;
    pail_status status = PAIL_OK;
    if (!context)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "context: NULL");
    else
        *context = NULL;
    if (status == PAIL_OK)
        status = env_of(&env, host, &err);
    if (status == PAIL_OK)
        status = pail_struct_in(&p, sizeof(p), params, PAIL_CONTEXT_PARAMS_SIZE_1_0,
                                "pail_context_params", &err);
    if (status == PAIL_OK && p.import) {
        status = pail_struct_in(&import, sizeof(import), p.import, PAIL_VULKAN_IMPORT_SIZE_1_0,
                                "pail_vulkan_import", &err);
        p.import = &import;
    }
    if (status == PAIL_OK && p.cache) {
        status = pail_struct_in(&cache, sizeof(cache), p.cache, PAIL_CACHE_CALLBACKS_SIZE_1_0,
                                "pail_cache_callbacks", &err);
        p.cache = &cache;
        if (status == PAIL_OK && (!cache.get || !cache.put))
            status = pail_fail(&err, PAIL_ERR_ARGUMENT, "pail_cache_callbacks: %s is NULL",
                               cache.get ? "put" : "get");
    }
    if (status == PAIL_OK)
        status = open_pinned(&env, context, &p, &err);
    return status == PAIL_OK ? PAIL_OK : pail_api_failed(&env.log, &err);
}

void pail_api_context_destroy(pail_context **context)
{
    if (!context || !*context)
        return;
    struct pail_context *ctx = *context;
    *context = NULL;
    if (!pail_process_is_first())
        return;
    pail_context_close(ctx);
    pail_unpin();
}

pail_status pail_api_context_device(pail_context *context, pail_device_info *info)
{
    struct pail_error err = {0};
    pail_device_info filled = {.struct_size = sizeof(filled)};
    pail_status status = pail_struct_out(info, PAIL_DEVICE_INFO_SIZE_1_0, "pail_device_info", &err);
    if (status == PAIL_OK)
        status = pail_api_need_object(context, "context", &err);
    if (status != PAIL_OK)
        return pail_api_failed(context ? &context->log : NULL, &err);
    filled.index = context->device_index;
    struct pail_vk_caps caps;
    pail_vk_device_caps_now(context->dev, &caps);
    pail_describe_device(&filled, &caps);
    pail_struct_deliver(info, &filled, sizeof(filled));
    return PAIL_OK;
}
