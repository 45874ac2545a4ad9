#include "key_memory.h"

#include <platform/text.h>

#include "process/device.h"
#include "process/log.h"

enum { ROWS_MAX = 64 };

static pail_status ask(struct pail_key_memory *memory, const struct pail_zkey *key,
                       enum pail_zkey_msm msm, const pail_backend *backend,
                       const pail_device_info *device, struct pail_error *error)
{
    pail_memory_row rows[ROWS_MAX] = {{.struct_size = sizeof(rows[0])}};
    size_t n_rows = ROWS_MAX;
    pail_stats stats = {.struct_size = sizeof(stats)};
    const pail_memory_query query = {.struct_size = sizeof(query),
                                     .curve = key->curve,
                                     .group = msm == PAIL_ZKEY_B2 ? PAIL_G2 : PAIL_G1,
                                     .n = key->points[msm].count,
                                     .device = device};
    const pail_status status = backend->msm_memory(rows, &n_rows, &stats, &query);
    if (status != PAIL_OK)
        return pail_fail(error, status, "%s: %s: %s", backend->name, pail_zkey_msm_name(msm),
                         backend->error(NULL));
    memory->bases[msm] = stats.bytes_bases;
    memory->work[msm] = stats.bytes_estimate;
    return PAIL_OK;
}

pail_status pail_key_memory_read(struct pail_key_memory *memory, const struct pail_zkey *key,
                                 const struct pail_session_params *params, struct pail_error *error)
{
    const pail_host host = pail_log_host(false);
    const pail_registry_params wanted = {
        .struct_size = sizeof(wanted), .host = &host, .backend = params->backend};
    const struct pail_session_params asked = {.backend = params->backend,
                                              .needs = PAIL_ABILITY_ACCOUNT};
    pail_registry *registry = NULL;
    const pail_backend *backend = NULL;
    pail_device_info device;
    *memory = (struct pail_key_memory){0};
    pail_status status =
        pail_told(error, pail_registry_create(&registry, &wanted, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_session_choose(&backend, registry, &asked, error);
    if (status == PAIL_OK)
        status = params->device != NULL
                     ? pail_device_read(&device, backend, &host, params->device, error)
                     : pail_device_read_best(&device, backend, &host, error);
    for (enum pail_zkey_msm msm = PAIL_ZKEY_A; status == PAIL_OK && msm < PAIL_ZKEY_MSMS; msm++)
        status = ask(memory, key, msm, backend, &device, error);
    if (status == PAIL_OK) {
        (void)pail_line(memory->backend, sizeof(memory->backend), "%s", backend->name);
        (void)pail_line(memory->device, sizeof(memory->device), "%s", device.name);
    }
    pail_registry_destroy(&registry);
    return status;
}
