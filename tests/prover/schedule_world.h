/* SPDX-License-Identifier: Apache-2.0 */
/* The world of the scheduler: virtual time, in which stages take as long as they are told to. One
 * at a time. */
#ifndef PAIL_TESTS_SCHEDULE_WORLD_H
#define PAIL_TESTS_SCHEDULE_WORLD_H

#include <prover/schedule/schedule.h>

enum { MS = 1000000, EVENTS_MAX = 4096, HEAPS = 1 + PAIL_SCHEDULE_DEVICES_MAX, LOG_MAX = 4096 };

enum { DRIVER_KEY = 6 }; /* bytes of a key, where a driver keeps account */

/* A coming event: a stage of a unit ends, or a key is gone. */
struct event {
    uint64_t at_ns;
    struct pail_unit *unit;
    enum pail_unit_stage stage;
    uint32_t key, device;
};

struct world {
    struct pail_schedule *schedule;
    struct pail_ledger *ledger;
    uint64_t now_ns;
    struct event events[EVENTS_MAX];
    size_t n_events;
    uint64_t stage_ns[PAIL_STAGES];
    /* optional: how a stage ends */
    pail_status (*outcome)(struct world *world, const struct pail_unit *unit,
                           enum pail_unit_stage stage);
    uint32_t on_device[PAIL_SCHEDULE_DEVICES_MAX], most_on_device; /* slots that are taken */
    struct pail_unit *order[PAIL_STAGES][LOG_MAX];                 /* units as stages began */
    size_t n_order[PAIL_STAGES];
    size_t n_ended, n_evicted;
    uint64_t evict_ns; /* time that a key takes to go */
    uint64_t random;
};

extern struct world world;

/* A driver that keeps an account of its own: how much there is, and what is allocated. 0: none. */
struct driver {
    uint64_t size, taken;
};
extern struct driver driver;

/* Bytes of the last of several devices; 0: as many as the others. */
extern uint64_t last_device;

/* Devices compute on the host: their memory is a part of the host's. */
extern bool on_host;

uint64_t draw(uint64_t below);
/* host, device: limits of the heaps; 0: none. */
void make_world(const struct pail_schedule_params *given, uint64_t host, uint64_t device,
                uint64_t reread_ns);
/* Goes to what happens next; false: nothing does. */
bool step(void);
void run(void);
void end_world(void);
void submit(struct pail_unit *unit);
/* Bytes of a device, and of the host. */
uint32_t add_key(uint64_t bytes);
uint32_t add_key_with(uint64_t host_bytes, uint64_t bytes);

#endif /* PAIL_TESTS_SCHEDULE_WORLD_H */
