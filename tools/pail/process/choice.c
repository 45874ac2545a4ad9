#include "choice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "options/names.h"

#include <platform/text.h>

/* The entry of a backend; NULL: of the one that is built in, which has no path. */
static bool find_entry(pail_registry_entry *entry, const pail_registry *registry,
                       const pail_backend *backend)
{
    for (size_t i = 0; i < pail_registry_count(registry); i++) {
        *entry = (pail_registry_entry){.struct_size = sizeof(*entry)};
        if (pail_registry_get(registry, entry, i) != PAIL_OK || entry->backend == NULL)
            continue;
        if (backend != NULL ? entry->backend == backend : entry->path == NULL)
            return true;
    }
    return false;
}

const pail_backend *pail_choice_built_in(const pail_registry *registry)
{
    pail_registry_entry entry;
    return find_entry(&entry, registry, NULL) ? entry.backend : NULL;
}

/* Reasons one after the other; what does not fit is left out. */
struct reasons {
    char *text;
    size_t cap, used;
    const char *backend; /* the backend whose devices are visited */
};

PAIL_LINE_PRINTF(2, 3) static void add(struct reasons *reasons, const char *format, ...)
{
    const char *const separator = reasons->used > 0 ? "; " : "";
    char piece[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(piece, sizeof(piece), format, arguments);
    va_end(arguments);
    const size_t length = strlen(separator) + strlen(piece);
    if (length >= reasons->cap - reasons->used)
        return;
    (void)snprintf(reasons->text + reasons->used, reasons->cap - reasons->used, "%s%s", separator,
                   piece);
    reasons->used += length;
}

/* Adds a device of a backend that is usable and not the best one. */
static void add_device(void *user, const pail_device_info *info)
{
    struct reasons *const reasons = user;
    if (info->usable == 0)
        add(reasons, "%s of %s cannot be used: %s", info->name, reasons->backend, info->reason);
    else if (info->type == PAIL_DEVICE_CPU)
        add(reasons, "%s of %s is a software driver, which takes longer", info->name,
            reasons->backend);
    else
        add(reasons, "%s of %s scores %" PRIu32 ", less than the CPU backend", info->name,
            reasons->backend, info->score);
}

void pail_choice_no_gpu(char *text, size_t cap, const pail_registry *registry)
{
    struct reasons reasons = {.text = text, .cap = cap};
    const char *other = NULL;
    text[0] = '\0';
    for (size_t i = 0; i < pail_registry_count(registry); i++) {
        pail_registry_entry entry = {.struct_size = sizeof(entry)};
        if (pail_registry_get(registry, &entry, i) != PAIL_OK || entry.path == NULL)
            continue;
        if (entry.status != PAIL_OK) {
            add(&reasons, "%s: %s", entry.path, entry.reason);
            continue;
        }
        reasons.backend = entry.name;
        other = other == NULL ? entry.name : other;
        const char *const failure = pail_device_each(registry, entry.backend, add_device, &reasons);
        if (failure != NULL)
            add(&reasons, "the devices of %s cannot be listed: %s", entry.name, failure);
    }
    if (reasons.used == 0)
        add(&reasons, "no plugin was found");
    if (other != NULL)
        add(&reasons, "--backend %s takes it all the same", other);
}

static void explain(struct pail_choice *choice, const pail_registry *registry)
{
    const size_t cap = sizeof(choice->reason);
    pail_device_info best;
    struct pail_error error = {0};
    if (pail_registry_wanted(registry) != NULL)
        (void)snprintf(choice->reason, cap, "PAIL_BACKEND asks for it");
    else if (choice->backend == pail_choice_built_in(registry))
        pail_choice_no_gpu(choice->reason, cap, registry);
    else if (pail_device_read_best(&best, choice->backend, pail_registry_host(registry), &error) ==
             PAIL_OK)
        (void)snprintf(choice->reason, cap, "%s (%s) has the highest score", best.name,
                       pail_name_of(pail_device_type_names, best.type));
    else
        (void)snprintf(choice->reason, cap, "it has the highest score, and %.900s", error.sentence);
}

void pail_choice_explain(struct pail_choice *choice, const pail_registry *registry)
{
    char ignored[512];
    *choice = (struct pail_choice){.backend = NULL};
    choice->status = pail_registry_find(registry, &choice->backend, NULL, choice->reason,
                                        sizeof(choice->reason));
    (void)pail_registry_find_for(registry, &choice->sizer, NULL,
                                 PAIL_ABILITY_ADSTACK | PAIL_ABILITY_PIPELINES, ignored,
                                 sizeof(ignored));
    if (choice->status == PAIL_OK)
        explain(choice, registry);
}
