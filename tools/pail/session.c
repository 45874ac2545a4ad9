#include "session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include <formats/report.h>

/* The entry of the CPU backend is the one without a path. */
static bool find_entry(pail_registry_entry *entry, const pail_registry *registry,
                       const pail_backend *backend)
{
    for (size_t i = 0; i < pail_registry_count(registry); i++) {
        *entry = (pail_registry_entry){.struct_size = sizeof(*entry)};
        if (pail_registry_get(registry, entry, i) != PAIL_OK)
            continue;
        if (backend != NULL ? entry->backend == backend
                            : entry->path == NULL && entry->backend != NULL)
            return true;
    }
    return false;
}

/* Why none of the plugins serves. */
static void describe_absence(char *text, size_t cap, const pail_registry *registry)
{
    size_t used = 0;
    for (size_t i = 0; i < pail_registry_count(registry); i++) {
        pail_registry_entry entry = {.struct_size = sizeof(entry)};
        if (pail_registry_get(registry, &entry, i) != PAIL_OK || entry.path == NULL)
            continue;
        const int length =
            snprintf(text + used, cap - used, "%s%s: %s", used > 0 ? "; " : "", entry.path,
                     entry.status == PAIL_OK ? "scores below the CPU backend" : entry.reason);
        if (length < 0 || (size_t)length >= cap - used)
            return;
        used += (size_t)length;
    }
    if (used == 0)
        (void)snprintf(text, cap, "no plugin was found");
}

static pail_status read_device(pail_device_info *info, const pail_backend *backend,
                               const pail_host *host, uint32_t index, char *error, size_t error_cap)
{
    *info = (pail_device_info){.struct_size = sizeof(*info)};
    const pail_status status = backend->device_info(host, index, info);
    if (status != PAIL_OK)
        (void)pail_report(error, error_cap, status, "device %" PRIu32 " of %s: %s", index,
                          backend->name, backend->error(NULL));
    return status;
}

/* An index stands for itself; otherwise the one device whose name has the text in it. */
static pail_status find_device(uint32_t *index, const pail_backend *backend, const pail_host *host,
                               const char *wanted, char *error, size_t error_cap)
{
    uint32_t count = 0;
    pail_status status = backend->device_count(host, &count);
    if (status != PAIL_OK)
        return pail_report(error, error_cap, status, "%s: %s", backend->name, backend->error(NULL));
    uint64_t number;
    if (pail_number_parse(&number, wanted)) {
        if (number >= count)
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                               "--device %s: the backend %s has %" PRIu32
                               " devices, counted from 0",
                               wanted, backend->name, count);
        *index = (uint32_t)number;
        return PAIL_OK;
    }
    char matches[512] = "", names[512] = "";
    uint32_t n_matches = 0;
    for (uint32_t i = 0; i < count; i++) {
        pail_device_info info;
        status = read_device(&info, backend, host, i, error, error_cap);
        if (status != PAIL_OK)
            return status;
        const bool match = strstr(info.name, wanted) != NULL;
        char *const list = match ? matches : names;
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "", info.name);
        if (match) {
            *index = i;
            n_matches++;
        }
    }
    if (n_matches == 0)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "--device \"%s\": no device of %s has that in its name; there are: %s",
                           wanted, backend->name, names);
    if (n_matches > 1)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "--device \"%s\": %" PRIu32 " devices of %s have that in their name "
                           "(%s); name one by its index",
                           wanted, n_matches, backend->name, matches);
    return PAIL_OK;
}

pail_status pail_session_read_device(pail_device_info *info, const pail_backend *backend,
                                     const pail_host *host, const char *wanted, char *error,
                                     size_t error_cap)
{
    uint32_t index = 0;
    *info = (pail_device_info){.struct_size = sizeof(*info)};
    const pail_status status = find_device(&index, backend, host, wanted, error, error_cap);
    return status == PAIL_OK ? read_device(info, backend, host, index, error, error_cap) : status;
}

pail_status pail_session_read_best(pail_device_info *info, const pail_backend *backend,
                                   const pail_host *host, char *error, size_t error_cap)
{
    uint32_t count = 0;
    *info = (pail_device_info){.struct_size = sizeof(*info)};
    pail_status status = backend->device_count(host, &count);
    if (status != PAIL_OK)
        return pail_report(error, error_cap, status, "%s: %s", backend->name, backend->error(NULL));
    for (uint32_t i = 0; i < count; i++) {
        pail_device_info one;
        status = read_device(&one, backend, host, i, error, error_cap);
        if (status != PAIL_OK)
            return status;
        if (one.usable != 0 && one.score > info->score)
            *info = one;
    }
    if (info->usable == 0)
        return pail_report(error, error_cap, PAIL_ERR_UNSUPPORTED,
                           "%s has %" PRIu32 " devices, and none that can be used", backend->name,
                           count);
    return PAIL_OK;
}

static pail_status create_context(struct pail_session *session, uint32_t device, uint32_t threads,
                                  char *error, size_t error_cap)
{
    const pail_backend *const backend = session->backend;
    const pail_context_params params = {
        .struct_size = sizeof(params),
        .device = device,
        .threads = threads,
        .cache_dir = session->cache_dir,
    };
    pail_status status =
        backend->context_create(pail_registry_host(session->registry), &session->context, &params);
    if (status != PAIL_OK)
        return pail_report(error, error_cap, status, "%s: %s", backend->name, backend->error(NULL));
    session->device = (pail_device_info){.struct_size = sizeof(session->device)};
    status = backend->context_device(session->context, &session->device);
    if (status != PAIL_OK) {
        (void)pail_report(error, error_cap, status, "%s: %s", backend->name,
                          backend->error(session->context));
        backend->context_destroy(&session->context);
    }
    return status;
}

pail_status pail_session_renew(struct pail_session *session, uint32_t threads, char *error,
                               size_t error_cap)
{
    /* The new one first: a driver that nobody uses is unloaded, and NVIDIA's can be loaded only
     * about thirty times by a process. */
    pail_context *old = session->context;
    const pail_status status =
        create_context(session, session->device.index, threads, error, error_cap);
    if (status == PAIL_OK)
        session->backend->context_destroy(&old);
    else
        session->context = old;
    return status;
}

pail_status pail_session_open_cpu(struct pail_session *session, const pail_registry *registry,
                                  uint32_t threads, char *error, size_t error_cap)
{
    *session = (struct pail_session){.registry = registry, .built_in = true};
    pail_registry_entry entry;
    if (!find_entry(&entry, registry, NULL))
        return pail_report(error, error_cap, PAIL_ERR_INTERNAL,
                           "the library has no CPU backend built in");
    session->backend = entry.backend;
    return create_context(session, PAIL_DEVICE_BEST, threads, error, error_cap);
}

pail_status pail_session_open(struct pail_session *session, const pail_registry *registry,
                              const struct pail_session_params *params, char *error,
                              size_t error_cap)
{
    *session = (struct pail_session){.registry = registry, .cache_dir = params->cache_dir};
    pail_status status =
        pail_registry_find(registry, &session->backend, params->backend, error, error_cap);
    if (status != PAIL_OK)
        return status;
    pail_registry_entry entry;
    session->built_in = find_entry(&entry, registry, session->backend) && entry.path == NULL;
    if (session->built_in && params->backend == NULL)
        describe_absence(session->fallback, sizeof(session->fallback), registry);
    uint32_t device = PAIL_DEVICE_BEST;
    if (params->device != NULL) {
        status = find_device(&device, session->backend, pail_registry_host(registry),
                             params->device, error, error_cap);
        if (status != PAIL_OK)
            return status;
    }
    status = create_context(session, device, params->threads, error, error_cap);
    if (status == PAIL_OK || params->backend != NULL || params->device != NULL || session->built_in)
        return status;
    char reason[sizeof(session->fallback)];
    (void)snprintf(reason, sizeof(reason), "%s", error);
    status = pail_session_open_cpu(session, registry, params->threads, error, error_cap);
    (void)memcpy(session->fallback, reason, sizeof(reason));
    return status;
}

void pail_session_close(struct pail_session *session)
{
    if (session->context != NULL)
        session->backend->context_destroy(&session->context);
    *session = (struct pail_session){0};
}
