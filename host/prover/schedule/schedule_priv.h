/* What the files of the scheduler share. */
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
    uint32_t users; /* units that have it, or wait for memory to use it */
    uint64_t used_ns;
    struct pail_reservation held;
};

struct pail_key {
    uint64_t device_bytes;
    size_t ready; /* units that wait for a slot */
    struct pail_key_place places[PAIL_DEVICES_MAX];
};

struct pail_device_slots {
    uint32_t taken;
    struct pail_unit *waiting; /* has a slot and waits for memory: one at a time */
    uint64_t idle_since_ns;
    bool worked; /* at all */
    enum pail_idle cause;
    struct pail_device_usage usage;
};

struct pail_schedule {
    struct pail_schedule_params params;
    struct pail_schedule_stats stats;                       /* but devices */
    struct pail_unit *queued, *admitted, *ready, *computed; /* in order */
    struct pail_device_slots devices[PAIL_DEVICES_MAX];
    struct pail_key keys[PAIL_KEYS_MAX];
    uint32_t n_keys;
    uint32_t producing, finishing; /* producers and finishers that are taken */
    size_t claims, active;
    uint64_t accounted_ns;
};

/* ---- residency.c ---------------------------------------------------------------------------- */
/* The device that a ready unit goes to now; n_devices: none. */
uint32_t pail_place_unit(const struct pail_schedule *schedule, const struct pail_unit *unit);
/* Bytes of the device's heap that the unit needs, its key's included where that is not there. */
uint64_t pail_place_bytes(const struct pail_schedule *schedule, const struct pail_unit *unit,
                          uint32_t device);
/* Evicts idle keys, those used longest ago first, until `bytes` will be free. */
void pail_make_room(struct pail_schedule *schedule, uint32_t device, uint64_t bytes, uint64_t now,
                    uint64_t least_idle_ns);
void pail_use_key(struct pail_schedule *schedule, struct pail_unit *unit);
void pail_leave_key(struct pail_schedule *schedule, struct pail_unit *unit, uint64_t now);
/* All that is reserved is allocated from now on: accounts of drivers and systems, which have it
 * already, are not to have it twice. */
void pail_note_allocated(struct pail_schedule *schedule, struct pail_reservation *reservation);
void pail_end_reservation(struct pail_schedule *schedule, struct pail_reservation *reservation);

/* ---- usage.c -------------------------------------------------------------------------------- */
/* Adds the time since the last call to what is taken now. Before anything changes. */
void pail_account(struct pail_schedule *schedule, uint64_t now);
bool pail_pending_is_full(const struct pail_schedule *schedule);
/* What keeps devices idle from now on. After everything has changed. */
void pail_account_causes(struct pail_schedule *schedule, uint64_t now);

#endif /* PAIL_SCHEDULE_PRIV_H */
