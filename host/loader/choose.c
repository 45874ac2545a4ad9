/* SPDX-License-Identifier: Apache-2.0 */
#include "messages.h"
#include "registry.h"

#include <pail/pail.h>
#include <platform/process.h>
#include <platform/text.h>
#include <stdbool.h>
#include <string.h>

/* Of a device, which is what hosts of 1.0 ask for: memory of the CPU backend is the host's. A
 * backend with a device has pipelines. */
static bool has_memory(const pail_backend *backend)
{
    return PAIL_HAS(backend, memory_create) && PAIL_HAS(backend, memory_destroy) &&
           PAIL_HAS(backend, memory_write) && PAIL_HAS(backend, memory_read) &&
           PAIL_HAS(backend, warm);
}

static bool has_account(const pail_backend *backend)
{
    return PAIL_HAS(backend, msm_memory);
}

static bool has_buckets(const pail_backend *backend)
{
    return PAIL_HAS(backend, msm_buckets);
}

static bool has_adstack(const pail_backend *backend)
{
    return PAIL_HAS(backend, adstack_register) && PAIL_HAS(backend, adstack_unregister) &&
           PAIL_HAS(backend, adstack_evaluate) && PAIL_HAS(backend, adstack_release) &&
           PAIL_HAS(backend, adstack_task_size) && PAIL_HAS(backend, adstack_stack_size) &&
           PAIL_HAS(backend, adstack_metadata) && PAIL_HAS(backend, adstack_stats);
}

static bool has_pipelines(const pail_backend *backend)
{
    return PAIL_HAS(backend, warm);
}

static bool has_tuning(const pail_backend *backend)
{
    return PAIL_HAS(backend, tuning_get) && PAIL_HAS(backend, tuning_set);
}

static bool has_vectors(const pail_backend *backend)
{
    return PAIL_HAS(backend, vector_create) && PAIL_HAS(backend, vector_destroy) &&
           PAIL_HAS(backend, vector_write) && PAIL_HAS(backend, vector_fill) &&
           PAIL_HAS(backend, matrix_create) && PAIL_HAS(backend, matrix_destroy) &&
           PAIL_HAS(backend, vector_start) && PAIL_HAS(backend, vector_finish);
}

static const struct {
    uint32_t ability;
    bool (*has)(const pail_backend *backend);
    const char *words;
} rows[] = {
    {PAIL_ABILITY_MEMORY, has_memory, "give memory at device addresses"},
    {PAIL_ABILITY_BUCKETS, has_buckets, "tell what is in the buckets of a multiplication"},
    {PAIL_ABILITY_ADSTACK, has_adstack, "size history stacks"},
    {PAIL_ABILITY_PIPELINES, has_pipelines, "build pipelines in advance"},
    {PAIL_ABILITY_TUNING, has_tuning, "keep measured choices"},
    {PAIL_ABILITY_VECTORS, has_vectors, "transform vectors of scalars, as a proof needs"},
    {PAIL_ABILITY_ACCOUNT, has_account, "give an account of the memory of a multiplication"},
};

/* The abilities in `abilities` that the backend lacks. */
static uint32_t missing_abilities(const pail_backend *backend, uint32_t abilities)
{
    uint32_t missing = abilities;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        if ((missing & rows[i].ability) != 0 && rows[i].has(backend))
            missing &= ~rows[i].ability;
    return missing;
}

/* "size history stacks": the first of the abilities, as what somebody can. abilities: not 0, and
 * known ones. Static storage. */
static const char *ability_words(uint32_t abilities)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        if ((abilities & rows[i].ability) != 0)
            return rows[i].words;
    return "do that";
}

int pail_backend_can(const pail_backend *backend, uint32_t abilities)
{
    return backend && missing_abilities(backend, abilities) == 0;
}

/* Text that grows piece by piece; what does not fit is cut. */
struct listing {
    char *text;
    size_t capacity, used;
};

static void list_add(struct listing *listing, const char *piece)
{
    const size_t room = listing->capacity - listing->used;
    char *const rest = room > 0 ? listing->text + listing->used : NULL; /* text may be NULL */
    const size_t whole = pail_quote(rest, room, piece, strlen(piece));
    listing->used += whole < room ? whole : room > 0 ? room - 1 : 0;
}

static bool named_before(const pail_registry *registry, size_t index)
{
    for (size_t i = 0; i < index; ++i) {
        const pail_backend *backend = registry->plugins[i].backend;
        if (backend && strcmp(backend->name, registry->plugins[index].backend->name) == 0)
            return true;
    }
    return false;
}

/* Why nothing more was opened, if somebody else than the caller asked for it. */
static void add_setting(struct listing *listing, const pail_registry *registry)
{
    list_add(listing, registry->wanted_by_setting ? ", which PAIL_BACKEND asks for" : "");
}

static void say_unknown_name(const pail_registry *registry, const char *name, char *error,
                             size_t capacity)
{
    const bool made_for_it = registry->wanted && strcmp(name, registry->wanted) == 0;
    struct listing listing = {.text = error, .capacity = capacity};
    list_add(&listing, "there is no backend named '");
    list_add(&listing, name);
    list_add(&listing, "'");
    if (made_for_it)
        add_setting(&listing, registry);
    list_add(&listing, "; there is");
    const char *separator = " ";
    for (size_t i = 0; i < registry->n; ++i) {
        if (registry->plugins[i].backend && !named_before(registry, i)) {
            list_add(&listing, separator);
            list_add(&listing, registry->plugins[i].backend->name);
            separator = ", ";
        }
    }
    separator = "; not opened: ";
    for (size_t i = 0; i < registry->n; ++i) {
        const struct pail_plugin *plugin = &registry->plugins[i];
        if (!plugin->backend) {
            list_add(&listing, separator);
            list_add(&listing, plugin->path ? plugin->path : "built in");
            list_add(&listing, " (");
            list_add(&listing, plugin->reason);
            list_add(&listing, ")");
            separator = ", ";
        }
    }
    if (registry->wanted && !made_for_it) {
        list_add(&listing, "; the registry was made for '");
        list_add(&listing, registry->wanted);
        list_add(&listing, "' alone");
        add_setting(&listing, registry);
    }
}

/* The usable one with the highest score, the earlier one of equals. */
static const struct pail_plugin *find_best(const pail_registry *registry, const char *name,
                                           uint32_t needs)
{
    const struct pail_plugin *best = NULL;
    for (size_t i = 0; i < registry->n; ++i) {
        const struct pail_plugin *plugin = &registry->plugins[i];
        if (plugin->status == PAIL_OK && (!name || strcmp(plugin->backend->name, name) == 0) &&
            missing_abilities(plugin->backend, needs) == 0 &&
            (!best || plugin->score > best->score))
            best = plugin;
    }
    return best;
}

/* Opened, usable or not. */
static const struct pail_plugin *find_named(const pail_registry *registry, const char *name)
{
    for (size_t i = 0; i < registry->n; ++i) {
        const pail_backend *backend = registry->plugins[i].backend;
        if (backend && strcmp(backend->name, name) == 0)
            return &registry->plugins[i];
    }
    return NULL;
}

static void say_named(const pail_registry *registry, const struct pail_plugin *plugin,
                      uint32_t needs, bool by_setting, char *error, size_t capacity)
{
    struct listing listing = {.text = error, .capacity = capacity};
    list_add(&listing, "backend '");
    list_add(&listing, plugin->backend->name);
    list_add(&listing, "'");
    list_add(&listing, by_setting ? ", which PAIL_BACKEND asks for, " : " ");
    if (plugin->status != PAIL_OK) {
        list_add(&listing, plugin->reason);
        return;
    }
    list_add(&listing, "cannot ");
    list_add(&listing, ability_words(missing_abilities(plugin->backend, needs)));
    const struct pail_plugin *other = find_best(registry, NULL, needs);
    if (other) {
        list_add(&listing, "; '");
        list_add(&listing, other->backend->name);
        list_add(&listing, "' can");
    }
}

/* Lists for each backend which abilities it lacks, or why it is not usable. */
static void say_nobody_can(const pail_registry *registry, uint32_t needs, char *error,
                           size_t capacity)
{
    struct listing listing = {.text = error, .capacity = capacity};
    list_add(&listing, "no backend can ");
    list_add(&listing, ability_words(needs));
    const char *separator = ": ";
    for (size_t i = 0; i < registry->n; ++i) {
        const struct pail_plugin *plugin = &registry->plugins[i];
        list_add(&listing, separator);
        list_add(&listing, plugin->backend ? plugin->backend->name
                           : plugin->path  ? plugin->path
                                           : "built in");
        list_add(&listing, " ");
        list_add(&listing, plugin->status != PAIL_OK ? plugin->reason : "does not have it");
        separator = "; ";
    }
}

pail_status pail_registry_find_for(const pail_registry *registry, const pail_backend **backend,
                                   const char *name, uint32_t needs, char *error, size_t capacity)
{
    pail_say(error, capacity, "%s", "");
    if (!backend) {
        pail_say(error, capacity, "backend is NULL");
        return PAIL_ERR_ARGUMENT;
    }
    *backend = NULL;
    if (!registry) {
        pail_say(error, capacity, "registry is NULL");
        return PAIL_ERR_ARGUMENT;
    }
    if ((needs & ~(uint32_t)PAIL_ABILITY_ALL) != 0) {
        pail_say(error, capacity, "needs is 0x%x; only 0x%x are known", needs, PAIL_ABILITY_ALL);
        return PAIL_ERR_ARGUMENT;
    }
    if (!pail_process_is_first()) {
        pail_say(error, capacity, "%s", PAIL_PROCESS_FORKED);
        return PAIL_ERR_ARGUMENT;
    }
    const char *const wanted = name ? name : registry->wanted;
    const struct pail_plugin *const best = find_best(registry, wanted, needs);
    if (best) {
        *backend = best->backend;
        return PAIL_OK;
    }
    if (wanted) {
        const struct pail_plugin *const usable = find_best(registry, wanted, 0);
        const struct pail_plugin *const present = usable ? usable : find_named(registry, wanted);
        if (!present) {
            say_unknown_name(registry, wanted, error, capacity);
            return PAIL_ERR_ARGUMENT;
        }
        say_named(registry, present, needs, !name && registry->wanted_by_setting, error, capacity);
    } else if (needs) {
        say_nobody_can(registry, needs, error, capacity);
    } else {
        pail_say(error, capacity, "no backend can serve this machine");
    }
    return PAIL_ERR_UNSUPPORTED;
}

pail_status pail_registry_find(const pail_registry *registry, const pail_backend **backend,
                               const char *name, char *error, size_t capacity)
{
    return pail_registry_find_for(registry, backend, name, 0, error, capacity);
}
