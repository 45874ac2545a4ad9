/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of <pail/kzg.h> as jobs of a prover. */
#include <stdlib.h>

#include "caller.h"
#include <formats/report.h>
#include <kzg/request.h>
#include <prover/jobs/jobs.h>

struct request {
    struct pail_job_work work; /* first, so that its functions find the rest */
    struct pail_kzg_call call;
    pail_kzg_result result, *theirs;
};

static void claim(void *user, bool claims)
{
    const struct pail_job_work *const work = user;
    work->claim(work->user, claims);
}

static pail_status run(struct pail_job_work *work, const atomic_bool *stop, char *error,
                       size_t capacity)
{
    struct request *const request = (struct request *)work;
    struct pail_kzg_call *const call = &request->call;
    call->claim = claim;
    call->claim_user = work;
    pail_kzg_execute(call, stop);
    work->device_ns = (uint64_t)(1e6 * call->device_ms);
    return call->status == PAIL_OK ? PAIL_OK
                                   : pail_report(error, capacity, call->status, "%s", call->error);
}

static void end(struct pail_job_work *work, pail_status status)
{
    struct request *const request = (struct request *)work;
    struct pail_kzg_output outputs[PAIL_KZG_OUTPUTS];
    request->call.status = status;
    pail_kzg_list_outputs(outputs, &request->call, &request->result);
    if (status != PAIL_OK)
        pail_kzg_zero_outputs(outputs);
    pail_kzg_deliver(request->theirs, &request->result, &request->call);
}

pail_status pail_take_kzg(struct pail_job_work **work, const pail_prover_request *theirs,
                          char *error, size_t capacity)
{
    struct request taken = {.work = {.run = run, .end = end},
                            .call = {.kzg = theirs->kzg, .bad = UINT64_MAX},
                            .theirs = theirs->kzg_result};
    *work = NULL;
    const pail_status status = pail_kzg_take_call(&taken.call, &taken.result, theirs->kzg_result,
                                                  theirs->kzg_request, error, capacity);
    if (status != PAIL_OK)
        return status;
    struct request *const request = malloc(sizeof(*request));
    if (!request) {
        end(&taken.work, PAIL_ERR_HOST_MEMORY);
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY, "no memory for a job");
    }
    taken.work.context = taken.call.kzg->context;
    pail_kzg_call_bytes(&taken.work.host_bytes, &taken.work.device_bytes, &taken.call);
    taken.work.host_bytes += sizeof(taken);
    *request = taken;
    *work = &request->work;
    return PAIL_OK;
}
