/* SPDX-License-Identifier: Apache-2.0 */
/* tools/pail/tune/tune_search: what made-up measurements lead to. */
#include "support/test.h"

#include <tune/tune.h>

/* ---- Sizes ---------------------------------------------------------------------------------- */
PAIL_TEST(sizes_are_ordered)
{
    struct pail_error error = {0};
    struct pail_list sizes = {{1 << 20, 1, 4096, 100}, 4};
    const uint64_t ordered[] = {1, 100, 4096, 1 << 20};
    assert_int_equal(pail_tune_order_sizes(&sizes, &error), PAIL_OK);
    assert_memory_equal(sizes.values, ordered, sizeof(ordered));
}

PAIL_TEST(sizes_without_a_place)
{
    struct pail_error error = {0};
    struct pail_list none = {{4, 0}, 2}, most = {{UINT32_MAX}, 1},
                     beyond = {{8, UINT64_C(1) << 32}, 2}, same = {{1023, 16, 512}, 3};
    assert_int_equal(pail_tune_order_sizes(&none, &error), PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(error.sentence, "0 is not in"));
    assert_int_equal(pail_tune_order_sizes(&most, &error), PAIL_OK);
    assert_int_equal(pail_tune_order_sizes(&beyond, &error), PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(error.sentence, "4294967296"));
    assert_int_equal(pail_tune_order_sizes(&same, &error), PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(error.sentence, "512 and 1023 share"));
}

PAIL_TEST(places)
{
    assert_int_equal(pail_tune_place(1), 0);
    assert_int_equal(pail_tune_place(4095), 11);
    assert_int_equal(pail_tune_place(4096), 12);
    assert_int_equal(pail_tune_place(UINT64_MAX), 63);
}

/* The same for all, and what one does not take is for the others. */
PAIL_TEST(shares)
{
    assert_true(pail_tune_share(1000, 0, 4) == 0);
    assert_true(pail_tune_share(1000, 1400, 4) == 1100);
    assert_true(pail_tune_share(1010, 1400, 3) == 1140);
    assert_true(pail_tune_share(1140, 1400, 1) == 1400);
    assert_true(pail_tune_share(1500, 1400, 2) < 1500);
}

/* ---- Candidates ----------------------------------------------------------------------------- */
static const double ten[] = {10, 10.1, 9.9, 10, 10.1}, nine[] = {9, 9.1, 8.9, 9, 9.1},
                    eight[] = {8, 8.1, 7.9, 8, 8.1}, noisy[] = {3, 14, 5, 16, 5};

PAIL_TEST(the_fastest_is_chosen)
{
    const struct pail_tune_entry entries[] = {
        {nine, 5, false}, {ten, 5, true}, {eight, 5, false}, {nine, 5, false}};
    assert_int_equal(pail_tune_choose(entries, 4), 2);
    assert_int_equal(pail_tune_choose(entries, 2), 0);
}

PAIL_TEST(the_built_in_one_stays_unless_beaten)
{
    /* A median half as long that means nothing does not count, nor does it hide what does. */
    const struct pail_tune_entry noise[] = {{noisy, 5, false}, {ten, 5, true}};
    assert_int_equal(pail_tune_choose(noise, 2), 1);
    const struct pail_tune_entry both[] = {{noisy, 5, false}, {ten, 5, true}, {nine, 5, false}};
    assert_int_equal(pail_tune_choose(both, 3), 2);
    const struct pail_tune_entry equal[] = {{ten, 5, false}, {ten, 5, true}};
    assert_int_equal(pail_tune_choose(equal, 2), 1);
    /* Too few in common for a verdict. */
    const struct pail_tune_entry few[] = {{eight, 3, false}, {ten, 5, true}};
    assert_int_equal(pail_tune_choose(few, 2), 1);
    const struct pail_tune_entry other_few[] = {{eight, 5, false}, {ten, 3, true}};
    assert_int_equal(pail_tune_choose(other_few, 2), 1);
    const struct pail_tune_entry enough[] = {{eight, 4, false}, {ten, 5, true}};
    assert_int_equal(pail_tune_choose(enough, 2), 0);
}

PAIL_TEST(what_was_not_measured_is_not_chosen)
{
    const struct pail_tune_entry without[] = {{NULL, 0, true}, {ten, 5, false}, {nine, 2, false}};
    assert_int_equal(pail_tune_choose(without, 3), 2);
    const struct pail_tune_entry only[] = {{NULL, 0, false}, {ten, 1, true}};
    assert_int_equal(pail_tune_choose(only, 2), 1);
    const struct pail_tune_entry nothing[] = {{NULL, 0, true}, {NULL, 0, false}};
    assert_true(pail_tune_choose(nothing, 2) == SIZE_MAX);
    assert_true(pail_tune_choose(nothing, 0) == SIZE_MAX);
}

/* ---- Windows -------------------------------------------------------------------------------- */
/* A device whose time for each window is known; what is closer than the noise is no difference. */
struct device {
    double ms[32]; /* 0: not measured */
    uint32_t model;
    double noise;
    int rounds, lucky, fails; /* the number of a round: made 30 % faster, ended by an error */
    uint32_t asked[64];
    size_t n_asked;
};

static pail_status measure(void *user, struct pail_tune_round *round, const uint32_t *windows,
                           size_t n)
{
    struct device *const device = user;
    const int number = ++device->rounds;
    if (number == device->fails)
        return PAIL_ERR_DEVICE_LOST;
    for (size_t i = 0; i < n; i++) {
        assert_true(windows[i] < 32 && device->n_asked < 64);
        device->asked[device->n_asked++] = windows[i];
        double ms = device->ms[windows[i] == 0 ? device->model : windows[i]];
        if (number == device->lucky && i == 1)
            ms *= 0.7;
        round->measured[i] = ms > 0;
        round->median[i] = ms;
        const double difference = ms - round->median[0];
        round->verdict[i] = difference < -device->noise  ? PAIL_FASTER
                            : difference > device->noise ? PAIL_SLOWER
                                                         : PAIL_WITHIN_NOISE;
    }
    return PAIL_OK;
}

static void asked(const struct device *device, const uint32_t *windows, size_t n)
{
    assert_int_equal(device->n_asked, n);
    assert_memory_equal(device->asked, windows, n * sizeof(*windows));
}

PAIL_TEST(the_model_is_best)
{
    struct device device = {.ms = {[9] = 12, [10] = 10, [11] = 11}, .model = 10, .noise = 0.5};
    struct pail_tune_window window;
    assert_int_equal(pail_tune_climb(&window, 10, measure, &device), PAIL_OK);
    assert_true(window.measured);
    assert_int_equal(window.model, 10);
    assert_int_equal(window.bits, 0);
    assert_true(window.model_ms == 10 && window.ms == 10);
    asked(&device, (const uint32_t[]){0, 11, 9}, 3);
}

PAIL_TEST(within_the_noise_nothing_changes)
{
    struct device device = {.ms = {[9] = 9.6, [10] = 10, [11] = 9.7}, .model = 10, .noise = 0.5};
    struct pail_tune_window window;
    assert_int_equal(pail_tune_climb(&window, 10, measure, &device), PAIL_OK);
    assert_int_equal(window.bits, 0);
    assert_int_equal(device.rounds, 1);
}

PAIL_TEST(up_the_hill)
{
    struct device device = {
        .ms = {[9] = 12, [10] = 10, [11] = 9, [12] = 8, [13] = 7.9}, .model = 10, .noise = 0.5};
    struct pail_tune_window window;
    assert_int_equal(pail_tune_climb(&window, 10, measure, &device), PAIL_OK);
    assert_int_equal(window.bits, 12);
    assert_true(window.model_ms == 10 && window.ms == 8);
    asked(&device, (const uint32_t[]){0, 11, 9, 11, 12, 12, 13, 0, 12}, 9);
}

/* Two slopes: the steeper one. */
PAIL_TEST(down_the_other_side)
{
    struct device device = {
        .ms = {[7] = 20, [8] = 8, [9] = 8, [10] = 10, [11] = 9}, .model = 10, .noise = 0.5};
    struct pail_tune_window window;
    assert_int_equal(pail_tune_climb(&window, 10, measure, &device), PAIL_OK);
    assert_int_equal(window.bits, 9);
    asked(&device, (const uint32_t[]){0, 11, 9, 9, 8, 0, 9}, 7);
}

/* Faster once, but not again. */
PAIL_TEST(luck_does_not_count)
{
    struct device device = {
        .ms = {[9] = 12, [10] = 10, [11] = 10, [12] = 10}, .model = 10, .noise = 0.5, .lucky = 1};
    struct pail_tune_window window;
    assert_int_equal(pail_tune_climb(&window, 10, measure, &device), PAIL_OK);
    assert_int_equal(window.bits, 0);
    assert_true(window.ms == 10);
    asked(&device, (const uint32_t[]){0, 11, 9, 11, 12, 0, 11}, 7);
}

PAIL_TEST(ends_of_the_way)
{
    struct pail_tune_window window;
    /* Refused, or wrong, from 12 on. */
    struct device refused = {.ms = {[9] = 12, [10] = 10, [11] = 9}, .model = 10, .noise = 0.5};
    assert_int_equal(pail_tune_climb(&window, 10, measure, &refused), PAIL_OK);
    assert_int_equal(window.bits, 11);
    /* No window below 1, which 0 would not mean. */
    struct device least = {.ms = {[1] = 5, [2] = 10, [3] = 12}, .model = 2, .noise = 0.5};
    assert_int_equal(pail_tune_climb(&window, 2, measure, &least), PAIL_OK);
    assert_int_equal(window.bits, 1);
    asked(&least, (const uint32_t[]){0, 3, 1, 0, 1}, 5);
    struct device one = {.ms = {[1] = 5, [2] = 10}, .model = 1, .noise = 0.5};
    assert_int_equal(pail_tune_climb(&window, 1, measure, &one), PAIL_OK);
    asked(&one, (const uint32_t[]){0, 2}, 2);
    /* Nor without an upper end. */
    struct device endless = {.model = 28, .noise = 0.5};
    for (size_t i = 1; i < 32; i++)
        endless.ms[i] = 100 - 2 * (double)i;
    assert_int_equal(pail_tune_climb(&window, 28, measure, &endless), PAIL_OK);
    assert_int_equal(window.bits, 31);
}

PAIL_TEST(without_the_model_there_is_no_search)
{
    struct device device = {.ms = {[9] = 1, [11] = 1}, .model = 10, .noise = 0.5};
    struct pail_tune_window window;
    assert_int_equal(pail_tune_climb(&window, 10, measure, &device), PAIL_OK);
    assert_false(window.measured);
    assert_int_equal(window.bits, 0);
    assert_int_equal(device.rounds, 1);
}

PAIL_TEST(errors_end_the_search)
{
    for (int round = 1; round <= 4; round++) {
        struct device device = {.ms = {[9] = 12, [10] = 10, [11] = 9, [12] = 8, [13] = 9},
                                .model = 10,
                                .noise = 0.5,
                                .fails = round};
        struct pail_tune_window window;
        assert_int_equal(pail_tune_climb(&window, 10, measure, &device), PAIL_ERR_DEVICE_LOST);
        assert_int_equal(window.bits, 0);
        assert_int_equal(device.rounds, round);
    }
}
