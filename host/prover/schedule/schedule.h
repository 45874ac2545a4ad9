/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler of a prover: it decides when units of work are produced, go to a device and are
 * finished. It has no thread and no clock of its own: the prover runs it over threads, and the
 * simulation over virtual time.
 *
 * A unit passes these stages. Each is begun by a call of the executor, which returns at once, and
 * ended by pail_schedule_done.
 *
 *     queued -> [producer; memory of the host] produce -> ready -> [slot of a device; its memory]
 *     load the key, where it is not resident -> device -> [finisher] finish -> release
 *
 * Order is strict wherever there is a choice: priority, then sequence (the age of the job), then
 * index in the job. A slot is free when the device is done, not when the unit is. A unit holds one
 * reservation of the host's heap, taken before it is produced, and one for its memory where it is
 * computed, with its key if that is not there, taken when it gets a slot. A holder of the second
 * never waits for memory again, and producing leaves of the host's heap as much as the second may
 * need, so that there is no circle.
 *
 * A unit without a key is bound to a device, and is neither produced nor finished: it goes from the
 * queue to its device with the host's memory, and ends there. It needs no slot where one has a unit
 * of a lower priority: it overtakes that, in a place that each device has beside its slots.
 *
 * Not thread-safe: the caller has a lock. Executors must not call it from within their
 * functions. */
#ifndef PAIL_SCHEDULE_SCHEDULE_H
#define PAIL_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pail/status.h>

#include <prover/ledger/ledger.h>

enum {
    PAIL_SCHEDULE_DEVICES_MAX = 16,
    PAIL_KEYS_MAX = 64,
    PAIL_KEYLESS = PAIL_KEYS_MAX, /* and the device that a unit without a key is bound to */
    PAIL_KEY_PLANS = 2,
    PAIL_UNIT_ERROR_BYTES = 512
};

/* Heaps of the ledger that a schedule uses; device d has PAIL_HEAP_DEVICE + d. */
enum pail_schedule_heap { PAIL_HEAP_HOST = 0, PAIL_HEAP_DEVICE = 1 };

enum pail_unit_state {
    PAIL_UNIT_NEW = 0,
    PAIL_UNIT_QUEUED,
    PAIL_UNIT_ADMITTED, /* has a producer, waits for the host's memory */
    PAIL_UNIT_PRODUCING,
    PAIL_UNIT_READY,
    PAIL_UNIT_PLACED, /* has a slot, waits for the device's memory */
    PAIL_UNIT_LOADING,
    PAIL_UNIT_ON_DEVICE,
    PAIL_UNIT_COMPUTED, /* waits for a finisher */
    PAIL_UNIT_FINISHING,
    PAIL_UNIT_RELEASING,
    PAIL_UNIT_ENDED,
    PAIL_UNIT_STATES
};

enum pail_unit_stage {
    PAIL_STAGE_PRODUCE = 0,
    PAIL_STAGE_LOAD,
    PAIL_STAGE_DEVICE,
    PAIL_STAGE_FINISH,
    PAIL_STAGE_RELEASE, /* all its memory is freed; its reservations end with it */
    PAIL_STAGES
};

/* A unit of work. The owner's; stays where it is until it has ended. */
struct pail_unit {
    /* Set by the owner. */
    int32_t priority; /* higher comes first */
    uint32_t index;
    uint64_t sequence;
    uint32_t key;
    uint64_t host_bytes, device_bytes; /* peaks, without the key's own memory */
    uint64_t kept_bytes;  /* part of device_bytes that is kept until the release; the rest is free
                             when the device is done. May change until then */
    uint64_t deadline_ns; /* time until which it must have a slot; 0: none */
    void *owner;
    bool claims_device; /* while it is on its device: others of lower priority give way there */

    /* Members of the schedule. */
    enum pail_unit_state state;
    pail_status status;
    char error[PAIL_UNIT_ERROR_BYTES];
    uint32_t device;
    uint32_t key_plan;       /* plan by which it loads its key */
    bool plan_refused;       /* that plan was given up while it loaded */
    bool cancelled, reduced; /* reduced: the device had no memory, use less */
    bool was_admitted, has_slot, uses_key, has_begun;
    bool overtakes; /* its place is not one of the slots */
    uint32_t retries;
    bool was_lost; /* its device, lost_device, was lost */
    uint32_t lost_device;
    uint64_t entered_ns[PAIL_UNIT_STATES]; /* time when it came to each state last */
    uint64_t device_ns;                    /* time that the device worked, by the executor */
    struct pail_reservation host, on_device;
    struct pail_unit *next, *beside; /* in a list; of those with a slot of the device */
};

static inline bool pail_unit_has_key(const struct pail_unit *unit)
{
    return unit->key < PAIL_KEYS_MAX;
}

/* Memory of a key while it is loaded; it may keep less afterwards (pail_schedule_key_bytes). */
struct pail_key_plan {
    uint64_t host_bytes, device_bytes;
};

struct pail_executor {
    void *user;
    uint64_t (*now)(void *user); /* nanoseconds */
    void (*begin)(void *user, struct pail_unit *unit, enum pail_unit_stage stage);
    /* The key has no user; pail_schedule_evicted says when its memory is free. */
    void (*evict)(void *user, uint32_t key, uint32_t device);
    void (*ended)(void *user, struct pail_unit *unit);
    /* optional: a unit came to another state */
    void (*moved)(void *user, const struct pail_unit *unit, enum pail_unit_state from);
};

struct pail_schedule_params {
    struct pail_executor executor;
    struct pail_ledger *ledger; /* the caller's */
    uint32_t n_devices;         /* 1 to PAIL_SCHEDULE_DEVICES_MAX */
    uint32_t spares;            /* bits: devices that are used only when all others are lost */
    uint32_t inflight;          /* slots of each device; 0: 2 */
    uint32_t producers;         /* 0: 1 */
    uint32_t finishers;         /* 0: 1 */
    uint32_t queue_depth;       /* most claims that have not ended; 0: 64 */
    bool slot_until_finished;   /* start and finish are one: a switch for measurements */
    bool any_order;             /* the youngest ready unit first: a switch for measurements */
    bool keys_everywhere;       /* a device with fewer units loads a key that another one has */
};

/* The reason why a device had no units in its slots. */
enum pail_idle {
    PAIL_IDLE_NO_WORK = 0, /* no unit anywhere */
    PAIL_IDLE_PRODUCING,   /* units, but none is ready */
    PAIL_IDLE_MEMORY,      /* a unit waits for memory */
    PAIL_IDLE_PENDING,     /* too many unfinished ones */
    PAIL_IDLE_CAUSES
};

struct pail_device_usage {
    uint64_t slot_ns;   /* time that slots were taken, over all slots */
    uint64_t busy_ns;   /* time that any slot was taken */
    uint64_t device_ns; /* time that the device worked */
    uint64_t idle_ns[PAIL_IDLE_CAUSES];
    uint64_t gaps[PAIL_IDLE_CAUSES], longest_gap_ns; /* between two units */
    uint64_t units, loads, evictions;
    uint64_t restored; /* times that it came back after a loss */
    bool lost;
};

struct pail_schedule_stats {
    struct pail_device_usage devices[PAIL_SCHEDULE_DEVICES_MAX];
    uint64_t claimed, refused; /* refused: no place in the queue */
    uint64_t submitted, ended, failed, cancelled, late, retried;
    size_t queued, ready, pending; /* now */
    size_t peak_pending, peak_claims;
};

struct pail_schedule;

/* Returns PAIL_OK, PAIL_ERR_ARGUMENT or PAIL_ERR_HOST_MEMORY. */
pail_status pail_schedule_create(struct pail_schedule **schedule,
                                 const struct pail_schedule_params *params);
/* All units must have ended, and all keys must be evicted. */
void pail_schedule_destroy(struct pail_schedule **schedule);

/* A key that units name from now on. plans: [n_plans], 1 to PAIL_KEY_PLANS, the best first: the
 * first that can ever fit is used to load the key, and a later one if the device turned out to have
 * no memory for that. Returns PAIL_OK, or PAIL_ERR_ARGUMENT when there are PAIL_KEYS_MAX of
 * them. */
pail_status pail_schedule_key(struct pail_schedule *schedule, uint32_t *key,
                              const struct pail_key_plan *plans, size_t n_plans);
/* Drops a key that no unit names and no device has: its number goes to the next one. */
void pail_schedule_drop_key(struct pail_schedule *schedule, uint32_t key);
/* Sets the bytes that the key took when the unit loaded it, all allocated: they are reserved from
 * now on. */
void pail_schedule_key_bytes(struct pail_schedule *schedule, const struct pail_unit *unit,
                             const struct pail_key_plan *taken);
/* Gives up the plan by which the unit loads its key on its device, where it leaves no memory for
 * work: no unit uses it there any more. taken: what the key took. The unit's load then fails with
 * PAIL_ERR_DEVICE_MEMORY, for which nothing has to give way. */
void pail_schedule_refuse_plan(struct pail_schedule *schedule, struct pail_unit *unit,
                               const struct pail_key_plan *taken);
/* Notes that the unit's reserved memory is allocated: when its witness is in memory, and when its
 * work on the device was started. */
void pail_schedule_allocated(struct pail_schedule *schedule, struct pail_unit *unit);
/* Uses a lost device again: units go there from now on. Returns false if it was not lost, or units
 * or keys are left there; the call evicts idle keys, which are gone later. */
bool pail_schedule_restore(struct pail_schedule *schedule, uint32_t device);
/* The same check; no units go there yet. */
bool pail_schedule_is_cleared(struct pail_schedule *schedule, uint32_t device);
/* Evicts a key from the devices where it is idle. */
void pail_schedule_evict_key(struct pail_schedule *schedule, uint32_t key);
/* Evicts every idle key. */
void pail_schedule_evict_idle(struct pail_schedule *schedule);
void pail_schedule_evicted(struct pail_schedule *schedule, uint32_t key, uint32_t device);

/* Takes a place in the queue for a unit that will be submitted: a claim counts from here on. False:
 * there is none. */
bool pail_schedule_claim(struct pail_schedule *schedule);

/* Takes a unit whose place was claimed. */
void pail_schedule_submit(struct pail_schedule *schedule, struct pail_unit *unit);

/* Notes the end of a stage. error: optional, of a failure. */
void pail_schedule_done(struct pail_schedule *schedule, struct pail_unit *unit,
                        enum pail_unit_stage stage, pail_status status, const char *error);

/* Ends the unit as soon as its present stage has. */
void pail_schedule_cancel(struct pail_schedule *schedule, struct pail_unit *unit);

/* True while a unit of a higher priority claims the device of this one. */
bool pail_schedule_gives_way(const struct pail_schedule *schedule, const struct pail_unit *unit);
/* True if the unit's device has one of a lower priority. */
bool pail_schedule_is_ahead(const struct pail_schedule *schedule, const struct pail_unit *unit);

/* Looks at deadlines and budgets; when pail_schedule_next says, and every 100 ms while units wait
 * for memory. */
void pail_schedule_tick(struct pail_schedule *schedule);
uint64_t pail_schedule_next(struct pail_schedule *schedule); /* UINT64_MAX: never */
bool pail_schedule_waits_for_memory(const struct pail_schedule *schedule);
/* True if a unit waits for the host's heap or a part of it. */
bool pail_schedule_waits_for_host(const struct pail_schedule *schedule);

/* Units that have not ended. */
size_t pail_schedule_active(const struct pail_schedule *schedule);
void pail_schedule_get_stats(struct pail_schedule *schedule, struct pail_schedule_stats *stats);

#endif /* PAIL_SCHEDULE_SCHEDULE_H */
