/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a device is taken to be, and dispatches in portions, without a device. */

#include "support/test.h"

#include <vk/pace.h>

/* ---- Portions -------------------------------------------------------------------------------- */
enum { CELLS_MAX = 1 << 16 };

/* Walks over all portions: each workgroup once, the sum of units, none above `most` but where a
 * portion cannot be smaller. Returns how many there are. */
static uint32_t walk(const uint32_t groups[3], const struct pail_vk_cutting *c)
{
    static uint8_t seen[CELLS_MAX];
    struct pail_vk_portions portions;
    struct pail_vk_portion p;
    const uint64_t all = (uint64_t)groups[0] * groups[1] * groups[2];
    uint64_t covered = 0;
    uint32_t n = 0;
    double units = 0;
    assert_in_range(all, 1, CELLS_MAX);
    memset(seen, 0, sizeof(seen));
    for (pail_vk_portions_begin(&portions, groups, c); pail_vk_portions_next(&portions, &p); n++) {
        const uint64_t count = (uint64_t)p.groups[0] * p.groups[1] * p.groups[2];
        assert_in_range(count, 1, all);
        if (!c->apart && groups[1] > 1)
            assert_int_equal(p.groups[0], groups[0]);
        const uint64_t smallest = c->apart || groups[1] == 1 ? 1 : groups[0];
        if (count > smallest && count > c->least)
            assert_true(p.units <= c->most * (1 + 1e-9));
        for (uint32_t z = 0; z < p.groups[2]; z++)
            for (uint32_t y = 0; y < p.groups[1]; y++)
                for (uint32_t x = 0; x < p.groups[0]; x++) {
                    const uint64_t at =
                        ((uint64_t)(p.base[2] + z) * groups[1] + p.base[1] + y) * groups[0] +
                        p.base[0] + x;
                    assert_true(p.base[0] + x < groups[0] && p.base[1] + y < groups[1]);
                    assert_true(at < all && !seen[at]);
                    seen[at] = 1;
                    covered++;
                }
        units += p.units;
    }
    assert_int_equal(covered, all);
    assert_true(units > c->units * (1 - 1e-9) && units < c->units * (1 + 1e-9));
    return n;
}

PAIL_TEST(test_portions)
{
    static const uint32_t sizes[] = {1, 2, 3, 7, 31, 32};
    for (uint32_t i = 0; i < 6 * 6 * 6; i++) {
        const uint32_t groups[3] = {sizes[i % 6], sizes[i / 6 % 6], sizes[i / 36]};
        const double all = (double)groups[0] * groups[1] * groups[2];
        for (double most = 0.4; most < 2 * all; most *= 3.7)
            for (uint32_t k = 0; k < 4; k++) {
                const struct pail_vk_cutting c = {
                    .units = all, .most = most, .least = k & 1 ? 5 : 1, .apart = k & 2};
                const uint32_t n = walk(groups, &c);
                if (most >= all)
                    assert_int_equal(n, 1);
                else if (c.least == 1 && c.apart)
                    assert_true((double)n >= all / (most > 1 ? most : 1) * (1 - 1e-9));
            }
    }
}

PAIL_TEST(test_portions_even)
{
    const uint32_t line[3] = {1000, 1, 1}, rows[3] = {256, 20, 1}, deep[3] = {4, 4, 100};
    struct pail_vk_cutting c = {.units = 1000, .most = 400, .least = 1};
    assert_int_equal(walk(line, &c), 3); /* portions of 334, not 400, 400 and 200 */
    c.least = 600;
    assert_int_equal(walk(line, &c), 2);
    c = (struct pail_vk_cutting){.units = 200, .most = 25, .least = 1};
    assert_int_equal(walk(rows, &c), 10); /* rows stay together */
    c.most = 0.001;
    assert_int_equal(walk(rows, &c), 20);
    c.apart = true;
    assert_int_equal(walk(rows, &c), 20 * 256);
    c = (struct pail_vk_cutting){.units = 100, .most = 10, .least = 1};
    assert_int_equal(walk(deep, &c), 10);
    c.units = 0; /* no work */
    struct pail_vk_portions portions;
    struct pail_vk_portion p;
    pail_vk_portions_begin(&portions, line, &c);
    assert_true(pail_vk_portions_next(&portions, &p));
    assert_memory_equal(p.groups, line, sizeof(line));
    assert_false(pail_vk_portions_next(&portions, &p));
}

/* ---- The pace -------------------------------------------------------------------------------- */
static struct pail_vk_pace pace;

static void begin(VkPhysicalDeviceType type, bool watched, bool slow, bool whole)
{
    const struct pail_vk_caps caps = {.type = type, .watched = watched, .slow = slow};
    pail_vk_pace_fini(&pace);
    pail_vk_pace_init(&pace, &caps, whole);
}

static double now(void)
{
    return pail_vk_pace_ns(&pace, 7, PAIL_VK_POINTS);
}

/* A run of one dispatch, of so many units that take `ns` each. */
static void run_units(double units, double ns)
{
    const double ms = units * ns * 1e-6;
    const struct pail_vk_timed timed = {.hash = 7,
                                        .kind = PAIL_VK_POINTS,
                                        .units = units,
                                        .largest = units,
                                        .ms = ms,
                                        .late_ns = pail_vk_pace_is_late(ms, ms) ? ns : 0};
    pail_vk_pace_learn(&pace, &timed);
}

static void run(double ns)
{
    run_units(1e6, ns);
}

/* A run as it is recorded at the present pace. */
static void run_at_pace(double ns)
{
    run_units(PAIL_VK_DISPATCH_AIM_MS * 1e6 / now(), ns);
}

static void expect_about(double value, double wanted)
{
    if (!(value > wanted * 0.999 && value < wanted * 1.001))
        fail_msg("%g, wanted %g", value, wanted);
}

PAIL_TEST(test_who_is_limited)
{
    begin(VK_PHYSICAL_DEVICE_TYPE_CPU, false, false, false);
    assert_true(now() == 0);
    begin(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, false, false, true);
    assert_true(now() == 0);
    begin(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, false, false, false);
    const double discrete = now();
    begin(VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, false, false, false);
    const double integrated = now();
    begin(VK_PHYSICAL_DEVICE_TYPE_CPU, true, false, false);
    assert_true(now() == integrated);
    begin(VK_PHYSICAL_DEVICE_TYPE_CPU, false, true, false);
    assert_true(now() > integrated && integrated > discrete && discrete > 0);
    const double slow = now();
    run(0.6); /* a forced pace stays */
    assert_true(now() == slow);
}

PAIL_TEST(test_learns_carefully)
{
    begin(VK_PHYSICAL_DEVICE_TYPE_OTHER, false, false, false);
    const double assumed = now();
    run(0.001 * assumed); /* too short to tell */
    assert_true(now() == assumed);
    const struct pail_vk_timed fast = {
        .hash = 7, .units = 1e10, .largest = 1e9, .ms = 1e10 * assumed / 100 * 1e-6};
    pail_vk_pace_learn(&pace, &fast);
    expect_about(now(), assumed / 4);
    pail_vk_pace_learn(&pace, &fast);
    expect_about(now(), assumed / 16);
    for (int i = 0; i < 3; i++)
        pail_vk_pace_learn(&pace, &fast);
    expect_about(now(), assumed / 100);
    /* Other kernels are as they were. */
    assert_true(pail_vk_pace_ns(&pace, 8, PAIL_VK_POINTS) == assumed);
}

PAIL_TEST(test_one_run_that_was_held_up)
{
    begin(VK_PHYSICAL_DEVICE_TYPE_OTHER, false, false, false);
    for (int i = 0; i < 6; i++)
        run(2);
    expect_about(now(), 2);
    run(90); /* but was in time */
    expect_about(now(), 2);
    for (int i = 0; i < 20; i++) { /* one in eight, for ever */
        run(i % 8 == 7 ? 90 : 2);
        expect_about(now(), 2);
    }
    /* A device that is slower from now on is. */
    for (int i = 0; i < 8; i++)
        run(3);
    expect_about(now(), 3);
}

/* A device that slows down in the middle, or has other work: the first run that takes longer than
 * is promised is believed, and so is the first one that is quick again. */
PAIL_TEST(test_late)
{
    assert_false(pail_vk_pace_is_late(PAIL_VK_DISPATCH_MS, PAIL_VK_SUBMISSION_MS));
    assert_true(pail_vk_pace_is_late(PAIL_VK_DISPATCH_MS + 1, 0));
    assert_true(pail_vk_pace_is_late(1, PAIL_VK_SUBMISSION_MS + 1));
    begin(VK_PHYSICAL_DEVICE_TYPE_OTHER, false, false, false);
    for (int i = 0; i < 8; i++)
        run_at_pace(0.1);
    expect_about(now(), 0.1);
    run_at_pace(0.6); /* 420 ms */
    expect_about(now(), 0.6);
    for (int i = 0; i < 9; i++) /* a smaller one counts now */
        run_at_pace(0.7);
    expect_about(now(), 0.7);
    run_at_pace(0.1);
    expect_about(now(), 0.7); /* one of many: it may have had nothing to do */
    run_at_pace(1.1);
    run_at_pace(0.1);
    run_at_pace(0.1);
    expect_about(now(), 0.1);
    run_units(1e5, 3000); /* small, and held up: it tells nothing of what is large */
    expect_about(now(), 0.1);
}

PAIL_TEST(test_late_at_a_forced_pace)
{
    begin(VK_PHYSICAL_DEVICE_TYPE_CPU, false, true, false);
    const double forced = now();
    run_at_pace(6 * forced); /* 420 ms */
    expect_about(now(), 6 * forced);
    for (int i = 0; i < 9; i++)
        run_at_pace(0.1 * forced);
    assert_true(now() == forced);
    assert_false(pail_vk_pace_changed(&pace)); /* a forced pace is not kept */
}

/* Small dispatches have latencies in their time, and say nothing of large ones. */
PAIL_TEST(test_size_of_what_is_timed)
{
    begin(VK_PHYSICAL_DEVICE_TYPE_OTHER, false, false, false);
    struct pail_vk_timed timed = {.hash = 7, .units = 1e6, .largest = 1e6, .ms = 2};
    for (int i = 0; i < 4; i++)
        pail_vk_pace_learn(&pace, &timed);
    expect_about(now(), 2);
    timed = (struct pail_vk_timed){.hash = 7, .units = 1e8, .largest = 1e8, .ms = 100};
    pail_vk_pace_learn(&pace, &timed);
    expect_about(now(), 1);
    timed = (struct pail_vk_timed){.hash = 7, .units = 1e6, .largest = 1e6, .ms = 2};
    for (int i = 0; i < 9; i++)
        pail_vk_pace_learn(&pace, &timed);
    expect_about(now(), 1);
}

PAIL_TEST(test_nonsense)
{
    begin(VK_PHYSICAL_DEVICE_TYPE_OTHER, false, false, false);
    const double assumed = now();
    const struct pail_vk_timed odd[] = {
        {.hash = 7, .units = 0, .largest = 0, .ms = 10},
        {.hash = 7, .units = 1, .largest = 1, .ms = 1e9},
        {.hash = 7, .units = 1e30, .largest = 1, .ms = 1},
        {.hash = 7, .units = -5, .largest = 1, .ms = 1},
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        pail_vk_pace_learn(&pace, &odd[i]);
    assert_true(now() == assumed);
    for (uint64_t i = 0; i < 2 * PAIL_VK_RATES_MAX; i++) { /* more kernels than there is room for */
        const struct pail_vk_timed timed = {.hash = i, .units = 1e6, .largest = 1e6, .ms = 3};
        pail_vk_pace_learn(&pace, &timed);
    }
    assert_int_equal(pace.n, PAIL_VK_RATES_MAX);
    expect_about(now(), 3);
}

PAIL_TEST(test_kept)
{
    uint8_t record[PAIL_VK_PACE_BYTES_MAX], damaged[PAIL_VK_PACE_BYTES_MAX];
    begin(VK_PHYSICAL_DEVICE_TYPE_OTHER, false, false, false);
    assert_false(pail_vk_pace_changed(&pace));
    for (int i = 0; i < 5; i++)
        run(2);
    assert_true(pail_vk_pace_changed(&pace));
    const size_t n = pail_vk_pace_encode(&pace, record);
    assert_int_equal(n, 8 + 24);
    assert_false(pail_vk_pace_changed(&pace));

    begin(VK_PHYSICAL_DEVICE_TYPE_OTHER, false, false, false);
    assert_true(pail_vk_pace_decode(&pace, record, n));
    expect_about(now(), 2);
    run(90); /* the kept pace is another run's */
    expect_about(now(), 2);

    begin(VK_PHYSICAL_DEVICE_TYPE_OTHER, false, false, false);
    const double assumed = now();
    for (size_t size = 0; size < n; size++)
        assert_false(pail_vk_pace_decode(&pace, record, size));
    for (size_t at = 0; at < 8; at++) {
        memcpy(damaged, record, n);
        damaged[at] ^= 0x40;
        assert_false(pail_vk_pace_decode(&pace, damaged, n));
    }
    memcpy(damaged, record, n);
    memset(damaged + 16, 0, 8); /* no time at all */
    assert_false(pail_vk_pace_decode(&pace, damaged, n));
    memset(damaged + 16, 0xff, 8);
    assert_false(pail_vk_pace_decode(&pace, damaged, n));
    assert_true(now() == assumed);
}

/* ---- Queues without timestamps --------------------------------------------------------------- */
PAIL_TEST(test_busy)
{
    struct pail_vk_busy busy;
    pail_vk_busy_init(&busy);
    assert_true(pail_vk_busy_stretch(&busy, 1, 1) == 0);
    pail_vk_busy_add(&busy, 1, 3, true, 100, 50);
    pail_vk_busy_add(&busy, 4, 4, false, 110, 50);
    pail_vk_busy_add(&busy, 5, 5, false, 111, 0); /* a fill */
    pail_vk_busy_end(&busy, 3, 110, 200);         /* there is more */
    assert_true(pail_vk_busy_stretch(&busy, 1, 3) == 0);
    pail_vk_busy_end(&busy, 4, 110, 300);
    expect_about(pail_vk_busy_stretch(&busy, 1, 3), 2);
    expect_about(pail_vk_busy_stretch(&busy, 4, 4), 2);
    assert_true(pail_vk_busy_stretch(&busy, 4, 5) == 0);
    /* Nobody waited when it ended. */
    pail_vk_busy_add(&busy, 5, 6, true, 400, 10);
    pail_vk_busy_end(&busy, 6, 900, 901);
    assert_true(pail_vk_busy_stretch(&busy, 5, 6) == 0);
    pail_vk_busy_fini(&busy);
}
