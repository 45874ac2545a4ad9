/* `pail info --device D`: the devices that a command with the same words would use. */
#include <inttypes.h>

#include <platform/text.h>

#include "info_session.h"
#include "options/names.h"
#include "output/json.h"

static pail_status look(pail_device_info *info, const pail_prover_device *member,
                        struct pail_error *error)
{
    *info = (pail_device_info){.struct_size = sizeof(*info)};
    return pail_backend_said(error, member->backend, member->context,
                             member->backend->context_device(member->context, info));
}

static pail_status print_text(FILE *out, const struct pail_session *session,
                              const pail_prover_device *members, uint32_t n,
                              struct pail_error *error)
{
    for (uint32_t i = 0; i < n; i++) {
        pail_device_info info;
        if (look(&info, &members[i], error) != PAIL_OK)
            return error->status;
        (void)pail_print(out,
                         "%" PRIu32 ": %s (%s), device %" PRIu32 " of %s, score %" PRIu32
                         ", %" PRIu64 " bytes of memory\n",
                         i, info.name, pail_name_of(pail_device_type_names, info.type), info.index,
                         members[i].backend->name, info.score, info.heap_bytes);
    }
    if (session->devices != NULL)
        (void)pail_print(out,
                         "together: backend %s, score %" PRIu32 ", %" PRIu64 " bytes of memory\n",
                         session->backend->name, session->device.score, session->device.heap_bytes);
    return PAIL_OK;
}

static pail_status print_json(FILE *out, const struct pail_session *session,
                              const pail_prover_device *members, uint32_t n,
                              struct pail_error *error)
{
    struct pail_json json, list;
    pail_json_begin(&json);
    pail_json_begin_list(&list);
    for (uint32_t i = 0; i < n; i++) {
        pail_device_info info;
        struct pail_json member;
        if (look(&info, &members[i], error) != PAIL_OK)
            break;
        pail_json_begin(&member);
        pail_json_set_text(&member, "backend", members[i].backend->name);
        pail_json_set(&member, "device", pail_info_device_object(&info));
        pail_json_add(&list, pail_json_take(&member));
    }
    pail_json_set_text(&json, "backend", session->backend->name);
    pail_json_set(&json, "members", pail_json_take(&list));
    if (session->devices != NULL)
        pail_json_set(&json, "together", pail_info_device_object(&session->device));
    if (error->status == PAIL_OK)
        return pail_json_print(out, &json, error);
    json_decref(pail_json_take(&json));
    return error->status;
}

pail_status pail_info_session(FILE *out, const pail_registry *registry, const char *device,
                              bool json, struct pail_error *error)
{
    const struct pail_session_params params = {.device = device};
    struct pail_session session;
    pail_prover_device members[PAIL_SESSION_DEVICES_MAX];
    uint32_t n = 0;
    pail_status status = pail_session_open(&session, registry, &params, error);
    if (status == PAIL_OK)
        status = pail_session_members(members, &n, &session, error);
    if (status == PAIL_OK)
        status = (json ? print_json : print_text)(out, &session, members, n, error);
    pail_session_close(&session);
    return status;
}
