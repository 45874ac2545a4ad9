/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines, memory and places in the queue that units wait for. */
#include "schedule_priv.h"

static uint64_t first_deadline(const struct pail_unit *list, uint64_t next)
{
    for (; list != NULL; list = list->next)
        if (list->deadline_ns != 0 && list->deadline_ns < next)
            next = list->deadline_ns;
    return next;
}

uint64_t pail_schedule_next(struct pail_schedule *schedule)
{
    return first_deadline(
        schedule->queued,
        first_deadline(schedule->ready, pail_ledger_next_deadline(schedule->params.ledger)));
}

/* A unit that waits has its key, which is in use: two that wait for the host's heap could wait for
 * each other's. A device has one waiting unit in its slots in any case. */
bool pail_host_is_awaited(const struct pail_schedule *schedule)
{
    for (uint32_t i = 0; i < 2 * schedule->params.n_devices; i++) {
        const struct pail_unit *const unit = pail_placed_unit(schedule, i / 2, i % 2);
        if (unit &&
            pail_ledger_named(schedule->params.ledger, &unit->on_device, PAIL_HEAP_HOST) != 0)
            return true;
    }
    return false;
}

bool pail_schedule_waits_for_host(const struct pail_schedule *schedule)
{
    bool waits = schedule->admitted || schedule->held_back;
    for (uint32_t i = 0; i < 2 * schedule->params.n_devices; i++) {
        const struct pail_unit *const unit = pail_placed_unit(schedule, i / 2, i % 2);
        waits |= unit && pail_ledger_missing(schedule->params.ledger, &unit->on_device,
                                             PAIL_HEAP_HOST) != 0;
    }
    return waits;
}

bool pail_schedule_waits_for_memory(const struct pail_schedule *schedule)
{
    bool waits = schedule->admitted || schedule->held_back;
    for (uint32_t i = 0; i < 2 * schedule->params.n_devices; i++)
        waits |= pail_placed_unit(schedule, i / 2, i % 2) != NULL;
    return waits;
}

bool pail_schedule_claim(struct pail_schedule *schedule)
{
    if (schedule->claims >= schedule->params.queue_depth) {
        schedule->stats.refused++;
        return false;
    }
    schedule->stats.claimed++;
    if (++schedule->claims > schedule->stats.peak_claims)
        schedule->stats.peak_claims = schedule->claims;
    return true;
}
