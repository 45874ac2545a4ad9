/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of witnesses that wait for the next ones: they are in the ledger as long as they are
 * mapped, and give way to any job that waits for the host's memory. */
#include "jobs.h"

/* Memory that jobs were granted for buffers that they have not taken yet is not granted twice: such
 * a job takes an idle one. */
void pail_jobs_note_idle(pail_prover *prover)
{
    struct pail_buffers_stats buffers;
    struct pail_ledger_stats ledger;
    pail_buffers_get_stats(prover->buffers, &buffers);
    const uint64_t mapped = buffers.idle_bytes + buffers.leaving_bytes;
    const uint64_t idle = mapped > prover->promised_bytes ? mapped - prover->promised_bytes : 0;
    if (idle != prover->idle.bytes[PAIL_HEAP_HOST])
        (void)pail_ledger_correct(prover->ledger, &prover->idle, PAIL_HEAP_HOST, idle);
    pail_ledger_get_stats(prover->ledger, &ledger);
    const struct pail_heap_usage *const host = &ledger.heaps[PAIL_HEAP_HOST];
    prover->idle_is_in_the_way = idle != 0 && (host->used > host->capacity ||
                                               pail_schedule_waits_for_host(prover->schedule));
    if (prover->idle_is_in_the_way)
        pthread_cond_signal(&prover->tick);
}

void pail_jobs_promise(pail_prover *prover, struct pail_prover_job *job)
{
    job->promised_bytes = job->witness_bytes;
    prover->promised_bytes += job->promised_bytes;
}

void pail_jobs_keep_promise(pail_prover *prover, struct pail_prover_job *job)
{
    const uint64_t others = job->unit.host_bytes - job->witness_bytes;
    const uint64_t takes = others + job->buffer_capacity;
    prover->promised_bytes -= job->promised_bytes;
    job->promised_bytes = 0;
    /* A reused buffer may be larger than the job requested. */
    if (job->buffer_capacity != 0 && takes > job->unit.host.bytes[PAIL_HEAP_HOST])
        (void)pail_ledger_correct(prover->ledger, &job->unit.host, PAIL_HEAP_HOST, takes);
    pail_jobs_note_idle(prover);
}

void pail_jobs_buffer_unmapped(void *user)
{
    pail_prover *const prover = user;
    pthread_mutex_lock(&prover->mutex);
    if (!prover->stopping) {
        pail_jobs_note_idle(prover);
        pail_schedule_tick(prover->schedule);
    }
    pthread_mutex_unlock(&prover->mutex);
}

pail_status pail_jobs_begin_idle(pail_prover *prover)
{
    const uint64_t none[PAIL_LEDGER_HEAPS_MAX] = {0};
    const enum pail_admission admission =
        pail_ledger_request(prover->ledger, &prover->idle, none, NULL, UINT64_MAX);
    return admission == PAIL_ADMISSION_HELD ? PAIL_OK : PAIL_ERR_INTERNAL;
}

void pail_jobs_end_idle(pail_prover *prover)
{
    const uint64_t live = prover->idle.live[PAIL_HEAP_HOST];
    if (prover->idle.state != PAIL_ADMISSION_HELD)
        return;
    (void)pail_ledger_freed(prover->ledger, &prover->idle, PAIL_HEAP_HOST, live);
    (void)pail_ledger_release(prover->ledger, &prover->idle);
}
