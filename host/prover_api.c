/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the prover under load; host/prover/jobs does the work. */
#include <pail/prover.h>

#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include <formats/report.h>
#include <platform/memory.h>
#include <platform/process.h>
#include <prover/jobs/jobs.h>

enum { INFLIGHT_MAX = 64, THREADS_MAX = 1024, QUEUE_MAX = 65536, SHARE_MAX = 16 };

pail_status pail_take_device(pail_prover_device *ours, const pail_prover_device *devices,
                             uint32_t i, char *error, size_t capacity)
{
    uint32_t stride;
    memcpy(&stride, devices, sizeof(stride));
    if (stride < sizeof(*ours) || stride > PAIL_STRUCT_SIZE_MAX)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "devices have a struct_size of %u",
                           stride);
    memcpy(ours, (const uint8_t *)devices + (size_t)i * stride, sizeof(*ours));
    if (!ours->backend || !ours->context)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "device %u: %s is NULL", i,
                           !ours->backend ? "backend" : "context");
    if (!pail_backend_can(ours->backend, PAIL_ABILITY_VECTORS))
        return pail_report(error, capacity, PAIL_ERR_UNSUPPORTED,
                           "device %u: the backend %s has no vectors", i, ours->backend->name);
    if ((ours->flags & ~(uint32_t)PAIL_PROVER_DEVICE_SPARE) != 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "device %u: there are no flags 0x%x",
                           i, ours->flags & ~(uint32_t)PAIL_PROVER_DEVICE_SPARE);
    return PAIL_OK;
}

static pail_status check_params(const pail_prover_params *params, char *error, size_t capacity)
{
    const uint32_t known = PAIL_PROVER_NO_LEDGER | PAIL_PROVER_NO_RECLAIMER |
                           PAIL_PROVER_WHOLE_SLOTS | PAIL_PROVER_ALL_THREADS |
                           PAIL_PROVER_THROTTLE | PAIL_PROVER_KEYS_EVERYWHERE;
    const struct {
        const char *name;
        uint32_t value, most;
    } limits[] = {{"n_devices", params->n_devices, PAIL_SCHEDULE_DEVICES_MAX},
                  {"inflight", params->inflight, INFLIGHT_MAX},
                  {"producers", params->producers, THREADS_MAX},
                  {"host_threads", params->host_threads, THREADS_MAX},
                  {"queue_depth", params->queue_depth, QUEUE_MAX},
                  {"share", params->share, SHARE_MAX}};
    if ((params->flags & ~known) != 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "params: there are no flags 0x%x",
                           params->flags & ~known);
    if (!params->devices || params->n_devices == 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "params: there are no devices");
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        if (limits[i].value > limits[i].most)
            return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                               "params: %s is %u, and %u at most", limits[i].name, limits[i].value,
                               limits[i].most);
    return PAIL_OK;
}

pail_status pail_prover_create(pail_prover **prover, const pail_prover_params *params, char *error,
                               size_t capacity)
{
    pail_clear_error(error, capacity);
    if (!prover || !params) {
        if (prover)
            *prover = NULL;
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s is NULL",
                           !prover ? "prover" : "params");
    }
    *prover = NULL;
    pail_prover_params ours;
    pail_prover_device devices[PAIL_SCHEDULE_DEVICES_MAX];
    pail_status status = pail_check_process(error, capacity);
    if (status == PAIL_OK)
        status = pail_take(&ours, sizeof(ours), params, "params", error, capacity);
    if (status == PAIL_OK)
        status = check_params(&ours, error, capacity);
    for (uint32_t i = 0; status == PAIL_OK && i < ours.n_devices; i++)
        status = pail_take_device(&devices[i], ours.devices, i, error, capacity);
    if (status != PAIL_OK)
        return status;
    ours.devices = devices;
    return pail_jobs_create(prover, &ours, error, capacity);
}

void pail_prover_destroy(pail_prover **prover)
{
    if (!prover)
        return;
    if (pail_process_is_first())
        pail_jobs_destroy(prover);
    *prover = NULL;
}

pail_status pail_prover_add_key(pail_prover *prover, uint32_t *key,
                                const pail_groth16_key_params *params, char *error, size_t capacity)
{
    pail_clear_error(error, capacity);
    if (key)
        *key = 0;
    if (!prover || !key || !params)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s is NULL",
                           !prover ? "prover"
                           : !key  ? "key"
                                   : "params");
    pail_groth16_key_params ours;
    const pail_status status =
        pail_take_key_params(&ours, params, PAIL_GROTH16_KEY_HASH, error, capacity);
    return status == PAIL_OK ? pail_jobs_add_key(prover, key, &ours, error, capacity) : status;
}

pail_status pail_prover_remove_key(pail_prover *prover, uint32_t key, char *error, size_t capacity)
{
    pail_clear_error(error, capacity);
    if (!prover)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "prover is NULL");
    const pail_status status = pail_check_process(error, capacity);
    return status == PAIL_OK ? pail_jobs_remove_key(prover, key, error, capacity) : status;
}

/* A job that is a KZG request has no member of a proof. */
static pail_status submit_kzg(pail_prover *prover, pail_prover_job **job,
                              const pail_prover_request *request, char *error, size_t capacity)
{
    const struct {
        const char *name;
        bool is_set;
    } others[] = {
        {"witness", request->witness != NULL}, {"assignment", request->assignment != NULL},
        {"options", request->options != NULL}, {"key", request->key != 0},
        {"flags", request->flags != 0},        {"reserved_flags", request->reserved_flags != 0}};
    struct pail_job_work *work = NULL;
    pail_status status = pail_take_kzg(&work, request, error, capacity);
    for (size_t i = 0; status == PAIL_OK && i < sizeof(others) / sizeof(others[0]); i++)
        if (others[i].is_set)
            status = pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                                 "request: kzg_request and %s are both set", others[i].name);
    if (status == PAIL_OK)
        return pail_jobs_submit_work(prover, job, request, work, error, capacity);
    if (work)
        work->end(work, status);
    free(work);
    return status;
}

pail_status pail_prover_submit(pail_prover *prover, pail_prover_job **job,
                               const pail_prover_request *request, char *error, size_t capacity)
{
    pail_clear_error(error, capacity);
    if (job)
        *job = NULL;
    if (!prover || !job || !request)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s is NULL",
                           !prover ? "prover"
                           : !job  ? "job"
                                   : "request");
    pail_prover_request ours;
    pail_groth16_witness witness;
    pail_groth16_assignment assignment;
    pail_groth16_options options = {0};
    pail_status status = pail_check_process(error, capacity);
    if (status == PAIL_OK)
        status = pail_take(&ours, sizeof(ours), request, "request", error, capacity);
    if (status == PAIL_OK && (ours.kzg || ours.kzg_request || ours.kzg_result))
        return submit_kzg(prover, job, &ours, error, capacity);
    if (status == PAIL_OK && !ours.witness && !ours.assignment)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT, "request: witness is NULL");
    if (status == PAIL_OK && ours.witness && ours.assignment)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                             "request: witness and assignment are both set");
    if (status == PAIL_OK && (ours.flags & ~(uint32_t)PAIL_PROVER_REQUEST_COPY) != 0)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT, "request: there are no flags 0x%x",
                             ours.flags & ~(uint32_t)PAIL_PROVER_REQUEST_COPY);
    if (status == PAIL_OK && ours.reserved_flags != 0)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                             "request: reserved_flags is 0x%x, not 0", ours.reserved_flags);
    if (status == PAIL_OK && ours.flags != 0 && ours.witness)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                             "request: flags is 0x%x, and only assignments are copied", ours.flags);
    if (status == PAIL_OK && ours.witness)
        status = pail_take(&witness, sizeof(witness), ours.witness, "witness", error, capacity);
    if (status == PAIL_OK && ours.witness)
        status = pail_check_witness(&witness, error, capacity);
    if (status == PAIL_OK && ours.assignment)
        status = pail_take_assignment(&assignment, ours.assignment, error, capacity);
    if (status == PAIL_OK)
        status = pail_take(&options, sizeof(options), ours.options, "options", error, capacity);
    if (status == PAIL_OK)
        status = pail_check_options(&options, PAIL_GROTH16_FIXED_BLINDING, error, capacity);
    if (status == PAIL_OK && options.cancel)
        status =
            pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                        "options: cancel is set, and jobs are cancelled by pail_prover_cancel");
    if (status == PAIL_OK && (options.stage || options.tick))
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                             "options: %s is set, and jobs do not call it",
                             options.stage ? "stage" : "tick");
    if (status == PAIL_OK) {
        ours.witness = ours.witness ? &witness : NULL;
        ours.assignment = ours.assignment ? &assignment : NULL;
        ours.options = &options;
        status = pail_jobs_submit(prover, job, &ours, error, capacity);
    }
    pail_wipe(&options, sizeof(options));
    return status;
}

pail_status pail_prover_poll(pail_prover *prover, const pail_prover_job *job)
{
    if (!prover || !job || !pail_process_is_first())
        return PAIL_ERR_ARGUMENT;
    return pail_jobs_ended(prover, job, 0) ? PAIL_OK : PAIL_NOT_READY;
}

pail_status pail_prover_wait_copied(pail_prover *prover, const pail_prover_job *job,
                                    uint64_t timeout_ns)
{
    if (!prover || !job || !pail_process_is_first())
        return PAIL_ERR_ARGUMENT;
    return pail_jobs_copied(prover, job, timeout_ns) ? PAIL_OK : PAIL_NOT_READY;
}

pail_status pail_prover_wait(pail_prover *prover, pail_prover_job **job, uint64_t timeout_ns,
                             pail_groth16_proof *proof, void *publics,
                             pail_groth16_timings *timings, char *error, size_t capacity)
{
    pail_clear_error(error, capacity);
    const bool is_proof = proof || !prover || !job || !*job || !(*job)->work;
    pail_status status =
        is_proof ? pail_check_out(proof, sizeof(*proof), "proof", error, capacity) : PAIL_OK;
    if (status == PAIL_OK && timings)
        status = pail_check_out(timings, sizeof(uint32_t), "timings", error, capacity);
    if (status == PAIL_OK)
        status = pail_check_process(error, capacity);
    if (status != PAIL_OK)
        return status;
    if (!prover || !job || !*job)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s is NULL",
                           !prover ? "prover" : "job");
    if (!publics && !(*job)->is_assigned && pail_jobs_publics(prover, *job) != 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "publics is NULL");
    if (!pail_jobs_ended(prover, *job, timeout_ns))
        return PAIL_NOT_READY;
    pail_groth16_proof our_proof;
    pail_groth16_timings our_timings;
    status = pail_jobs_take(prover, *job, &our_proof, publics, &our_timings, error, capacity);
    *job = NULL;
    if (proof)
        pail_struct_deliver(proof, &our_proof, sizeof(our_proof));
    if (timings)
        pail_struct_deliver(timings, &our_timings, sizeof(our_timings));
    return status;
}

void pail_prover_cancel(pail_prover *prover, pail_prover_job *job)
{
    if (prover && job && pail_process_is_first())
        pail_jobs_cancel(prover, job);
}

pail_status pail_prover_drain(pail_prover *prover, uint64_t timeout_ns)
{
    if (!prover || !pail_process_is_first())
        return PAIL_ERR_ARGUMENT;
    return pail_jobs_drain(prover, timeout_ns) ? PAIL_OK : PAIL_NOT_READY;
}

pail_status pail_prover_get_job(pail_prover *prover, const pail_prover_job *job,
                                pail_prover_job_info *info)
{
    if (pail_check_out(info, sizeof(uint32_t), "info", NULL, 0) != PAIL_OK || !prover || !job ||
        !pail_process_is_first())
        return PAIL_ERR_ARGUMENT;
    pail_prover_job_info ours;
    pail_jobs_info(prover, job, &ours);
    pail_struct_deliver(info, &ours, sizeof(ours));
    return PAIL_OK;
}

pail_status pail_prover_get_device(pail_prover *prover, uint32_t device,
                                   pail_prover_device_stats *stats)
{
    if (pail_check_out(stats, sizeof(uint32_t), "stats", NULL, 0) != PAIL_OK || !prover ||
        !pail_process_is_first() || device >= prover->params.n_devices)
        return PAIL_ERR_ARGUMENT;
    pail_prover_device_stats ours;
    pail_jobs_device_stats(prover, device, &ours);
    pail_struct_deliver(stats, &ours, sizeof(ours));
    return PAIL_OK;
}

pail_status pail_prover_get_stats(pail_prover *prover, pail_prover_stats *stats)
{
    if (pail_check_out(stats, sizeof(uint32_t), "stats", NULL, 0) != PAIL_OK || !prover ||
        !pail_process_is_first())
        return PAIL_ERR_ARGUMENT;
    pail_prover_stats ours;
    pail_jobs_stats(prover, &ours);
    pail_struct_deliver(stats, &ours, sizeof(ours));
    return PAIL_OK;
}

pail_status pail_prover_restore(pail_prover *prover, uint32_t device, pail_context *context,
                                char *error, size_t capacity)
{
    pail_clear_error(error, capacity);
    if (!prover || !context)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s is NULL",
                           !prover ? "prover" : "context");
    if (device >= prover->params.n_devices)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "there is no device %u", device);
    const pail_status status = pail_check_process(error, capacity);
    return status == PAIL_OK ? pail_jobs_restore(prover, device, context, error, capacity) : status;
}
