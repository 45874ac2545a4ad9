/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t now_of(const struct pail_schedule *schedule)
{
    return schedule->params.executor.now(schedule->params.executor.user);
}

/* ---- Lists in order ------------------------------------------------------------------------- */
static bool comes_before(const struct pail_schedule *schedule, const struct pail_unit *a,
                         const struct pail_unit *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->sequence != b->sequence)
        return (a->sequence < b->sequence) != schedule->params.any_order;
    return (a->index < b->index) != schedule->params.any_order;
}

static void insert(const struct pail_schedule *schedule, struct pail_unit **list,
                   struct pail_unit *unit)
{
    while (*list && !comes_before(schedule, unit, *list))
        list = &(*list)->next;
    unit->next = *list;
    *list = unit;
}

/* Takes the unit out of a list. Returns whether it was there. */
static bool take_out(struct pail_unit **list, struct pail_unit *unit)
{
    while (*list && *list != unit)
        list = &(*list)->next;
    if (!*list)
        return false;
    *list = unit->next;
    unit->next = NULL;
    return true;
}

/* ---- Units ---------------------------------------------------------------------------------- */
void pail_move_unit(struct pail_schedule *schedule, struct pail_unit *unit, enum pail_unit_state to)
{
    const enum pail_unit_state from = unit->state;
    unit->state = to;
    unit->entered_ns[to] = now_of(schedule);
    if (schedule->params.executor.moved)
        schedule->params.executor.moved(schedule->params.executor.user, unit, from);
}

static void begin(struct pail_schedule *schedule, struct pail_unit *unit,
                  enum pail_unit_state state, enum pail_unit_stage stage)
{
    pail_move_unit(schedule, unit, state);
    schedule->params.executor.begin(schedule->params.executor.user, unit, stage);
}

static void give_slot_back(struct pail_schedule *schedule, struct pail_unit *unit)
{
    if (!unit->has_slot)
        return;
    struct pail_device_slots *const slots = &schedule->devices[unit->device];
    struct pail_unit **at = &slots->units;
    while (*at != unit)
        at = &(*at)->beside;
    *at = unit->beside;
    if (unit->overtakes)
        slots->overtaking = NULL;
    else
        slots->taken--;
    if (slots->waiting == unit)
        slots->waiting = NULL;
    unit->has_slot = false;
}

static void fail(struct pail_unit *unit, pail_status status, const char *error)
{
    if (unit->status != PAIL_OK)
        return;
    unit->status = status;
    (void)snprintf(unit->error, sizeof(unit->error), "%s", error ? error : "");
}

/* Frees the unit's memory; the stage of release does not come if it has produced nothing. Until
 * then it has its key: pending work on the device uses the key's points. */
static void wind_up(struct pail_schedule *schedule, struct pail_unit *unit)
{
    give_slot_back(schedule, unit);
    if (unit->has_begun) {
        begin(schedule, unit, PAIL_UNIT_RELEASING, PAIL_STAGE_RELEASE);
        return;
    }
    pail_move_unit(schedule, unit, PAIL_UNIT_RELEASING);
    pail_schedule_done(schedule, unit, PAIL_STAGE_RELEASE, PAIL_OK, NULL);
}

/* Fails a cancelled unit. Returns whether the unit has to end here. */
static bool must_end(struct pail_unit *unit)
{
    if (unit->cancelled)
        fail(unit, PAIL_ERR_STOPPED, "the job was cancelled");
    return unit->status != PAIL_OK;
}

static bool is_late(const struct pail_unit *unit, uint64_t now)
{
    return unit->deadline_ns != 0 && now >= unit->deadline_ns;
}

/* ---- From stage to stage -------------------------------------------------------------------- */
static void fail_memory(struct pail_schedule *schedule, struct pail_unit *unit,
                        const struct pail_reservation *reservation)
{
    char text[PAIL_UNIT_ERROR_BYTES];
    const pail_status status =
        pail_ledger_explain(schedule->params.ledger, reservation, text, sizeof(text));
    if (reservation->state == PAIL_ADMISSION_TIMED_OUT)
        schedule->stats.late++;
    fail(unit, status, text);
}

static void make_ready(struct pail_schedule *schedule, struct pail_unit *unit)
{
    insert(schedule, &schedule->ready, unit);
    schedule->stats.ready++;
    schedule->keys[unit->key].ready++;
    pail_move_unit(schedule, unit, PAIL_UNIT_READY);
}

/* Looks at units that wait for the host's memory. Returns whether anything changed. */
static bool look_at_admitted(struct pail_schedule *schedule)
{
    bool changed = false;
    for (struct pail_unit *unit = schedule->admitted, *next; unit != NULL; unit = next) {
        next = unit->next;
        if (unit->host.state == PAIL_ADMISSION_WAITING) {
            /* Keys on the host, which take that memory as well. */
            pail_make_room(
                schedule, PAIL_HEAP_HOST,
                pail_ledger_missing(schedule->params.ledger, &unit->host, PAIL_HEAP_HOST));
            continue;
        }
        (void)take_out(&schedule->admitted, unit);
        changed = true;
        if (unit->host.state == PAIL_ADMISSION_HELD && !pail_unit_has_key(unit)) {
            make_ready(schedule, unit);
        } else if (unit->host.state == PAIL_ADMISSION_HELD) {
            unit->has_begun = true;
            begin(schedule, unit, PAIL_UNIT_PRODUCING, PAIL_STAGE_PRODUCE);
        } else {
            fail_memory(schedule, unit, &unit->host);
            schedule->producing -= pail_unit_has_key(unit);
            wind_up(schedule, unit);
        }
    }
    return changed;
}

static bool admit(struct pail_schedule *schedule)
{
    struct pail_unit *unit = schedule->queued;
    schedule->held_back = false;
    while (unit && pail_unit_has_key(unit) && schedule->producing == schedule->params.producers)
        unit = unit->next;
    if (!unit)
        return false;
    schedule->held_back = !pail_leaves_enough(schedule, unit);
    if (schedule->held_back)
        return false;
    uint64_t bytes[PAIL_LEDGER_HEAPS_MAX] = {0};
    bytes[PAIL_HEAP_HOST] = unit->host_bytes;
    (void)take_out(&schedule->queued, unit);
    schedule->stats.queued--;
    schedule->producing += pail_unit_has_key(unit);
    insert(schedule, &schedule->admitted, unit);
    pail_move_unit(schedule, unit, PAIL_UNIT_ADMITTED);
    schedule->produced_bytes += unit->host_bytes;
    schedule->admitted_units++;
    unit->was_admitted = true;
    (void)pail_ledger_request(schedule->params.ledger, &unit->host, bytes, NULL,
                              unit->deadline_ns != 0 ? unit->deadline_ns : UINT64_MAX);
    return true;
}

static void enter_device(struct pail_schedule *schedule, struct pail_unit *unit)
{
    struct pail_device_slots *const slots = &schedule->devices[unit->device];
    struct pail_key_place *const place = &schedule->keys[unit->key].places[unit->device];
    if (slots->waiting == unit)
        slots->waiting = NULL;
    slots->usage.units++;
    if (place->state == PAIL_KEY_RESIDENT) {
        begin(schedule, unit, PAIL_UNIT_ON_DEVICE, PAIL_STAGE_DEVICE);
        return;
    }
    /* The key's part outlives the unit. */
    const struct pail_key_plan *const plan = &schedule->keys[unit->key].plans[unit->key_plan];
    place->held = (struct pail_reservation){0};
    (void)pail_ledger_split(schedule->params.ledger, &unit->on_device, &place->held,
                            PAIL_HEAP_DEVICE + unit->device, plan->device_bytes, 0);
    (void)pail_ledger_split(schedule->params.ledger, &unit->on_device, &place->held, PAIL_HEAP_HOST,
                            plan->host_bytes, 0);
    place->state = PAIL_KEY_LOADING;
    slots->usage.loads++;
    begin(schedule, unit, PAIL_UNIT_LOADING, PAIL_STAGE_LOAD);
}

/* Looks at a unit that has a place on a device and waits for memory. NULL: there is none. */
static bool look_at(struct pail_schedule *schedule, struct pail_unit *unit, uint32_t device)
{
    if (!unit)
        return false;
    if (unit->on_device.state == PAIL_ADMISSION_WAITING) {
        const size_t heaps[] = {PAIL_HEAP_DEVICE + device, PAIL_HEAP_HOST};
        for (size_t i = 0; i < sizeof(heaps) / sizeof(heaps[0]); i++)
            pail_make_room(
                schedule, heaps[i],
                pail_ledger_missing(schedule->params.ledger, &unit->on_device, heaps[i]));
        return false;
    }
    if (unit->on_device.state == PAIL_ADMISSION_HELD) {
        enter_device(schedule, unit);
    } else {
        fail_memory(schedule, unit, &unit->on_device);
        wind_up(schedule, unit);
    }
    return true;
}

static bool look_at_placed(struct pail_schedule *schedule, uint32_t device)
{
    const bool changed = look_at(schedule, pail_placed_unit(schedule, device, 0), device);
    return look_at(schedule, pail_placed_unit(schedule, device, 1), device) || changed;
}

/* Takes the unit out of the ready ones. */
static void leave_ready(struct pail_schedule *schedule, struct pail_unit *unit)
{
    (void)take_out(&schedule->ready, unit);
    schedule->stats.ready--;
    schedule->keys[unit->key].ready--;
}

/* Places the first ready unit that a device has a place for. */
static bool place(struct pail_schedule *schedule)
{
    const bool is_full = pail_pending_is_full(schedule);
    for (struct pail_unit *unit = schedule->ready; unit != NULL; unit = unit->next) {
        if (is_full && pail_unit_has_key(unit)) /* others are never pending */
            continue;
        const uint32_t device = pail_place_unit(schedule, unit, &unit->overtakes);
        if (device == schedule->params.n_devices)
            continue;
        struct pail_reservation wanted = {0};
        uint64_t beside[PAIL_LEDGER_HEAPS_MAX];
        unit->key_plan = pail_place_plan(schedule, unit, device);
        pail_place_bytes(schedule, unit, device, unit->key_plan, wanted.bytes);
        pail_beside_bytes(schedule, unit, device, beside);
        if (pail_host_is_awaited(schedule) &&
            pail_ledger_named(schedule->params.ledger, &wanted, PAIL_HEAP_HOST) != 0)
            continue;
        leave_ready(schedule, unit);
        unit->device = device;
        unit->has_slot = true;
        struct pail_device_slots *const slots = &schedule->devices[device];
        unit->beside = slots->units;
        slots->units = unit;
        slots->taken += !unit->overtakes;
        *(unit->overtakes ? &slots->overtaking : &slots->waiting) = unit;
        pail_use_key(schedule, unit);
        pail_move_unit(schedule, unit, PAIL_UNIT_PLACED);
        (void)pail_ledger_request(schedule->params.ledger, &unit->on_device, wanted.bytes, beside,
                                  unit->deadline_ns != 0 ? unit->deadline_ns : UINT64_MAX);
        (void)look_at(schedule, unit, device);
        return true;
    }
    return false;
}

static bool begin_finishing(struct pail_schedule *schedule)
{
    struct pail_unit *const unit = schedule->computed;
    if (!unit || schedule->finishing == schedule->params.finishers)
        return false;
    (void)take_out(&schedule->computed, unit);
    schedule->finishing++;
    begin(schedule, unit, PAIL_UNIT_FINISHING, PAIL_STAGE_FINISH);
    return true;
}

/* Ends the first ready unit for which no device is left: it will never be placed. */
static bool give_up_ready(struct pail_schedule *schedule)
{
    struct pail_unit *unit = schedule->ready;
    bool all_lost = true;
    for (uint32_t d = 0; d < schedule->params.n_devices; d++)
        all_lost &= schedule->devices[d].usage.lost;
    while (unit &&
           (pail_unit_has_key(unit) ? !all_lost
                                    : !schedule->devices[unit->key - PAIL_KEYLESS].usage.lost))
        unit = unit->next;
    if (!unit)
        return false;
    leave_ready(schedule, unit);
    fail(unit, PAIL_ERR_DEVICE_LOST,
         pail_unit_has_key(unit) ? "every device was lost" : "the device of the job was lost");
    wind_up(schedule, unit);
    return true;
}

/* Begins every stage that can begin. */
static void dispatch(struct pail_schedule *schedule)
{
    const uint64_t now = now_of(schedule);
    bool changed = true;
    while (changed) {
        changed = begin_finishing(schedule);
        for (uint32_t d = 0; d < schedule->params.n_devices; d++)
            changed |= look_at_placed(schedule, d);
        changed |= give_up_ready(schedule);
        changed |= place(schedule);
        changed |= look_at_admitted(schedule);
        changed |= admit(schedule);
    }
    pail_account_causes(schedule, now);
}

/* ---- Ends of stages -----------------------------------------------------------------------------
 */
static void produced(struct pail_schedule *schedule, struct pail_unit *unit)
{
    schedule->producing--;
    if (must_end(unit))
        wind_up(schedule, unit);
    else
        make_ready(schedule, unit);
}

static void loaded(struct pail_schedule *schedule, struct pail_unit *unit, pail_status status)
{
    struct pail_key_place *const place = &schedule->keys[unit->key].places[unit->device];
    place->state = status == PAIL_OK ? PAIL_KEY_RESIDENT : PAIL_KEY_ABSENT;
    place->used_ns = now_of(schedule);
    if (status != PAIL_OK)
        pail_end_reservation(schedule, &place->held);
}

/* Tries once more, on this device with less or on another one; false: it has had its chance. */
static bool retry(struct pail_schedule *schedule, struct pail_unit *unit, pail_status status)
{
    struct pail_device_slots *const slots = &schedule->devices[unit->device];
    if (status == PAIL_ERR_DEVICE_LOST) {
        slots->usage.lost = true;
        unit->was_lost = true;
        unit->lost_device = unit->device;
    }
    const bool refused = unit->plan_refused;
    unit->plan_refused = false;
    /* Retries once without memory, with each plan of the key that is left, and from one lost device
     * to the next while there is one, unless it is bound to the first. */
    if ((status == PAIL_ERR_DEVICE_LOST && !pail_unit_has_key(unit)) ||
        (status != PAIL_ERR_DEVICE_LOST && status != PAIL_ERR_DEVICE_MEMORY) || unit->cancelled ||
        (status == PAIL_ERR_DEVICE_MEMORY && unit->reduced && !refused))
        return false;
    unit->retries++;
    unit->reduced |= status == PAIL_ERR_DEVICE_MEMORY && !refused;
    schedule->stats.retried++;
    give_slot_back(schedule, unit);
    pail_end_reservation(schedule, &unit->on_device);
    if (status == PAIL_ERR_DEVICE_MEMORY &&
        !refused) { /* its own key stays: it will be needed again */
        pail_ledger_reread(schedule->params.ledger);
        pail_make_room(schedule, PAIL_HEAP_DEVICE + unit->device, UINT64_MAX);
        slots->wanting = slots->evicting != 0;
    }
    pail_leave_key(schedule, unit, now_of(schedule));
    make_ready(schedule, unit);
    return true;
}

static void computed(struct pail_schedule *schedule, struct pail_unit *unit)
{
    if (!schedule->params.slot_until_finished)
        give_slot_back(schedule, unit);
    pail_keep_only(schedule, unit);
    if (must_end(unit) || !pail_unit_has_key(unit)) {
        wind_up(schedule, unit);
        return;
    }
    if (++schedule->stats.pending > schedule->stats.peak_pending)
        schedule->stats.peak_pending = schedule->stats.pending;
    insert(schedule, &schedule->computed, unit);
    pail_move_unit(schedule, unit, PAIL_UNIT_COMPUTED);
}

/* Gives back the host memory that the unit holds, or waited for, since it was admitted. */
static void end_producing(struct pail_schedule *schedule, struct pail_unit *unit)
{
    if (unit->was_admitted) {
        schedule->produced_bytes -= unit->host_bytes;
        schedule->admitted_units--;
    }
    pail_end_reservation(schedule, &unit->host);
}

static void released(struct pail_schedule *schedule, struct pail_unit *unit)
{
    pail_leave_key(schedule, unit, now_of(schedule));
    pail_end_reservation(schedule, &unit->on_device);
    end_producing(schedule, unit);
    schedule->devices[unit->device].usage.device_ns += unit->device_ns;
    schedule->claims--;
    schedule->active--;
    schedule->stats.ended++;
    schedule->stats.failed += unit->status != PAIL_OK && !unit->cancelled;
    schedule->stats.cancelled += unit->status != PAIL_OK && unit->cancelled;
    pail_move_unit(schedule, unit, PAIL_UNIT_ENDED);
    schedule->params.executor.ended(schedule->params.executor.user, unit);
}

/* ---- Calls ---------------------------------------------------------------------------------- */
pail_status pail_schedule_create(struct pail_schedule **out,
                                 const struct pail_schedule_params *params)
{
    *out = NULL;
    if (params->n_devices == 0 || params->n_devices > PAIL_SCHEDULE_DEVICES_MAX)
        return PAIL_ERR_ARGUMENT;
    struct pail_schedule *const schedule = calloc(1, sizeof(*schedule));
    if (!schedule)
        return PAIL_ERR_HOST_MEMORY;
    schedule->params = *params;
    struct pail_schedule_params *const p = &schedule->params;
    p->inflight = p->inflight != 0 ? p->inflight : 2;
    p->producers = p->producers != 0 ? p->producers : 1;
    p->finishers = p->finishers != 0 ? p->finishers : 1;
    schedule->max_pending = 2 * p->inflight * p->n_devices;
    for (uint32_t d = 0; d < p->n_devices; d++)
        schedule->keys[PAIL_KEYLESS + d].places[d].state = PAIL_KEY_RESIDENT;
    p->queue_depth = p->queue_depth != 0 ? p->queue_depth : 64;
    schedule->accounted_ns = now_of(schedule);
    pail_account_causes(schedule, schedule->accounted_ns);
    *out = schedule;
    return PAIL_OK;
}

void pail_schedule_destroy(struct pail_schedule **schedule)
{
    free(*schedule);
    *schedule = NULL;
}

void pail_schedule_submit(struct pail_schedule *schedule, struct pail_unit *unit)
{
    pail_account(schedule, now_of(schedule));
    schedule->active++;
    schedule->stats.submitted++;
    schedule->stats.queued++;
    if (unit->device_bytes > schedule->keys[unit->key].unit_bytes)
        schedule->keys[unit->key].unit_bytes = unit->device_bytes;
    insert(schedule, &schedule->queued, unit);
    pail_move_unit(schedule, unit, PAIL_UNIT_QUEUED);
    dispatch(schedule);
}

void pail_schedule_done(struct pail_schedule *schedule, struct pail_unit *unit,
                        enum pail_unit_stage stage, pail_status status, const char *error)
{
    pail_account(schedule, now_of(schedule));
    if (stage == PAIL_STAGE_RELEASE) {
        const bool has_begun = unit->has_begun;
        released(schedule, unit);
        if (has_begun) /* otherwise within dispatch */
            dispatch(schedule);
        return;
    }
    if (stage == PAIL_STAGE_LOAD)
        loaded(schedule, unit, status);
    if (stage == PAIL_STAGE_FINISH) {
        schedule->finishing--;
        schedule->stats.pending--;
    }
    const bool on_device = stage == PAIL_STAGE_LOAD || stage == PAIL_STAGE_DEVICE;
    if (on_device && status != PAIL_OK && retry(schedule, unit, status)) {
        dispatch(schedule);
        return;
    }
    if (status != PAIL_OK)
        fail(unit, status, error);
    if (stage == PAIL_STAGE_PRODUCE) {
        produced(schedule, unit);
    } else if (stage == PAIL_STAGE_LOAD && !must_end(unit)) {
        begin(schedule, unit, PAIL_UNIT_ON_DEVICE, PAIL_STAGE_DEVICE);
    } else if (stage == PAIL_STAGE_DEVICE) {
        computed(schedule, unit);
    } else {
        (void)must_end(unit);
        wind_up(schedule, unit);
    }
    dispatch(schedule);
}

/* Ends the unit if no stage of it runs. */
static bool end_waiting(struct pail_schedule *schedule, struct pail_unit *unit)
{
    switch (unit->state) {
    case PAIL_UNIT_QUEUED:
        (void)take_out(&schedule->queued, unit);
        schedule->stats.queued--;
        break;
    case PAIL_UNIT_ADMITTED:
        (void)take_out(&schedule->admitted, unit);
        schedule->producing -= pail_unit_has_key(unit);
        break;
    case PAIL_UNIT_READY:
        leave_ready(schedule, unit);
        break;
    case PAIL_UNIT_PLACED:
        break;
    case PAIL_UNIT_COMPUTED:
        (void)take_out(&schedule->computed, unit);
        schedule->stats.pending--;
        break;
    case PAIL_UNIT_NEW:
    case PAIL_UNIT_PRODUCING:
    case PAIL_UNIT_LOADING:
    case PAIL_UNIT_ON_DEVICE:
    case PAIL_UNIT_FINISHING:
    case PAIL_UNIT_RELEASING:
    case PAIL_UNIT_ENDED:
    case PAIL_UNIT_STATES:
        return false;
    }
    wind_up(schedule, unit);
    return true;
}

void pail_schedule_cancel(struct pail_schedule *schedule, struct pail_unit *unit)
{
    if (unit->state == PAIL_UNIT_ENDED || unit->state == PAIL_UNIT_RELEASING)
        return;
    pail_account(schedule, now_of(schedule));
    unit->cancelled = true;
    fail(unit, PAIL_ERR_STOPPED, "the job was cancelled");
    (void)end_waiting(schedule, unit);
    dispatch(schedule);
}

static void end_late(struct pail_schedule *schedule, struct pail_unit *list, uint64_t now)
{
    for (struct pail_unit *unit = list, *next; unit != NULL; unit = next) {
        next = unit->next;
        if (!is_late(unit, now))
            continue;
        schedule->stats.late++;
        fail(unit, PAIL_ERR_STOPPED, "the deadline passed before the job had a device");
        (void)end_waiting(schedule, unit);
    }
}

void pail_schedule_tick(struct pail_schedule *schedule)
{
    const uint64_t now = now_of(schedule);
    pail_account(schedule, now);
    pail_ledger_reread(schedule->params.ledger);
    end_late(schedule, schedule->queued, now);
    end_late(schedule, schedule->ready, now);
    dispatch(schedule);
}

bool pail_schedule_restore(struct pail_schedule *schedule, uint32_t device)
{
    if (!pail_schedule_is_cleared(schedule, device))
        return false;
    pail_account(schedule, now_of(schedule));
    schedule->devices[device].usage.lost = false;
    schedule->devices[device].usage.restored++;
    dispatch(schedule);
    return true;
}

void pail_schedule_evicted(struct pail_schedule *schedule, uint32_t key, uint32_t device)
{
    struct pail_key_place *const place = &schedule->keys[key].places[device];
    pail_account(schedule, now_of(schedule));
    place->state = PAIL_KEY_ABSENT;
    pail_end_reservation(schedule, &place->held);
    schedule->devices[device].evicting--;
    schedule->devices[device].wanting &= schedule->devices[device].evicting != 0;
    dispatch(schedule);
}
