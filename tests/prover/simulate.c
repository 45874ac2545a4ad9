/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions of the simulation for a published account, fitted to two of its rows alone. */
#include <math.h>
#include <unistd.h>

#include <simulate/fit.h>

#include "support/test.h"

static const double FIVE_PERCENT = 0.05;

static void read_scenario(struct pail_scenario *scenario, const char *name)
{
    char path[512];
    struct pail_error error = {.status = PAIL_OK};
    (void)snprintf(path, sizeof(path), PAIL_TEST_SCENARIOS "/%s.txt", name);
    if (pail_scenario_read(scenario, path, &error) != PAIL_OK)
        fail_msg("%s", error.sentence);
}

static struct pail_simulated run_seed(const struct pail_scenario *scenario, uint32_t count,
                                      uint32_t jobs, uint64_t seed)
{
    struct pail_simulated out;
    struct pail_error error = {.status = PAIL_OK};
    const struct pail_load load = {.count = count, .jobs = jobs, .seed = seed};
    if (pail_simulate(&out, scenario, &load, &error) != PAIL_OK)
        fail_msg("%s", error.sentence);
    /* Little's law: the integral over time, and units by themselves. */
    if (out.out_of_memory == 0 && fabs(out.in_slots / out.by_little - 1) > 1e-6)
        fail_msg("%f in slots, but %f by Little's law", out.in_slots, out.by_little);
    return out;
}

static struct pail_simulated run(const struct pail_scenario *scenario, uint32_t count,
                                 uint32_t jobs)
{
    return run_seed(scenario, count, jobs, 1);
}

static struct pail_simulated run_named(const char *name, uint32_t count, uint32_t jobs)
{
    struct pail_scenario scenario;
    read_scenario(&scenario, name);
    return run(&scenario, count, jobs);
}

static void expect_close(const char *what, double simulated, double measured, double within)
{
    if (fabs(simulated / measured - 1) > within)
        fail_msg("%s: %.2f, but %.2f was measured", what, simulated, measured);
}

/* The rows that the fit has not seen, and one proof at a time: with one worker, and with the two
 * that the parts of 4.9 s are of. */
PAIL_TEST(predictions)
{
    const struct pail_simulated ten = run_named("one-lock", 10, 10),
                                fifteen = run_named("one-lock", 15, 15),
                                alone = run_named("one-lock-alone", 3, 1);
    expect_close("10 of 10", ten.s_per_proof, 38.7, FIVE_PERCENT);
    expect_close("15 of 15", fifteen.s_per_proof, 38.2, FIVE_PERCENT);
    expect_close("alone", alone.slot_s, 32.1, FIVE_PERCENT);
    expect_close("alone, two workers", run_named("one-lock", 1, 1).slot_s, 49, 0.1);
    expect_close("busy, 10 of 10", ten.busy_percent, 89.7, FIVE_PERCENT);
    expect_close("busy, 15 of 15", fifteen.busy_percent, 88.0, FIVE_PERCENT);
    expect_close("slots, 10 of 10", ten.slot_s, 56.3, FIVE_PERCENT);
    expect_close("slots, 15 of 15", fifteen.slot_s, 54.3, FIVE_PERCENT);
}

/* The numbers of the files are those that the two rows give. */
PAIL_TEST(the_fit)
{
    struct pail_scenario fitted, shipped;
    struct pail_measured_rows rows;
    struct pail_error error = {.status = PAIL_OK};
    double left = 1;
    read_scenario(&shipped, "one-lock");
    fitted = shipped;
    fitted.slot_per_producer = fitted.producer_per_g2 = 0;
    fitted.stall_per_release = fitted.spread = 0;
    assert_int_equal(pail_measured_read(&rows, PAIL_TEST_SCENARIOS "/rows.txt", &error), PAIL_OK);
    assert_int_equal(rows.n, 2);
    assert_int_equal(pail_fit(&fitted, &left, &rows, 1500, &error), PAIL_OK);
    assert_true(left < 0.05);
    for (size_t i = 0; i < rows.n; i++) {
        const struct pail_measured_row *const row = &rows.rows[i];
        const struct pail_simulated out = run(&shipped, row->load.count, row->load.jobs);
        expect_close("a fitted row", out.s_per_proof, row->s_per_proof, 0.02);
        expect_close("a fitted row, busy", out.busy_percent, row->busy_percent, 0.051);
    }
    /* Another search ends at other numbers, and predicts the same. */
    expect_close("10 of 10", run(&fitted, 10, 10).s_per_proof, 38.7, FIVE_PERCENT);
    expect_close("15 of 15", run(&fitted, 15, 15).s_per_proof, 38.2, FIVE_PERCENT);
}

/* Three interventions were expected to give 34.0 seconds, and gave 36.7. Of the 1.3 s that they
 * gained the simulation has a sixth, whatever the seed: docs/scheduling.md says so. */
PAIL_TEST(three_interventions)
{
    struct pail_scenario before, after;
    read_scenario(&before, "one-lock");
    read_scenario(&after, "three-interventions");
    for (uint64_t seed = 1; seed <= 8; seed++) {
        const double gain = run_seed(&before, 20, 15, seed).s_per_proof -
                            run_seed(&after, 20, 15, seed).s_per_proof;
        if (gain < 0.205 || gain > 0.245)
            fail_msg("a gain of %.3f s with seed %d", gain, (int)seed);
    }
    const double s = run_named("three-interventions", 20, 15).s_per_proof;
    expect_close("three interventions", s, 36.7, FIVE_PERCENT);
    assert_true(s > 34.0 * (1 + FIVE_PERCENT));
    assert_true(s < run_named("one-lock", 20, 15).s_per_proof);
}

PAIL_TEST(two_locks)
{
    const struct pail_simulated without = run_named("two-locks", 3, 3),
                                with = run_named("two-locks-ledger", 3, 3);
    assert_true(without.out_of_memory > 0 && without.failed > 0);
    assert_true(without.peak_card_gib > 14.9);
    assert_int_equal(with.out_of_memory, 0);
    assert_int_equal(with.failed, 0);
    assert_true(with.peak_card_gib <= 14.9);
    /* The last two workers wait instead: no slower than one lock by more than a twentieth. */
    expect_close("two locks with reservations", with.s_per_proof,
                 run_named("one-lock", 3, 3).s_per_proof, FIVE_PERCENT);
}

/* Memory that waits to be freed is still taken: a bound on threads alone moves the trouble. With
 * few proofs one thread keeps up, and with more it is the memory that ends, or the proofs wait. */
PAIL_TEST(freeing)
{
    struct pail_scenario scenario;
    const struct pail_simulated unbounded = run_named("unbounded-release", 20, 15),
                                unbounded_few = run_named("unbounded-release", 5, 5);
    read_scenario(&scenario, "one-reclaimer");
    const struct pail_simulated few = run(&scenario, 5, 5), queued = run(&scenario, 20, 15);
    scenario.ledger = 1;
    const struct pail_simulated reserved = run(&scenario, 20, 15);
    assert_true(few.s_per_proof < 0.9 * unbounded_few.s_per_proof);
    assert_true(few.out_of_memory == 0 && few.peak_host_gib <= scenario.host_gib);
    assert_true(queued.out_of_memory > 0 && queued.failed == queued.out_of_memory);
    assert_true(queued.peak_host_gib > scenario.host_gib);
    assert_true(queued.peak_host_gib <= scenario.host_gib + scenario.host_unit_gib);
    assert_true(reserved.out_of_memory == 0 && reserved.peak_host_gib <= scenario.host_gib);
    assert_true(reserved.s_per_proof > 1.4 * unbounded.s_per_proof);
}

PAIL_TEST(this_scheduler)
{
    const struct pail_simulated ours = run_named("pail", 20, 15);
    assert_int_equal(ours.out_of_memory, 0);
    assert_true(ours.s_per_proof < run_named("three-interventions", 20, 15).s_per_proof);
    assert_true(ours.peak_card_gib <= 14.9 && ours.peak_host_gib <= 755);
}

static struct pail_scenario of_key(const char *rates)
{
    struct pail_scenario scenario;
    struct pail_error error = {.status = PAIL_OK};
    if (pail_scenario_read_key(&scenario, PAIL_TEST_KEY, rates, &error) != PAIL_OK)
        fail_msg("%s", error.sentence);
    return scenario;
}

/* A key's proof takes what the placement expects of it, on one card and on several; and the
 * witness's and the assembly's stages beside. */
PAIL_TEST(a_key)
{
    struct pail_scenario scenario = of_key(NULL);
    const struct pail_rate *const rates = scenario.rates.of;
    struct pail_proof_placement placement;
    static const double slowness[] = {1, 1, 1, 1};
    assert_int_equal(scenario.facts.n_vars, 6714);
    assert_int_equal(scenario.facts.domain_size, 8192);
    pail_place(&placement, &scenario.job, slowness, 1, &pail_place_costs_usual);
    const struct pail_simulated alone = run(&scenario, 3, 1);
    const double host_ms = rates[PAIL_WORK_WITNESS].fixed_ms + rates[PAIL_WORK_ASSEMBLE].fixed_ms;
    /* The placement counts the start of a device as well. */
    expect_close("one card", 1000 * alone.s_per_proof,
                 placement.expected_ms - rates[PAIL_WORK_START].fixed_ms + host_ms, 1e-6);
    const double gib = 32.0 * (6714 + 3 * 8192) / 1073741824;
    expect_close("its vectors", alone.peak_card_gib, gib, 1e-9);
    assert_true(run(&scenario, 20, 4).s_per_proof < alone.s_per_proof);
    scenario.cards = 4; /* each has a proof of its own: latency stays, throughput does not */
    assert_true(run(&scenario, 40, 12).s_per_proof < 0.5 * alone.s_per_proof);
    scenario.facts =
        (struct pail_proof_facts){.n_vars = 1 << 20, .n_public = 3, .domain_size = 1 << 20};
    scenario.job.n_vars = scenario.job.domain_size = 1 << 20;
    for (int m = 0; m < PAIL_ZKEY_MSMS; m++)
        scenario.job.n_points[m] = m == PAIL_ZKEY_C ? (1 << 20) - 4 : 1 << 20;
    scenario.together = 1;
    pail_place(&placement, &scenario.job, slowness, 4, &pail_place_costs_usual);
    assert_true(placement.n_used > 1);
    expect_close("four cards together", 1000 * run(&scenario, 2, 1).s_per_proof,
                 placement.expected_ms + host_ms, 1e-6);
}

static void write_file(const char *path, const char *text)
{
    FILE *const stream = fopen(path, "w");
    assert_non_null(stream);
    (void)fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

/* Rates of another device, and what a file of them may not say. */
PAIL_TEST(rates_of_a_key)
{
    static const struct {
        const char *text, *words;
    } cases[] = {{"g3_ns 1\n", ":1: a key's machine has no \"g3_ns\""},
                 {"g1_ns\n", ":1: g1_ns is no number"},
                 {"g1_ns 1 2\n", ":1: there is more"},
                 {"g1_ns -1\n", ":1: g1_ns is no number from 0"},
                 {"cards 2\ncards 3\n", ":2: cards is there twice"}};
    char path[] = "/tmp/pail-rates-XXXXXX";
    struct pail_scenario scenario;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    write_file(path, "g1_ns 620 # two hundred times as slow\ng2_ns 2000\ninflight 1\n");
    const struct pail_scenario slow = of_key(path), usual = of_key(NULL);
    assert_true(slow.inflight == 1 && slow.cards == 1);
    assert_true(run(&slow, 1, 1).s_per_proof > 5 * run(&usual, 1, 1).s_per_proof);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pail_error error = {.status = PAIL_OK};
        write_file(path, cases[i].text);
        assert_int_equal(pail_scenario_read_key(&scenario, PAIL_TEST_KEY, path, &error),
                         PAIL_ERR_DATA);
        if (!strstr(error.sentence, cases[i].words))
            fail_msg("\"%s\" lacks \"%s\"", error.sentence, cases[i].words);
    }
    struct pail_error error = {.status = PAIL_OK};
    assert_int_equal(pail_scenario_read_key(&scenario, PAIL_TEST_KEY, "/nowhere", &error),
                     PAIL_ERR_IO);
    assert_true(pail_scenario_is_key(PAIL_TEST_KEY));
    assert_false(pail_scenario_is_key(path) || pail_scenario_is_key("/nowhere"));
    assert_int_equal(close(file), 0);
    assert_int_equal(unlink(path), 0);
}

PAIL_TEST(what_is_refused)
{
    static const struct {
        const char *text, *words;
    } cases[] = {{"g1_ns 1\n", ":1: a scenario has no \"g1_ns\""},
                 {"threads 8\nthreads 9\n", ":2: threads is there twice"},
                 {"treads 8\n", ":1: a scenario has no \"treads\""},
                 {"threads many\n", ":1: threads is no number"},
                 {"threads 0\n", ":1: threads is no number from 1"},
                 {"threads nan\n", ":1: threads is no number"},
                 {"threads 8 9\n", ":1: there is more"},
                 {"# nothing\n", ": threads is missing"}};
    char path[] = "/tmp/pail-scenario-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pail_scenario scenario;
        struct pail_error error = {.status = PAIL_OK};
        write_file(path, cases[i].text);
        assert_int_equal(pail_scenario_read(&scenario, path, &error), PAIL_ERR_DATA);
        if (strstr(error.sentence, cases[i].words) == NULL)
            fail_msg("\"%s\" lacks \"%s\"", error.sentence, cases[i].words);
    }
    assert_int_equal(close(file), 0);
    assert_int_equal(unlink(path), 0);
}
