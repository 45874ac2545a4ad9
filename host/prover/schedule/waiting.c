/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines and memory that units wait for, for the thread that wakes the scheduler. */
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

bool pail_schedule_waits_for_host(const struct pail_schedule *schedule)
{
    bool waits = schedule->admitted || schedule->held_back;
    for (uint32_t d = 0; d < schedule->params.n_devices; d++) {
        const struct pail_unit *const unit = schedule->devices[d].waiting;
        waits |= unit && pail_ledger_missing(schedule->params.ledger, &unit->on_device,
                                             PAIL_HEAP_HOST) != 0;
    }
    return waits;
}

bool pail_schedule_waits_for_memory(const struct pail_schedule *schedule)
{
    bool waits = schedule->admitted || schedule->held_back;
    for (uint32_t d = 0; d < schedule->params.n_devices; d++)
        waits |= schedule->devices[d].waiting != NULL;
    return waits;
}
