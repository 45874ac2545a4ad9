#include "device.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "options/number.h"
#include "session.h"

static pail_status read_device(pail_device_info *info, const pail_backend *backend,
                               const pail_host *host, uint32_t index, struct pail_error *error)
{
    *info = (pail_device_info){.struct_size = sizeof(*info)};
    const pail_status status = backend->device_info(host, index, info);
    if (status != PAIL_OK)
        (void)pail_fail(error, status, "device %" PRIu32 " of %s: %s", index, backend->name,
                        backend->error(NULL));
    return status;
}

static pail_status count_devices(uint32_t *count, const pail_backend *backend,
                                 const pail_host *host, struct pail_error *error)
{
    *count = 0;
    return pail_backend_said(error, backend, NULL, backend->device_count(host, count));
}

/* Devices by a part of their names, over one or more backends. */
struct search {
    const char *part;
    char matches[512], names[512]; /* names with the part, and the others */
    uint32_t index, n_matches;     /* of the device with the part */
};

static pail_status search_backend(struct search *search, const pail_backend *backend,
                                  const pail_host *host, struct pail_error *error)
{
    uint32_t count;
    pail_status status = count_devices(&count, backend, host, error);
    for (uint32_t i = 0; i < count && status == PAIL_OK; i++) {
        pail_device_info info;
        status = read_device(&info, backend, host, i, error);
        if (status != PAIL_OK)
            return status;
        const bool match = strstr(info.name, search->part) != NULL;
        char *const list = match ? search->matches : search->names;
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof(search->names) - used, "%s%s", used > 0 ? ", " : "",
                       info.name);
        if (match) {
            search->index = i;
            search->n_matches++;
        }
    }
    return status;
}

static pail_status refuse_many(const struct search *search, const pail_backend *backend,
                               struct pail_error *error)
{
    return pail_fail(error, PAIL_ERR_ARGUMENT,
                     "--device \"%s\": %" PRIu32 " devices of %s have that in their name "
                     "(%s); name one by its index",
                     search->part, search->n_matches, backend->name, search->matches);
}

static pail_status check_index(uint64_t index, const pail_backend *backend, const pail_host *host,
                               const char *wanted, struct pail_error *error)
{
    uint32_t count;
    const pail_status status = count_devices(&count, backend, host, error);
    if (status == PAIL_OK && index >= count)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--device %s: the backend %s has %" PRIu32 " devices, counted from 0",
                         wanted, backend->name, count);
    return status;
}

/* An index stands for itself; otherwise the one device whose name has the text in it. */
static pail_status find_device(uint32_t *index, const pail_backend *backend, const pail_host *host,
                               const char *wanted, struct pail_error *error)
{
    uint64_t number;
    if (pail_number_parse(&number, wanted)) {
        *index = (uint32_t)number;
        return check_index(number, backend, host, wanted, error);
    }
    struct search search = {.part = wanted};
    if (search_backend(&search, backend, host, error) != PAIL_OK)
        return error->status;
    if (search.n_matches == 0)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--device \"%s\": no device of %s has that in its name; there are: %s",
                         wanted, backend->name, search.names);
    if (search.n_matches > 1)
        return refuse_many(&search, backend, error);
    *index = search.index;
    return PAIL_OK;
}

pail_status pail_device_read(pail_device_info *info, const pail_backend *backend,
                             const pail_host *host, const char *wanted, struct pail_error *error)
{
    uint32_t index = 0;
    *info = (pail_device_info){.struct_size = sizeof(*info)};
    const pail_status status = find_device(&index, backend, host, wanted, error);
    return status == PAIL_OK ? read_device(info, backend, host, index, error) : status;
}

pail_status pail_device_read_best(pail_device_info *info, const pail_backend *backend,
                                  const pail_host *host, struct pail_error *error)
{
    uint32_t count;
    *info = (pail_device_info){.struct_size = sizeof(*info)};
    pail_status status = count_devices(&count, backend, host, error);
    if (status != PAIL_OK)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        pail_device_info one;
        status = read_device(&one, backend, host, i, error);
        if (status != PAIL_OK)
            return status;
        if (one.usable != 0 && one.score > info->score)
            *info = one;
    }
    if (info->usable == 0)
        return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                         "%s has %" PRIu32 " devices, and none that can be used", backend->name,
                         count);
    return PAIL_OK;
}

pail_status pail_device_choose(const pail_backend **backend, uint32_t *index,
                               const pail_registry *registry, const char *wanted, uint32_t needs,
                               struct pail_error *error)
{
    const pail_host *const host = pail_registry_host(registry);
    uint64_t number;
    if (pail_number_parse(&number, wanted) || pail_registry_wanted(registry) != NULL)
        return find_device(index, *backend, host, wanted, error);
    struct search search = {.part = wanted};
    uint32_t score = 0, n_matches = 0;
    for (size_t i = 0; i < pail_registry_count(registry); i++) {
        pail_registry_entry entry = {.struct_size = sizeof(entry)};
        if (pail_registry_get(registry, &entry, i) != PAIL_OK || entry.status != PAIL_OK ||
            !pail_backend_can(entry.backend, needs))
            continue;
        search.n_matches = 0;
        search.matches[0] = '\0';
        if (search_backend(&search, entry.backend, host, error) != PAIL_OK)
            return error->status;
        if (search.n_matches > 1)
            return refuse_many(&search, entry.backend, error);
        if (search.n_matches == 1 && entry.score > score) {
            score = entry.score;
            *backend = entry.backend;
            *index = search.index;
        }
        n_matches += search.n_matches;
    }
    if (n_matches == 0)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--device \"%s\": no device has that in its name; there are: %s", wanted,
                         search.names);
    return PAIL_OK;
}

const char *pail_device_each(const pail_registry *registry, const pail_backend *backend,
                             void (*visit)(void *user, const pail_device_info *info), void *user)
{
    const pail_host *const host = pail_registry_host(registry);
    uint32_t count = 0;
    if (backend->device_count(host, &count) != PAIL_OK)
        return backend->error(NULL);
    for (uint32_t i = 0; i < count; i++) {
        pail_device_info info = {.struct_size = sizeof(info)};
        if (backend->device_info(host, i, &info) != PAIL_OK)
            return backend->error(NULL);
        visit(user, &info);
    }
    return NULL;
}
