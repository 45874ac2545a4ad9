/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that came as inputs: their circuits run, one at a time, before the prover gets the witness.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/text.h>

#include "service_priv.h"

/* Until the deadline; 0: it is over. */
static uint64_t left_ms(const struct pail_service_job *job)
{
    const uint64_t ms = (pail_clock_ns() - job->submitted_ns) / 1000000;
    return job->deadline_ms == 0 ? UINT64_MAX : job->deadline_ms > ms ? job->deadline_ms - ms : 0;
}

/* The witness takes the place of the inputs. What the circuit logs is dropped. */
static pail_status calculate(struct pail_service_job *job, uint64_t limit_ms,
                             struct pail_error *error)
{
    struct pail_calculated made;
    const pail_circuit_options options = {
        .struct_size = sizeof(options), .time_limit_ms = limit_ms, .cancel = &job->cancelled};
    pail_status status = pail_witness_of_text(&made, job->key->circuit, (const char *)job->witness,
                                              job->received, "the inputs", &options, error);
    if (status == PAIL_OK && made.bytes > job->key->most_bytes)
        status = pail_fail(error, PAIL_ERR_DATA,
                           "the circuit of \"%s\" is another one than that of its key: its witness "
                           "has %zu bytes",
                           job->key->name, made.bytes);
    if (status == PAIL_OK && !pail_service_replace_witness(job, made.wtns, made.bytes))
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu bytes", made.bytes);
    pail_witness_free(&made);
    return status;
}

static pail_status run(struct pail_service *service, struct pail_service_job *job,
                       struct pail_error *error)
{
    const uint64_t limit_ms = 1000 * service->params.limits.time_s;
    uint64_t left = left_ms(job);
    pail_status status = PAIL_OK;
    if (left > 0)
        status = calculate(job, left < limit_ms ? left : limit_ms, error);
    left = left_ms(job);
    if (left == 0 && (status == PAIL_OK || status == PAIL_ERR_STOPPED))
        return pail_fail(error, PAIL_ERR_STOPPED, "the job has not begun before its deadline");
    return status != PAIL_OK
               ? status
               : pail_service_hand_over(service, job, left == UINT64_MAX ? 0 : left, error);
}

void *pail_service_run_circuits(void *argument)
{
    struct pail_service *const service = argument;
    pthread_mutex_lock(&service->mutex);
    for (;;) {
        struct pail_service_job *job = service->jobs;
        struct pail_error error = {0};
        while (job && !job->has_inputs)
            job = job->next;
        if (!job && service->stopping)
            break;
        if (!job) {
            pthread_cond_wait(&service->inputs, &service->mutex);
            continue;
        }
        job->has_inputs = false;
        const bool cancelled = job->cancelled != 0; /* its inputs are not even read */
        pthread_mutex_unlock(&service->mutex);
        const pail_status status = cancelled ? PAIL_ERR_STOPPED : run(service, job, &error);
        if (status != PAIL_OK)
            pail_service_end_job(service, job, status, &error);
        pthread_mutex_lock(&service->mutex);
    }
    pthread_mutex_unlock(&service->mutex);
    return NULL;
}
