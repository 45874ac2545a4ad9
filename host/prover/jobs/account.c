/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a prover, its devices and its jobs. */
#include "jobs.h"
#include <platform/clock.h>

void pail_jobs_stats(pail_prover *prover, pail_prover_stats *stats)
{
    struct pail_schedule_stats schedule;
    struct pail_ledger_stats ledger;
    struct pail_reclaimer_stats reclaimer;
    struct pail_buffers_stats buffers;
    pthread_mutex_lock(&prover->mutex);
    pail_schedule_get_stats(prover->schedule, &schedule);
    pail_ledger_get_stats(prover->ledger, &ledger);
    const uint32_t pool_threads = prover->pool_threads;
    const uint64_t pool_worker_bytes = prover->pool_worker_bytes;
    const uint64_t idle_bytes = prover->idle.bytes[PAIL_HEAP_HOST];
    pthread_mutex_unlock(&prover->mutex);
    pail_reclaimer_get_stats(prover->reclaimer, &reclaimer);
    pail_buffers_get_stats(prover->buffers, &buffers);
    *stats = (pail_prover_stats){.struct_size = sizeof(*stats),
                                 .n_devices = prover->params.n_devices,
                                 .submitted = schedule.submitted,
                                 .refused = schedule.refused,
                                 .ended = schedule.ended,
                                 .failed = schedule.failed,
                                 .cancelled = schedule.cancelled,
                                 .late = schedule.late,
                                 .retried = schedule.retried,
                                 .wall_ms = 1e-6 * (double)(pail_clock_ns() - prover->begun_ns),
                                 .host_bytes = ledger.heaps[PAIL_HEAP_HOST].own,
                                 .host_peak_bytes = ledger.heaps[PAIL_HEAP_HOST].peak_own,
                                 .host_capacity = ledger.heaps[PAIL_HEAP_HOST].capacity,
                                 .buffers_mapped = buffers.maps,
                                 .buffers_reused = buffers.reuses,
                                 .reclaimed = reclaimer.frees,
                                 .reclaimed_inline = reclaimer.inline_frees,
                                 .reclaim_peak_bytes = reclaimer.peak_bytes};
    stats->buffers_idle_bytes = idle_bytes;
    stats->pool_threads = pool_threads;
    stats->pool_worker_bytes = pool_worker_bytes;
    stats->processors = prover->caches.processors;
    stats->l3_bytes = prover->caches.l3_bytes;
    for (uint32_t d = 0; d < prover->params.n_devices; d++) {
        const struct pail_device_usage *const usage = &schedule.devices[d];
        const struct pail_heap_usage *const heap = &ledger.heaps[PAIL_HEAP_DEVICE + d];
        stats->starts += usage->units;
        stats->keys_loaded += usage->loads;
        stats->keys_evicted += usage->evictions;
        stats->slot_ms += 1e-6 * (double)usage->slot_ns;
        stats->busy_ms += 1e-6 * (double)usage->busy_ns;
        stats->device_ms += 1e-6 * (double)usage->device_ns;
        stats->idle_no_work_ms += 1e-6 * (double)usage->idle_ns[PAIL_IDLE_NO_WORK];
        stats->idle_producing_ms += 1e-6 * (double)usage->idle_ns[PAIL_IDLE_PRODUCING];
        stats->idle_memory_ms += 1e-6 * (double)usage->idle_ns[PAIL_IDLE_MEMORY];
        stats->idle_pending_ms += 1e-6 * (double)usage->idle_ns[PAIL_IDLE_PENDING];
        stats->device_bytes += heap->used;
        stats->device_peak_bytes += heap->peak_used;
        stats->device_capacity += heap->capacity;
    }
}

void pail_jobs_device_stats(pail_prover *prover, uint32_t device, pail_prover_device_stats *stats)
{
    struct pail_schedule_stats schedule;
    struct pail_ledger_stats ledger;
    pthread_mutex_lock(&prover->mutex);
    pail_schedule_get_stats(prover->schedule, &schedule);
    pail_ledger_get_stats(prover->ledger, &ledger);
    pthread_mutex_unlock(&prover->mutex);
    const struct pail_device_usage *const usage = &schedule.devices[device];
    const struct pail_heap_usage *const heap = &ledger.heaps[PAIL_HEAP_DEVICE + device];
    *stats = (pail_prover_device_stats){.struct_size = sizeof(*stats),
                                        .lost = usage->lost,
                                        .restored = usage->restored,
                                        .jobs = usage->units,
                                        .keys_loaded = usage->loads,
                                        .keys_evicted = usage->evictions,
                                        .slot_ms = 1e-6 * (double)usage->slot_ns,
                                        .busy_ms = 1e-6 * (double)usage->busy_ns,
                                        .device_ms = 1e-6 * (double)usage->device_ns,
                                        .bytes = heap->used,
                                        .peak_bytes = heap->peak_used,
                                        .capacity = heap->capacity};
}

static pail_prover_state state_of(enum pail_unit_state state)
{
    switch (state) {
    case PAIL_UNIT_NEW:
    case PAIL_UNIT_QUEUED:
    case PAIL_UNIT_ADMITTED:
        return PAIL_PROVER_QUEUED;
    case PAIL_UNIT_PRODUCING:
        return PAIL_PROVER_READING;
    case PAIL_UNIT_READY:
    case PAIL_UNIT_PLACED:
        return PAIL_PROVER_READY;
    case PAIL_UNIT_LOADING:
        return PAIL_PROVER_LOADING;
    case PAIL_UNIT_ON_DEVICE:
        return PAIL_PROVER_COMPUTING;
    case PAIL_UNIT_COMPUTED:
    case PAIL_UNIT_FINISHING:
    case PAIL_UNIT_RELEASING:
        return PAIL_PROVER_FINISHING;
    case PAIL_UNIT_ENDED:
    case PAIL_UNIT_STATES:
        break;
    }
    return PAIL_PROVER_ENDED;
}

void pail_jobs_info(pail_prover *prover, const pail_prover_job *job, pail_prover_job_info *info)
{
    pthread_mutex_lock(&prover->mutex);
    *info = (pail_prover_job_info){
        .struct_size = sizeof(*info),
        .state = job->ended ? PAIL_PROVER_ENDED : state_of(job->unit.state),
        .job = job->unit.sequence,
        .device = job->unit.entered_ns[PAIL_UNIT_PLACED] != 0 ? job->unit.device : UINT32_MAX,
        .retries = job->unit.retries,
        .lost_device = job->unit.was_lost ? job->unit.lost_device : UINT32_MAX};
    pthread_mutex_unlock(&prover->mutex);
}
