/* Units that share a slot, over virtual time: who goes with whom, what of memory and of failures is
 * whose. */

#include "schedule_world.h"
#include "support/test.h"

enum { UNITS = 12, LARGE = 40 };

static struct pail_unit units[UNITS];

static void submit_units(uint32_t first, uint32_t end, uint32_t key, int32_t priority,
                         uint64_t device_bytes)
{
    for (uint32_t i = first; i < end; i++) {
        units[i] = (struct pail_unit){
            .key = key, .priority = priority, .sequence = i, .device_bytes = device_bytes};
        submit(&units[i]);
    }
}

/* Its key is there. */
static uint32_t warm_key(uint64_t bytes)
{
    const uint32_t key = add_key(bytes);
    submit_units(0, 1, key, 0, 1);
    run();
    return key;
}

static struct pail_schedule_params params_of(uint32_t share)
{
    return (struct pail_schedule_params){.n_devices = 1,
                                         .inflight = 1,
                                         .producers = UNITS,
                                         .finishers = 2,
                                         .queue_depth = UNITS,
                                         .share = share};
}

static uint64_t starts(void)
{
    struct pail_schedule_stats stats;
    pail_schedule_get_stats(world.schedule, &stats);
    return stats.devices[0].starts;
}

/* Behind the first, in order: as many as may, and no more. */
PAIL_TEST(as_many_as_may)
{
    static const uint32_t shares[] = {0, 1, 2, 4, 16};
    static const uint64_t expected[] = {9, 9, 5, 3, 2}; /* the first finds nobody else */
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        const struct pail_schedule_params params = params_of(shares[i]);
        make_world(&params, 0, 0, MS);
        const uint32_t key = warm_key(1);
        const uint64_t before = starts();
        submit_units(1, 10, key, 0, 1);
        run();
        assert_int_equal(starts() - before, expected[i]);
        struct pail_unit *const *const order = world.order[PAIL_STAGE_DEVICE];
        for (uint32_t k = 0; k < 10; k++) {
            assert_ptr_equal(order[k], &units[k]);
            assert_int_equal(units[k].status, PAIL_OK);
        }
        assert_int_equal(world.most_on_device, 1);
        end_world();
    }
}

/* A unit of another key, or one that is less urgent, is not overtaken and does not come along. */
PAIL_TEST(nobody_is_overtaken)
{
    const struct pail_schedule_params params = params_of(8);
    make_world(&params, 0, 0, MS);
    const uint32_t key = warm_key(1), other = add_key(1);
    submit_units(1, 2, key, 0, 1); /* has the slot while the others come */
    submit_units(2, 4, key, 0, 1);
    submit_units(4, 5, other, 0, 1);
    submit_units(5, 7, key, 0, 1);
    submit_units(7, 9, key, -1, 1);
    submit_units(9, 10, key, 1, 1);
    run();
    static const uint32_t order[] = {0, 1, 9, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        assert_ptr_equal(world.order[PAIL_STAGE_DEVICE][i], &units[order[i]]);
    static const uint32_t together[] = {1, 1, 2, 2, 1, 2, 2, 2, 2, 1};
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(units[i].together, together[i]);
    end_world();
}

/* Units together are as many as there is memory for; they may take less than the sum of what each
 * takes. */
PAIL_TEST(within_the_memory)
{
    static const uint64_t shared[] = {0, 60}; /* bytes for two, known or not */
    static const uint32_t together[] = {1, 2};
    for (size_t i = 0; i < 2; i++) {
        const struct pail_schedule_params params = params_of(4);
        make_world(&params, 0, 10 + 70, MS);
        const uint32_t key = warm_key(10);
        pail_schedule_share_bytes(world.schedule, key, 2, shared[i]);
        submit_units(1, 8, key, 0, LARGE);
        while (step()) {
            struct pail_ledger_stats stats;
            pail_ledger_get_stats(world.ledger, &stats);
            assert_true(stats.heaps[PAIL_HEAP_DEVICE].used <= 80);
        }
        uint32_t most = 0;
        for (uint32_t k = 1; k < 8; k++) {
            assert_int_equal(units[k].status, PAIL_OK);
            most = units[k].together > most ? units[k].together : most;
        }
        assert_int_equal(most, together[i]);
        end_world();
    }
}

static pail_status two_fail(struct world *w, const struct pail_unit *unit,
                            enum pail_unit_stage stage)
{
    (void)w;
    if (stage != PAIL_STAGE_DEVICE || unit->together < 2)
        return PAIL_OK;
    return unit == &units[3] ? PAIL_ERR_DATA : unit == &units[4] ? PAIL_ERR_DEVICE_MEMORY : PAIL_OK;
}

/* One is bad, one finds no memory and goes alone then, one is cancelled: the others have ended. */
PAIL_TEST(each_for_itself)
{
    const struct pail_schedule_params params = params_of(8);
    make_world(&params, 0, 0, MS);
    const uint32_t key = warm_key(1);
    world.outcome = two_fail;
    submit_units(1, 2, key, 0, 1);
    submit_units(2, 8, key, 0, 1);
    while (units[5].state != PAIL_UNIT_ON_DEVICE)
        assert_true(step());
    assert_int_equal(units[5].together, 6);
    pail_schedule_cancel(world.schedule, &units[5]);
    assert_int_equal(units[5].state, PAIL_UNIT_ON_DEVICE); /* until the work has ended */
    run();
    for (uint32_t i = 1; i < 8; i++)
        assert_int_equal(units[i].status, i == 3   ? PAIL_ERR_DATA
                                          : i == 5 ? PAIL_ERR_STOPPED
                                                   : PAIL_OK);
    assert_int_equal(units[4].retries, 1);
    assert_int_equal(units[4].together, 1);
    end_world();
}

static pail_status device_is_lost(struct world *w, const struct pail_unit *unit,
                                  enum pail_unit_stage stage)
{
    (void)w;
    return stage == PAIL_STAGE_DEVICE && unit->device == 0 ? PAIL_ERR_DEVICE_LOST : PAIL_OK;
}

/* All that were on a lost device go to the next one. */
PAIL_TEST(lost_together)
{
    struct pail_schedule_params params = params_of(4);
    params.n_devices = 2;
    params.spares = 2;
    make_world(&params, 0, 0, MS);
    const uint32_t key = warm_key(1);
    submit_units(1, 2, key, 0, 1);
    submit_units(2, 6, key, 0, 1);
    while (units[5].state != PAIL_UNIT_ON_DEVICE)
        assert_true(step());
    world.outcome = device_is_lost;
    run();
    for (uint32_t i = 2; i < 6; i++) {
        assert_int_equal(units[i].status, PAIL_OK);
        assert_int_equal(units[i].device, 1);
        assert_int_equal(units[i].retries, 1);
        assert_true(units[i].was_lost);
    }
    end_world();
}
