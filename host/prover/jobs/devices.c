/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of a prover: users of their contexts beside the jobs on them, and devices that come
 * back. */
#include <inttypes.h>

#include "jobs.h"
#include <formats/report.h>

bool pail_jobs_visit(pail_prover *prover, uint32_t device, pail_prover_device *visited)
{
    struct pail_schedule_stats stats;
    pthread_mutex_lock(&prover->mutex);
    pail_schedule_get_stats(prover->schedule, &stats);
    const bool lost = stats.devices[device].lost;
    prover->visitors[device]++;
    *visited = prover->devices[device];
    pthread_mutex_unlock(&prover->mutex);
    return !lost;
}

void pail_jobs_leave(pail_prover *prover, uint32_t device)
{
    pthread_mutex_lock(&prover->mutex);
    prover->visitors[device]--;
    pthread_mutex_unlock(&prover->mutex);
}

uint32_t pail_jobs_visit_any(pail_prover *prover, pail_prover_device *visited)
{
    for (uint32_t d = 0; d < prover->params.n_devices; d++) {
        if (pail_jobs_visit(prover, d, visited))
            return d;
        pail_jobs_leave(prover, d);
    }
    (void)pail_jobs_visit(prover, 0, visited); /* the visit tells that it was lost */
    return 0;
}

pail_status pail_jobs_restore(pail_prover *prover, uint32_t device, pail_context *context,
                              char *error, size_t error_cap)
{
    struct pail_schedule_stats stats;
    pthread_mutex_lock(&prover->mutex);
    pail_schedule_get_stats(prover->schedule, &stats);
    const bool lost = stats.devices[device].lost;
    const bool cleared =
        lost && pail_schedule_is_cleared(prover->schedule, device) && prover->visitors[device] == 0;
    if (cleared) {
        prover->devices[device].context = context;
        prover->device_heaps[device].context = context;
        (void)pail_schedule_restore(prover->schedule, device);
        pthread_cond_signal(&prover->tick); /* waiting units may have their memory there */
    }
    pthread_mutex_unlock(&prover->mutex);
    if (!lost)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "device %" PRIu32 ": is not lost",
                           device);
    return cleared
               ? PAIL_OK
               : pail_report(error, error_cap, PAIL_NOT_READY,
                             "device %" PRIu32 ": something is still being freed there", device);
}
