/* SPDX-License-Identifier: Apache-2.0 */
/* Usage of slots and devices over time, and the causes of idle devices. */
#include "schedule_priv.h"

void pail_account(struct pail_schedule *schedule, uint64_t now)
{
    const uint64_t ns = now - schedule->accounted_ns;
    schedule->accounted_ns = now;
    for (uint32_t d = 0; d < schedule->params.n_devices; d++) {
        struct pail_device_slots *const slots = &schedule->devices[d];
        slots->usage.slot_ns += ns * slots->taken;
        if (slots->units)
            slots->usage.busy_ns += ns;
        else
            slots->usage.idle_ns[slots->cause] += ns;
    }
}

bool pail_pending_is_full(const struct pail_schedule *schedule)
{
    size_t n = schedule->stats.pending;
    if (schedule->params.slot_until_finished)
        return false;
    for (uint32_t d = 0; d < schedule->params.n_devices; d++)
        n += schedule->devices[d].taken;
    return n >= schedule->max_pending;
}

static enum pail_idle cause_of(const struct pail_schedule *schedule)
{
    if (schedule->active == 0)
        return PAIL_IDLE_NO_WORK;
    if (!schedule->ready)
        return (schedule->admitted || schedule->held_back) && schedule->producing == 0
                   ? PAIL_IDLE_MEMORY
                   : PAIL_IDLE_PRODUCING;
    return pail_pending_is_full(schedule) ? PAIL_IDLE_PENDING : PAIL_IDLE_MEMORY;
}

void pail_account_causes(struct pail_schedule *schedule, uint64_t now)
{
    for (uint32_t d = 0; d < schedule->params.n_devices; d++) {
        struct pail_device_slots *const slots = &schedule->devices[d];
        if (slots->units) {
            const uint64_t gap = slots->idle_since_ns != 0 ? now - slots->idle_since_ns : 0;
            if (slots->worked && gap != 0) {
                slots->usage.gaps[slots->cause]++;
                if (gap > slots->usage.longest_gap_ns)
                    slots->usage.longest_gap_ns = gap;
            }
            slots->worked = true;
            slots->idle_since_ns = 0;
        } else {
            if (slots->idle_since_ns == 0)
                slots->idle_since_ns = now;
            slots->cause = cause_of(schedule);
        }
    }
}

size_t pail_schedule_active(const struct pail_schedule *schedule)
{
    return schedule->active;
}

void pail_schedule_get_stats(struct pail_schedule *schedule, struct pail_schedule_stats *stats)
{
    const uint64_t now = schedule->params.executor.now(schedule->params.executor.user);
    pail_account(schedule, now);
    *stats = schedule->stats;
    for (uint32_t d = 0; d < schedule->params.n_devices; d++)
        stats->devices[d] = schedule->devices[d].usage;
}
