/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger of memory, with a clock and heaps of the test's own. */

#include <prover/ledger/ledger.h>

#include "support/test.h"

enum { OTHER_HEAPS = 2 };

static uint64_t clock_ns;

static uint64_t test_now(void *user)
{
    (void)user;
    return clock_ns;
}

static void read_fake(void *user, struct pail_heap_reading *reading)
{
    *reading = *(const struct pail_heap_reading *)user;
}

static struct pail_ledger *make(uint64_t limit, uint32_t overtakes, struct pail_heap_reading *fake)
{
    const struct pail_ledger_heap heaps[OTHER_HEAPS] = {
        {.name = "host", .limit = limit, .read = fake != NULL ? read_fake : NULL, .user = fake},
        {.name = "device 0", .limit = 1000}};
    struct pail_ledger *ledger = NULL;
    clock_ns = 1;
    assert_int_equal(
        pail_ledger_create(&ledger, &(struct pail_ledger_params){.heaps = heaps,
                                                                 .n_heaps = OTHER_HEAPS,
                                                                 .max_overtakes = overtakes,
                                                                 .reread_ns = 100,
                                                                 .now = test_now}),
        PAIL_OK);
    return ledger;
}

static enum pail_admission ask(struct pail_ledger *ledger, struct pail_reservation *reservation,
                               uint64_t host, uint64_t device, uint64_t deadline)
{
    const uint64_t bytes[OTHER_HEAPS] = {host, device};
    return pail_ledger_request(ledger, reservation, bytes, NULL, deadline);
}

static void end(struct pail_ledger **ledger)
{
    struct pail_ledger_stats stats;
    pail_ledger_get_stats(*ledger, &stats);
    for (size_t i = 0; i < OTHER_HEAPS; i++) {
        assert_int_equal(stats.heaps[i].used, 0);
        assert_int_equal(stats.heaps[i].live, 0);
    }
    assert_int_equal(stats.waiting, 0);
    pail_ledger_destroy(ledger);
    assert_null(*ledger);
}

PAIL_TEST(in_the_order_of_asking)
{
    struct pail_ledger *ledger = make(16, 0, NULL);
    struct pail_reservation r[4] = {0};
    assert_int_equal(ask(ledger, &r[0], 12, 0, UINT64_MAX), PAIL_ADMISSION_HELD);
    assert_int_equal(ask(ledger, &r[1], 12, 0, UINT64_MAX), PAIL_ADMISSION_WAITING);
    assert_int_equal(ask(ledger, &r[2], 1, 0, UINT64_MAX), PAIL_ADMISSION_WAITING);
    /* A reservation of another heap takes nothing away from it. */
    assert_int_equal(ask(ledger, &r[3], 0, 1, UINT64_MAX), PAIL_ADMISSION_HELD);
    assert_int_equal(pail_ledger_missing(ledger, &r[1], 0), 8);
    assert_int_equal(pail_ledger_missing(ledger, &r[1], 1), 0);
    assert_true(pail_ledger_release(ledger, &r[0]));
    assert_int_equal(r[1].state, PAIL_ADMISSION_HELD);
    assert_int_equal(r[2].state, PAIL_ADMISSION_HELD);
    for (int i = 1; i < 4; i++)
        assert_true(pail_ledger_release(ledger, &r[i]));
    end(&ledger);
}

/* A stream of small ones, of which some are always held, and one that needs nearly all. */
PAIL_TEST(a_large_one_is_served)
{
    enum { CAPACITY = 16, OVERTAKES = 5 };
    struct pail_ledger *ledger = make(CAPACITY, OVERTAKES, NULL);
    struct pail_reservation small[CAPACITY] = {0}, large = {0};
    for (int i = 0; i < CAPACITY; i++)
        assert_int_equal(ask(ledger, &small[i], 1, 0, UINT64_MAX), PAIL_ADMISSION_HELD);
    assert_int_equal(ask(ledger, &large, 12, 0, UINT64_MAX), PAIL_ADMISSION_WAITING);
    int grants = 0, ended = 0;
    while (large.state == PAIL_ADMISSION_WAITING) {
        struct pail_reservation *const one = &small[ended++ % CAPACITY];
        assert_true(pail_ledger_release(ledger, one));
        if (large.state == PAIL_ADMISSION_WAITING &&
            ask(ledger, one, 1, 0, UINT64_MAX) == PAIL_ADMISSION_HELD)
            grants++;
        assert_true(ended < 10 * CAPACITY);
    }
    assert_int_equal(grants, OVERTAKES);
    assert_int_equal(large.overtaken, OVERTAKES);
    struct pail_ledger_stats stats;
    pail_ledger_get_stats(ledger, &stats);
    assert_int_equal(stats.longest_overtaken, OVERTAKES);
    assert_int_equal(stats.heaps[0].peak_used, CAPACITY);
    assert_true(pail_ledger_release(ledger, &large));
    for (int i = 0; i < CAPACITY; i++)
        assert_true(pail_ledger_release(ledger, &small[i]));
    end(&ledger);
}

/* Several are granted by one release: the limit holds within it, too. */
PAIL_TEST(no_overtaking_beyond_the_limit_at_once)
{
    struct pail_ledger *ledger = make(10, 2, NULL);
    struct pail_reservation all = {0}, large = {0}, small[6];
    memset(small, 0, sizeof(small));
    assert_int_equal(ask(ledger, &all, 10, 0, UINT64_MAX), PAIL_ADMISSION_HELD);
    assert_int_equal(ask(ledger, &large, 9, 0, UINT64_MAX), PAIL_ADMISSION_WAITING);
    for (int i = 0; i < 6; i++)
        assert_int_equal(ask(ledger, &small[i], 1, 0, UINT64_MAX), PAIL_ADMISSION_WAITING);
    assert_true(pail_ledger_shrink(ledger, &all, 0, 4));
    int held = 0;
    for (int i = 0; i < 6; i++)
        held += small[i].state == PAIL_ADMISSION_HELD;
    assert_int_equal(held, 2);
    assert_true(pail_ledger_release(ledger, &all));
    assert_int_equal(large.state, PAIL_ADMISSION_WAITING);
    assert_true(pail_ledger_release(ledger, &small[0]));
    assert_int_equal(large.state, PAIL_ADMISSION_HELD);
    assert_true(pail_ledger_release(ledger, &large));
    for (int i = 1; i < 6; i++)
        assert_true(pail_ledger_release(ledger, &small[i]));
    end(&ledger);
}

PAIL_TEST(never_is_not_too_late)
{
    char text[200];
    struct pail_ledger *ledger = make(16, 2, NULL);
    struct pail_reservation held = {0}, never = {0}, late = {0};
    assert_int_equal(ask(ledger, &never, 1, 1001, UINT64_MAX), PAIL_ADMISSION_NEVER_FITS);
    assert_int_equal(pail_ledger_explain(ledger, &never, text, sizeof(text)),
                     PAIL_ERR_DEVICE_MEMORY);
    assert_string_equal(text, "1001 bytes of device 0 memory never fit: there are 1000 at most");
    assert_int_equal(ask(ledger, &never, 17, 1, UINT64_MAX), PAIL_ADMISSION_NEVER_FITS);
    assert_int_equal(pail_ledger_explain(ledger, &never, text, sizeof(text)), PAIL_ERR_HOST_MEMORY);

    clock_ns = 2000000;
    assert_int_equal(ask(ledger, &held, 16, 0, UINT64_MAX), PAIL_ADMISSION_HELD);
    assert_int_equal(ask(ledger, &late, 1, 0, 7000000), PAIL_ADMISSION_WAITING);
    assert_int_equal(pail_ledger_next_deadline(ledger), 7000000);
    clock_ns = 6999999;
    pail_ledger_reread(ledger);
    assert_int_equal(late.state, PAIL_ADMISSION_WAITING);
    clock_ns = 7000000;
    pail_ledger_reread(ledger);
    assert_int_equal(late.state, PAIL_ADMISSION_TIMED_OUT);
    assert_int_equal(pail_ledger_explain(ledger, &late, text, sizeof(text)), PAIL_ERR_STOPPED);
    assert_string_equal(text, "the deadline passed after 5 ms of waiting for memory");
    /* One that has no time is granted what there is. */
    assert_true(pail_ledger_release(ledger, &held));
    assert_int_equal(ask(ledger, &late, 16, 0, 0), PAIL_ADMISSION_HELD);
    assert_int_equal(ask(ledger, &held, 1, 0, 0), PAIL_ADMISSION_TIMED_OUT);
    assert_true(pail_ledger_release(ledger, &late));
    struct pail_ledger_stats stats;
    pail_ledger_get_stats(ledger, &stats);
    assert_int_equal(stats.never_fitted, 2);
    assert_int_equal(stats.timed_out, 2);
    end(&ledger);
}

PAIL_TEST(part_of_it_wakes)
{
    struct pail_ledger *ledger = make(16, 2, NULL);
    struct pail_reservation first = {0}, second = {0}, key = {0};
    assert_int_equal(ask(ledger, &first, 12, 0, UINT64_MAX), PAIL_ADMISSION_HELD);
    assert_int_equal(ask(ledger, &second, 8, 0, UINT64_MAX), PAIL_ADMISSION_WAITING);
    assert_true(pail_ledger_allocated(ledger, &first, 0, 8));
    assert_false(pail_ledger_shrink(ledger, &first, 0, 7)); /* is still allocated */
    assert_false(pail_ledger_shrink(ledger, &first, 0, 13));
    assert_false(pail_ledger_shrink(ledger, &second, 0, 1)); /* not held */
    assert_false(pail_ledger_shrink(ledger, &first, OTHER_HEAPS, 0));
    assert_true(pail_ledger_shrink(ledger, &first, 0, 8));
    assert_int_equal(second.state, PAIL_ADMISSION_HELD);
    /* A part becomes another's, with what is allocated of it. */
    assert_false(pail_ledger_split(ledger, &first, &key, 0, 9, 0));
    assert_false(pail_ledger_split(ledger, &first, &key, 0, 4, 0));
    assert_true(pail_ledger_split(ledger, &first, &key, 0, 4, 4));
    assert_false(pail_ledger_release(ledger, &key));
    assert_true(pail_ledger_freed(ledger, &key, 0, 4));
    assert_false(pail_ledger_freed(ledger, &key, 0, 1));
    assert_true(pail_ledger_release(ledger, &key));
    assert_true(pail_ledger_freed(ledger, &first, 0, 4));
    assert_true(pail_ledger_release(ledger, &first));
    assert_true(pail_ledger_release(ledger, &first)); /* nothing any more */
    assert_true(pail_ledger_release(ledger, &second));
    struct pail_ledger_stats stats;
    pail_ledger_get_stats(ledger, &stats);
    assert_int_equal(stats.refused, 8);
    end(&ledger);
}

/* 100 % to 40 % in the middle: what is held ends, new ones shrink, nothing beyond is granted. */
PAIL_TEST(a_budget_that_falls)
{
    struct pail_heap_reading fake = {.size = 1000, .free = 1000, .free_known = true};
    struct pail_ledger *ledger = make(0, 3, &fake);
    struct pail_reservation a = {0}, b = {0}, c = {0};
    assert_int_equal(ask(ledger, &a, 600, 0, UINT64_MAX), PAIL_ADMISSION_HELD);
    assert_true(pail_ledger_allocated(ledger, &a, 0, 600));
    fake.free = 400 - 200; /* somebody else has the rest of what we do not */
    assert_int_equal(ask(ledger, &b, 300, 0, UINT64_MAX), PAIL_ADMISSION_HELD); /* not read yet */
    assert_true(pail_ledger_release(ledger, &b));
    clock_ns += 100;
    assert_int_equal(ask(ledger, &b, 300, 0, UINT64_MAX), PAIL_ADMISSION_WAITING);
    assert_int_equal(ask(ledger, &c, 200, 0, UINT64_MAX), PAIL_ADMISSION_HELD);
    struct pail_ledger_stats stats;
    pail_ledger_get_stats(ledger, &stats);
    assert_int_equal(stats.heaps[0].capacity, 800);
    assert_int_equal(stats.heaps[0].hard, 1000);
    /* A request that would not fit even alone holds up nobody, and waits for the budget to come
     * back. */
    assert_true(pail_ledger_release(ledger, &b));
    assert_int_equal(ask(ledger, &b, 900, 0, UINT64_MAX), PAIL_ADMISSION_WAITING);
    for (int i = 0; i < 10; i++) {
        assert_true(pail_ledger_release(ledger, &c));
        assert_int_equal(ask(ledger, &c, 200, 0, UINT64_MAX), PAIL_ADMISSION_HELD);
    }
    assert_true(pail_ledger_freed(ledger, &a, 0, 600));
    assert_true(pail_ledger_release(ledger, &a));
    assert_true(pail_ledger_release(ledger, &c));
    fake.free = 1000;
    pail_ledger_reread(ledger);
    assert_int_equal(b.state, PAIL_ADMISSION_HELD);
    assert_true(pail_ledger_release(ledger, &b));
    end(&ledger);
}

PAIL_TEST(capacities)
{
    static const struct {
        struct pail_heap_reading reading;
        uint64_t limit, margin, capacity, hard;
    } cases[] = {
        {{0, 0, false}, 0, 0, UINT64_MAX, UINT64_MAX}, /* nobody knows */
        {{0, 0, false}, 70, 0, 70, 70},
        {{1000, 0, false}, 0, 0, 800, 800}, /* no account of the driver's */
        {{1000, 0, false}, 500, 0, 500, 500},
        {{1000, 900, true}, 0, 50, 850, 950},
        {{1000, 900, true}, 600, 50, 600, 600},
        {{1000, 20, true}, 600, 50, 0, 600},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pail_heap_reading reading = cases[i].reading;
        const struct pail_ledger_heap heap = {.name = "host",
                                              .limit = cases[i].limit,
                                              .margin = cases[i].margin,
                                              .read = read_fake,
                                              .user = &reading};
        const struct pail_ledger_params params = {.heaps = &heap, .n_heaps = 1};
        struct pail_ledger *ledger = NULL;
        struct pail_ledger_stats stats;
        assert_int_equal(pail_ledger_create(&ledger, &params), PAIL_OK);
        pail_ledger_get_stats(ledger, &stats);
        assert_int_equal(stats.heaps[0].capacity, cases[i].capacity);
        assert_int_equal(stats.heaps[0].hard, cases[i].hard);
        pail_ledger_destroy(&ledger);
    }
    struct pail_ledger *none = NULL;
    assert_int_equal(pail_ledger_create(&none, &(struct pail_ledger_params){.n_heaps = 0}),
                     PAIL_ERR_ARGUMENT);
    assert_null(none);
}

PAIL_TEST(what_fits)
{
    struct pail_ledger *ledger = make(16, 2, NULL);
    /* Resident, streamed, in small batches: the first that fits. */
    static const uint64_t plans[3][OTHER_HEAPS] = {{1, 2000}, {17, 500}, {16, 100}};
    static const uint64_t beside[OTHER_HEAPS] = {1, 0};
    assert_false(pail_ledger_ever_fits(ledger, plans[0], NULL));
    assert_false(pail_ledger_ever_fits(ledger, plans[1], NULL));
    assert_true(pail_ledger_ever_fits(ledger, plans[2], NULL));
    assert_false(pail_ledger_ever_fits(ledger, plans[2], beside));
    end(&ledger);
}

/* A context that computes on the host: what it takes is the host's, and it has a limit of its own.
 */
PAIL_TEST(a_part_of_a_heap)
{
    enum { HOST, PART };
    struct pail_heap_reading fake = {.size = 100, .free = 100, .free_known = true};
    const struct pail_ledger_heap heaps[OTHER_HEAPS] = {
        {.name = "host", .read = read_fake, .user = &fake},
        {.name = "device", .limit = 60, .within = HOST + 1}};
    struct pail_ledger *ledger = NULL;
    struct pail_ledger_stats stats;
    char text[200];
    clock_ns = 1;
    assert_int_equal(
        pail_ledger_create(&ledger, &(struct pail_ledger_params){.heaps = heaps,
                                                                 .n_heaps = OTHER_HEAPS,
                                                                 .max_overtakes = 2,
                                                                 .reread_ns = 100,
                                                                 .now = test_now}),
        PAIL_OK);
    struct pail_reservation a = {0}, b = {0}, c = {0};
    assert_int_equal(ask(ledger, &a, 10, 50, UINT64_MAX), PAIL_ADMISSION_HELD);
    assert_int_equal(pail_ledger_named(ledger, &a, HOST), 60);
    assert_true(pail_ledger_allocated(ledger, &a, PART, 50));
    pail_ledger_get_stats(ledger, &stats);
    assert_int_equal(stats.heaps[HOST].used, 60);
    assert_int_equal(stats.heaps[HOST].live, 50);
    assert_int_equal(stats.heaps[PART].used, 50);
    /* Each of the two may be what is short. */
    assert_int_equal(ask(ledger, &b, 45, 0, UINT64_MAX), PAIL_ADMISSION_WAITING);
    assert_int_equal(pail_ledger_missing(ledger, &b, HOST), 5);
    assert_int_equal(ask(ledger, &c, 0, 11, UINT64_MAX), PAIL_ADMISSION_WAITING);
    assert_int_equal(pail_ledger_missing(ledger, &c, HOST), 0);
    assert_int_equal(pail_ledger_missing(ledger, &c, PART), 1);
    /* Memory allocated from the part is ours in the system's account of the whole. */
    fake.free = 50;
    pail_ledger_reread(ledger);
    assert_int_equal(pail_ledger_capacity(ledger, HOST), 100);
    assert_true(pail_ledger_correct(ledger, &a, PART, 40)); /* now both have room */
    assert_int_equal(b.state, PAIL_ADMISSION_HELD);
    assert_true(pail_ledger_release(ledger, &b));
    assert_int_equal(c.state, PAIL_ADMISSION_HELD);
    /* It took more than was thought: that is in use, whether there is room or not. */
    assert_true(pail_ledger_correct(ledger, &a, PART, 70));
    pail_ledger_get_stats(ledger, &stats);
    assert_int_equal(stats.heaps[PART].used, 81);
    assert_int_equal(stats.heaps[HOST].used, 91);
    assert_true(pail_ledger_freed(ledger, &a, PART, 70));
    assert_true(pail_ledger_release(ledger, &a));
    assert_true(pail_ledger_release(ledger, &c));
    assert_int_equal(ask(ledger, &a, 50, 51, UINT64_MAX), PAIL_ADMISSION_NEVER_FITS);
    assert_int_equal(pail_ledger_explain(ledger, &a, text, sizeof(text)), PAIL_ERR_HOST_MEMORY);
    assert_string_equal(text, "101 bytes of host memory never fit: there are 100 at most");
    assert_int_equal(ask(ledger, &a, 0, 61, UINT64_MAX), PAIL_ADMISSION_NEVER_FITS);
    assert_int_equal(pail_ledger_explain(ledger, &a, text, sizeof(text)), PAIL_ERR_DEVICE_MEMORY);
    end(&ledger);
}

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

/* A hundred thousand operations; after each, what is allocated is reserved, what is reserved is
 * there, and sums are those of the parts. */
PAIL_TEST(random_operations)
{
    enum { ACTORS = 12, OPERATIONS = 100000, CAPACITY = 1000 };
    struct pail_ledger *ledger = make(CAPACITY, 4, NULL);
    struct pail_reservation r[ACTORS];
    memset(r, 0, sizeof(r));
    unsigned long done = 0;
    random_state = 88172645463325252u;
    for (unsigned long i = 0; i < OPERATIONS; i++) {
        struct pail_reservation *const one = &r[draw(ACTORS)];
        const size_t heap = draw(OTHER_HEAPS);
        const uint64_t bytes = draw(CAPACITY);
        clock_ns += draw(50);
        switch (draw(6)) {
        case 0:
            if (one->state == PAIL_ADMISSION_NONE || one->state == PAIL_ADMISSION_TIMED_OUT ||
                one->state == PAIL_ADMISSION_NEVER_FITS)
                done += ask(ledger, one, bytes + draw(40), draw(300), clock_ns + draw(4000)) !=
                        PAIL_ADMISSION_NEVER_FITS;
            break;
        case 1:
            done += pail_ledger_allocated(ledger, one, heap, bytes / 4);
            break;
        case 2:
            done += pail_ledger_freed(ledger, one, heap, bytes / 4);
            break;
        case 3:
            done += pail_ledger_shrink(ledger, one, heap, bytes / 2);
            break;
        case 4:
            for (size_t k = 0; k < OTHER_HEAPS; k++)
                done += pail_ledger_freed(ledger, one, k, one->live[k]);
            break;
        default:
            done += pail_ledger_release(ledger, one);
        }
        struct pail_ledger_stats stats;
        pail_ledger_get_stats(ledger, &stats);
        size_t waiting = 0;
        for (size_t k = 0; k < OTHER_HEAPS; k++) {
            uint64_t used = 0, live = 0;
            for (size_t a = 0; a < ACTORS; a++) {
                const bool held = r[a].state == PAIL_ADMISSION_HELD;
                used += held ? r[a].bytes[k] : 0;
                live += held ? r[a].live[k] : 0;
                waiting += k == 0 && r[a].state == PAIL_ADMISSION_WAITING;
                assert_true(!held || r[a].live[k] <= r[a].bytes[k]);
                assert_true(r[a].overtaken <= 4);
            }
            assert_int_equal(stats.heaps[k].used, used);
            assert_int_equal(stats.heaps[k].live, live);
            assert_true(live <= used && used <= stats.heaps[k].capacity);
        }
        assert_int_equal(stats.waiting, waiting);
    }
    assert_true(done > OPERATIONS / 4);
    for (size_t a = 0; a < ACTORS; a++) {
        for (size_t k = 0; k < OTHER_HEAPS; k++)
            (void)pail_ledger_freed(ledger, &r[a], k, r[a].live[k]);
        assert_true(pail_ledger_release(ledger, &r[a]));
    }
    end(&ledger);
}
