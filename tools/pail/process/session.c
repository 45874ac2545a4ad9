#include "session.h"

#include <stdio.h>
#include <string.h>

#include <cpu/cpu.h>
#include <platform/text.h>

#include "choice.h"
#include "device.h"
#include "options/knobs.h"

const struct pail_option pail_session_rows[PAIL_SESSION_ROWS] = {
    {PAIL_TEXT(
        struct pail_session_params, backend, "backend", "NAME",
        "backend to use; default: that of a GPU, otherwise the CPU backend, or another one if "
        "only that has the features needed")},
    {PAIL_TEXT(struct pail_session_params, device, "device", "D", PAIL_HELP_DEVICE)},
    {PAIL_U32(struct pail_session_params, threads, "cpu-threads", "N",
              "threads of the CPU backend; default: the number of processors"),
     .max = PAIL_CPU_THREADS_MAX},
};

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
                                   .built_in = session->built_in};
    return create_context(fresh, session->device.index, threads, error);
}

pail_status pail_session_open_cpu(struct pail_session *session, const pail_registry *registry,
                                  uint32_t threads, struct pail_error *error)
{
    *session = (struct pail_session){.registry = registry, .built_in = true};
    session->backend = pail_choice_built_in(registry);
    if (session->backend == NULL)
        return pail_fail(error, PAIL_ERR_INTERNAL, "the library has no CPU backend built in");
    return create_context(session, PAIL_DEVICE_BEST, threads, error);
}

pail_status pail_session_choose(const pail_backend **backend, const pail_registry *registry,
                                const struct pail_session_params *params, struct pail_error *error)
{
    const bool free_choice = params->backend == NULL && pail_registry_wanted(registry) == NULL;
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
    if (device == NULL || strcmp(device, "all") == 0)
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
    *session = (struct pail_session){.registry = registry, .cache_dir = params->cache_dir};
    if (is_list(params->device))
        return open_devices(session, registry, params, error);
    pail_status status = pail_session_choose(&session->backend, registry, params, error);
    uint32_t device = PAIL_DEVICE_BEST;
    if (status == PAIL_OK && params->device != NULL)
        status = pail_device_choose(&session->backend, &device, registry, params->device,
                                    params->needs, error);
    if (status != PAIL_OK)
        return status;
    const pail_backend *const built_in = pail_choice_built_in(registry);
    session->built_in = session->backend == built_in;
    const bool named =
        params->backend != NULL || params->device != NULL || pail_registry_wanted(registry) != NULL;
    if (session->built_in && !named)
        pail_choice_no_gpu(session->fallback, sizeof(session->fallback), registry);
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

pail_status pail_session_begin(struct pail_session *session, const pail_host *host,
                               const struct pail_session_params *params, struct pail_error *error)
{
    const pail_registry_params wanted = {
        .struct_size = sizeof(wanted), .host = host, .backend = params->backend};
    pail_registry *registry = NULL;
    *session = (struct pail_session){0};
    pail_status status =
        pail_told(error, pail_registry_create(&registry, &wanted, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_session_open(session, registry, params, error);
    session->own_registry = registry;
    if (status == PAIL_OK && session->fallback[0] != '\0')
        (void)pail_print(stderr, "pail: the CPU backend is used: %s\n", session->fallback);
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
    if (session->context != NULL)
        session->backend->context_destroy(&session->context);
    pail_devices_destroy(&session->devices);
    pail_registry_destroy(&session->own_registry);
    *session = (struct pail_session){0};
}
