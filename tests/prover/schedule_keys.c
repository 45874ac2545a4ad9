/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of the scheduler over virtual time: their numbers, those that go, where their points are. */

#include "schedule_world.h"
#include "support/test.h"

/* A key that could not be loaded leaves its number to the next one, however many fail. */
PAIL_TEST(numbers_of_keys)
{
    make_world(&(struct pail_schedule_params){.n_devices = 1}, 0, 100, MS);
    const uint32_t kept = add_key(1);
    for (int i = 0; i < 2 * PAIL_KEYS_MAX; i++) {
        const uint32_t failed = add_key(1);
        assert_int_equal(failed, kept + 1);
        pail_schedule_drop_key(world.schedule, failed);
    }
    for (int i = 1; i < PAIL_KEYS_MAX; i++)
        (void)add_key(1);
    uint32_t none;
    const struct pail_key_plan plan = {0};
    assert_int_equal(pail_schedule_key(world.schedule, &none, &plan, 1), PAIL_ERR_ARGUMENT);
    end_world();
}

/* Two units at a time, with slots for both on the device that has the key. */
static uint32_t devices_of_two(bool keys_everywhere)
{
    static struct pail_unit units[3];
    make_world(
        &(struct pail_schedule_params){
            .n_devices = 2, .inflight = 4, .producers = 3, .keys_everywhere = keys_everywhere},
        0, 100, MS);
    const uint32_t key = add_key(10);
    memset(units, 0, sizeof(units));
    for (uint32_t i = 0; i < 3; i++) {
        units[i].key = key;
        units[i].sequence = i;
    }
    submit(&units[0]); /* loads the key */
    run();
    submit(&units[1]);
    submit(&units[2]);
    run();
    assert_int_equal(units[1].device, units[0].device); /* it has no more than the other one */
    const uint32_t n = units[2].device != units[1].device ? 2 : 1;
    end_world();
    return n;
}

PAIL_TEST(keys_go_where_there_is_less_work)
{
    assert_int_equal(devices_of_two(false), 1);
    assert_int_equal(devices_of_two(true), 2);
}

/* A device that never has memory for the key gets none of its units, however few units it has. */
PAIL_TEST(keys_go_where_they_fit)
{
    static struct pail_unit units[4];
    last_device = 9;
    for (int fits = 0; fits < 2; fits++) {
        make_world(
            &(struct pail_schedule_params){
                .n_devices = 2, .inflight = 4, .producers = 4, .keys_everywhere = true},
            0, fits ? 100 : 9, MS);
        const uint32_t key = add_key(10);
        memset(units, 0, sizeof(units));
        for (uint32_t i = 0; i < 4; i++) {
            units[i].key = key;
            units[i].sequence = i;
            submit(&units[i]);
        }
        run();
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(units[i].status, fits ? PAIL_OK : PAIL_ERR_DEVICE_MEMORY);
            assert_int_equal(fits ? units[i].device : 0, 0);
        }
        end_world();
    }
    last_device = 0;
}

static uint64_t device_began_ns;
static bool key_was_gone;

/* The second time, with what was idle gone for good. */
static pail_status no_memory_beside(struct world *w, const struct pail_unit *unit,
                                    enum pail_unit_stage stage)
{
    if (stage != PAIL_STAGE_DEVICE)
        return PAIL_OK;
    device_began_ns = unit->entered_ns[PAIL_UNIT_ON_DEVICE];
    key_was_gone = w->n_evicted == 1;
    return key_was_gone ? PAIL_OK : PAIL_ERR_DEVICE_MEMORY;
}

/* Keys that go take a while, and until they are gone nobody begins there: neither who found no
 * memory, nor who would take what it waits for. */
PAIL_TEST(a_retry_waits_for_keys_that_go)
{
    static struct pail_unit units[3];
    make_world(&(struct pail_schedule_params){.n_devices = 1, .producers = 3}, 0, 100, MS);
    const uint32_t key = add_key(10), idle = add_key(10);
    memset(units, 0, sizeof(units));
    units[0].key = idle;
    units[1].key = key;
    units[2].key = key;
    units[1].sequence = 1;
    units[2].sequence = 2;
    submit(&units[0]);
    run();
    world.evict_ns = 500 * (uint64_t)MS;
    world.outcome = no_memory_beside;
    submit(&units[1]);
    run();
    assert_int_equal(units[1].status, PAIL_OK);
    assert_int_equal(units[1].retries, 1);
    assert_true(key_was_gone);
    const uint64_t began_ns = device_began_ns;
    submit(&units[2]);
    run();
    assert_int_equal(units[2].status, PAIL_OK);
    assert_true(device_began_ns > began_ns);
    end_world();
}

static pail_status no_memory_to_load(struct world *w, const struct pail_unit *unit,
                                     enum pail_unit_stage stage)
{
    (void)w;
    return stage == PAIL_STAGE_LOAD && unit->key_plan == 0 ? PAIL_ERR_DEVICE_MEMORY : PAIL_OK;
}

/* Points stay on the device where they fit, else on the host; what they really take is reserved. */
PAIL_TEST(plans_of_keys)
{
    static struct pail_unit units[2];
    struct pail_ledger_stats stats;
    static const struct pail_key_plan plans[PAIL_KEY_PLANS] = {
        {.host_bytes = 5, .device_bytes = 200}, {.host_bytes = 205, .device_bytes = 10}};
    for (int large = 0; large < 2; large++) {
        make_world(&(struct pail_schedule_params){.n_devices = 1}, 300, large ? 300 : 100, MS);
        memset(units, 0, sizeof(units));
        assert_int_equal(pail_schedule_key(world.schedule, &units[0].key, plans, 2), PAIL_OK);
        units[0].host_bytes = 1;
        units[0].device_bytes = 20;
        submit(&units[0]);
        run();
        assert_int_equal(units[0].status, PAIL_OK);
        assert_int_equal(units[0].key_plan, large ? 0 : 1);
        pail_ledger_get_stats(world.ledger, &stats);
        assert_int_equal(stats.heaps[PAIL_HEAP_HOST].used, large ? 5 : 205);
        assert_int_equal(stats.heaps[PAIL_HEAP_DEVICE].used, large ? 200 : 10);
        assert_int_equal(stats.heaps[PAIL_HEAP_DEVICE].peak_used, large ? 220 : 30);
        end_world();
    }
    /* The device turns out to have no memory for the first. */
    make_world(&(struct pail_schedule_params){.n_devices = 1}, 300, 300, MS);
    memset(units, 0, sizeof(units));
    assert_int_equal(pail_schedule_key(world.schedule, &units[0].key, plans, 2), PAIL_OK);
    world.outcome = no_memory_to_load;
    submit(&units[0]);
    run();
    assert_int_equal(units[0].status, PAIL_OK);
    assert_int_equal(units[0].key_plan, 1);
    end_world();
}

static pail_status no_room_beside(struct world *w, const struct pail_unit *unit,
                                  enum pail_unit_stage stage)
{
    struct pail_unit *const loads = w->order[stage][w->n_order[stage] - 1];
    assert_ptr_equal(loads, unit); /* one at a time */
    if (stage != PAIL_STAGE_LOAD || unit->key_plan != 0)
        return PAIL_OK;
    const struct pail_key_plan taken = {.device_bytes = 90};
    pail_schedule_refuse_plan(w->schedule, loads, &taken);
    return PAIL_ERR_DEVICE_MEMORY;
}

/* A plan that was given up on a device is not tried there again, costs no other key its place, and
 * leaves a unit its retry. */
PAIL_TEST(a_refused_plan_is_remembered)
{
    static struct pail_unit units[3];
    struct pail_schedule_stats stats = {.queued = 0};
    static const struct pail_key_plan plans[PAIL_KEY_PLANS] = {
        {.device_bytes = 50}, {.host_bytes = 50, .device_bytes = 10}};
    make_world(&(struct pail_schedule_params){.n_devices = 1}, 300, 100, MS);
    memset(units, 0, sizeof(units));
    units[0].key = add_key(10); /* idle */
    assert_int_equal(pail_schedule_key(world.schedule, &units[1].key, plans, 2), PAIL_OK);
    units[1].device_bytes = 20;
    submit(&units[0]);
    run();
    world.outcome = no_room_beside;
    submit(&units[1]);
    run();
    assert_int_equal(units[1].status, PAIL_OK);
    assert_int_equal(units[1].key_plan, 1);
    assert_int_equal(units[1].retries, 1);
    assert_false(units[1].reduced);
    assert_int_equal(world.n_evicted, 0);
    assert_int_equal(world.n_order[PAIL_STAGE_LOAD], 3);
    pail_schedule_evict_key(world.schedule, units[1].key);
    run();
    units[2].key = units[1].key;
    submit(&units[2]); /* so small that it would fit beside the first plan */
    run();
    assert_int_equal(units[2].status, PAIL_OK);
    assert_int_equal(units[2].key_plan, 1);
    assert_int_equal(units[2].retries, 0);
    assert_int_equal(world.n_order[PAIL_STAGE_LOAD], 4);
    pail_schedule_get_stats(world.schedule, &stats);
    assert_int_equal(stats.retried, 1);
    end_world();
}
