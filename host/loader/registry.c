/* SPDX-License-Identifier: Apache-2.0 */
#include "registry.h"
#include "messages.h"
#include "search.h"

#include <cpu/cpu.h>

#include <platform/process.h>
#include <platform/processors.h>
#include <stdlib.h>
#include <string.h>

#define PARAMS_BYTES_MIN (offsetof(pail_registry_params, path) + sizeof(const char *))
#define HOST_BYTES_MIN   (offsetof(pail_host, free) + sizeof(void (*)(void)))

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Copies what the caller knew of the params; the rest is zero. */
static pail_status read_params(pail_registry_params *read, const pail_registry_params *params,
                               char *error, size_t capacity)
{
    *read = (pail_registry_params){.struct_size = sizeof *read};
    if (!params)
        return PAIL_OK;
    if (params->struct_size < PARAMS_BYTES_MIN) {
        pail_say(error, capacity, "params->struct_size is %u; at least %zu is needed",
                 params->struct_size, PARAMS_BYTES_MIN);
        return PAIL_ERR_ARGUMENT;
    }
    memcpy(read, params, min_size(params->struct_size, sizeof *read));
    if (read->flags & ~(uint32_t)PAIL_REGISTRY_PATH_ONLY) {
        pail_say(error, capacity, "params->flags is 0x%x; only PAIL_REGISTRY_PATH_ONLY is known",
                 read->flags);
        return PAIL_ERR_ARGUMENT;
    }
    return PAIL_OK;
}

static pail_status read_host(pail_host *read, const pail_host *host, char *error, size_t capacity)
{
    *read = (pail_host){
        .struct_size = sizeof *read,
        .abi_major = PAIL_ABI_MAJOR,
        .abi_minor = PAIL_ABI_MINOR,
    };
    if (!host)
        return PAIL_OK;
    if (host->struct_size < HOST_BYTES_MIN) {
        pail_say(error, capacity, "params->host->struct_size is %u; at least %zu is needed",
                 host->struct_size, HOST_BYTES_MIN);
        return PAIL_ERR_ARGUMENT;
    }
    if (host->abi_major != PAIL_ABI_MAJOR) {
        pail_say(error, capacity, "params->host is of ABI %u.%u; this library speaks %u.%u",
                 host->abi_major, host->abi_minor, PAIL_ABI_MAJOR, PAIL_ABI_MINOR);
        return PAIL_ERR_ABI;
    }
    if (!host->alloc != !host->free) {
        pail_say(error, capacity,
                 "params->host->%s is NULL, but the other of alloc and free is not",
                 host->alloc ? "free" : "alloc");
        return PAIL_ERR_ARGUMENT;
    }
    const size_t known = min_size(host->struct_size, sizeof *read);
    memcpy(read, host, known);
    read->struct_size = (uint32_t)known;
    return PAIL_OK;
}

static void log_outcome(const pail_host *host, const struct pail_plugin *plugin)
{
    const char *path = plugin->path ? plugin->path : "built in";
    if (plugin->left_out) {
        pail_host_log(host, PAIL_LOG_DEBUG, "%s: %s", path, plugin->reason);
    } else if (plugin->status == PAIL_OK) {
        pail_host_log(host, PAIL_LOG_INFO, "backend '%s' %s, score %u: %s", plugin->backend->name,
                      plugin->backend->version, plugin->score, path);
    } else {
        pail_host_log(host, PAIL_LOG_WARNING, "%s: %s", path, plugin->reason);
    }
}

/* Keeps the name that is asked for: by the host, otherwise by whoever runs the process. */
static pail_status keep_wanted(pail_registry *registry, const char *name)
{
    if (!name) {
        name = pail_env("PAIL_BACKEND");
        registry->wanted_by_setting = name && name[0];
        name = registry->wanted_by_setting ? name : NULL;
    }
    registry->wanted = name ? strdup(name) : NULL;
    return name && !registry->wanted ? PAIL_ERR_HOST_MEMORY : PAIL_OK;
}

/* Turns the candidates into plugins and adds the backend that is built in. */
static pail_status open_all(pail_registry *registry, struct pail_candidates *list)
{
    registry->plugins = calloc(list->n + 1, sizeof *registry->plugins);
    if (!registry->plugins)
        return PAIL_ERR_HOST_MEMORY;
    for (size_t i = 0; i < list->n + 1; ++i) {
        struct pail_plugin *plugin = &registry->plugins[registry->n++];
        bool told = true;
        if (i == list->n) {
            told = pail_plugin_open_builtin(plugin, &registry->host, pail_cpu_open);
        } else {
            struct pail_candidate *item = &list->items[i];
            plugin->path = item->path;
            item->path = NULL;
            plugin->device = item->device;
            plugin->inode = item->inode;
            plugin->only = registry->wanted;
            if (item->status == PAIL_OK) {
                told = pail_plugin_open(plugin, &registry->host);
            } else {
                plugin->status = item->status;
                plugin->reason = item->reason;
                item->reason = NULL;
            }
        }
        if (!told)
            return PAIL_ERR_HOST_MEMORY;
        plugin->only = NULL;
        log_outcome(&registry->host, plugin);
    }
    return PAIL_OK;
}

pail_status pail_registry_create(pail_registry **registry, const pail_registry_params *params,
                                 char *error, size_t capacity)
{
    pail_say(error, capacity, "%s", "");
    if (!registry) {
        pail_say(error, capacity, "registry is NULL");
        return PAIL_ERR_ARGUMENT;
    }
    *registry = NULL;
    if (!pail_process_is_first()) {
        pail_say(error, capacity, "%s", PAIL_PROCESS_FORKED);
        return PAIL_ERR_ARGUMENT;
    }

    pail_registry_params known;
    pail_host host;
    struct pail_candidates list = {.items = NULL};
    pail_registry *made = NULL;

    struct pail_processors processors;
    char sentence[256];
    if (!pail_processors_of_environment(&processors, sentence, sizeof sentence)) {
        pail_say(error, capacity, "%s", sentence);
        return PAIL_ERR_ARGUMENT;
    }
    pail_status status = read_params(&known, params, error, capacity);
    if (status == PAIL_OK)
        status = read_host(&host, known.host, error, capacity);
    if (status != PAIL_OK)
        return status;
    made = calloc(1, sizeof *made);
    if (!made) {
        status = PAIL_ERR_HOST_MEMORY;
        goto out;
    }
    made->host = host;
    status = keep_wanted(made, known.backend);
    /* The name of what is built in is known without opening anything. */
    if (status == PAIL_OK && (!made->wanted || strcmp(made->wanted, PAIL_CPU_NAME) != 0))
        status = pail_search(&list, known.path, (known.flags & PAIL_REGISTRY_PATH_ONLY) != 0);
    if (status == PAIL_OK)
        status = open_all(made, &list);

out:
    pail_candidates_fini(&list);
    if (status == PAIL_OK) {
        *registry = made;
    } else {
        pail_say(error, capacity, "out of memory while looking for backends");
        pail_registry_destroy(&made);
    }
    return status;
}

void pail_registry_destroy(pail_registry **registry)
{
    if (!registry || !*registry)
        return;
    pail_registry *const r = *registry;
    *registry = NULL;
    if (!pail_process_is_first())
        return; /* the plugins' destructors would look for threads of the parent */
    for (size_t i = 0; i < r->n; ++i)
        pail_plugin_close(&r->plugins[i]);
    free(r->plugins);
    free(r->wanted);
    free(r);
}

const pail_host *pail_registry_host(const pail_registry *registry)
{
    return &registry->host;
}

const char *pail_registry_wanted(const pail_registry *registry)
{
    return registry ? registry->wanted : NULL;
}

size_t pail_registry_count(const pail_registry *registry)
{
    return registry->n;
}

pail_status pail_registry_get(const pail_registry *registry, pail_registry_entry *entry,
                              size_t index)
{
    if (!entry || entry->struct_size < sizeof entry->struct_size ||
        entry->struct_size > PAIL_STRUCT_SIZE_MAX)
        return PAIL_ERR_ARGUMENT;
    pail_registry_entry full = {.struct_size = entry->struct_size};
    pail_status status = PAIL_ERR_ARGUMENT;
    if (registry && index < registry->n) {
        const struct pail_plugin *plugin = &registry->plugins[index];
        const pail_backend *backend = plugin->backend;
        full.status = plugin->status;
        full.score = plugin->score;
        full.abi_major = backend ? backend->abi_major : 0;
        full.abi_minor = backend ? backend->abi_minor : 0;
        full.name = backend ? backend->name : NULL;
        full.version = backend ? backend->version : NULL;
        full.path = plugin->path;
        full.reason = plugin->reason ? plugin->reason : "";
        full.backend = backend;
        status = PAIL_OK;
    }
    memcpy(entry, &full, min_size(entry->struct_size, sizeof full));
    if (entry->struct_size > sizeof full)
        memset((char *)entry + sizeof full, 0, entry->struct_size - sizeof full);
    return status;
}
