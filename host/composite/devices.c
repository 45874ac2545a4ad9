/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of devices: words to members. */
#include <pail/devices.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "composite.h"
#include "table.h"
#include <cpu/cpu.h>
#include <platform/process.h>
#include <platform/text.h>

/* Points of which each member can have a copy, and multiplications that are over before another
 * device has begun. On two H200: docs/devices.md. */
#define REPLICATE_UP_TO ((size_t)1 << 20)
#define WHOLE_BELOW     ((size_t)1 << 16)

const char pail_composite_mark[] = "pail_devices";

/* State while the description of devices is read. */
struct reading {
    struct pail_devices *devices;
    const pail_registry *registry;
    char *error;
    size_t capacity;
};

PAIL_LINE_PRINTF(3, 4)
static pail_status refuse(const struct reading *r, pail_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (r->capacity > 0)
        (void)pail_line_list(r->error, r->capacity, format, arguments);
    va_end(arguments);
    return status;
}

static pail_status add(const struct reading *r, const pail_backend *backend, uint32_t device)
{
    const bool built_in = pail_is_cpu(backend);
    struct pail_devices *const d = r->devices;
    pail_device_info info = {.struct_size = sizeof info};
    const pail_status status = backend->device_info(d->base, device, &info);
    if (status != PAIL_OK)
        return refuse(r, status, "device %u of %s: %s", device, backend->name,
                      backend->error(NULL));
    if (info.usable == 0)
        return refuse(r, PAIL_ERR_UNSUPPORTED, "device %u of %s, %s, cannot be used: %s", device,
                      backend->name, info.name, info.reason);
    for (size_t i = 0; i < d->n && !built_in; i++)
        if (d->choices[i].backend == backend && d->choices[i].device == device)
            return refuse(r, PAIL_ERR_ARGUMENT, "device %u of %s is named twice", device,
                          backend->name);
    if (d->n == PAIL_DEVICES_MAX)
        return refuse(r, PAIL_ERR_ARGUMENT, "more than %d devices are named", PAIL_DEVICES_MAX);
    struct pail_composite_choice *const c = &d->choices[d->n++];
    *c = (struct pail_composite_choice){
        .backend = backend, .device = device, .built_in = built_in, .score = info.score};
    (void)memcpy(c->name, info.name, sizeof c->name);
    return PAIL_OK;
}

/* The backend of a name; NULL: that which indices mean. */
static pail_status find(const struct reading *r, const pail_backend **backend, const char *name)
{
    *backend = NULL;
    if (!name)
        name = pail_registry_wanted(r->registry);
    if (name)
        return pail_registry_find(r->registry, backend, name, r->error, r->capacity);
    uint32_t score = 0;
    for (size_t i = 0; i < pail_registry_count(r->registry); i++) {
        pail_registry_entry entry = {.struct_size = sizeof entry};
        if (pail_registry_get(r->registry, &entry, i) == PAIL_OK && entry.status == PAIL_OK &&
            entry.path && entry.score > score) {
            *backend = entry.backend;
            score = entry.score;
        }
    }
    return *backend ? PAIL_OK
                    : pail_registry_find(r->registry, backend, NULL, r->error, r->capacity);
}

static pail_status add_all(const struct reading *r)
{
    const pail_backend *backend;
    const pail_host *const host = r->devices->base;
    pail_status status = find(r, &backend, NULL);
    uint32_t count = 0;
    if (status == PAIL_OK && backend->device_count(host, &count) != PAIL_OK)
        return refuse(r, PAIL_ERR_UNSUPPORTED, "%s: %s", backend->name, backend->error(NULL));
    size_t n_added = 0;
    for (int software = 0; software < 2 && n_added == 0; software++) {
        for (uint32_t i = 0; i < count && status == PAIL_OK; i++) {
            pail_device_info info = {.struct_size = sizeof info};
            if (backend->device_info(host, i, &info) != PAIL_OK || info.usable == 0 ||
                (info.type == PAIL_DEVICE_CPU) != (software == 1))
                continue;
            status = add(r, backend, i);
            n_added++;
        }
    }
    if (status == PAIL_OK && n_added == 0)
        return refuse(r, PAIL_ERR_UNSUPPORTED, "%s has no device that can be used", backend->name);
    return status;
}

static pail_status add_element(const struct reading *r, const char *word)
{
    const pail_backend *backend;
    pail_status status;
    if (strcmp(word, "all") == 0)
        return add_all(r);
    if (strcmp(word, PAIL_CPU_NAME) == 0) {
        status = find(r, &backend, PAIL_CPU_NAME);
        return status == PAIL_OK ? add(r, backend, 0) : status;
    }
    char name[128] = "";
    const char *const colon = strrchr(word, ':'), *const digits = colon ? colon + 1 : word;
    if (colon)
        (void)snprintf(name, sizeof name, "%.*s", (int)(colon - word), word);
    const size_t n_digits = strspn(digits, "0123456789");
    if (n_digits == 0 || n_digits > 6 || digits[n_digits] != '\0' || colon == word)
        return refuse(r, PAIL_ERR_ARGUMENT,
                      "devices: \"%s\" is no device; 0, vulkan:0, all and cpu are", word);
    status = find(r, &backend, colon ? name : NULL);
    const uint32_t index = (uint32_t)strtoul(digits, NULL, 10);
    uint32_t count = 0;
    if (status != PAIL_OK)
        return status;
    if (backend->device_count(r->devices->base, &count) != PAIL_OK)
        return refuse(r, PAIL_ERR_UNSUPPORTED, "%s: %s", backend->name, backend->error(NULL));
    if (index >= count)
        return refuse(r, PAIL_ERR_ARGUMENT, "devices: \"%s\": %s has %u devices, counted from 0",
                      word, backend->name, count);
    return add(r, backend, index);
}

static pail_status read_words(const struct reading *r, const char *words)
{
    pail_status status = PAIL_OK;
    for (const char *at = words; status == PAIL_OK;) {
        const size_t length = strcspn(at, ",");
        char word[160];
        if (length >= sizeof word)
            return refuse(r, PAIL_ERR_ARGUMENT, "devices: an element has %zu characters", length);
        (void)memcpy(word, at, length);
        word[length] = '\0';
        status = add_element(r, word);
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    return status;
}

pail_status pail_devices_create(pail_devices **out, const pail_registry *registry,
                                const pail_devices_params *theirs, char *error, size_t capacity)
{
    const struct reading none = {.error = error, .capacity = capacity};
    if (capacity > 0)
        error[0] = '\0';
    if (out)
        *out = NULL;
    if (!out || !registry || !theirs)
        return refuse(&none, PAIL_ERR_ARGUMENT, "%s is NULL",
                      !out        ? "devices"
                      : !registry ? "registry"
                                  : "params");
    if (!pail_process_is_first())
        return refuse(&none, PAIL_ERR_ARGUMENT, "%s", PAIL_PROCESS_FORKED);
    pail_devices_params params;
    struct pail_error err = {0};
    if (pail_struct_in(&params, sizeof params, theirs,
                       PAIL_SIZE_TO(pail_devices_params, windows_below), "params", &err) != PAIL_OK)
        return refuse(&none, PAIL_ERR_ARGUMENT, "%s", err.text);
    if (!params.devices)
        return refuse(&none, PAIL_ERR_ARGUMENT, "params->devices is NULL");
    if ((params.flags & ~(uint32_t)PAIL_DEVICES_NO_SPARE) != 0)
        return refuse(&none, PAIL_ERR_ARGUMENT, "params->flags is %u, which has unknown flags",
                      params.flags);
    const pail_host *const host = pail_registry_host(registry);
    const struct pail_alloc memory = {host->user, host->alloc, host->free};
    struct pail_devices *d = pail_cpu_alloc(&memory, 1, sizeof *d);
    if (!d)
        return refuse(&none, PAIL_ERR_HOST_MEMORY, "no memory for a choice of devices");
    memset(d, 0, sizeof *d); /* too large for a stack frame */
    d->host = *host;
    d->host.struct_size = sizeof *d;
    d->mark = pail_composite_mark;
    d->base = host;
    d->flags = params.flags;
    d->replicate_up_to = params.replicate_up_to ? (size_t)params.replicate_up_to : REPLICATE_UP_TO;
    d->whole_below = params.whole_below ? (size_t)params.whole_below : WHOLE_BELOW;
    d->windows_below = (size_t)params.windows_below;
    const struct reading reading = {d, registry, error, capacity};
    const pail_status status = read_words(&reading, params.devices);
    if (status != PAIL_OK)
        pail_cpu_free(&memory, d);
    else
        *out = d;
    return status;
}

void pail_devices_destroy(pail_devices **devices)
{
    if (devices && *devices) {
        struct pail_devices *const d = *devices;
        *devices = NULL;
        const struct pail_alloc memory = {d->host.user, d->host.alloc, d->host.free};
        if (pail_process_is_first())
            pail_cpu_free(&memory, d);
    }
}

const pail_backend *pail_devices_backend(const pail_devices *devices)
{
    return devices ? &pail_composite_table : NULL;
}

const pail_host *pail_devices_host(const pail_devices *devices)
{
    return devices ? &devices->host : NULL;
}

size_t pail_devices_count(const pail_devices *devices)
{
    return devices ? devices->n : 0;
}

pail_status pail_devices_get(const pail_devices *devices, pail_context *context,
                             pail_devices_member *member, size_t i)
{
    struct pail_error err = {0};
    pail_status status =
        pail_struct_out(member, PAIL_SIZE_TO(pail_devices_member, redone), "member", &err);
    if (status == PAIL_OK && context)
        status = pail_front_process(&err);
    if (status == PAIL_OK && (!devices || !context || context->devices != devices))
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "the context is not of these devices");
    if (status == PAIL_OK && i >= context->n)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "member %zu: there are %zu", i, context->n);
    if (status != PAIL_OK)
        return pail_front_end(NULL, status, &err);
    const struct pail_composite_member *const m = &context->members[i];
    pthread_mutex_lock(&context->lock);
    pail_devices_member ours = {
        .device = m->choice->device,
        .backend = m->backend,
        .rate = m->measured[m->last_group].value,
        .timed = m->measured[m->last_group].n != 0,
        .lost = m->lost,
        .parts = m->parts,
        .points = m->points,
        .redone = m->redone,
        .moved = m->moved,
        .context = m->context,
    };
    pthread_mutex_unlock(&context->lock);
    (void)memcpy(ours.name, m->choice->name, sizeof ours.name);
    pail_struct_deliver(member, &ours, sizeof ours);
    return PAIL_OK;
}
