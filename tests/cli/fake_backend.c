/* SPDX-License-Identifier: Apache-2.0 */
/* A backend without a driver, for the commands that warm and keep pipelines: its pipelines are a
 * few bytes, but they go through the real cache. Two devices can be used and a third one cannot.
 *
 * Environment, each a part of the names it is about:
 *   FAKE_UNSUPPORTED, FAKE_FAILING  cannot be made: PAIL_ERR_UNSUPPORTED, PAIL_ERR_DEVICE_MEMORY
 *   FAKE_NO_CODE                    pipelines of a driver that keeps no code
 *   FAKE_BASE                       with a base, as on devices that take their work in portions
 *   FAKE_FORGOTTEN                  made, but never put into the cache
 *   FAKE_VOLATILE                   other code in every process, so that no process finds them
 *   FAKE_SLOW                       take 0.7 s
 *   FAKE_NAME                       in place of the names of devices and their driver
 *   FAKE_DRIVER                     (a number) version of the driver
 *   FAKE_SOFTWARE                   devices are a software driver's, below the CPU backend */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pail/backend.h>

#include <cache/cache.h>
#include <cache/entry.h>

struct pail_context {
    pail_device_info device;
    struct pail_cache *cache;
};

static _Thread_local char sentence[256];

static const char *fake_error(const pail_context *context)
{
    (void)context;
    return sentence;
}

static uint32_t fake_score(const pail_host *host)
{
    (void)host;
    return getenv("FAKE_SOFTWARE") != NULL ? 1 : 1000000000;
}

static pail_status fake_device_count(const pail_host *host, uint32_t *count)
{
    (void)host;
    *count = 3;
    return PAIL_OK;
}

static pail_status fake_device_info(const pail_host *host, uint32_t index, pail_device_info *info)
{
    (void)host;
    const char *const driver = getenv("FAKE_DRIVER");
    pail_device_info full = {
        .struct_size = info->struct_size,
        .index = index,
        .driver = "fake driver",
        .type = getenv("FAKE_SOFTWARE") != NULL ? PAIL_DEVICE_CPU : PAIL_DEVICE_DISCRETE,
        .vendor_id = 0xfa4e,
        .device_id = 16 + index,
        .driver_version = driver != NULL ? (uint32_t)strtoul(driver, NULL, 10) : 1,
        .usable = index < 2,
        .score = index < 2 ? 9 - index : 0,
        .pipeline_cache_uuid = {0xfa, 0x4e, (uint8_t)index},
    };
    (void)snprintf(full.name, sizeof(full.name), "fake device %c", (int)('A' + index));
    const char *const name = getenv("FAKE_NAME");
    if (name != NULL) {
        (void)snprintf(full.name, sizeof(full.name), "%s", name);
        (void)snprintf(full.driver, sizeof(full.driver), "%s", name);
    }
    if (index >= 2)
        (void)snprintf(full.reason, sizeof(full.reason), "it is only here to be left out");
    memcpy(info, &full, info->struct_size < sizeof(full) ? info->struct_size : sizeof(full));
    return PAIL_OK;
}

static pail_status fake_context_create(const pail_host *host, pail_context **context,
                                       const pail_context_params *params)
{
    *context = calloc(1, sizeof(**context));
    if (*context == NULL)
        return PAIL_ERR_HOST_MEMORY;
    pail_device_info *const device = &(*context)->device;
    device->struct_size = sizeof(*device);
    (void)fake_device_info(host, params->device == PAIL_DEVICE_BEST ? 0 : params->device, device);
    struct pail_cache_params cache = {.dir = params->cache_dir,
                                      .device = {.vendor = device->vendor_id,
                                                 .device = device->device_id,
                                                 .driver = device->driver_version}};
    memcpy(cache.device.uuid, device->pipeline_cache_uuid, sizeof(cache.device.uuid));
    (*context)->cache = pail_cache_open(&cache);
    if ((*context)->cache != NULL)
        return PAIL_OK;
    free(*context);
    *context = NULL;
    return PAIL_ERR_HOST_MEMORY;
}

static void fake_context_destroy(pail_context **context)
{
    if (*context != NULL)
        pail_cache_close((*context)->cache);
    free(*context);
    *context = NULL;
}

static pail_status fake_context_device(pail_context *context, pail_device_info *info)
{
    memcpy(info, &context->device,
           info->struct_size < sizeof(*info) ? info->struct_size : sizeof(*info));
    return PAIL_OK;
}

/* True if the variable is set and the name has its text in it. */
static bool is_named(const char *variable, const char *name)
{
    const char *const part = getenv(variable);
    return part != NULL && strstr(name, part) != NULL;
}

static pail_status make(pail_context *context, pail_pipeline_info *info)
{
    static const uint8_t code[] = "code";
    struct pail_cache_device device = {.vendor = context->device.vendor_id,
                                       .device = context->device.device_id,
                                       .driver = context->device.driver_version};
    memcpy(device.uuid, context->device.pipeline_cache_uuid, sizeof(device.uuid));
    if (is_named("FAKE_VOLATILE", info->name))
        info->code_hash = (uint64_t)getpid();
    info->task = pail_cache_pipeline_task(info->specs, info->n_specs);
    const struct pail_cache_pipeline pipeline = {.name = info->name,
                                                 .code_hash = info->code_hash,
                                                 .specs = info->specs,
                                                 .n_specs = info->n_specs,
                                                 .n_bindings = 4,
                                                 .push_bytes = 16,
                                                 .base = is_named("FAKE_BASE", info->name)};
    const struct pail_cache_key key = pail_cache_pipeline_key(&pipeline, &device);
    if (is_named("FAKE_SLOW", info->name))
        (void)nanosleep(&(struct timespec){.tv_nsec = 700000000}, NULL);
    if (is_named("FAKE_UNSUPPORTED", info->name) || is_named("FAKE_FAILING", info->name)) {
        (void)snprintf(sentence, sizeof(sentence), "%s is asking too much", info->name);
        return is_named("FAKE_FAILING", info->name) ? PAIL_ERR_DEVICE_MEMORY : PAIL_ERR_UNSUPPORTED;
    }
    info->flags = is_named("FAKE_NO_CODE", info->name) ? PAIL_PIPELINE_NO_CODE : 0;
    info->bytes = pail_cache_entry_bytes(sizeof(code));
    info->ms = 1.5;
    size_t bytes;
    uint8_t *const known = pail_cache_get(context->cache, &key, &bytes);
    info->origin = known != NULL ? PAIL_PIPELINE_DISK : PAIL_PIPELINE_COMPILED;
    if (known != NULL)
        pail_cache_release(context->cache, known);
    else if (!is_named("FAKE_FORGOTTEN", info->name))
        pail_cache_put(context->cache, &key, code, sizeof(code));
    return PAIL_OK;
}

/* One pipeline for each item, and one that none names: fake/sort. */
static pail_status fake_warm(pail_context *context, const pail_warm_item *items, size_t n_items,
                             void (*done)(void *user, const pail_pipeline_info *info), void *user)
{
    static const pail_warm_item everything = {.struct_size = sizeof(everything), .curve = 1};
    if (items == NULL) {
        items = &everything;
        n_items = 1;
    }
    pail_status first = PAIL_OK;
    char kept[sizeof(sentence)] = "";
    for (size_t i = 0; i <= n_items; i++) {
        pail_pipeline_info info = {.struct_size = sizeof(info),
                                   .id = (uint32_t)i + 0xab,
                                   .code_hash = 0x1234,
                                   .n_specs = i < n_items,
                                   .done = (uint32_t)i + 1,
                                   .total = (uint32_t)n_items + 1};
        if (i == n_items)
            (void)snprintf(info.name, sizeof(info.name), "fake/sort");
        else if (items[i].adstack != 0)
            (void)snprintf(info.name, sizeof(info.name), "fake/adstack");
        else
            (void)snprintf(info.name, sizeof(info.name), "fake/add.c%u.g%u.a%u", items[i].curve,
                           items[i].group, items[i].accumulator);
        if (i < n_items)
            info.specs[0] = (uint32_t)items[i].n;
        const pail_status status = make(context, &info);
        info.status = status;
        if (first == PAIL_OK && status != PAIL_OK) {
            first = status;
            (void)snprintf(kept, sizeof(kept), "%s", sentence);
        }
        done(user, &info);
    }
    (void)snprintf(sentence, sizeof(sentence), "%s", kept);
    return first;
}

/* Slots that say that stacks can be sized. Nobody gets as far as a result. */
static pail_status fake_adstack_register(pail_context *context, pail_adstack_kernel *kernel,
                                         uint32_t *task_ids, const pail_kernel_desc *desc)
{
    (void)context;
    (void)task_ids;
    (void)desc;
    *kernel = 0;
    return PAIL_ERR_UNSUPPORTED;
}

static pail_status fake_adstack_unregister(pail_context *context, pail_adstack_kernel kernel)
{
    (void)context;
    (void)kernel;
    return PAIL_ERR_ARGUMENT;
}

static pail_status fake_adstack_evaluate(pail_context *context, pail_adstack_result **result,
                                         const pail_launch *launch)
{
    (void)context;
    (void)launch;
    *result = NULL;
    return PAIL_ERR_ARGUMENT;
}

static void fake_adstack_release(pail_adstack_result *result)
{
    (void)result;
}

static pail_status fake_adstack_task_size(const pail_adstack_result *result, pail_task_size *size,
                                          size_t task)
{
    (void)result;
    (void)size;
    (void)task;
    return PAIL_ERR_ARGUMENT;
}

static pail_status fake_adstack_stack_size(const pail_adstack_result *result, pail_stack_size *size,
                                           size_t task, size_t stack)
{
    (void)result;
    (void)size;
    (void)task;
    (void)stack;
    return PAIL_ERR_ARGUMENT;
}

static pail_status fake_adstack_metadata(const pail_adstack_result *result, uint32_t *words,
                                         size_t *n_words, size_t task)
{
    (void)result;
    (void)words;
    (void)task;
    *n_words = 0;
    return PAIL_ERR_ARGUMENT;
}

static void fake_adstack_stats(pail_context *context, pail_adstack_stats *stats)
{
    (void)context;
    (void)stats;
}

static const pail_backend table = {
    .struct_size = sizeof(table),
    .abi_major = PAIL_ABI_MAJOR,
    .abi_minor = PAIL_ABI_MINOR,
    .name = "fake",
    .version = "1.2.3",
    .error = fake_error,
    .score = fake_score,
    .device_count = fake_device_count,
    .device_info = fake_device_info,
    .context_create = fake_context_create,
    .context_destroy = fake_context_destroy,
    .context_device = fake_context_device,
    .adstack_register = fake_adstack_register,
    .adstack_unregister = fake_adstack_unregister,
    .adstack_evaluate = fake_adstack_evaluate,
    .adstack_release = fake_adstack_release,
    .adstack_task_size = fake_adstack_task_size,
    .adstack_stack_size = fake_adstack_stack_size,
    .adstack_metadata = fake_adstack_metadata,
    .adstack_stats = fake_adstack_stats,
    .warm = fake_warm,
};

__attribute__((visibility("default"))) pail_status pail_backend_open(const pail_host *host,
                                                                     const pail_backend **backend);

pail_status pail_backend_open(const pail_host *host, const pail_backend **backend)
{
    (void)host;
    *backend = &table;
    return PAIL_OK;
}
