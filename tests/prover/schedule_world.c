/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule_world.h"
#include "support/test.h"

struct world world;
struct driver driver;
bool on_host;
uint64_t last_device;

static void read_driver(void *user, struct pail_heap_reading *reading)
{
    (void)user;
    *reading = (struct pail_heap_reading){
        .size = driver.size, .free = driver.size - driver.taken, .free_known = true};
}

uint64_t draw(uint64_t below)
{
    world.random ^= world.random << 13;
    world.random ^= world.random >> 7;
    world.random ^= world.random << 17;
    return world.random % below;
}

static uint64_t world_now(void *user)
{
    return ((struct world *)user)->now_ns;
}

static void add_event(const struct event *event)
{
    assert_true(world.n_events < EVENTS_MAX);
    world.events[world.n_events++] = *event;
}

/* Enters what a unit takes where a driver keeps account. */
static void allocate(struct pail_unit *unit)
{
    if (driver.size == 0)
        return;
    driver.taken += unit->device_bytes;
    pail_schedule_allocated(world.schedule, unit);
}

static void world_begin(void *user, struct pail_unit *unit, enum pail_unit_stage stage)
{
    (void)user;
    if (world.n_order[stage] < LOG_MAX)
        world.order[stage][world.n_order[stage]++] = unit;
    if (stage == PAIL_STAGE_DEVICE && ++world.on_device[unit->device] > world.most_on_device)
        world.most_on_device = world.on_device[unit->device];
    if (stage == PAIL_STAGE_DEVICE)
        allocate(unit);
    const uint64_t ns = world.stage_ns[stage] + (world.random != 0 ? draw(5 * MS) : 0);
    add_event(&(struct event){.at_ns = world.now_ns + ns, .unit = unit, .stage = stage});
}

/* No key goes while a unit has anything on the device that was made with it. */
static void world_evict(void *user, uint32_t key, uint32_t device)
{
    (void)user;
    for (size_t i = 0; i < world.n_events; i++) {
        const struct pail_unit *const unit = world.events[i].unit;
        assert_false(unit != NULL && unit->key == key && unit->device == device &&
                     unit->on_device.state == PAIL_ADMISSION_HELD);
    }
    add_event(
        &(struct event){.at_ns = world.now_ns + world.evict_ns, .key = key, .device = device});
}

static void world_ended(void *user, struct pail_unit *unit)
{
    (void)user;
    (void)unit;
    world.n_ended++;
}

void make_world(const struct pail_schedule_params *given, uint64_t host, uint64_t device,
                uint64_t reread_ns)
{
    memset(&world, 0, sizeof(world));
    world.now_ns = 1;
    world.evict_ns = MS;
    struct pail_ledger_heap heaps[HEAPS] = {{.name = "host", .limit = host}};
    for (uint32_t d = 0; d < given->n_devices; d++)
        heaps[PAIL_HEAP_DEVICE + d] =
            (struct pail_ledger_heap){.name = "device",
                                      .limit = device,
                                      .within = on_host ? PAIL_HEAP_HOST + 1 : 0,
                                      .read = driver.size != 0 ? read_driver : NULL};
    if (last_device != 0)
        heaps[PAIL_HEAP_DEVICE + given->n_devices - 1].limit = last_device;
    const struct pail_ledger_params ledger = {.heaps = heaps,
                                              .n_heaps = PAIL_HEAP_DEVICE + given->n_devices,
                                              .max_overtakes = 4,
                                              .reread_ns = reread_ns,
                                              .now = world_now,
                                              .user = &world};
    assert_int_equal(pail_ledger_create(&world.ledger, &ledger), PAIL_OK);
    struct pail_schedule_params params = *given;
    params.ledger = world.ledger;
    params.executor = (struct pail_executor){.user = &world,
                                             .now = world_now,
                                             .begin = world_begin,
                                             .evict = world_evict,
                                             .ended = world_ended};
    assert_int_equal(pail_schedule_create(&world.schedule, &params), PAIL_OK);
    const uint64_t usual[PAIL_STAGES] = {10 * MS, 20 * MS, 5 * MS, 3 * MS, MS};
    memcpy(world.stage_ns, usual, sizeof(usual));
}

static pail_status outcome_of(const struct event *event, const struct pail_unit *unit)
{
    return world.outcome != NULL && event->stage != PAIL_STAGE_RELEASE
               ? world.outcome(&world, unit, event->stage)
               : PAIL_OK;
}

bool step(void)
{
    if (world.n_events == 0)
        return false;
    size_t first = 0;
    for (size_t i = 1; i < world.n_events; i++)
        if (world.events[i].at_ns < world.events[first].at_ns)
            first = i;
    const struct event event = world.events[first];
    world.events[first] = world.events[--world.n_events];
    world.now_ns = event.at_ns;
    if (event.unit == NULL) {
        world.n_evicted++;
        pail_schedule_evicted(world.schedule, event.key, event.device);
        return true;
    }
    if (event.stage == PAIL_STAGE_DEVICE)
        world.on_device[event.unit->device]--;
    event.unit->device_ns = world.stage_ns[PAIL_STAGE_DEVICE];
    if (driver.size != 0 && event.stage == PAIL_STAGE_RELEASE)
        driver.taken -= event.unit->device_bytes;
    if (driver.size != 0 && event.stage == PAIL_STAGE_LOAD) {
        driver.taken += DRIVER_KEY;
        const struct pail_key_plan taken = {.device_bytes = DRIVER_KEY};
        pail_schedule_key_bytes(world.schedule, event.unit, &taken);
    }
    pail_schedule_done(world.schedule, event.unit, event.stage, outcome_of(&event, event.unit),
                       "it failed");
    return true;
}

void run(void)
{
    while (step())
        continue;
}

void end_world(void)
{
    struct pail_ledger_stats stats;
    run();
    assert_int_equal(pail_schedule_active(world.schedule), 0);
    pail_schedule_evict_idle(world.schedule);
    run();
    pail_ledger_get_stats(world.ledger, &stats);
    for (size_t i = 0; i < HEAPS; i++)
        assert_int_equal(stats.heaps[i].used, 0);
    assert_int_equal(stats.waiting, 0);
    assert_int_equal(stats.refused, 0);
    pail_schedule_destroy(&world.schedule);
    pail_ledger_destroy(&world.ledger);
}

void submit(struct pail_unit *unit)
{
    assert_true(pail_schedule_claim(world.schedule));
    pail_schedule_submit(world.schedule, unit);
}

uint32_t add_key_with(uint64_t host_bytes, uint64_t bytes)
{
    uint32_t key;
    const struct pail_key_plan plan = {.host_bytes = host_bytes, .device_bytes = bytes};
    assert_int_equal(pail_schedule_key(world.schedule, &key, &plan, 1), PAIL_OK);
    return key;
}

uint32_t add_key(uint64_t bytes)
{
    return add_key_with(0, bytes);
}
