/* SPDX-License-Identifier: Apache-2.0 */
/* State and functions that the files of the scheduler share. */
#ifndef PAIL_SCHEDULE_PRIV_H
#define PAIL_SCHEDULE_PRIV_H

#include "schedule.h"

enum pail_residency_state {
    PAIL_KEY_ABSENT = 0,
    PAIL_KEY_LOADING,
    PAIL_KEY_RESIDENT,
    PAIL_KEY_EVICTING
};

/* A key on a device. */
struct pail_key_place {
    enum pail_residency_state state;
    uint32_t users; /* units that use it, or wait for memory to use it */
    uint64_t used_ns;
    uint32_t first_plan; /* plans before it were given up here */
    struct pail_reservation held;
};

struct pail_key {
    bool taken; /* the number is some key's */
    struct pail_key_plan plans[PAIL_KEY_PLANS];
    uint32_t n_plans;
    uint64_t unit_bytes; /* most bytes of a device that a unit of it takes */
    size_t ready;        /* units that wait for a slot */
    struct pail_key_place places[PAIL_SCHEDULE_DEVICES_MAX];
};

struct pail_device_slots {
    uint32_t taken;
    struct pail_unit *waiting;    /* has a slot and waits for memory: one at a time */
    struct pail_unit *overtaking; /* is in the place beside the slots, and may wait for memory */
    struct pail_unit *units;      /* all that are in a slot or in that place */
    uint32_t evicting;            /* keys that are being evicted */
    bool wanting; /* a unit found no memory: no unit goes there before those keys are gone */
    uint64_t idle_since_ns;
    bool worked; /* it has had a unit */
    enum pail_idle cause;
    struct pail_device_usage usage;
};

struct pail_schedule {
    struct pail_schedule_params params;
    struct pail_schedule_stats stats;                       /* without `devices` */
    struct pail_unit *queued, *admitted, *ready, *computed; /* in order */
    struct pail_device_slots devices[PAIL_SCHEDULE_DEVICES_MAX];
    struct pail_key keys[PAIL_KEYS_MAX + PAIL_SCHEDULE_DEVICES_MAX]; /* the latter of no memory, and
                                                                       always where units without
                                                                       one are bound to */
    uint32_t producing, finishing; /* producers and finishers that are taken */
    size_t claims, active;
    uint32_t max_pending;    /* most units that have a slot or are not finished */
    size_t admitted_units;   /* admitted units that have not ended */
    uint64_t produced_bytes; /* bytes of the host's heap that they hold from producing on */
    bool held_back;          /* the next one would take memory that units with a slot need */
    uint64_t accounted_ns;
};

/* ---- schedule.c ----------------------------------------------------------------------------- */
void pail_move_unit(struct pail_schedule *schedule, struct pail_unit *unit,
                    enum pail_unit_state to);

/* ---- residency.c ---------------------------------------------------------------------------- */
/* The device that a ready unit goes to now; n_devices: none. overtakes: it takes no slot there. */
uint32_t pail_place_unit(const struct pail_schedule *schedule, const struct pail_unit *unit,
                         bool *overtakes);
/* The unit that waits for memory on a device, in a slot (0) or beside (1); NULL: none. */
struct pail_unit *pail_placed_unit(const struct pail_schedule *schedule, uint32_t device,
                                   int beside);
/* The plan by which the unit loads its key on the device; n_plans: it is there. */
uint32_t pail_place_plan(const struct pail_schedule *schedule, const struct pail_unit *unit,
                         uint32_t device);
/* [PAIL_LEDGER_HEAPS_MAX]: bytes that the unit needs there, its key by the plan included. */
void pail_place_bytes(const struct pail_schedule *schedule, const struct pail_unit *unit,
                      uint32_t device, uint32_t plan, uint64_t *bytes);
/* [PAIL_LEDGER_HEAPS_MAX]: bytes that it has already, or its key there: these cannot give way to
 * it. */
void pail_beside_bytes(const struct pail_schedule *schedule, const struct pail_unit *unit,
                       uint32_t device, uint64_t *bytes);
/* True if the unit, once it is admitted, leaves of the host's heap what units with a slot may
 * need. */
bool pail_leaves_enough(const struct pail_schedule *schedule, const struct pail_unit *unit);
/* Evicts idle keys, those used longest ago first, until `bytes` of a heap will be free. */
void pail_make_room(struct pail_schedule *schedule, size_t heap, uint64_t bytes);
void pail_use_key(struct pail_schedule *schedule, struct pail_unit *unit);
void pail_leave_key(struct pail_schedule *schedule, struct pail_unit *unit, uint64_t now);
/* The device is done: frees the memory that the unit does not keep. */
void pail_keep_only(struct pail_schedule *schedule, struct pail_unit *unit);
void pail_end_reservation(struct pail_schedule *schedule, struct pail_reservation *reservation);

/* ---- waiting.c ------------------------------------------------------------------------------ */
/* True if a unit that has a place on a device waits for memory of the host's heap. */
bool pail_host_is_awaited(const struct pail_schedule *schedule);

/* ---- usage.c -------------------------------------------------------------------------------- */
/* Adds the time since the last call to the present usage. To be called before anything changes. */
void pail_account(struct pail_schedule *schedule, uint64_t now);
bool pail_pending_is_full(const struct pail_schedule *schedule);
/* Notes the causes that keep devices idle from now on. To be called after everything has
 * changed. */
void pail_account_causes(struct pail_schedule *schedule, uint64_t now);

#endif /* PAIL_SCHEDULE_PRIV_H */
