/* SPDX-License-Identifier: Apache-2.0 */
/* Keys on devices, and the choice of keys that have to go. */
#include <string.h>

#include "schedule_priv.h"

/* True if the device gets units now. */
static bool is_used(const struct pail_schedule *schedule, uint32_t device)
{
    if (schedule->devices[device].usage.lost)
        return false;
    if ((schedule->params.spares >> device & 1) == 0)
        return true;
    for (uint32_t d = 0; d < schedule->params.n_devices; d++)
        if ((schedule->params.spares >> d & 1) == 0 && !schedule->devices[d].usage.lost)
            return false;
    return true;
}

static bool has_room(const struct pail_schedule *schedule, uint32_t device)
{
    const struct pail_device_slots *const slots = &schedule->devices[device];
    return is_used(schedule, device) && !slots->waiting && !slots->wanting &&
           slots->taken < schedule->params.inflight;
}

/* True if a ready unit's key is there. */
static bool has_work(const struct pail_schedule *schedule, uint32_t device)
{
    for (uint32_t k = 0; k < PAIL_KEYS_MAX; k++)
        if (schedule->keys[k].ready != 0 &&
            schedule->keys[k].places[device].state == PAIL_KEY_RESIDENT)
            return true;
    return false;
}

/* True if the device ever has memory for the unit, and for its key unless that is there. */
static bool can_hold(const struct pail_schedule *schedule, const struct pail_unit *unit,
                     uint32_t device)
{
    uint64_t bytes[PAIL_LEDGER_HEAPS_MAX];
    pail_place_bytes(schedule, unit, device, pail_place_plan(schedule, unit, device), bytes);
    return pail_ledger_ever_fits(schedule->params.ledger, bytes, unit->host.bytes);
}

/* True if `device` has fewer units than `other`, or there is no other. */
static bool has_fewer(const struct pail_schedule *schedule, uint32_t device, uint32_t other)
{
    return other == schedule->params.n_devices ||
           schedule->devices[device].taken < schedule->devices[other].taken;
}

/* The same for a unit that is bound to a device, also where that is a spare one. */
static uint32_t place_bound(const struct pail_schedule *schedule, const struct pail_unit *unit,
                            bool *overtakes)
{
    const uint32_t device = unit->key - PAIL_KEYLESS;
    const struct pail_device_slots *const slots = &schedule->devices[device];
    *overtakes = slots->waiting || slots->wanting || slots->taken >= schedule->params.inflight;
    if (slots->usage.lost || (*overtakes && slots->overtaking))
        return schedule->params.n_devices;
    for (const struct pail_unit *other = slots->units; *overtakes; other = other->beside) {
        if (!other)
            return schedule->params.n_devices;
        if (other->priority < unit->priority)
            break;
    }
    return device;
}

uint32_t pail_place_unit(const struct pail_schedule *schedule, const struct pail_unit *unit,
                         bool *overtakes)
{
    *overtakes = false;
    if (!pail_unit_has_key(unit))
        return place_bound(schedule, unit, overtakes);
    const struct pail_key *const key = &schedule->keys[unit->key];
    const uint32_t none = schedule->params.n_devices;
    uint32_t resident = none, shortest = none, hopeless = none;
    bool somewhere = false, can = false; /* the key is or will be somewhere; can be */
    for (uint32_t d = 0; d < none; d++) {
        const struct pail_key_place *const place = &key->places[d];
        if (!is_used(schedule, d))
            continue;
        const bool absent = place->state == PAIL_KEY_ABSENT,
                   holds = !absent || can_hold(schedule, unit, d);
        somewhere |= place->state == PAIL_KEY_RESIDENT || place->state == PAIL_KEY_LOADING;
        can |= holds;
        if (!has_room(schedule, d))
            continue;
        if (place->state == PAIL_KEY_RESIDENT && has_fewer(schedule, d, resident))
            resident = d;
        if (absent && holds && has_fewer(schedule, d, shortest))
            shortest = d;
        if (absent && !holds && has_fewer(schedule, d, hopeless))
            hopeless = d;
    }
    if (!can)
        return hopeless; /* it fails there, and the ledger says why */
    if (schedule->params.keys_everywhere && resident != none && shortest != none &&
        has_fewer(schedule, shortest, resident))
        return shortest;
    if (resident != none)
        return resident;
    if (!somewhere || schedule->params.keys_everywhere || shortest == none)
        return shortest;
    /* Another copy of the key pays when many units wait for the present copies, on a device without
     * better work. */
    return key->ready > schedule->params.inflight && !has_work(schedule, shortest) ? shortest
                                                                                   : none;
}

struct pail_unit *pail_placed_unit(const struct pail_schedule *schedule, uint32_t device,
                                   int beside)
{
    const struct pail_device_slots *const slots = &schedule->devices[device];
    if (!beside)
        return slots->waiting;
    return slots->overtaking && slots->overtaking->state == PAIL_UNIT_PLACED ? slots->overtaking
                                                                             : NULL;
}

bool pail_schedule_gives_way(const struct pail_schedule *schedule, const struct pail_unit *unit)
{
    const struct pail_unit *other = unit->has_slot ? schedule->devices[unit->device].units : NULL;
    while (other && !(other->claims_device && other->state == PAIL_UNIT_ON_DEVICE &&
                      other->priority > unit->priority))
        other = other->beside;
    return other != NULL;
}

bool pail_schedule_is_ahead(const struct pail_schedule *schedule, const struct pail_unit *unit)
{
    const struct pail_unit *other = unit->has_slot ? schedule->devices[unit->device].units : NULL;
    while (other && other->priority >= unit->priority)
        other = other->beside;
    return other != NULL;
}

/* ---- Memory of a unit --------------------------------------------------------------------------
 */
void pail_place_bytes(const struct pail_schedule *schedule, const struct pail_unit *unit,
                      uint32_t device, uint32_t plan, uint64_t *bytes)
{
    const struct pail_key *const key = &schedule->keys[unit->key];
    const bool loads = plan < key->n_plans;
    memset(bytes, 0, PAIL_LEDGER_HEAPS_MAX * sizeof(*bytes));
    bytes[PAIL_HEAP_HOST] = loads ? key->plans[plan].host_bytes : 0;
    bytes[PAIL_HEAP_DEVICE + device] =
        unit->device_bytes + (loads ? key->plans[plan].device_bytes : 0);
}

void pail_beside_bytes(const struct pail_schedule *schedule, const struct pail_unit *unit,
                       uint32_t device, uint64_t *bytes)
{
    const struct pail_key_place *const place = &schedule->keys[unit->key].places[device];
    memcpy(bytes, unit->host.bytes, sizeof(unit->host.bytes));
    for (size_t i = 0; i < PAIL_LEDGER_HEAPS_MAX && place->state == PAIL_KEY_RESIDENT; i++)
        bytes[i] += place->held.bytes[i];
}

uint32_t pail_place_plan(const struct pail_schedule *schedule, const struct pail_unit *unit,
                         uint32_t device)
{
    const struct pail_key *const key = &schedule->keys[unit->key];
    uint32_t plan = key->places[device].first_plan;
    uint64_t bytes[PAIL_LEDGER_HEAPS_MAX];
    if (key->places[device].state == PAIL_KEY_RESIDENT)
        return key->n_plans;
    if (unit->reduced) /* failed with the best plan */
        return key->n_plans - 1;
    for (; plan + 1 < key->n_plans; plan++) {
        pail_place_bytes(schedule, unit, device, plan, bytes);
        if (pail_ledger_ever_fits(schedule->params.ledger, bytes, unit->host.bytes))
            break;
    }
    return plan;
}

/* Bytes of the host's heap that producing has to leave: the most that any unit with a slot may
 * need. */
static uint64_t leave_bytes(const struct pail_schedule *schedule)
{
    const uint32_t n = schedule->params.n_devices;
    uint64_t most = 0;
    for (uint32_t k = 0; k < PAIL_KEYLESS + n; k++) {
        const struct pail_key *const key = &schedule->keys[k];
        const struct pail_unit unit = {.key = k, .device_bytes = key->unit_bytes};
        const uint32_t plans = pail_unit_has_key(&unit) ? key->n_plans : 1;
        for (uint32_t i = 0; i < plans * n; i++) {
            struct pail_reservation all = {0};
            if (!pail_unit_has_key(&unit) && i != k - PAIL_KEYLESS)
                continue;
            pail_place_bytes(schedule, &unit, i % n, i / n, all.bytes);
            const uint64_t named = pail_ledger_named(schedule->params.ledger, &all, PAIL_HEAP_HOST);
            most = named > most ? named : most;
        }
    }
    return most;
}

/* A unit that is alone is let in whatever it leaves: no other unit can need it, and memory that it
 * cannot have beside its own never fits. */
bool pail_leaves_enough(const struct pail_schedule *schedule, const struct pail_unit *unit)
{
    const uint64_t capacity = pail_ledger_capacity(schedule->params.ledger, PAIL_HEAP_HOST);
    const uint64_t produced = schedule->produced_bytes, bytes = unit->host_bytes;
    if (schedule->admitted_units == 0)
        return true;
    return produced <= capacity && bytes <= capacity - produced &&
           leave_bytes(schedule) <= capacity - produced - bytes;
}

/* ---- Keys that give way --------------------------------------------------------------------- */
static void evict(struct pail_schedule *schedule, uint32_t key, uint32_t device)
{
    schedule->keys[key].places[device].state = PAIL_KEY_EVICTING;
    schedule->devices[device].evicting++;
    schedule->devices[device].usage.evictions++;
    schedule->params.executor.evict(schedule->params.executor.user, key, device);
}

/* Finds the key and the device that gives bytes of the heap and was used longest ago; false:
 * none. */
static bool least_recently_used(const struct pail_schedule *schedule, size_t heap, uint32_t *key,
                                uint32_t *device)
{
    const struct pail_key_place *oldest = NULL;
    for (uint32_t k = 0; k < PAIL_KEYS_MAX; k++) {
        for (uint32_t d = 0; d < schedule->params.n_devices; d++) {
            const struct pail_key_place *const place = &schedule->keys[k].places[d];
            if (place->state != PAIL_KEY_RESIDENT || place->users != 0 ||
                pail_ledger_named(schedule->params.ledger, &place->held, heap) == 0 ||
                (oldest && place->used_ns >= oldest->used_ns))
                continue;
            oldest = place;
            *key = k;
            *device = d;
        }
    }
    return oldest != NULL;
}

void pail_make_room(struct pail_schedule *schedule, size_t heap, uint64_t bytes)
{
    const struct pail_ledger *const ledger = schedule->params.ledger;
    uint64_t coming = 0;
    uint32_t key, device;
    for (uint32_t k = 0; k < PAIL_KEYS_MAX; k++) {
        for (uint32_t d = 0; d < schedule->params.n_devices; d++) {
            const struct pail_key_place *const place = &schedule->keys[k].places[d];
            if (place->state == PAIL_KEY_EVICTING)
                coming += pail_ledger_named(ledger, &place->held, heap);
        }
    }
    while (coming < bytes && least_recently_used(schedule, heap, &key, &device)) {
        coming += pail_ledger_named(ledger, &schedule->keys[key].places[device].held, heap);
        evict(schedule, key, device);
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
/* All reserved memory is allocated from now on: accounts of drivers and systems, which include it
 * already, must not count it twice. */
static void note_allocated(struct pail_schedule *schedule, struct pail_reservation *reservation)
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

void pail_keep_only(struct pail_schedule *schedule, struct pail_unit *unit)
{
    struct pail_ledger *const ledger = schedule->params.ledger;
    const size_t heap = PAIL_HEAP_DEVICE + unit->device;
    const uint64_t live = unit->on_device.live[heap];
    if (unit->kept_bytes < live)
        (void)pail_ledger_freed(ledger, &unit->on_device, heap, live - unit->kept_bytes);
    if (unit->kept_bytes < unit->device_bytes)
        (void)pail_ledger_shrink(ledger, &unit->on_device, heap, unit->kept_bytes);
}

/* ---- Calls ---------------------------------------------------------------------------------- */
pail_status pail_schedule_key(struct pail_schedule *schedule, uint32_t *key,
                              const struct pail_key_plan *plans, size_t n_plans)
{
    *key = 0;
    while (*key < PAIL_KEYS_MAX && schedule->keys[*key].taken)
        ++*key;
    if (*key == PAIL_KEYS_MAX)
        return PAIL_ERR_ARGUMENT;
    schedule->keys[*key] = (struct pail_key){.taken = true, .n_plans = (uint32_t)n_plans};
    memcpy(schedule->keys[*key].plans, plans, n_plans * sizeof(*plans));
    return PAIL_OK;
}

void pail_schedule_drop_key(struct pail_schedule *schedule, uint32_t key)
{
    schedule->keys[key] = (struct pail_key){0};
}

void pail_schedule_key_bytes(struct pail_schedule *schedule, const struct pail_unit *unit,
                             const struct pail_key_plan *taken)
{
    struct pail_key *const key = &schedule->keys[unit->key];
    struct pail_reservation *const held = &key->places[unit->device].held;
    key->plans[unit->key_plan].device_bytes = taken->device_bytes;
    if (taken->host_bytes > key->plans[unit->key_plan].host_bytes)
        key->plans[unit->key_plan].host_bytes = taken->host_bytes;
    (void)pail_ledger_correct(schedule->params.ledger, held, PAIL_HEAP_HOST, taken->host_bytes);
    (void)pail_ledger_correct(schedule->params.ledger, held, PAIL_HEAP_DEVICE + unit->device,
                              taken->device_bytes);
}

void pail_schedule_refuse_plan(struct pail_schedule *schedule, struct pail_unit *unit,
                               const struct pail_key_plan *taken)
{
    struct pail_key *const key = &schedule->keys[unit->key];
    key->plans[unit->key_plan].device_bytes = taken->device_bytes;
    key->places[unit->device].first_plan = unit->key_plan + 1;
    unit->plan_refused = true;
}

void pail_schedule_allocated(struct pail_schedule *schedule, struct pail_unit *unit)
{
    note_allocated(schedule, &unit->host);
    note_allocated(schedule, &unit->on_device);
}

bool pail_schedule_is_cleared(struct pail_schedule *schedule, uint32_t device)
{
    bool cleared = schedule->devices[device].usage.lost && !schedule->devices[device].units;
    for (uint32_t k = 0; k < PAIL_KEYS_MAX; k++) {
        const struct pail_key_place *const place = &schedule->keys[k].places[device];
        if (place->state == PAIL_KEY_RESIDENT && place->users == 0 &&
            schedule->devices[device].usage.lost)
            evict(schedule, k, device);
        cleared &= place->state == PAIL_KEY_ABSENT && place->users == 0;
    }
    return cleared;
}

void pail_schedule_evict_key(struct pail_schedule *schedule, uint32_t key)
{
    for (uint32_t d = 0; d < schedule->params.n_devices; d++) {
        const struct pail_key_place *const place = &schedule->keys[key].places[d];
        if (place->state == PAIL_KEY_RESIDENT && place->users == 0)
            evict(schedule, key, d);
    }
}

void pail_schedule_evict_idle(struct pail_schedule *schedule)
{
    for (uint32_t k = 0; k < PAIL_KEYS_MAX; k++)
        pail_schedule_evict_key(schedule, k);
}
