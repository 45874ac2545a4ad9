/* Which keys are on which device, and which of them has to go. */
#include <string.h>

#include "schedule_priv.h"

static bool has_room(const struct pail_schedule *schedule, uint32_t device)
{
    const struct pail_device_slots *const slots = &schedule->devices[device];
    return !slots->usage.lost && slots->waiting == NULL && slots->taken < schedule->params.inflight;
}

/* Whether a ready unit's key is there. */
static bool has_work(const struct pail_schedule *schedule, uint32_t device)
{
    for (uint32_t k = 0; k < schedule->n_keys; k++)
        if (schedule->keys[k].ready != 0 &&
            schedule->keys[k].places[device].state == PAIL_KEY_RESIDENT)
            return true;
    return false;
}

uint32_t pail_place_unit(const struct pail_schedule *schedule, const struct pail_unit *unit)
{
    const struct pail_key *const key = &schedule->keys[unit->key];
    const uint32_t none = schedule->params.n_devices;
    uint32_t resident = none, shortest = none;
    bool somewhere = false; /* the key is, or will be */
    for (uint32_t d = 0; d < none; d++) {
        const struct pail_key_place *const place = &key->places[d];
        if (schedule->devices[d].usage.lost)
            continue;
        somewhere |= place->state == PAIL_KEY_RESIDENT || place->state == PAIL_KEY_LOADING;
        if (!has_room(schedule, d))
            continue;
        if (place->state == PAIL_KEY_RESIDENT &&
            (resident == none || schedule->devices[d].taken < schedule->devices[resident].taken))
            resident = d;
        if (place->state == PAIL_KEY_ABSENT &&
            (shortest == none || schedule->devices[d].taken < schedule->devices[shortest].taken))
            shortest = d;
    }
    if (resident != none)
        return resident;
    if (!somewhere || shortest == none)
        return shortest;
    /* Another copy of the key pays when many wait for those there are, on a device that has nothing
     * better to do. */
    return key->ready > schedule->params.inflight && !has_work(schedule, shortest) ? shortest
                                                                                   : none;
}

uint64_t pail_place_bytes(const struct pail_schedule *schedule, const struct pail_unit *unit,
                          uint32_t device)
{
    const struct pail_key *const key = &schedule->keys[unit->key];
    return unit->device_bytes +
           (key->places[device].state == PAIL_KEY_RESIDENT ? 0 : key->device_bytes);
}

static struct pail_key_place *least_recently_used(struct pail_schedule *schedule, uint32_t device,
                                                  uint64_t used_before_ns, uint32_t *key)
{
    struct pail_key_place *oldest = NULL;
    for (uint32_t k = 0; k < schedule->n_keys; k++) {
        struct pail_key_place *const place = &schedule->keys[k].places[device];
        if (place->state != PAIL_KEY_RESIDENT || place->users != 0 ||
            place->used_ns > used_before_ns ||
            (oldest != NULL && place->used_ns >= oldest->used_ns))
            continue;
        oldest = place;
        *key = k;
    }
    return oldest;
}

void pail_make_room(struct pail_schedule *schedule, uint32_t device, uint64_t bytes, uint64_t now,
                    uint64_t least_idle_ns)
{
    uint64_t coming = 0;
    for (uint32_t k = 0; k < schedule->n_keys; k++) {
        const struct pail_key_place *const place = &schedule->keys[k].places[device];
        if (place->state == PAIL_KEY_EVICTING)
            coming += place->held.bytes[PAIL_HEAP_DEVICE + device];
    }
    while (coming < bytes) {
        uint32_t key = 0;
        struct pail_key_place *const place = least_recently_used(
            schedule, device, now > least_idle_ns ? now - least_idle_ns : 0, &key);
        if (place == NULL)
            return;
        place->state = PAIL_KEY_EVICTING;
        coming += place->held.bytes[PAIL_HEAP_DEVICE + device];
        schedule->devices[device].usage.evictions++;
        schedule->params.executor.evict(schedule->params.executor.user, key, device);
    }
}

void pail_use_key(struct pail_schedule *schedule, struct pail_unit *unit)
{
    schedule->keys[unit->key].places[unit->device].users++;
    unit->uses_key = true;
}

void pail_leave_key(struct pail_schedule *schedule, struct pail_unit *unit, uint64_t now)
{
    if (!unit->uses_key)
        return;
    struct pail_key_place *const place = &schedule->keys[unit->key].places[unit->device];
    place->users--;
    place->used_ns = now;
    unit->uses_key = false;
}

/* ---- Memory that is there ------------------------------------------------------------------- */
void pail_note_allocated(struct pail_schedule *schedule, struct pail_reservation *reservation)
{
    if (reservation->state != PAIL_ADMISSION_HELD)
        return;
    for (size_t i = 0; i < PAIL_LEDGER_HEAPS_MAX; i++)
        if (reservation->live[i] < reservation->bytes[i])
            (void)pail_ledger_allocated(schedule->params.ledger, reservation, i,
                                        reservation->bytes[i] - reservation->live[i]);
}

void pail_end_reservation(struct pail_schedule *schedule, struct pail_reservation *reservation)
{
    for (size_t i = 0; i < PAIL_LEDGER_HEAPS_MAX; i++)
        if (reservation->live[i] != 0)
            (void)pail_ledger_freed(schedule->params.ledger, reservation, i, reservation->live[i]);
    (void)pail_ledger_release(schedule->params.ledger, reservation);
}

/* ---- Calls ---------------------------------------------------------------------------------- */
pail_status pail_schedule_key(struct pail_schedule *schedule, uint32_t *key, uint64_t device_bytes)
{
    *key = UINT32_MAX;
    if (schedule->n_keys == PAIL_KEYS_MAX)
        return PAIL_ERR_ARGUMENT;
    *key = schedule->n_keys++;
    schedule->keys[*key] = (struct pail_key){.device_bytes = device_bytes};
    return PAIL_OK;
}

void pail_schedule_key_bytes(struct pail_schedule *schedule, uint32_t key, uint32_t device,
                             uint64_t device_bytes)
{
    struct pail_key_place *const place = &schedule->keys[key].places[device];
    schedule->keys[key].device_bytes = device_bytes;
    if (place->held.state == PAIL_ADMISSION_HELD &&
        device_bytes < place->held.bytes[PAIL_HEAP_DEVICE + device])
        (void)pail_ledger_shrink(schedule->params.ledger, &place->held, PAIL_HEAP_DEVICE + device,
                                 device_bytes);
    pail_note_allocated(schedule, &place->held);
}

bool pail_schedule_resident(const struct pail_schedule *schedule, uint32_t key, uint32_t device)
{
    return schedule->keys[key].places[device].state == PAIL_KEY_RESIDENT;
}

void pail_schedule_evict_idle(struct pail_schedule *schedule)
{
    const uint64_t now = schedule->params.executor.now(schedule->params.executor.user);
    for (uint32_t d = 0; d < schedule->params.n_devices; d++)
        pail_make_room(schedule, d, UINT64_MAX, now, 0);
}
