/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of processes on the processors and on a device: the model, what is learned, and the choice,
 * held against tables of costs that are known. */
#include <math.h>
#include <unistd.h>

#include "support/test.h"

#include <cpu/adders.h>
#include <prover/cost.h>

/* Costs of a circuit on one machine. */
struct costs {
    double work, bytes;
    double open_ms[PAIL_COST_PLACES], next_ms[PAIL_COST_PLACES];
};

struct world {
    const char *name;
    struct pail_cost_processors processors;
    double start_ms[PAIL_COST_PLACES];
    double speed[PAIL_COST_PLACES]; /* how many times the times of the table */
};

/* One H200 and 16 processors, docs/proving.md: 2^10, 2^12, ... 2^20. Starting is taken off. */
static const struct costs table[] = {
    {6e3, 0.6e6, {33, 20}, {4.33, 2.46}},  {24e3, 2.3e6, {31, 20}, {8.41, 2.79}},
    {95e3, 9.4e6, {86, 32}, {21.2, 2.31}}, {382e3, 37e6, {134, 48}, {49.2, 3.69}},
    {1.5e6, 150e6, {550, 92}, {201, 7.3}}, {6.3e6, 600e6, {1409, 246}, {588, 20.6}},
};
enum { CIRCUITS = sizeof(table) / sizeof(table[0]) };

static const struct world worlds[] = {
    {"as measured", {16, 1400}, {3, 196}, {1, 1}},
    {"a driver that starts at once", {16, 1400}, {3, 15}, {1, 1}},
    {"a driver that takes long", {16, 1400}, {3, 1500}, {1, 1}},
    {"two processors", {2, 1400}, {3, 196}, {6, 1}},
    {"a device that is slow at everything", {8, 2300}, {3, 150}, {1.5, 20}},
    {"processors slower than the model", {16, 1400}, {3, 196}, {5, 1}},
    {"processors faster than the model", {8, 1400}, {3, 196}, {0.7, 1}},
    {"nearly equal", {16, 1400}, {3, 18}, {0.6, 1}},
};

static uint32_t state_of_random = 7;

/* Runs of one program differ: by 0 to so much, never to less. */
static double noisy(double ms, double by)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return ms * (1 + by * (double)(state_of_random >> 8) / (1 << 24));
}

static enum pail_cost_place other_than(enum pail_cost_place place)
{
    return place == PAIL_COST_CPU ? PAIL_COST_DEVICE : PAIL_COST_CPU;
}

static double cost(const struct world *world, const struct costs *costs, uint64_t n,
                   enum pail_cost_place place)
{
    return world->start_ms[place] +
           world->speed[place] * (costs->open_ms[place] + (double)(n - 1) * costs->next_ms[place]);
}

static struct pail_cost_job job_of(const struct world *world, size_t circuit, uint64_t n)
{
    return (struct pail_cost_job){.key = {.signature = 100 + circuit,
                                          .work = table[circuit].work,
                                          .bytes = table[circuit].bytes},
                                  .processors = world->processors,
                                  .n = n,
                                  .keeps = n > 1};
}

/* A process: chooses, takes as long as it takes, and notes it. Returns the place. */
static enum pail_cost_place live(struct pail_cost_record *record, const struct world *world,
                                 size_t circuit, uint64_t n, double noise)
{
    const struct costs *const costs = &table[circuit];
    const struct pail_cost_job job = job_of(world, circuit, n);
    struct pail_cost_choice choice;
    pail_cost_choose(&choice, record, &job);
    const enum pail_cost_place at = choice.place;
    const struct pail_cost_sample sample = {
        .start_ms = noisy(world->start_ms[at], noise),
        .first_ms = noisy(world->speed[at] * costs->open_ms[at], noise),
        .next_ms = n > 1 ? noisy(world->speed[at] * costs->next_ms[at], noise) : 0,
    };
    if (at == PAIL_COST_DEVICE)
        (void)pail_cost_note_device(record, 55);
    (void)pail_cost_note(record, &job, at, &sample);
    return at;
}

/* After a few processes of each circuit the choice is the best one, or within a twentieth of it. A
 * place is tried when what others have shown makes it likely, and a few times at most. */
PAIL_TEST(within_a_twentieth)
{
    static const uint64_t numbers[] = {1, 2, 10, 1000};
    enum {
        RUNS = 30,
        LEARNING = 15,
        TRIES = 3,
        SEEDS = 20,
        NUMBERS = sizeof(numbers) / sizeof(numbers[0])
    };
    for (size_t w = 0; w < sizeof(worlds) / sizeof(worlds[0]); w++)
        for (size_t k = 0; k < SEEDS * NUMBERS; k++) {
            struct pail_cost_record record = {0};
            int worse[CIRCUITS] = {0};
            for (int run = 0; run < RUNS; run++)
                for (size_t c = 0; c < CIRCUITS; c++) {
                    const struct world *const world = &worlds[w];
                    const uint64_t n = numbers[k % NUMBERS];
                    const enum pail_cost_place place = live(&record, world, c, n, 0.03);
                    const double took = cost(world, &table[c], n, place),
                                 other = cost(world, &table[c], n, other_than(place));
                    worse[c] += took > 1.05 * other;
                    if (took > 1.05 * other && (run >= LEARNING || worse[c] > TRIES))
                        fail_msg("%s: %llu proofs of circuit %zu, run %d: %.1f ms, and not %.1f",
                                 world->name, (unsigned long long)n, c, run, took, other);
                }
        }
}

/* Each circuit alone on a machine that knows nothing: a try costs what it may, and there are few.
 */
PAIL_TEST(tries_are_few_and_bounded)
{
    for (size_t w = 0; w < sizeof(worlds) / sizeof(worlds[0]); w++)
        for (size_t c = 0; c < CIRCUITS; c++) {
            struct pail_cost_record record = {0};
            int worse = 0;
            for (int run = 0; run < 20; run++) {
                const enum pail_cost_place place = live(&record, &worlds[w], c, 1, 0.02);
                const double took = cost(&worlds[w], &table[c], 1, place),
                             other = cost(&worlds[w], &table[c], 1, other_than(place));
                worse += took > 1.05 * other;
                if (took > 1.05 * other && run >= 6)
                    fail_msg("%s: circuit %zu is tried in run %d", worlds[w].name, c, run);
            }
            assert_in_range(worse, 0, 2);
        }
}

/* Nothing was measured: a small circuit once is the processors', a large one and many proofs are
 * not. */
PAIL_TEST(at_first_the_model)
{
    static const struct {
        size_t circuit;
        uint64_t n;
        uint32_t threads;
        enum pail_cost_place place;
    } cases[] = {
        {0, 1, 16, PAIL_COST_CPU},    {1, 1, 16, PAIL_COST_CPU},      {0, 1, 1, PAIL_COST_CPU},
        {4, 1, 16, PAIL_COST_DEVICE}, {5, 1, 64, PAIL_COST_DEVICE},   {3, 1, 1, PAIL_COST_DEVICE},
        {0, 5, 16, PAIL_COST_CPU},    {1, 1000, 4, PAIL_COST_DEVICE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct world world = worlds[0];
        world.processors.threads = cases[i].threads;
        struct pail_cost_record record = {0};
        struct pail_cost_choice choice;
        const struct pail_cost_job job = job_of(&world, cases[i].circuit, cases[i].n);
        pail_cost_choose(&choice, &record, &job);
        if (choice.place != cases[i].place)
            fail_msg("case %zu: %.1f to %.1f ms and %.1f to %.1f", i, choice.of[0].low_ms,
                     choice.of[0].expected_ms, choice.of[1].low_ms, choice.of[1].expected_ms);
        assert_false(choice.of[0].measured || choice.of[1].measured);
    }
    for (uint32_t i = 1; i < PAIL_CPU_ARITHMETIC_COUNT; i++) /* the best last */
        assert_true(pail_cost_unit_ns(i) < pail_cost_unit_ns(i - 1));
    assert_true(pail_cost_unit_ns(1000) == pail_cost_unit_ns(PAIL_CPU_PORTABLE));
}

PAIL_TEST(one_slow_process_is_no_slow_place)
{
    const struct world *const world = &worlds[0];
    const struct pail_cost_job job = job_of(world, 4, 1);
    struct pail_cost_record record = {0};
    struct pail_cost_choice choice;
    /* A driver that compiled: the second process has its pipelines. */
    const struct pail_cost_sample cold = {.start_ms = 200, .first_ms = 1900};
    const struct pail_cost_sample warm = {.start_ms = 190, .first_ms = 90};
    assert_true(pail_cost_note(&record, &job, PAIL_COST_DEVICE, &cold));
    pail_cost_choose(&choice, &record, &job);
    assert_int_equal(choice.place, PAIL_COST_DEVICE);
    assert_false(choice.of[PAIL_COST_DEVICE].measured);
    assert_true(pail_cost_note(&record, &job, PAIL_COST_DEVICE, &warm));
    pail_cost_choose(&choice, &record, &job);
    assert_true(choice.of[PAIL_COST_DEVICE].measured);
    assert_true(choice.of[PAIL_COST_DEVICE].expected_ms == 280);
    /* Later ones that were slow beside other work move it a little, and back at once. */
    const struct pail_cost_sample slow = {.start_ms = 1900, .first_ms = 900};
    assert_true(pail_cost_note(&record, &job, PAIL_COST_DEVICE, &slow));
    pail_cost_choose(&choice, &record, &job);
    assert_true(choice.of[PAIL_COST_DEVICE].expected_ms <= 1.25 * 280);
    for (int i = 0; i < 8; i++)
        (void)pail_cost_note(&record, &job, PAIL_COST_DEVICE, &warm);
    pail_cost_choose(&choice, &record, &job);
    assert_true(fabs(choice.of[PAIL_COST_DEVICE].expected_ms - 280) < 0.02 * 280);
    assert_false(pail_cost_note(&record, &job, PAIL_COST_DEVICE, &warm)); /* no news */
    const struct pail_cost_sample nothing = {0};
    assert_false(pail_cost_note(&record, &job, PAIL_COST_DEVICE, &nothing));
}

/* A driver that compiles for many seconds, once: the device is tried again, and taken. */
PAIL_TEST(one_cold_process_bars_nothing)
{
    const struct world *const world = &worlds[0];
    const struct pail_cost_sample cold = {.start_ms = 200, .first_ms = 11000};
    struct pail_cost_record record = {0};
    struct pail_cost_choice choice;
    struct pail_cost_job job = job_of(world, 5, 1);
    for (int i = 0; i < 3; i++)
        (void)pail_cost_note(
            &record, &job, PAIL_COST_CPU,
            &(struct pail_cost_sample){.start_ms = 3, .first_ms = table[5].open_ms[PAIL_COST_CPU]});
    assert_true(pail_cost_note_device(&record, 55));
    assert_true(pail_cost_note(&record, &job, PAIL_COST_DEVICE, &cold));
    for (int i = 0; i < 3; i++)
        assert_int_equal(live(&record, world, 5, 1, 0), PAIL_COST_DEVICE);
    pail_cost_choose(&choice, &record, &job);
    assert_true(choice.of[PAIL_COST_DEVICE].measured);
    /* No measurement is kept: the estimate decides, and nothing is tried. */
    const struct pail_cost_record nothing = {0};
    for (size_t c = 0; c < CIRCUITS; c++) {
        job = job_of(world, c, 1);
        job.forgotten = true;
        pail_cost_choose(&choice, &nothing, &job);
        assert_int_equal(choice.reason, PAIL_COST_BY_ESTIMATE);
    }
}

PAIL_TEST(another_device_is_measured_anew)
{
    const struct world *const world = &worlds[0];
    struct pail_cost_record record = {0};
    for (int i = 0; i < 8; i++)
        (void)live(&record, world, 5, 1, 0);
    assert_true(record.device == 55 && record.start[PAIL_COST_DEVICE].n == 2);
    assert_false(pail_cost_note_device(&record, 55));
    assert_true(pail_cost_note_device(&record, 56));
    assert_true(record.start[PAIL_COST_DEVICE].n == 0);
    for (int i = 0; i < PAIL_COST_PARTS; i++)
        assert_true(record.circuits[0].terms[PAIL_COST_DEVICE][i].n == 0);
}

/* Nobody looks again for a small job, and for one that takes long somebody does. */
PAIL_TEST(an_absent_device)
{
    const struct world *const world = &worlds[3];
    struct pail_cost_record record = {0};
    struct pail_cost_choice choice;
    assert_true(pail_cost_note_absent(&record, 150));
    assert_true(pail_cost_note_absent(&record, 150)); /* it counts from here on */
    assert_false(pail_cost_note_absent(&record, 150));
    struct pail_cost_job job = job_of(world, 3, 1);
    pail_cost_choose(&choice, &record, &job);
    assert_int_equal(choice.place, PAIL_COST_CPU);
    assert_int_equal(choice.reason, PAIL_COST_ABSENT);
    job.n = 100;
    pail_cost_choose(&choice, &record, &job);
    assert_int_equal(choice.place, PAIL_COST_DEVICE);
    assert_int_equal(choice.reason, PAIL_COST_LOOKED);
    assert_true(pail_cost_note_device(&record, 55));
    assert_int_equal(record.absent, 0);
    assert_true(pail_cost_note_absent(&record, 150)); /* gone again, and what it cost */
    assert_int_equal(record.device, 0);
}

PAIL_TEST(the_least_recent_circuit_makes_room)
{
    struct pail_cost_record record = {0};
    const struct pail_cost_sample sample = {.start_ms = 3, .first_ms = 20};
    for (uint64_t i = 1; i <= PAIL_COST_CIRCUITS + 3; i++) {
        const struct pail_cost_job job = {.key = {i, 1e4, 1e6}, .processors = {4, 1400}, .n = 1};
        assert_true(pail_cost_note(&record, &job, PAIL_COST_CPU, &sample));
        const struct pail_cost_job first = {.key = {1, 1e4, 1e6}, .processors = {4, 1400}, .n = 1};
        (void)pail_cost_note(&record, &first, PAIL_COST_CPU, &sample); /* is used all the time */
    }
    bool has[PAIL_COST_CIRCUITS + 4] = {false};
    for (size_t i = 0; i < PAIL_COST_CIRCUITS; i++) {
        assert_in_range(record.circuits[i].key.signature, 1, PAIL_COST_CIRCUITS + 3);
        assert_false(has[record.circuits[i].key.signature]);
        has[record.circuits[i].key.signature] = true;
    }
    assert_true(has[1] && !has[2] && !has[3] && !has[4] && has[5]);
    assert_true(record.circuits[0].terms[PAIL_COST_CPU][PAIL_COST_ONCE].n == 2);
}

/* ---- What is kept ---------------------------------------------------------------------------- */
static struct pail_cost_record learned(void)
{
    struct pail_cost_record record = {0};
    for (int run = 0; run < 5; run++)
        for (size_t c = 0; c < CIRCUITS; c++)
            (void)live(&record, &worlds[0], c, 1 + (uint64_t)run % 2, 0.05);
    return record;
}

/* Compares numbers: a struct has gaps. */
static void expect_nothing(const struct pail_cost_record *record)
{
    static const struct pail_cost_record none;
    uint64_t got[PAIL_COST_NUMBERS], wanted[PAIL_COST_NUMBERS];
    pail_cost_encode(got, record);
    pail_cost_encode(wanted, &none);
    assert_memory_equal(got, wanted, sizeof(got));
}

PAIL_TEST(numbers_and_back)
{
    const struct pail_cost_record record = learned();
    uint64_t numbers[PAIL_COST_NUMBERS], again[PAIL_COST_NUMBERS];
    struct pail_cost_record other;
    pail_cost_encode(numbers, &record);
    assert_true(pail_cost_decode(&other, numbers));
    pail_cost_encode(again, &other);
    assert_memory_equal(numbers, again, 2 * sizeof(numbers[0]));
    assert_int_equal(other.device, record.device);
    for (size_t i = 0; i < PAIL_COST_CIRCUITS; i++)
        for (size_t k = 0; k < PAIL_COST_PARTS; k++) {
            const struct pail_measured *a = &record.circuits[i].terms[PAIL_COST_CPU][k],
                                       *b = &other.circuits[i].terms[PAIL_COST_CPU][k];
            assert_true(a->n == b->n && fabs(a->value - b->value) < 1e-5);
        }
    uint8_t *const bytes = (uint8_t *)numbers;
    for (size_t at = 0; at < sizeof(numbers); at++) { /* whatever is read, a choice can be made */
        bytes[at] ^= 0xff;
        (void)pail_cost_decode(&other, numbers);
        bytes[at] ^= 0xff;
        struct pail_cost_choice choice;
        const struct pail_cost_job job = job_of(&worlds[0], 2, 3);
        pail_cost_choose(&choice, &other, &job);
        assert_true(isfinite(choice.of[0].expected_ms) && isfinite(choice.of[1].low_ms));
        assert_true(choice.of[0].low_ms >= 0 && choice.of[1].low_ms >= 0);
    }
    static const size_t nonsense[] = {1, 2, 3, 4, 5, 7, 8}; /* too much of each */
    for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
        numbers[nonsense[i]] ^= UINT64_C(1) << 63;
        assert_false(pail_cost_decode(&other, numbers));
        expect_nothing(&other);
        numbers[nonsense[i]] ^= UINT64_C(1) << 63;
    }
}

PAIL_TEST(in_a_folder)
{
    char folder[] = "/tmp/pail-cost-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    const struct pail_cost_record record = learned();
    struct pail_cost_record other;
    struct pail_cost_machine machine, twin;
    pail_cost_machine_read(&machine, 3);
    assert_int_equal(machine.processors.threads, 3);
    assert_true(machine.processors.unit_ns > 0);
    pail_cost_load(&other, &machine, folder);
    expect_nothing(&other);
    pail_cost_store(&record, &machine, folder);
    pail_cost_load(&other, &machine, folder);
    assert_int_equal(other.device, record.device);
    assert_int_equal(other.circuits[0].key.signature, record.circuits[0].key.signature);
    pail_cost_machine_read(&twin, 3);
    assert_int_equal(twin.mark, machine.mark);
    /* Other threads, another arithmetic, other drivers: another machine. */
    pail_cost_machine_read(&twin, 4);
    assert_int_not_equal(twin.mark, machine.mark);
    pail_cost_load(&other, &twin, folder);
    expect_nothing(&other);
    assert_int_equal(setenv("VK_DRIVER_FILES", "/dev/null:/nowhere", 1), 0);
    pail_cost_machine_read(&twin, 3);
    assert_int_not_equal(twin.mark, machine.mark);
    pail_cost_load(&other, &twin, folder);
    expect_nothing(&other);
    assert_int_equal(setenv("PAIL_DEBUG", "nocache", 1), 0);
    pail_cost_machine_read(&twin, 3);
    pail_cost_store(&record, &twin, folder);
    pail_cost_load(&other, &twin, folder);
    expect_nothing(&other);
    assert_int_equal(unsetenv("PAIL_DEBUG"), 0);
    (void)snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}
