#include "key_stages.h"

#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/line.h>

#include "output/progress.h"
#include "process/log.h"
#include <curves/inputs.h>

enum { SCALAR_BYTES = 32, PROOFS = 2 };

static pail_status prove(struct pail_key_stages *stages, const pail_groth16_key *key,
                         const pail_groth16_key_info *info, uint8_t *values, uint8_t *publics,
                         struct pail_error *error)
{
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .values = values,
                                          .n_values = info->n_vars,
                                          .name = "the made-up witness"};
    const pail_groth16_options how = {.struct_size = sizeof(how), .flags = PAIL_GROTH16_STAGES};
    pail_status status = PAIL_OK;
    pail_make_scalars(pail_curve_ops(info->curve, PAIL_G1), values, (size_t)info->n_vars,
                      PAIL_SCALARS_UNIFORM, 1);
    memset(values, 0, SCALAR_BYTES);
    values[0] = 1;
    struct pail_progress progress;
    pail_progress_begin(&progress, "proving");
    for (int i = 0; i < PROOFS && status == PAIL_OK; i++) {
        pail_groth16_proof proof = {.struct_size = sizeof(proof)};
        stages->timings.struct_size = sizeof(stages->timings);
        pail_progress_tick(&progress, -1);
        status = pail_told(error, pail_groth16_prove(key, &proof, publics, &stages->timings,
                                                     &witness, &how, PAIL_SENTENCE(error)));
    }
    (void)pail_progress_end(&progress);
    return status;
}

static pail_status measure(struct pail_key_stages *stages, const struct pail_session *session,
                           uint32_t threads, const char *path, struct pail_error *error)
{
    const pail_groth16_key_params params = {
        .struct_size = sizeof(params), .path = path, .b2_threads = threads};
    pail_groth16_key_info info = {.struct_size = sizeof(info)};
    pail_groth16_key *key = NULL;
    const double begin_ms = pail_now_ms();
    pail_status status =
        pail_told(error, pail_groth16_key_open(&key, session->backend, session->context, &params,
                                               PAIL_SENTENCE(error)));
    stages->open_ms = pail_now_ms() - begin_ms;
    if (status != PAIL_OK)
        return status;
    (void)pail_groth16_key_get_info(key, &info);
    stages->device_bytes = info.device_bytes;
    stages->b2 = info.b2;
    stages->b2_threads = info.b2_threads;
    uint8_t *const values = malloc((size_t)info.n_vars * SCALAR_BYTES);
    uint8_t *const publics = malloc((size_t)(info.n_public + 1) * SCALAR_BYTES);
    status = values != NULL && publics != NULL
                 ? prove(stages, key, &info, values, publics, error)
                 : pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for a made-up witness");
    free(values);
    free(publics);
    pail_groth16_key_close(&key);
    return status;
}

pail_status pail_key_stages_read(struct pail_key_stages *stages, const char *path,
                                 const struct pail_session_params *params, struct pail_error *error)
{
    const pail_host host = pail_log_host(false);
    struct pail_session session;
    struct pail_session_params asked = *params;
    asked.needs = PAIL_ABILITY_VECTORS;
    *stages = (struct pail_key_stages){0};
    pail_status status = pail_session_begin(&session, &host, &asked, error);
    if (status == PAIL_OK)
        status = measure(stages, &session, params->threads, path, error);
    if (status == PAIL_OK) {
        (void)pail_line(stages->backend, sizeof(stages->backend), "%s", session.backend->name);
        (void)pail_line(stages->device, sizeof(stages->device), "%s", session.device.name);
    }
    pail_session_close(&session);
    return status;
}
