/* Units that share a slot. */
#include "schedule_priv.h"

/* True if it may go with the unit: it must be the next one in order, for no unit is overtaken, and
 * as urgent, for its share of the time is added. A unit that found no memory goes alone. */
static bool may_go_with(const struct pail_unit *unit, const struct pail_unit *next)
{
    return next != NULL && next->key == unit->key && next->priority == unit->priority &&
           !next->reduced;
}

/* The number of units that could go together; a key that is being loaded is for one. */
static uint32_t count(const struct pail_schedule *schedule, const struct pail_unit *unit,
                      const struct pail_unit *next)
{
    uint32_t n = 1;
    if (unit->reduced || schedule->keys[unit->key].places[unit->device].state != PAIL_KEY_RESIDENT)
        return 1;
    for (; n < schedule->params.share && may_go_with(unit, next); next = next->next)
        n++;
    return n;
}

static uint64_t bytes_of(const struct pail_schedule *schedule, const struct pail_unit *unit,
                         const struct pail_unit *next, uint32_t n)
{
    const uint64_t known = schedule->keys[unit->key].share_bytes[n];
    uint64_t bytes = unit->device_bytes;
    for (uint32_t i = 1; i < n; i++, next = next->next)
        bytes += next->device_bytes;
    return n > 1 && known != 0 && known < bytes ? known : bytes;
}

/* Takes n - 1 units behind it along, each with its part of the memory. */
static void take_along(struct pail_schedule *schedule, struct pail_unit *unit,
                       struct pail_unit *next, uint32_t n)
{
    const size_t heap = PAIL_HEAP_DEVICE + unit->device;
    const uint64_t part = unit->on_device.bytes[heap] / n;
    struct pail_unit **last = &unit->mates;
    for (uint32_t i = 1; i < n; i++) {
        struct pail_unit *const mate = next;
        next = mate->next;
        pail_leave_ready(schedule, mate);
        mate->device = unit->device;
        mate->together = n;
        mate->mates = NULL;
        mate->on_device = (struct pail_reservation){0};
        pail_use_key(schedule, mate);
        (void)pail_ledger_split(schedule->params.ledger, &unit->on_device, &mate->on_device, heap,
                                part, 0);
        pail_move_unit(schedule, mate, PAIL_UNIT_PLACED);
        *last = mate;
        last = &mate->next;
    }
    *last = NULL;
}

void pail_request_shared(struct pail_schedule *schedule, struct pail_unit *unit,
                         struct pail_unit *next, const uint64_t *wanted, const uint64_t *beside)
{
    struct pail_ledger *const ledger = schedule->params.ledger;
    const size_t heap = PAIL_HEAP_DEVICE + unit->device;
    const uint64_t deadline_ns = unit->deadline_ns != 0 ? unit->deadline_ns : UINT64_MAX;
    uint64_t bytes[PAIL_LEDGER_HEAPS_MAX];
    unit->mates = NULL;
    unit->together = 1;
    /* Takes as many as there is memory for now; only a unit that is alone waits for memory. */
    for (uint32_t n = count(schedule, unit, next); n > 1; n--) {
        for (size_t i = 0; i < PAIL_LEDGER_HEAPS_MAX; i++)
            bytes[i] = wanted[i];
        bytes[heap] = bytes_of(schedule, unit, next, n);
        if (!pail_ledger_ever_fits(ledger, bytes, beside))
            continue;
        if (pail_ledger_request(ledger, &unit->on_device, bytes, beside, deadline_ns) ==
            PAIL_ADMISSION_HELD) {
            unit->together = n;
            take_along(schedule, unit, next, n);
            return;
        }
        (void)pail_ledger_release(ledger, &unit->on_device);
    }
    (void)pail_ledger_request(ledger, &unit->on_device, wanted, beside, deadline_ns);
}

void pail_enter_mates(struct pail_schedule *schedule, struct pail_unit *unit)
{
    for (struct pail_unit *mate = unit->mates; mate != NULL; mate = mate->next)
        pail_move_unit(schedule, mate, PAIL_UNIT_ON_DEVICE);
}

void pail_schedule_share_bytes(struct pail_schedule *schedule, uint32_t key, uint32_t n,
                               uint64_t bytes)
{
    schedule->keys[key].share_bytes[n] = bytes;
}
