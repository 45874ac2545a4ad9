/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <pail/pail.h>

#include <platform/processors.h>
#include <platform/text.h>

#include "error/error.h"
#include "options/knobs.h"
#include "options/names.h"
#include "options/number.h"
#include "process.h"

/* ---- The choice of a backend ----------------------------------------------------------------- */

/* The entry of a backend; NULL: of the one that is built in, which has no path. */
static bool find_entry(pail_registry_entry *entry, const pail_registry *registry,
                       const pail_backend *backend)
{
    for (size_t i = 0; i < pail_registry_count(registry); i++) {
        *entry = (pail_registry_entry){.struct_size = sizeof(*entry)};
        if (pail_registry_get(registry, entry, i) != PAIL_OK || !entry->backend)
            continue;
        if (backend ? entry->backend == backend : !entry->path)
            return true;
    }
    return false;
}

/* The CPU backend; NULL if it could not be opened. */
static const pail_backend *choice_built_in(const pail_registry *registry)
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
    char reason[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    const size_t length = strlen(separator) + strlen(reason);
    if (length >= reasons->cap - reasons->used)
        return;
    (void)snprintf(reasons->text + reasons->used, reasons->cap - reasons->used, "%s%s", separator,
                   reason);
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

/* Why it is the CPU backend: what each plugin says of itself, "llvmpipe of vulkan is a software
 * driver, which takes longer; --backend vulkan takes it all the same". */
static void choice_no_gpu(char *text, size_t cap, const pail_registry *registry)
{
    struct reasons reasons = {.text = text, .cap = cap};
    const char *other = NULL;
    text[0] = '\0';
    for (size_t i = 0; i < pail_registry_count(registry); i++) {
        pail_registry_entry entry = {.struct_size = sizeof(entry)};
        if (pail_registry_get(registry, &entry, i) != PAIL_OK || !entry.path)
            continue;
        if (entry.status != PAIL_OK) {
            add(&reasons, "%s: %s", entry.path, entry.reason);
            continue;
        }
        reasons.backend = entry.name;
        other = !other ? entry.name : other;
        const char *const failure = pail_device_each(registry, entry.backend, add_device, &reasons);
        if (failure)
            add(&reasons, "the devices of %s cannot be listed: %s", entry.name, failure);
    }
    if (reasons.used == 0)
        add(&reasons, "no plugin was found");
    if (other)
        add(&reasons, "--backend %s takes it all the same", other);
}

static void explain(struct pail_choice *choice, const pail_registry *registry)
{
    const size_t cap = sizeof(choice->reason);
    pail_device_info best;
    struct pail_error error = {0};
    if (pail_registry_wanted(registry))
        (void)snprintf(choice->reason, cap, "PAIL_BACKEND asks for it");
    else if (choice->backend == choice_built_in(registry))
        choice_no_gpu(choice->reason, cap, registry);
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
    (void)pail_registry_find_for(registry, &choice->sizer, NULL, PAIL_ABILITY_ADSTACK, ignored,
                                 sizeof(ignored));
    (void)pail_registry_find_for(registry, &choice->builder, NULL, PAIL_ABILITY_PIPELINES, ignored,
                                 sizeof(ignored));
    if (choice->status == PAIL_OK)
        explain(choice, registry);
}

/* ---- Devices by their names ------------------------------------------------------------------ */

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
                         "--device %s: the backend %s has %" PRIu32 " device%s, counted from 0",
                         wanted, backend->name, count, count == 1 ? "" : "s");
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

/* The device that is wanted. A part of a name is looked for among all backends that are usable and
 * have the abilities in needs, unless the registry was made for one of them, and tells the backend;
 * an index is one of the backend that is given. Of backends that have it the best one.
 *
 * In, out: *backend: the one that is used if no device is named.
 * Returns PAIL_OK, or PAIL_ERR_ARGUMENT (there is no such device, or several) or what the backend
 * says, with a sentence in *error. */
static pail_status device_choose(const pail_backend **backend, uint32_t *index,
                                 const pail_registry *registry, const char *wanted, uint32_t needs,
                                 struct pail_error *error)
{
    const pail_host *const host = pail_registry_host(registry);
    uint64_t number;
    if (pail_number_parse(&number, wanted) || pail_registry_wanted(registry))
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

/* ---- Sessions -------------------------------------------------------------------------------- */

const struct pail_option pail_session_rows[PAIL_SESSION_ROWS] = {
    {PAIL_TEXT(
        struct pail_session_params, backend, "backend", "NAME",
        "backend to use; default: that of a GPU, otherwise the CPU backend, or another one if "
        "only that has the features needed")},
    {PAIL_TEXT(struct pail_session_params, device, "device", "D", PAIL_HELP_DEVICE)},
    {PAIL_U32(struct pail_session_params, threads, "cpu-threads", "N",
              "threads of the CPU backend; default: the number of processors"),
     .max = PAIL_CPU_THREADS_MAX},
    {PAIL_TEXT(struct pail_session_params, cpus, "cpus", "LIST",
               "processors that threads of the host run on, such as 0-3,8; default: all"),
     .not_empty = true},
    {PAIL_TEXT(struct pail_session_params, numa, "numa", "NODE",
               "NUMA nodes whose processors they run on, such as 0"),
     .not_empty = true},
};

static pail_status use_processors(const struct pail_session_params *params,
                                  struct pail_error *error)
{
    struct pail_error one = {0};
    if (pail_told(&one, pail_processors_set(params->cpus, params->numa, PAIL_SENTENCE(&one))) ==
        PAIL_OK) {
        /* The command line wins, in backends' libraries too. */
        if (params->cpus || params->numa)
            pail_processors_forget_environment();
        return PAIL_OK;
    }
    return pail_fail(error, one.status, "--%s", one.sentence);
}

pail_status pail_backend_said(struct pail_error *error, const pail_backend *backend,
                              const pail_context *context, pail_status status)
{
    char text[sizeof(error->sentence)];
    return status == PAIL_OK
               ? pail_told(error, PAIL_OK)
               : pail_fail(error, status, "%s: %s", backend->name,
                           pail_knobs_named(text, sizeof(text), backend->error(context)));
}

pail_status pail_session_said(struct pail_error *error, const struct pail_session *session,
                              pail_status status)
{
    return pail_backend_said(error, session->backend, session->context, status);
}

static pail_status create_context(struct pail_session *session, uint32_t device, uint32_t threads,
                                  struct pail_error *error)
{
    const pail_backend *const backend = session->backend;
    const pail_context_params params = {
        .struct_size = sizeof(params),
        .device = device,
        .threads = threads,
        .side_queues = session->side_queues,
        .cache_dir = session->cache_dir,
    };
    if (pail_backend_said(error, backend, NULL,
                          backend->context_create(session->devices != NULL
                                                      ? pail_devices_host(session->devices)
                                                      : pail_registry_host(session->registry),
                                                  &session->context, &params)) != PAIL_OK)
        return error->status; /* with the device as it was, for the next try */
    session->device = (pail_device_info){.struct_size = sizeof(session->device)};
    if (pail_session_said(error, session,
                          backend->context_device(session->context, &session->device)) != PAIL_OK)
        backend->context_destroy(&session->context);
    return error->status;
}

pail_status pail_session_renew(struct pail_session *session, uint32_t threads,
                               struct pail_error *error)
{
    /* The new one first: a driver that nobody uses is unloaded, and NVIDIA's can be loaded only
     * about thirty times by a process. */
    pail_context *old = session->context;
    const pail_status status = create_context(session, session->device.index, threads, error);
    if (status == PAIL_OK)
        session->backend->context_destroy(&old);
    else
        session->context = old;
    return status;
}

pail_status pail_session_again(struct pail_session *fresh, const struct pail_session *session,
                               uint32_t threads, struct pail_error *error)
{
    *fresh = (struct pail_session){.registry = session->registry,
                                   .backend = session->backend,
                                   .devices = session->devices,
                                   .cache_dir = session->cache_dir,
                                   .side_queues = session->side_queues,
                                   .built_in = session->built_in};
    return create_context(fresh, session->device.index, threads, error);
}

pail_status pail_session_open_cpu(struct pail_session *session, const pail_registry *registry,
                                  uint32_t threads, struct pail_error *error)
{
    *session = (struct pail_session){.registry = registry, .built_in = true};
    session->backend = choice_built_in(registry);
    if (!session->backend)
        return pail_fail(error, PAIL_ERR_INTERNAL, "the library has no CPU backend built in");
    return create_context(session, PAIL_DEVICE_BEST, threads, error);
}

pail_status pail_session_choose(const pail_backend **backend, const pail_registry *registry,
                                const struct pail_session_params *params, struct pail_error *error)
{
    const bool free_choice = !params->backend && !pail_registry_wanted(registry);
    if (free_choice && params->prefers != 0 &&
        pail_told(error,
                  pail_registry_find_for(registry, backend, NULL, params->needs | params->prefers,
                                         PAIL_SENTENCE(error))) == PAIL_OK)
        return PAIL_OK;
    return pail_told(error, pail_registry_find_for(registry, backend, params->backend,
                                                   params->needs, PAIL_SENTENCE(error)));
}

/* Several devices: "all", or words between commas, the first of which is cpu, an index, or an index
 * behind a backend's name. Names of devices have commas as well. */
static bool is_list(const char *device)
{
    if (!device || strcmp(device, "all") == 0)
        return device != NULL;
    const size_t word = strcspn(device, ","), name = strcspn(device, ":,");
    if (device[word] == '\0')
        return false;
    if (word == 3 && (strncmp(device, "cpu", 3) == 0 || strncmp(device, "all", 3) == 0))
        return true;
    const char *const digits = device[name] == ':' ? device + name + 1 : device;
    const size_t n = strspn(digits, "0123456789");
    return n != 0 && digits + n == device + word;
}

static pail_status open_devices(struct pail_session *session, const pail_registry *registry,
                                const struct pail_session_params *params, struct pail_error *error)
{
    const pail_devices_params list = {.struct_size = sizeof(list), .devices = params->device};
    if (pail_told(error, pail_devices_create(&session->devices, registry, &list,
                                             PAIL_SENTENCE(error))) != PAIL_OK)
        return error->status;
    session->backend = pail_devices_backend(session->devices);
    pail_status status = PAIL_OK;
    if (!pail_backend_can(session->backend, params->needs))
        status = pail_fail(error, PAIL_ERR_UNSUPPORTED,
                           "--device %s: several devices together multiply and prove, and do "
                           "nothing else; name one of them",
                           params->device);
    if (status == PAIL_OK)
        status = create_context(session, PAIL_DEVICE_BEST, params->threads, error);
    if (status != PAIL_OK)
        pail_devices_destroy(&session->devices);
    return status;
}

pail_status pail_session_open(struct pail_session *session, const pail_registry *registry,
                              const struct pail_session_params *params, struct pail_error *error)
{
    *session = (struct pail_session){
        .registry = registry, .cache_dir = params->cache_dir, .side_queues = params->side_queues};
    if (use_processors(params, error) != PAIL_OK)
        return error->status;
    if (is_list(params->device))
        return open_devices(session, registry, params, error);
    pail_status status = pail_session_choose(&session->backend, registry, params, error);
    uint32_t device = PAIL_DEVICE_BEST;
    if (status == PAIL_OK && params->device)
        status = device_choose(&session->backend, &device, registry, params->device, params->needs,
                               error);
    if (status != PAIL_OK)
        return status;
    const pail_backend *const built_in = choice_built_in(registry);
    session->built_in = session->backend == built_in;
    const bool named = params->backend || params->device || pail_registry_wanted(registry);
    if (session->built_in && !named)
        choice_no_gpu(session->fallback, sizeof(session->fallback), registry);
    status = create_context(session, device, params->threads, error);
    if (status == PAIL_OK || named || session->built_in ||
        !pail_backend_can(built_in, params->needs))
        return status;
    char reason[sizeof(session->fallback)];
    (void)snprintf(reason, sizeof(reason), "%.*s", (int)sizeof(reason) - 1, error->sentence);
    status = pail_told(error, pail_session_open_cpu(session, registry, params->threads, error));
    (void)memcpy(session->fallback, reason, sizeof(reason));
    session->gave_way = true;
    return status;
}

void pail_session_notice(const struct pail_session *session)
{
    if (session->gave_way && !pail_is_quiet())
        (void)pail_print(stderr, "pail: the CPU backend is used: %s\n", session->fallback);
    else if (session->fallback[0] != '\0')
        pail_notice_no_gpu();
}

pail_status pail_session_begin(struct pail_session *session, const pail_host *host,
                               const struct pail_session_params *params, struct pail_error *error)
{
    const pail_registry_params wanted = {
        .struct_size = sizeof(wanted), .host = host, .backend = params->backend};
    pail_registry *registry = NULL;
    *session = (struct pail_session){0};
    if (use_processors(params, error) != PAIL_OK)
        return error->status;
    pail_status status =
        pail_told(error, pail_registry_create(&registry, &wanted, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_session_open(session, registry, params, error);
    session->own_registry = registry;
    if (status == PAIL_OK)
        pail_session_notice(session);
    return status;
}

pail_status pail_session_members(pail_prover_device *devices, uint32_t *n,
                                 const struct pail_session *session, struct pail_error *error)
{
    const size_t count = pail_devices_count(session->devices);
    *n = 0;
    devices[0] = (pail_prover_device){.struct_size = sizeof(devices[0]),
                                      .backend = session->backend,
                                      .context = session->context};
    if (count > PAIL_SESSION_DEVICES_MAX)
        return pail_fail(error, PAIL_ERR_UNSUPPORTED, "%zu devices are named, and proofs take %d",
                         count, PAIL_SESSION_DEVICES_MAX);
    *n = count != 0 ? (uint32_t)count : 1;
    for (size_t i = 0; i < count; i++) {
        pail_devices_member member = {.struct_size = sizeof(member)};
        if (pail_session_said(error, session,
                              pail_devices_get(session->devices, session->context, &member, i)) !=
            PAIL_OK)
            return error->status;
        devices[i].struct_size = sizeof(devices[i]);
        devices[i].flags = 0;
        devices[i].backend = member.backend;
        devices[i].context = member.context;
    }
    return PAIL_OK;
}

void pail_session_close(struct pail_session *session)
{
    if (session->context)
        session->backend->context_destroy(&session->context);
    pail_devices_destroy(&session->devices);
    pail_registry_destroy(&session->own_registry);
    *session = (struct pail_session){0};
}
