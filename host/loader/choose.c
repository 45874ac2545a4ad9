#include "ability.h"
#include "registry.h"
#include "text.h"

#include <platform/process.h>
#include <platform/text.h>
#include <string.h>

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
            pail_ability_missing(plugin->backend, needs) == 0 &&
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
    list_add(&listing, pail_ability_words(pail_ability_missing(plugin->backend, needs)));
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
    list_add(&listing, pail_ability_words(needs));
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
