/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler over virtual time: order, slots, memory, residency, failures. */

#include "schedule_world.h"
#include "support/test.h"

/* Allocated memory is missing from the driver's account already: a job beside its resident key gets
 * the rest, and not the rest less the key. */
PAIL_TEST(memory_is_counted_once)
{
    enum { JOBS = 3 };
    driver.size = 16;
    driver.taken = 0;
    make_world(&(struct pail_schedule_params){.n_devices = 1, .inflight = 1}, 0, 0, 0);
    static struct pail_unit units[JOBS];
    memset(units, 0, sizeof(units));
    const uint32_t key = add_key(DRIVER_KEY);
    for (uint32_t i = 0; i < JOBS; i++) {
        units[i] = (struct pail_unit){
            .key = key, .sequence = i, .host_bytes = 1, .device_bytes = 9, .kept_bytes = 9};
        submit(&units[i]);
    }
    while (pail_schedule_active(world.schedule) != 0) {
        if (!step())
            world.now_ns += 100 * MS;
        pail_schedule_tick(world.schedule);
        assert_true(world.now_ns < 1000 * (uint64_t)MS);
    }
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(units[i].status, PAIL_OK);
    assert_int_equal(driver.taken, DRIVER_KEY);
    driver.size = 0;
    end_world();
}

PAIL_TEST(oldest_first)
{
    enum { JOBS = 6, PARTS = 4 };
    make_world(&(struct pail_schedule_params){.n_devices = 1, .inflight = 1, .producers = 2}, 0, 0,
               MS);
    static struct pail_unit units[JOBS][PARTS];
    memset(units, 0, sizeof(units));
    const uint32_t key = add_key(1);
    for (uint32_t j = 0; j < JOBS; j++) {
        for (uint32_t i = 0; i < PARTS; i++) {
            units[j][i].key = key;
            units[j][i].sequence = j;
            units[j][i].index = i;
            units[j][i].priority = j == JOBS - 1; /* the youngest is urgent */
            submit(&units[j][i]);
        }
    }
    run();
    /* Units that the producers had already taken come first, then the urgent one, then the others
     * by age. */
    const struct pail_unit *const *order =
        (const struct pail_unit *const *)world.order[PAIL_STAGE_PRODUCE];
    assert_int_equal(world.n_order[PAIL_STAGE_PRODUCE], JOBS * PARTS);
    assert_int_equal(order[2]->sequence, JOBS - 1);
    for (size_t i = 7; i < JOBS * PARTS; i++)
        assert_true(order[i - 1]->sequence < order[i]->sequence ||
                    (order[i - 1]->sequence == order[i]->sequence &&
                     order[i - 1]->index < order[i]->index));
    assert_int_equal(world.most_on_device, 1);
    end_world();
}

/* The slot is free when the device is done: finishing, which takes longest, goes on beside it. */
PAIL_TEST(a_slot_ends_with_the_device)
{
    enum { UNITS = 20 };
    uint64_t wall[2];
    for (int held = 0; held < 2; held++) {
        make_world(&(struct pail_schedule_params){.n_devices = 1,
                                                  .inflight = 1,
                                                  .producers = 8,
                                                  .finishers = 4,
                                                  .slot_until_finished = held != 0},
                   0, 0, MS);
        world.stage_ns[PAIL_STAGE_FINISH] = 5 * MS;
        static struct pail_unit units[UNITS];
        memset(units, 0, sizeof(units));
        const uint32_t key = add_key(0);
        for (uint32_t i = 0; i < UNITS; i++) {
            units[i].key = key;
            units[i].sequence = i;
            submit(&units[i]);
        }
        run();
        wall[held] = world.now_ns;
        struct pail_schedule_stats stats;
        pail_schedule_get_stats(world.schedule, &stats);
        assert_int_equal(stats.devices[0].units, UNITS);
        assert_int_equal(stats.devices[0].loads, 1);
        assert_int_equal(stats.devices[0].device_ns, UNITS * 5 * (uint64_t)MS);
        assert_true(stats.peak_pending <= 2); /* twice the slots */
        uint64_t idle = 0;
        for (int c = 0; c < PAIL_IDLE_CAUSES; c++)
            idle += stats.devices[0].idle_ns[c];
        assert_int_equal(stats.devices[0].busy_ns + idle, wall[held] - 1);
        assert_int_equal(stats.devices[0].slot_ns, stats.devices[0].busy_ns); /* one slot */
        end_world();
    }
    assert_true(wall[0] * 3 < wall[1] * 2);
}

PAIL_TEST(the_queue_is_bounded)
{
    make_world(&(struct pail_schedule_params){.n_devices = 1, .queue_depth = 3}, 0, 0, MS);
    static struct pail_unit units[3];
    memset(units, 0, sizeof(units));
    const uint32_t key = add_key(1);
    /* A claimed place counts, though nothing is submitted for it. */
    for (int i = 0; i < 3; i++)
        assert_true(pail_schedule_claim(world.schedule));
    assert_false(pail_schedule_claim(world.schedule));
    for (int i = 0; i < 3; i++) {
        units[i].key = key;
        pail_schedule_submit(world.schedule, &units[i]);
    }
    assert_false(pail_schedule_claim(world.schedule));
    run();
    memset(&units[0], 0, sizeof(units[0]));
    units[0].key = key;
    submit(&units[0]);
    end_world();
}

/* Three keys of which two fit: those used longest ago go, none that is in use. */
PAIL_TEST(keys_go_round)
{
    make_world(&(struct pail_schedule_params){.n_devices = 1, .producers = 4}, 0, 100, MS);
    static struct pail_unit units[6];
    memset(units, 0, sizeof(units));
    uint32_t keys[3];
    for (int i = 0; i < 3; i++)
        keys[i] = add_key(40);
    static const int use[6] = {0, 1, 0, 2, 0, 1};
    for (uint32_t i = 0; i < 6; i++) {
        units[i].key = keys[use[i]];
        units[i].sequence = i;
        units[i].device_bytes = units[i].kept_bytes = 10;
        submit(&units[i]);
        run();
        assert_int_equal(units[i].state, PAIL_UNIT_ENDED);
        assert_int_equal(units[i].status, PAIL_OK);
    }
    struct pail_schedule_stats stats;
    pail_schedule_get_stats(world.schedule, &stats);
    assert_int_equal(stats.devices[0].loads, 4); /* 0, 1, 2 in place of 1, 1 in place of 2 */
    assert_int_equal(stats.devices[0].evictions, 2);
    /* One that can never fit says so, and takes nothing. */
    static struct pail_unit large;
    memset(&large, 0, sizeof(large));
    large.key = keys[2];
    large.device_bytes = 61;
    submit(&large);
    run();
    assert_int_equal(large.status, PAIL_ERR_DEVICE_MEMORY);
    assert_non_null(strstr(large.error, "101 bytes of device memory never fit"));
    end_world();
}

/* A unit goes where its key is; with many waiting, another device gets a copy. */
PAIL_TEST(devices)
{
    enum { UNITS = 12 };
    make_world(
        &(struct pail_schedule_params){
            .n_devices = 2, .inflight = 1, .producers = UNITS, .queue_depth = UNITS},
        0, 0, MS);
    static struct pail_unit units[UNITS];
    memset(units, 0, sizeof(units));
    const uint32_t a = add_key(1), b = add_key(1);
    for (uint32_t i = 0; i < UNITS; i++) {
        units[i].key = i % 2 == 0 ? a : b;
        units[i].sequence = i;
        submit(&units[i]);
    }
    run();
    for (uint32_t i = 0; i < UNITS; i++)
        assert_int_equal(units[i].device, i % 2);
    /* All of one key: both devices work. */
    struct pail_schedule_stats before, after;
    pail_schedule_get_stats(world.schedule, &before);
    memset(units, 0, sizeof(units));
    for (uint32_t i = 0; i < UNITS; i++) {
        units[i].key = a;
        units[i].sequence = i;
        submit(&units[i]);
    }
    run();
    pail_schedule_get_stats(world.schedule, &after);
    assert_true(after.devices[1].units - before.devices[1].units >= 3);
    assert_int_equal(after.devices[1].loads, 2);
    end_world();
}

static pail_status no_memory_once(struct world *w, const struct pail_unit *unit,
                                  enum pail_unit_stage stage)
{
    (void)w;
    return stage == PAIL_STAGE_DEVICE && !unit->reduced ? PAIL_ERR_DEVICE_MEMORY : PAIL_OK;
}

static pail_status never_memory(struct world *w, const struct pail_unit *unit,
                                enum pail_unit_stage stage)
{
    (void)w;
    (void)unit;
    return stage == PAIL_STAGE_DEVICE ? PAIL_ERR_DEVICE_MEMORY : PAIL_OK;
}

static pail_status first_device_is_lost(struct world *w, const struct pail_unit *unit,
                                        enum pail_unit_stage stage)
{
    (void)w;
    return (stage == PAIL_STAGE_DEVICE || stage == PAIL_STAGE_LOAD) && unit->device == 0
               ? PAIL_ERR_DEVICE_LOST
               : PAIL_OK;
}

/* One that is bound to a device takes the place beside its slots where it is more urgent than a
 * unit there, and needs no producer; one that is not waits for a slot. */
PAIL_TEST(urgent_ones_overtake)
{
    enum { UNITS = 7 };
    make_world(&(struct pail_schedule_params){.n_devices = 2, .inflight = 1, .producers = 1}, 0,
               100, MS);
    static struct pail_unit units[UNITS];
    memset(units, 0, sizeof(units));
    const uint32_t key = add_key(1);
    for (uint32_t i = 0; i < UNITS; i++)
        units[i] = (struct pail_unit){.key = i < 3 ? key : PAIL_KEYLESS, .sequence = i};
    world.stage_ns[PAIL_STAGE_PRODUCE] = MS;
    submit(&units[0]);
    while (units[0].state != PAIL_UNIT_ON_DEVICE)
        assert_true(step());
    submit(&units[1]);
    submit(&units[2]);
    units[4].priority = units[5].priority = 1;
    units[6].priority = 2;
    for (uint32_t i = 3; i < UNITS; i++)
        submit(&units[i]);
    /* The first of the urgent ones is on its way when the most urgent one comes. */
    assert_int_equal(units[0].device, 0);
    assert_int_equal(units[3].state, PAIL_UNIT_READY);
    assert_int_equal(units[4].state, PAIL_UNIT_ON_DEVICE);
    assert_true(units[4].overtakes);
    assert_int_equal(units[6].state, PAIL_UNIT_READY);
    assert_true(pail_schedule_is_ahead(world.schedule, &units[4]));
    assert_false(pail_schedule_gives_way(world.schedule, &units[0]));
    units[4].claims_device = true;
    assert_true(pail_schedule_gives_way(world.schedule, &units[0]));
    assert_false(pail_schedule_gives_way(world.schedule, &units[4]));
    run();
    const struct pail_unit *const *order =
        (const struct pail_unit *const *)world.order[PAIL_STAGE_DEVICE];
    assert_ptr_equal(order[1], &units[4]);
    for (uint32_t i = 0; i < UNITS; i++)
        assert_int_equal(units[i].status, PAIL_OK);
    for (uint32_t i = 3; i < UNITS; i++)
        assert_int_equal(units[i].device, 0);
    assert_true(units[6].entered_ns[PAIL_UNIT_ON_DEVICE] <
                units[5].entered_ns[PAIL_UNIT_ON_DEVICE]);
    assert_int_equal(world.n_order[PAIL_STAGE_PRODUCE], 3);
    assert_int_equal(world.n_order[PAIL_STAGE_FINISH], 3);
    /* No other device can do it. */
    world.outcome = first_device_is_lost;
    for (uint32_t i = 3; i < 5; i++) {
        units[i] = (struct pail_unit){.key = PAIL_KEYLESS, .sequence = i};
        submit(&units[i]);
    }
    run();
    for (uint32_t i = 3; i < 5; i++)
        assert_int_equal(units[i].status, PAIL_ERR_DEVICE_LOST);
    assert_true(pail_schedule_restore(world.schedule, 0) ||
                (run(), pail_schedule_restore(world.schedule, 0)));
    world.outcome = NULL;
    units[3] = (struct pail_unit){.key = PAIL_KEYLESS};
    submit(&units[3]);
    run();
    assert_int_equal(units[3].status, PAIL_OK);
    end_world();
}

PAIL_TEST(failures)
{
    static struct pail_unit units[4];
    struct pail_schedule_stats stats;
    make_world(&(struct pail_schedule_params){.n_devices = 2, .producers = 4}, 0, 100, MS);
    const uint32_t key = add_key(10), idle = add_key(10);
    memset(units, 0, sizeof(units));
    units[0].key = idle;
    submit(&units[0]);
    run();
    /* Once more with less, after idle keys are gone; a second time it is an error. */
    world.outcome = no_memory_once;
    units[1].key = key;
    submit(&units[1]);
    run();
    assert_int_equal(units[1].status, PAIL_OK);
    assert_int_equal(units[1].retries, 1);
    assert_true(units[1].reduced);
    pail_schedule_get_stats(world.schedule, &stats);
    assert_int_equal(stats.devices[units[1].device].evictions, 1);
    world.outcome = never_memory;
    units[2].key = key;
    submit(&units[2]);
    run();
    assert_int_equal(units[2].status, PAIL_ERR_DEVICE_MEMORY);
    assert_string_equal(units[2].error, "it failed");
    /* A lost device: on another one; with none left, an error. */
    world.outcome = first_device_is_lost;
    for (int i = 0; i < 3; i++) {
        memset(&units[3], 0, sizeof(units[3]));
        units[3].key = key;
        submit(&units[3]);
        run();
        assert_int_equal(units[3].status, PAIL_OK);
        assert_int_equal(units[3].device, 1);
    }
    pail_schedule_get_stats(world.schedule, &stats);
    assert_int_equal(stats.failed, 1);
    end_world();
}

/* Devices that compute on the host have one memory with it: what is produced and what is computed
 * are within it together, and neither waits for the other for ever. */
PAIL_TEST(one_memory)
{
    enum { UNITS = 20, MEMORY = 100 };
    static struct pail_unit units[UNITS];
    struct pail_ledger_stats stats;
    on_host = true;
    make_world(&(struct pail_schedule_params){.n_devices = 1, .inflight = 2, .producers = 8},
               MEMORY, 0, MS);
    memset(units, 0, sizeof(units));
    const uint32_t key = add_key(30);
    for (uint32_t i = 0; i < UNITS; i++) {
        units[i] = (struct pail_unit){
            .key = key, .sequence = i, .host_bytes = 15, .device_bytes = 40, .kept_bytes = 40};
        submit(&units[i]);
    }
    while (pail_schedule_active(world.schedule) != 0) {
        if (!step()) /* nothing is under way: all wait for each other */
            fail_msg("%s", "the units stand still");
        pail_schedule_tick(world.schedule);
        pail_ledger_get_stats(world.ledger, &stats);
        assert_true(stats.heaps[PAIL_HEAP_HOST].used <= MEMORY);
    }
    for (uint32_t i = 0; i < UNITS; i++)
        assert_int_equal(units[i].status, PAIL_OK);
    /* One that does not fit beside what it has itself says so. */
    static struct pail_unit large;
    memset(&large, 0, sizeof(large));
    for (int i = 0; i < 2; i++) { /* with its key there, and without */
        large = (struct pail_unit){.key = key, .host_bytes = 40, .device_bytes = 40};
        submit(&large);
        run();
        assert_int_equal(large.status, PAIL_ERR_HOST_MEMORY);
        assert_string_equal(large.error, i == 0 ? "40 bytes of host memory never fit beside the 70 "
                                                  "of the same job: there are 100 at most"
                                                : "70 bytes of host memory never fit beside the 40 "
                                                  "of the same job: there are 100 at most");
        pail_schedule_evict_idle(world.schedule);
        run();
    }
    end_world();
    on_host = false;
}

/* A spare device has nothing to do, however many wait, until the last of the others is lost. */
PAIL_TEST(spares)
{
    enum { UNITS = 12 };
    static struct pail_unit units[2 * UNITS];
    make_world(&(struct pail_schedule_params){.n_devices = 2, .spares = 2, .producers = 4}, 0, 100,
               MS);
    const uint32_t key = add_key(10);
    memset(units, 0, sizeof(units));
    for (uint32_t i = 0; i < UNITS; i++) {
        units[i].key = key;
        units[i].sequence = i;
        submit(&units[i]);
    }
    run();
    for (uint32_t i = 0; i < UNITS; i++) {
        assert_int_equal(units[i].status, PAIL_OK);
        assert_int_equal(units[i].device, 0);
        assert_false(units[i].was_lost);
    }
    world.outcome = first_device_is_lost;
    for (uint32_t i = UNITS; i < 2 * UNITS; i++) {
        units[i].key = key;
        units[i].sequence = i;
        submit(&units[i]);
    }
    run();
    uint32_t lost = 0;
    for (uint32_t i = UNITS; i < 2 * UNITS; i++) {
        assert_int_equal(units[i].status, PAIL_OK);
        assert_int_equal(units[i].device, 1);
        assert_int_equal(units[i].retries, units[i].was_lost);
        lost += units[i].was_lost;
    }
    assert_in_range(lost, 1, 2); /* the units in its slots */
    end_world();
}

static pail_status two_are_lost(struct world *w, const struct pail_unit *unit,
                                enum pail_unit_stage stage)
{
    (void)w;
    return stage == PAIL_STAGE_DEVICE && unit->device < 2 ? PAIL_ERR_DEVICE_LOST : PAIL_OK;
}

/* From one lost device to the next, and to the spare one in the end. */
PAIL_TEST(several_are_lost)
{
    static struct pail_unit unit;
    make_world(&(struct pail_schedule_params){.n_devices = 3, .spares = 4, .producers = 4}, 0, 100,
               MS);
    memset(&unit, 0, sizeof(unit));
    unit.key = add_key(10);
    world.outcome = two_are_lost;
    submit(&unit);
    run();
    assert_int_equal(unit.status, PAIL_OK);
    assert_int_equal(unit.device, 2);
    assert_int_equal(unit.retries, 2);
    end_world();
}

PAIL_TEST(deadlines)
{
    make_world(&(struct pail_schedule_params){.n_devices = 1, .producers = 1}, 10, 0, MS);
    static struct pail_unit units[3];
    memset(units, 0, sizeof(units));
    const uint32_t key = add_key(1);
    for (int i = 0; i < 3; i++) {
        units[i].key = key;
        units[i].sequence = (uint64_t)i;
        units[i].host_bytes = 10;
        units[i].deadline_ns = i == 1 ? 12 * MS : 0;
        submit(&units[i]);
    }
    assert_int_equal(pail_schedule_next(world.schedule), 12 * MS);
    while (world.now_ns < 12 * MS)
        assert_true(step());
    pail_schedule_tick(world.schedule);
    assert_int_equal(units[1].state, PAIL_UNIT_ENDED);
    assert_int_equal(units[1].status, PAIL_ERR_STOPPED);
    run();
    assert_int_equal(units[2].status, PAIL_OK);
    struct pail_schedule_stats stats;
    pail_schedule_get_stats(world.schedule, &stats);
    assert_int_equal(stats.late, 1);
    end_world();
}

/* Cancelled in every state that there is. */
PAIL_TEST(cancelled_anywhere)
{
    enum { UNITS = 8, STEPS = 60 };
    static struct pail_unit units[UNITS];
    bool seen[PAIL_UNIT_STATES] = {false};
    for (int at = 0; at < STEPS; at++) {
        make_world(&(struct pail_schedule_params){.n_devices = 1, .inflight = 2, .producers = 2},
                   30, 45, MS);
        memset(units, 0, sizeof(units));
        const uint32_t key = add_key(20);
        for (uint32_t i = 0; i < UNITS; i++) {
            units[i] = (struct pail_unit){
                .key = key, .sequence = i, .host_bytes = 14, .device_bytes = 20, .kept_bytes = 20};
            submit(&units[i]);
        }
        for (int i = 0; i < at && step(); i++)
            continue;
        struct pail_unit *const one = &units[(size_t)at % UNITS];
        const enum pail_unit_state was = one->state;
        seen[was] = true;
        pail_schedule_cancel(world.schedule, one);
        run();
        assert_int_equal(one->state, PAIL_UNIT_ENDED);
        if (was < PAIL_UNIT_RELEASING)
            assert_int_equal(one->status, PAIL_ERR_STOPPED);
        assert_int_equal(world.n_ended, UNITS);
        for (int i = 0; i < UNITS; i++)
            assert_true(&units[i] == one || units[i].status == PAIL_OK);
        end_world();
    }
    int states = 0;
    for (int i = PAIL_UNIT_QUEUED; i < PAIL_UNIT_STATES; i++)
        states += seen[i];
    assert_true(states >= 7);
}

static pail_status now_and_then(struct world *w, const struct pail_unit *unit,
                                enum pail_unit_stage stage)
{
    (void)w;
    (void)unit;
    (void)stage;
    static const pail_status kinds[] = {PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DATA, PAIL_ERR_HOST_MEMORY,
                                        PAIL_ERR_IO};
    return draw(12) == 0 ? kinds[draw(4)] : PAIL_OK;
}

/* Anything at any time: all ends, nothing is taken beyond what there is, nothing stays. */
PAIL_TEST(a_thousand_worlds)
{
    enum { WORLDS = 1000, UNITS = 40 };
    static struct pail_unit units[UNITS];
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        const uint32_t n_devices = 1 + (uint32_t)(seed % 3), inflight = 1 + (uint32_t)(seed % 4);
        on_host = seed % 6 == 0;
        make_world(&(struct pail_schedule_params){.n_devices = n_devices,
                                                  .inflight = inflight,
                                                  .producers = 1 + (uint32_t)(seed % 5),
                                                  .finishers = 1 + (uint32_t)(seed % 2),
                                                  .slot_until_finished = seed % 7 == 0,
                                                  .any_order = seed % 5 == 0},
                   100, 100, MS);
        world.random = seed * 0x9e3779b97f4a7c15u;
        world.outcome = seed % 2 == 0 ? now_and_then : NULL;
        memset(units, 0, sizeof(units));
        uint32_t keys[4];
        for (int i = 0; i < 4; i++) /* some with points on the host */
            keys[i] = add_key_with(seed % 8 == 1 ? 10 + draw(10) : 0, 20 + draw(30));
        for (uint32_t i = 0; i < UNITS; i++) {
            units[i] =
                (struct pail_unit){.key = keys[draw(4)],
                                   .priority = (int32_t)draw(3),
                                   .sequence = draw(10),
                                   .index = i,
                                   .host_bytes = draw(60),
                                   .device_bytes = draw(50),
                                   .deadline_ns = draw(4) == 0 ? world.now_ns + draw(200 * MS) : 0};
            units[i].kept_bytes = draw(2) * units[i].device_bytes;
            if (draw(4) == 0)
                units[i].key = PAIL_KEYLESS + (uint32_t)draw(n_devices);
            submit(&units[i]);
            for (uint64_t k = draw(4); k > 0; k--)
                (void)step();
            if (draw(8) == 0)
                pail_schedule_cancel(world.schedule, &units[draw(i + 1)]);
        }
        while (pail_schedule_active(world.schedule) != 0) {
            if (!step())
                world.now_ns += 100 * MS;
            pail_schedule_tick(world.schedule);
            struct pail_ledger_stats stats;
            pail_ledger_get_stats(world.ledger, &stats);
            for (size_t h = 0; h < PAIL_HEAP_DEVICE + n_devices; h++)
                assert_true(stats.heaps[h].used <= stats.heaps[h].capacity);
            assert_true(world.now_ns < 100000 * (uint64_t)MS);
        }
        assert_true(world.most_on_device <= inflight + 1); /* one that overtakes */
        assert_int_equal(world.n_ended, UNITS);
        /* The largest do not fit in one memory for all beside what they have themselves. */
        for (int i = 0; i < UNITS && world.outcome == NULL; i++)
            assert_true(units[i].status == PAIL_OK || units[i].status == PAIL_ERR_STOPPED ||
                        ((on_host || seed % 8 == 1) && units[i].status == PAIL_ERR_HOST_MEMORY));
        end_world();
    }
    on_host = false;
}
