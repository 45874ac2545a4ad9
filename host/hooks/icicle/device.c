/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a process under ICICLE's names, and the sentences of failures. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <platform/process.h>
#include <platform/text.h>

#include "state.h"

enum { DEVICES_MAX = 32 };

static const char vulkan_type[] = "VULKAN", cpu_type[] = "CPU";

/* The device of a thread, by the name that it used. */
struct choice {
    struct icicle_device_name name;
    struct icicle_device *device;
    uint64_t epoch; /* of the devices: another one invalidates the choice */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Guarded by the lock; contexts are constant once they are set, until all is closed. */
static struct {
    pail_registry *registry;
    struct icicle_device devices[DEVICES_MAX];
    size_t n;
    char alias[64]; /* another name of alias_type; empty: none */
    const char *alias_type;
    struct choice fallback;
    uint64_t epoch;
} all = {.epoch = 1};

static _Thread_local struct choice chosen;
static _Thread_local char sentence[ICICLE_SENTENCE];

/* ---- Failures -------------------------------------------------------------------------------- */

void icicle_say(const char *format, ...)
{
    char line[sizeof(sentence)];
    va_list values;
    va_start(values, format);
    (void)pail_line_list(line, sizeof(line), format, values);
    va_end(values);
    (void)fprintf(stderr, "pail-icicle: %s\n", line);
}

int icicle_fail(int status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)pail_line_list(sentence, sizeof(sentence), format, values);
    va_end(values);
    icicle_say("%s", sentence);
    return status;
}

void icicle_keep(const char *kept)
{
    memcpy(sentence, kept, sizeof(sentence));
}

const char *pail_icicle_error(void)
{
    return sentence;
}

int pail_icicle_missing(const char *name)
{
    return icicle_fail(ICICLE_API_NOT_IMPLEMENTED, "%s is not offered", name);
}

int icicle_device_fail(const struct icicle_device *device, pail_status status, const char *what)
{
    int told = ICICLE_UNKNOWN_ERROR;
    if (PAIL_STATUS_KIND(status) == PAIL_KIND_CALLER || PAIL_STATUS_KIND(status) == PAIL_KIND_DATA)
        told = ICICLE_INVALID_ARGUMENT;
    else if (status == PAIL_ERR_UNSUPPORTED)
        told = ICICLE_API_NOT_IMPLEMENTED;
    else if (status == PAIL_ERR_HOST_MEMORY || status == PAIL_ERR_DEVICE_MEMORY)
        told = ICICLE_OUT_OF_MEMORY;
    return icicle_fail(told, "%s: %s", what, device->backend->error(device->context));
}

/* ---- The list -------------------------------------------------------------------------------- */

static void add_devices(const pail_backend *backend, const char *type)
{
    const pail_host *const host = pail_registry_host(all.registry);
    const size_t first = all.n;
    uint32_t count = 0;
    if (!PAIL_HAS(backend, memory_find)) {
        icicle_say("the backend %s is of ABI %u.%u; ICICLE's functions need 1.1", backend->name,
                   backend->abi_major, backend->abi_minor);
        return;
    }
    if (backend->device_count(host, &count) != PAIL_OK)
        return;
    for (uint32_t i = 0; i < count && all.n < DEVICES_MAX; i++) {
        pail_device_info info = {.struct_size = sizeof(info)};
        if (backend->device_info(host, i, &info) != PAIL_OK || !info.usable)
            continue;
        /* The best one has id 0, which is what hosts ask for that have one device. */
        size_t place = all.n++;
        for (; place > first && all.devices[place - 1].score < info.score; place--)
            all.devices[place] = all.devices[place - 1];
        all.devices[place] = (struct icicle_device){
            .type = type,
            .backend = backend,
            .index = i,
            .score = info.score,
            .host_memory = type == cpu_type || !(info.features & PAIL_FEATURE_DEVICE_ADDRESS),
        };
    }
    for (size_t i = first; i < all.n; i++)
        all.devices[i].id = (int)(i - first);
}

static void choose_default(const pail_backend *best)
{
    struct icicle_device *device = &all.devices[0];
    for (size_t i = 1; i < all.n && device->backend != best; i++)
        device = &all.devices[i];
    all.fallback = (struct choice){.device = device, .epoch = all.epoch};
    all.fallback.name.id = device->id;
    (void)snprintf(all.fallback.name.type, sizeof(all.fallback.name.type), "%s", device->type);
    const char *const alias = pail_env("PAIL_ICICLE_ALIAS");
    all.alias[0] = '\0';
    if (!alias || !*alias)
        return;
    if (strlen(alias) >= sizeof(all.alias) || strchr(alias, ',') || !strcmp(alias, cpu_type) ||
        !strcmp(alias, vulkan_type)) {
        icicle_say("PAIL_ICICLE_ALIAS is not one other name of a type of devices, and is ignored");
        return;
    }
    (void)snprintf(all.alias, sizeof(all.alias), "%s", alias);
    all.alias_type = device->type;
    icicle_say("devices of type %s are Pail's of type %s (PAIL_ICICLE_ALIAS)", alias, device->type);
}

/* Lists the devices once. The lock is held. */
static int list_devices(void)
{
    char error[sizeof(sentence)];
    const pail_backend *best = NULL;
    if (all.registry)
        return ICICLE_SUCCESS;
    if (pail_registry_create(&all.registry, NULL, error, sizeof(error)) != PAIL_OK ||
        pail_registry_find(all.registry, &best, NULL, error, sizeof(error)) != PAIL_OK) {
        pail_registry_destroy(&all.registry);
        return icicle_fail(ICICLE_BACKEND_LOAD_FAILED, "%s", error);
    }
    all.n = 0;
    for (size_t i = 0; i < pail_registry_count(all.registry); i++) {
        pail_registry_entry entry = {.struct_size = sizeof(entry)};
        if (pail_registry_get(all.registry, &entry, i) != PAIL_OK || entry.status != PAIL_OK ||
            !entry.backend)
            continue;
        add_devices(entry.backend, strcmp(entry.name, PAIL_CPU_NAME) ? vulkan_type : cpu_type);
    }
    if (all.n == 0) {
        pail_registry_destroy(&all.registry);
        return icicle_fail(ICICLE_BACKEND_LOAD_FAILED, "no backend has a usable device");
    }
    choose_default(best);
    return ICICLE_SUCCESS;
}

/* Makes the context of a device where it has none. The lock is held. */
static int open_device(struct icicle_device *device)
{
    const pail_context_params params = {.struct_size = sizeof(params), .device = device->index};
    if (device->context)
        return ICICLE_SUCCESS;
    const pail_status status = device->backend->context_create(pail_registry_host(all.registry),
                                                               &device->context, &params);
    if (status == PAIL_OK)
        return ICICLE_SUCCESS;
    return icicle_fail(ICICLE_INVALID_DEVICE, "%s %d: %s", device->type, device->id,
                       device->backend->error(NULL));
}

/* The type that a name means; NULL: none. The lock is held. */
static const char *type_of(const char *name)
{
    if (all.alias[0] && !strcmp(name, all.alias))
        return all.alias_type;
    for (size_t i = 0; i < all.n; i++)
        if (!strcmp(name, all.devices[i].type))
            return all.devices[i].type;
    return NULL;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

static bool terminated(const struct icicle_device_name *name)
{
    return memchr(name->type, 0, sizeof(name->type)) != NULL;
}

static int set_locked(const struct icicle_device_name *name, bool for_all_threads)
{
    const char *const type = type_of(name->type);
    if (!type)
        return icicle_fail(ICICLE_INVALID_DEVICE,
                           "there is no device of type %.63s; PAIL_ICICLE_ALIAS gives Pail's "
                           "devices another name",
                           name->type);
    struct icicle_device *device = NULL;
    for (size_t i = 0; i < all.n; i++)
        if (all.devices[i].type == type && all.devices[i].id == name->id)
            device = &all.devices[i];
    if (!device)
        return icicle_fail(ICICLE_INVALID_DEVICE, "there is no device %s %d", type, name->id);
    const int status = open_device(device);
    if (status == ICICLE_SUCCESS)
        *(for_all_threads ? &all.fallback : &chosen) =
            (struct choice){.name = *name, .device = device, .epoch = all.epoch};
    return status;
}

int pail_icicle_set_device(const struct icicle_device_name *name, bool for_all_threads)
{
    if (!name || !terminated(name))
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "the device is NULL, or its type has no end");
    (void)pthread_mutex_lock(&lock);
    int status = list_devices();
    if (status == ICICLE_SUCCESS)
        status = set_locked(name, for_all_threads);
    (void)pthread_mutex_unlock(&lock);
    return status;
}

/* The thread's choice, or the default. The lock is held, and devices are listed. */
static struct choice *choice_locked(void)
{
    return chosen.device && chosen.epoch == all.epoch ? &chosen : &all.fallback;
}

int icicle_device_active(struct icicle_device **device)
{
    (void)pthread_mutex_lock(&lock);
    int status = list_devices();
    if (status == ICICLE_SUCCESS) {
        *device = choice_locked()->device;
        status = open_device(*device);
    }
    (void)pthread_mutex_unlock(&lock);
    return status;
}

int pail_icicle_active_device(struct icicle_device_name *name)
{
    if (!name)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "the device is NULL");
    (void)pthread_mutex_lock(&lock);
    const int status = list_devices();
    if (status == ICICLE_SUCCESS)
        *name = choice_locked()->name;
    (void)pthread_mutex_unlock(&lock);
    return status;
}

int pail_icicle_device_count(int *count)
{
    if (!count)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "the count is NULL");
    *count = 0;
    (void)pthread_mutex_lock(&lock);
    const int status = list_devices();
    for (size_t i = 0; status == ICICLE_SUCCESS && i < all.n; i++)
        *count += all.devices[i].type == choice_locked()->device->type;
    (void)pthread_mutex_unlock(&lock);
    return status;
}

int pail_icicle_available(const struct icicle_device_name *name)
{
    if (!name || !terminated(name))
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "the device is NULL, or its type has no end");
    (void)pthread_mutex_lock(&lock);
    int status = list_devices();
    /* A question, whose answer is no failure: it has no sentence. */
    if (status == ICICLE_SUCCESS && !type_of(name->type))
        status = ICICLE_INVALID_DEVICE;
    (void)pthread_mutex_unlock(&lock);
    return status;
}

int pail_icicle_registered(char *names, size_t capacity)
{
    char list[3 * sizeof(all.alias)] = "";
    if (!names)
        return icicle_fail(ICICLE_INVALID_POINTER, "the list of devices is NULL");
    (void)pthread_mutex_lock(&lock);
    int status = list_devices();
    size_t used = 0;
    for (size_t i = 0; status == ICICLE_SUCCESS && i < all.n; i++)
        if (all.devices[i].id == 0)
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? "," : "",
                                     all.devices[i].type);
    if (status == ICICLE_SUCCESS && all.alias[0])
        used += (size_t)snprintf(list + used, sizeof(list) - used, ",%s", all.alias);
    (void)pthread_mutex_unlock(&lock);
    if (status == ICICLE_SUCCESS && used >= capacity)
        status = icicle_fail(ICICLE_OUT_OF_MEMORY, "the list of devices has %zu bytes, not %zu",
                             used + 1, capacity);
    if (status == ICICLE_SUCCESS)
        memcpy(names, list, used + 1);
    return status;
}

int pail_icicle_load(const char *path)
{
    if (!path)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "the path of the backend is NULL");
    /* ICICLE's own plugins are not loaded: Pail's devices are there without them. */
    (void)pthread_mutex_lock(&lock);
    const int status = list_devices();
    (void)pthread_mutex_unlock(&lock);
    return status;
}

int pail_icicle_properties(struct icicle_device_properties *properties)
{
    struct icicle_device *device = NULL;
    if (!properties)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "the properties are NULL");
    *properties = (struct icicle_device_properties){0};
    const int status = icicle_device_active(&device);
    if (status == ICICLE_SUCCESS)
        properties->using_host_memory = device->host_memory;
    return status;
}

int pail_icicle_memory_left(size_t *total, size_t *left)
{
    struct icicle_device *device = NULL;
    pail_device_info info = {.struct_size = sizeof(info)};
    if (!total || !left)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "the total or the free memory is NULL");
    *total = *left = 0;
    const int status = icicle_device_active(&device);
    if (status != ICICLE_SUCCESS)
        return status;
    const pail_status told = device->backend->context_device(device->context, &info);
    if (told != PAIL_OK)
        return icicle_device_fail(device, told, "available memory");
    *total = info.heap_bytes;
    *left = info.budget_bytes && info.budget_bytes < info.heap_bytes ? info.budget_bytes
                                                                     : info.heap_bytes;
    return status;
}

struct icicle_domain icicle_device_domain(struct icicle_device *device, uint32_t curve,
                                          const struct icicle_domain *in)
{
    struct icicle_domain *const domain = &device->domains[curve - PAIL_CURVE_BN254];
    (void)pthread_mutex_lock(&lock);
    if (in)
        *domain = *in;
    const struct icicle_domain copy = *domain;
    (void)pthread_mutex_unlock(&lock);
    return copy;
}

void pail_icicle_close(void)
{
    icicle_stream_clear();
    icicle_bases_forget(NULL);
    (void)icicle_scratch_trim(NULL);
    icicle_memory_clear();
    (void)pthread_mutex_lock(&lock);
    for (size_t i = 0; i < all.n; i++)
        if (all.devices[i].context)
            all.devices[i].backend->context_destroy(&all.devices[i].context);
    pail_registry_destroy(&all.registry);
    all.n = 0;
    all.epoch++;
    (void)pthread_mutex_unlock(&lock);
}
